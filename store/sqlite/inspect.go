package sqlite

import (
	"maps"
	"slices"
	"strings"

	"github.com/frondhost/frond/store/migration"
	"github.com/frondhost/frond/store/sqlite/engine"
	"github.com/frondhost/frond/store/sqltext"
)

// The tables of a file are read back from their CREATE statements: the schema has no other record.
// This program wrote them, so only the text of [table.sql] and [table.indexSQL] has to be understood.

// inspect reads every table of the file except the [ownPrefix] ones, by its name in lower case.
// A table of another program is foreign. Tables come first in the statement's answer, so that
// indexes find theirs.
func inspect(c *engine.Conn) (tables []*migration.Table, err error) {
	all := map[string]*migration.Table{}
	err = c.Each(func(st *engine.Stmt) {
		kind, name, key, sql := st.ColumnText(0), st.ColumnText(1), asciiLower(st.ColumnText(2)), st.ColumnText(3)
		switch t := all[key]; {
		case kind == "index" && t != nil && !t.Foreign:
			t.Indexes = append(t.Indexes, migration.Index{
				Name: name, Text: sql, Unique: strings.HasPrefix(sql, "CREATE UNIQUE"), Own: strings.HasPrefix(name, t.Name+":"), Columns: indexedColumns(sql),
			})
		case kind == "table" || kind == "view":
			if all[key] = parseTable(name, sql); all[key] == nil {
				all[key] = &migration.Table{Name: key, Foreign: true}
			}
		}
	}, "SELECT type, name, tbl_name, sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND tbl_name NOT LIKE '\\_frond\\_%' ESCAPE '\\' ORDER BY type = 'table' DESC, name")
	for _, key := range slices.Sorted(maps.Keys(all)) {
		tables = append(tables, all[key])
	}
	if err != nil {
		return nil, err
	}
	return tables, inspectSearches(c, all)
}

// inspectSearches adds the searches of tables to their indexes.
func inspectSearches(c *engine.Conn, tables map[string]*migration.Table) error {
	return c.Each(func(st *engine.Stmt) {
		index := strings.TrimPrefix(st.ColumnText(0), ownPrefix)
		if t := tables[asciiLower(st.ColumnText(2))]; t != nil && !t.Foreign {
			t.Indexes = append(t.Indexes, migration.Index{Name: index, Text: st.ColumnText(1), Own: true})
		}
	}, "SELECT f.name, f.sql, g.tbl_name FROM sqlite_schema AS f JOIN sqlite_schema AS g ON g.type = 'trigger' AND g.name = f.name || ' gone' WHERE f.sql LIKE 'CREATE VIRTUAL TABLE%' AND f.name LIKE '\\_frond\\_%"+sqltext.SearchMark+"%' ESCAPE '\\' ORDER BY f.name")
}

// parseTable reads a CREATE TABLE of this program; nil for any other.
func parseTable(name, sql string) *migration.Table {
	toks, ok := tokens(sql)
	// CREATE TABLE "name" ( … ) STRICT
	if !ok || len(toks) != 5 || toks[0] != "CREATE" || toks[1] != "TABLE" || toks[4] != "STRICT" {
		return nil
	}
	body, ok := tokens(inside(toks[3]))
	if !ok {
		return nil
	}
	t := &migration.Table{Name: name}
	for len(body) > 0 {
		n := 0
		for n < len(body) && body[n] != "," {
			n++
		}
		d, ok := parseColumn(body[:n])
		if !ok {
			return nil
		}
		t.Columns = append(t.Columns, d)
		body = body[min(n+1, len(body)):]
	}
	return t
}

