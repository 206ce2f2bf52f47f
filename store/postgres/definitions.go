package postgres

import (
	"context"
	"strings"

	"github.com/frondhost/frond/store/postgres/engine"
)

// The record of definitions: those that cards have had of a table, parted by spaces, the last one last.
const (
	makeDefinitions = `CREATE TABLE IF NOT EXISTS ` + engine.Bookkeeping + `.definitions (schema text, "table" text, definitions text NOT NULL, PRIMARY KEY (schema, "table"))`

	readDefinitions = `SELECT "table", definitions FROM ` + engine.Bookkeeping + `.definitions WHERE schema = $1`

	writeDefinitions = `INSERT INTO ` + engine.Bookkeeping + `.definitions (schema, "table", definitions) SELECT $1, * FROM unnest($2::text[], $3::text[])
 ON CONFLICT (schema, "table") DO UPDATE SET definitions = excluded.definitions`
)

// Definitions implements [migration.Database].
func (m *migrator) Definitions() (map[string][]string, error) { return definitions(m.conn, m.schema) }

// definitions reads the record. A role that may not read it has the newest cards.
func definitions(c *engine.Conn, schema string) (map[string][]string, error) {
	all := map[string][]string{}
	err := c.Run(&engine.Query{Text: []byte(readDefinitions), Values: [][]byte{[]byte(schema)}, Row: func(v [][]byte) error {
		all[string(v[0])] = strings.Fields(string(v[1]))
		return nil
	}})
	if engine.Missing(err) || engine.Lacks(err) != "" {
		return nil, nil
	}
	return all, err
}

// define writes the entries of a plan into the record.
func (s *access) define(ctx context.Context, m *migrator) error {
	if len(m.Defined) == 0 {
		return nil
	}
	names, lists := []byte{'{'}, []byte{'{'}
	for name, list := range m.Defined {
		names, lists = appendElementText(names, []byte(name)), appendElementText(lists, []byte(strings.Join(list, " ")))
	}
	return s.db.Once(ctx, &engine.Query{Text: []byte(writeDefinitions), Values: [][]byte{[]byte(m.schema), append(names, '}'), append(lists, '}')}})
}
