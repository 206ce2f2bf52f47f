package postgres

import (
	"maps"
	"slices"
	"strings"

	"github.com/frondhost/frond/store/migration"
	"github.com/frondhost/frond/store/postgres/engine"
	"github.com/frondhost/frond/store/sqltext"
)

// present is a relation as the database has it.
type present struct {
	name string
	// kind is PostgreSQL's letter: r and p are tables, v and m views, f a foreign table.
	kind    string
	columns []presentColumn
	// primary are the columns of the primary key, and primaryName its constraint's name.
	primary     []string
	primaryName string
	indexes     map[string]presentIndex
	// unreadable says that the role of the connection may not read it.
	unreadable bool
}

// presentColumn is a column as the database has it. It is Filled if the database itself gives
// new rows a value in it.
type presentColumn struct {
	migration.Column
	number    string // among the table's columns
	reference string // the name of its foreign key
}

// presentIndex is an index as the database has it. valid is false if building it concurrently
// has failed; plain says that it is a b-tree over columns, without a condition.
type presentIndex struct {
	unique, valid, plain bool
	columns              string // as [index.columnsSQL] has them
}

// column returns the column called name, or nil.
func (p *present) column(name string) *presentColumn {
	for i := range p.columns {
		if p.columns[i].Name == name {
			return &p.columns[i]
		}
	}
	return nil
}

// hasAll reports whether the relation has columns of all names.
func (p *present) hasAll(names []string) bool {
	return !slices.ContainsFunc(names, func(name string) bool { return p.column(name) == nil })
}

// The catalogue, read in one round trip: relations with their columns, constraints, indexes of
// one schema ($1). Columns of constraints and indexes come as their numbers, and no row needs a
// lookup: a thousand tables have some ten thousand rows here.
const (
	readColumns = `SELECT c.relname, c.relkind, a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull,
 coalesce(l.collname, ''), a.atthasdef OR a.attidentity <> '', a.attnum
FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
LEFT JOIN pg_catalog.pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
LEFT JOIN pg_catalog.pg_type t ON t.oid = a.atttypid
LEFT JOIN pg_catalog.pg_collation l ON l.oid = a.attcollation AND a.attcollation <> t.typcollation
WHERE n.nspname = $1 AND c.relkind IN ('r', 'p', 'v', 'm', 'f')
ORDER BY c.relname, a.attnum`

	readConstraints = `SELECT c.relname, k.conname, k.contype, k.conkey::text, coalesce(f.relname, ''), coalesce(r.attname, ''),
 k.confdeltype, coalesce(d.description, ''), k.convalidated
FROM pg_catalog.pg_constraint k JOIN pg_catalog.pg_class c ON c.oid = k.conrelid
JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
LEFT JOIN pg_catalog.pg_class f ON f.oid = k.confrelid
LEFT JOIN pg_catalog.pg_attribute r ON r.attrelid = k.confrelid AND r.attnum = k.confkey[1]
LEFT JOIN pg_catalog.pg_description d ON d.objoid = k.oid AND d.classoid = 'pg_catalog.pg_constraint'::regclass AND d.objsubid = 0
WHERE n.nspname = $1 ORDER BY c.relname, k.oid`

	readIndexes = `SELECT c.relname, i.relname, x.indisunique, x.indisvalid,
 x.indpred IS NULL AND x.indexprs IS NULL AND m.amname = 'btree' AND x.indnkeyatts = x.indnatts, x.indkey::text, x.indoption::text
FROM pg_catalog.pg_index x JOIN pg_catalog.pg_class i ON i.oid = x.indexrelid JOIN pg_catalog.pg_am m ON m.oid = i.relam
JOIN pg_catalog.pg_class c ON c.oid = x.indrelid JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
WHERE n.nspname = $1 AND NOT x.indisprimary ORDER BY c.relname, i.relname`

	readUnreadable = `SELECT c.relname FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
WHERE n.nspname = $1 AND c.relkind IN ('r', 'p') AND NOT pg_catalog.has_table_privilege(c.oid, 'SELECT')`
)

// onDeleteWords are the actions of foreign keys by PostgreSQL's letters.
var onDeleteWords = map[string]string{"a": "NO ACTION", "r": "RESTRICT", "c": "CASCADE", "n": "SET NULL", "d": "SET DEFAULT"}

// orderWords are PostgreSQL's numbers for the order of an index's column.
var orderWords = map[string]string{"0": "", "1": " DESC NULLS LAST", "2": " NULLS FIRST", "3": " DESC"}