// parseColumn reads the tokens of one column, the inverse of [columnSQL]; false for anything that
// it does not write.
func parseColumn(toks []string) (d migration.Column, ok bool) {
	next := func() string {
		if len(toks) == 0 {
			return ""
		}
		t := toks[0]
		toks = toks[1:]
		return t
	}
	d.Name, d.Type = unquote(next()), next()
	if d.Name == "" || d.Type == "" {
		return d, false
	}
	switch d.Kind = "string"; d.Type {
	case "INTEGER":
		d.Kind = "integer"
	case "REAL":
		d.Kind = "number"
	}
	for len(toks) > 0 {
		switch word := next(); word {
		case "COLLATE":
			d.Collation = next()
			d.Kind = d.Collation
		case "DEFAULT":
			d.Default = next()
			d.Filled = true
		case "NOT":
			d.NotNull = next() == "NULL"
		case "PRIMARY":
			d.Primary = next() == "KEY"
		case "CONSTRAINT":
			name := unquote(next())
			column, keyword, ok := strings.Cut(name, ":")
			if !ok || next() != "CHECK" {
				return d, false
			}
			expression := inside(next())
			if kind, ok := strings.CutPrefix(keyword, "kind "); ok {
				d.Kind, d.Mark = kind, expression
			} else {
				if column != d.Name { // the column was renamed in the file, and a failure would name another one
					keyword = name
				}
				d.Checks = append(d.Checks, migration.Check{Keyword: keyword, Expression: expression})
			}
		case "REFERENCES":
			d.References.Table, d.References.Column = unquote(next()), unquote(inside(next()))
			d.References.Rest = strings.Join(toks, " ")
			toks = nil
		default:
			return d, false
		}
	}
	return d, true
}

// indexedColumns lists the columns of a CREATE INDEX; nil for one over expressions.
func indexedColumns(sql string) (names []string) {
	toks, ok := tokens(sql)
	if !ok {
		return nil
	}
	for _, group := range toks {
		list, ok := tokens(inside(group))
		if !ok || inside(group) == "" {
			continue
		}
		for _, tok := range list {
			if name := unquote(tok); name != "" {
				names = append(names, name)
			}
		}
		return names
	}
	return nil
}

// tokens cuts SQL into words, quoted names, literals, commas and whole groups in parentheses. It
// fails on an unclosed quote or parenthesis.
//
//	"price" TEXT CHECK ("price" > '0'), …    "price"  TEXT  CHECK  ("price" > '0')  ,  …
func tokens(sql string) (out []string, ok bool) {
	for i := 0; i < len(sql); {
		start := i
		switch c := sql[i]; {
		case c == ' ' || c == '\n' || c == '\t' || c == '\r':
			i++
			continue
		case c == ',':
			i++
		case c == '"' || c == '\'':
			if i, ok = closing(sql, i); !ok {
				return nil, false
			}
		case c == '(':
			depth := 0
			for ; i < len(sql); i++ {
				switch sql[i] {
				case '"', '\'':
					var end int
					if end, ok = closing(sql, i); !ok {
						return nil, false
					}
					i = end - 1
				case '(':
					depth++
				case ')':
					depth--
				}
				if depth == 0 {
					break
				}
			}
			if depth != 0 {
				return nil, false
			}
			i++
		default:
			for i < len(sql) && !strings.ContainsRune(" \n\t\r,\"'()", rune(sql[i])) {
				i++
			}
			if i == start {
				return nil, false
			}
		}
		out = append(out, sql[start:i])
	}
	return out, true
}

// closing returns the offset after the quoted token that opens at i. A doubled quote is one of its
// characters.
func closing(sql string, i int) (int, bool) {
	q := sql[i]
	for i++; i < len(sql); i++ {
		if sql[i] == q {
			if i+1 < len(sql) && sql[i+1] == q {
				i++
				continue
			}
			return i + 1, true
		}
	}
	return i, false
}

// inside returns a group without its parentheses, "" for anything else.
func inside(group string) string {
	if len(group) < 2 || group[0] != '(' {
		return ""
	}
	return group[1 : len(group)-1]
}

// unquote returns a quoted name without its quotes, "" for any other text.
func unquote(name string) string {
	if len(name) < 2 || name[0] != '"' {
		return ""
	}
	return strings.ReplaceAll(name[1:len(name)-1], `""`, `"`)
}
