package sqlite

import (
	"github.com/frondhost/frond/store/migration"
	"github.com/frondhost/frond/store/sqlite/engine"
)

// Move implements [migration.Database]. SQLite cannot rename an index: Move drops the indexes of
// the table, and the next pass makes them under their new names, in the same transaction.
func (m *migrator) Move(after *migration.Names, moves []migration.Move) error {
	for i := range moves {
		mv := &moves[i]
		if !mv.Refused {
			mv.SQL = m.move(mv)
		}
		m.add(mv.Step, m.statements(mv.SQL))
		m.note("%s: %s", mv.Where(), mv.Does)
	}
	return m.Compile(after) // for the searches and tallies behind the steps
}

// move are the statements of one move.
func (m *migrator) move(mv *migration.Move) (sql []string) {
	t := m.tables.ByName[mv.Table]
	for _, was := range m.Present {
		for _, ix := range was.Indexes {
			switch {
			case was.Name != mv.Table || !ix.Own:
			case isSearch(ix.Name):
				sql = append(sql, dropSearch(ix.Name)...)
			default:
				sql = append(sql, "DROP INDEX "+quote(ix.Name))
			}
		}
	}
	for name := range t.tallyTriggers() {
		sql = append(sql, "DROP TRIGGER IF EXISTS "+quote(name))
	}
	from, to := engine.LiteralText(mv.Table), engine.LiteralText(mv.To)
	sql = append(sql, "DELETE FROM "+tallyTable+" WHERE name = "+from)
	if mv.To != mv.Table {
		sql = append(sql, "ALTER TABLE "+quote(mv.Table)+" RENAME TO "+quote(mv.To))
	}
	for _, c := range mv.Columns {
		sql = append(sql, "ALTER TABLE "+quote(mv.To)+" RENAME COLUMN "+quote(c.From)+" TO "+quote(c.To))
	}
	sql = append(sql, `DELETE FROM "`+namesTable+`" WHERE "table" = `+from)
	for _, c := range mv.Entries {
		sql = append(sql, nameSQL(c))
	}
	return append(sql, `UPDATE "`+definitionsTable+`" SET "table" = `+to+` WHERE "table" = `+from)
}