// inspect reads every relation of a schema, by name.
func inspect(c *engine.Conn, schema string) (map[string]*present, error) {
	all := map[string]*present{}
	values := [][]byte{[]byte(schema)}
	columns := &engine.Query{Text: []byte(readColumns), Values: values, Row: func(v [][]byte) error {
		name := string(v[0])
		p := all[name]
		if p == nil {
			p = &present{name: name, kind: string(v[1]), indexes: map[string]presentIndex{}}
			all[name] = p
		}
		if v[2] == nil { // a table without columns
			return nil
		}
		p.columns = append(p.columns, presentColumn{
			Column: migration.Column{Name: string(v[2]), Type: string(v[3]), Kind: kindOf(string(v[3])), NotNull: isTrue(v[4]), Collation: string(v[5]), Filled: isTrue(v[6])},
			number: string(v[7]),
		})
		return nil
	}}
	constraints := &engine.Query{Text: []byte(readConstraints), Values: values, Row: func(v [][]byte) error {
		if p := all[string(v[0])]; p != nil {
			p.constraint(v)
		}
		return nil
	}}
	indexes := &engine.Query{Text: []byte(readIndexes), Values: values, Row: func(v [][]byte) error {
		if p := all[string(v[0])]; p != nil {
			ix := presentIndex{unique: isTrue(v[2]), valid: isTrue(v[3]), plain: isTrue(v[4])}
			options := strings.Fields(string(v[6]))
			for i, name := range p.named(v[5]) {
				if i < len(options) {
					name = quote(name) + orderWords[options[i]]
				}
				ix.columns += ", " + name
			}
			ix.columns = strings.TrimPrefix(ix.columns, ", ")
			p.indexes[string(v[1])] = ix
		}
		return nil
	}}
	unreadable := &engine.Query{Text: []byte(readUnreadable), Values: values, Row: func(v [][]byte) error {
		if p := all[string(v[0])]; p != nil {
			p.unreadable = true
		}
		return nil
	}}
	return all, c.Run(columns, constraints, indexes, unreadable)
}

// constraint notes a row of readConstraints.
func (p *present) constraint(v [][]byte) {
	name, members := string(v[1]), p.named(v[3])
	if string(v[2]) == "p" {
		p.primary, p.primaryName = members, name
		return
	}
	if len(members) != 1 {
		return
	}
	switch column := p.column(members[0]); string(v[2]) {
	case "c":
		if keyword, ok := strings.CutPrefix(name, column.Name+":"); ok && (isTrue(v[8]) || keyword == migration.Required) {
			column.Checks = append(column.Checks, migration.Check{Keyword: keyword, Expression: string(v[7])})
		}
	case "f":
		if !isTrue(v[8]) { // an interrupted change has left it; it is made again
			return
		}
		column.reference = name
		column.References = migration.Reference{Table: string(v[4]), Column: string(v[5]), Rest: onDeleteWords[string(v[6])]}
	}
}

// named returns the columns that a list of numbers names: {1,3} of a constraint, 1 3 of an index.
// A number that is no column's, such as the 0 of an expression, is left out.
func (p *present) named(numbers []byte) (names []string) {
	for number := range strings.FieldsFuncSeq(string(numbers), func(r rune) bool { return r < '0' || r > '9' }) {
		for i := range p.columns {
			if p.columns[i].number == number {
				names = append(names, p.columns[i].Name)
			}
		}
	}
	return names
}

func isTrue(v []byte) bool { return len(v) == 1 && v[0] == 't' }

// helpers begin the names of columns that an interrupted change of a type has made.
const helpers = "~"

// described returns a relation of the database as package migration compares it. A view or a foreign table is
// foreign to this program, and so is a table whose primary key is not a single column.
func (p *present) described() *migration.Table {
	out := &migration.Table{Name: p.name, Foreign: p.kind != "r" && p.kind != "p" || len(p.primary) != 1}
	for i := range p.columns {
		d := p.columns[i].Column
		if words, ok := strings.CutPrefix(d.Name, keptPrefix); ok { // they belong to an index, which may not be there yet
			hash, _, _ := strings.Cut(words, " ")
			index := sqltext.SearchName(p.name, hash)
			if _, made := p.indexes[index]; !made && out.Index(index) == nil {
				out.Indexes = append(out.Indexes, migration.Index{Name: index, Own: true})
			}
			continue
		}
		d.Primary = slices.Contains(p.primary, d.Name)
		d.NotNull = d.NotNull || d.Primary
		out.Columns = append(out.Columns, d)
	}
	for _, name := range slices.Sorted(maps.Keys(p.indexes)) {
		ix := p.indexes[name]
		d := migration.Index{Name: name, Unique: ix.unique, Text: indexText(ix.unique, ix.columns), Own: strings.HasPrefix(name, p.name+":index ") || strings.HasPrefix(name, p.name+":unique ")}
		switch {
		case isSearch(name):
			of, _, _ := strings.Cut(name, sqltext.SearchMark)
			if d.Text, d.Own = "", strings.HasPrefix(p.name, of); ix.valid {
				d.Text = name
			}
		case !ix.valid || !ix.plain:
			d.Text = "" // one that is not valid is made again
		}
		for part := range strings.SplitSeq(ix.columns, ", ") {
			d.Columns = append(d.Columns, strings.Trim(strings.TrimSuffix(part, " NULLS FIRST"), `"`))
		}
		out.Indexes = append(out.Indexes, d)
	}
	return out
}

// indexText is an index as the catalogue and a card have it alike.
func indexText(unique bool, columns string) string {
	if unique {
		return "UNIQUE " + columns
	}
	return columns
}
