package sqlite

import (
	"strings"

	"github.com/frondhost/frond/store/sqlite/engine"
)

// found is a table as the file holds it, read back from its CREATE statements. This program wrote
// them, so only what [definition.sql] and [table.indexSQL] write has to be understood: the schema
// has no other record.
type found struct {
	name     string
	columns  []definition
	byName   map[string]*definition
	indexes  map[string]string // name to CREATE INDEX
	triggers map[string]string // name to CREATE TRIGGER
}

// inspect reads every table of the file, by its name in lower case, except those of
// [ownPrefix]. The value is nil for a table that this program did not make. Tables come first
// in the statement's answer, so that indexes and triggers find theirs.
func inspect(c *engine.Conn) (map[string]*found, error) {
	st, err := c.Start([]byte("SELECT type, name, tbl_name, sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND tbl_name NOT LIKE '\\_frond\\_%' ESCAPE '\\' ORDER BY type = 'table' DESC, name"), nil)
	if err != nil {
		return nil, err
	}
	all := map[string]*found{}
	for st.Step() {
		kind, name, key, sql := st.ColumnText(0), st.ColumnText(1), asciiLower(st.ColumnText(2)), st.ColumnText(3)
		switch f := all[key]; {
		case kind == "index" && f != nil:
			f.indexes[name] = sql
		case kind == "trigger" && f != nil:
			f.triggers[name] = sql
		case kind == "table" || kind == "view":
			all[key] = parseTable(name, sql)
		}
	}
	return all, c.Finish(st)
}

// parseTable reads a CREATE TABLE of this program; nil for any other.
func parseTable(name, sql string) *found {
	toks, ok := tokens(sql)
	// CREATE TABLE "name" ( … ) STRICT
	if !ok || len(toks) != 5 || toks[0] != "CREATE" || toks[1] != "TABLE" || toks[4] != "STRICT" {
		return nil
	}
	body, ok := tokens(inside(toks[3]))
	if !ok {
		return nil
	}
	f := &found{name: name, byName: map[string]*definition{}, indexes: map[string]string{}, triggers: map[string]string{}}
	for len(body) > 0 {
		n := 0
		for n < len(body) && body[n] != "," {
			n++
		}
		d, ok := parseDefinition(body[:n])
		if !ok {
			return nil
		}
		f.columns = append(f.columns, d)
		body = body[min(n+1, len(body)):]
	}
	for i := range f.columns {
		f.byName[f.columns[i].column] = &f.columns[i]
	}
	return f
}

// parseDefinition reads the tokens of one column, the inverse of [definition.sql]; false for
// anything that it does not write.
func parseDefinition(toks []string) (d definition, ok bool) {
	next := func() string {
		if len(toks) == 0 {
			return ""
		}
		t := toks[0]
		toks = toks[1:]
		return t
	}
	d.column, d.typ = unquote(next()), next()
	if d.column == "" || d.typ == "" {
		return d, false
	}
	for len(toks) > 0 {
		switch word := next(); word {
		case "COLLATE":
			d.collation = next()
		case "DEFAULT":
			d.dflt = next()
		case "NOT":
			d.notNull = next() == "NULL"
		case "PRIMARY":
			d.primary = next() == "KEY"
		case "CONSTRAINT":
			name := unquote(next())
			_, keyword, ok := strings.Cut(name, ":")
			if !ok || next() != "CHECK" {
				return d, false
			}
			if kind, ok := strings.CutPrefix(keyword, "kind "); ok {
				d.kind = kind
			}
			d.checks = append(d.checks, check{keyword, inside(next())})
		case "REFERENCES":
			d.refs = strings.Join(append([]string{word}, toks...), " ")
			toks = nil
		default:
			return d, false
		}
	}
	return d, true
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

// kindName names the kind of value that a column holds, for comparing and for messages:
// integer, number, boolean, date-time, date, decimal, json or string. It reads the mark of a
// check where the type does not show it.
func (d *definition) kindName() string {
	switch {
	case d.collation != "":
		return d.collation
	case d.kind != "":
		return d.kind
	case d.typ == "INTEGER":
		return "integer"
	case d.typ == "REAL":
		return "number"
	}
	return "string"
}
