package sqlite

import (
	"maps"
	"slices"
	"strings"

	"github.com/frondhost/frond/store/sqlite/engine"
	"github.com/frondhost/frond/store/sqltext"
)

// definitionsTable is the record of definitions: those that cards have had of a table, parted by spaces, the last one last.
const definitionsTable = ownPrefix + "definitions"

// Definitions implements [migration.Database].
func (m *migrator) Definitions() (map[string][]string, error) {
	all := map[string][]string{}
	return all, eachOwn(m.conn, definitionsTable, func(st *engine.Stmt) {
		all[st.ColumnText(0)] = strings.Fields(st.ColumnText(1))
	}, `SELECT "table", definitions FROM "`+definitionsTable+`"`)
}

// define writes the entries of the plan into the record.
func (m *migrator) define() error {
	if len(m.Defined) == 0 {
		return nil
	}
	if err := m.conn.Once(`CREATE TABLE IF NOT EXISTS "` + definitionsTable + `" ("table" TEXT PRIMARY KEY, definitions TEXT NOT NULL) STRICT`); err != nil {
		return err
	}
	for _, table := range slices.Sorted(maps.Keys(m.Defined)) {
		err := m.conn.Exec(`INSERT OR REPLACE INTO "`+definitionsTable+`" ("table", definitions) VALUES (?, ?)`, sqltext.TextValue(table), sqltext.TextValue(strings.Join(m.Defined[table], " ")))
		if err != nil {
			return err
		}
	}
	return nil
}
