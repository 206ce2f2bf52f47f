package adopt_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/frondhost/frond/cmd/frond/adopt"
	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/projection"
	"github.com/frondhost/frond/store/dbschema"
	"github.com/frondhost/frond/store/storetest"
)

func integer(name string) dbschema.Column {
	return dbschema.Column{Name: name, NotNull: true, Type: dbschema.Type{Name: "integer", Kind: dbschema.Integer, Bits: 32}}
}

func text(name string) dbschema.Column {
	return dbschema.Column{Name: name, Type: dbschema.Type{Name: "text", Kind: dbschema.Text}}
}

func ref(column, table, to string) dbschema.Reference {
	return dbschema.Reference{Columns: []string{column}, Table: table, To: []string{to}}
}

// shape is an entity in a line: its fields with where they lead, and what its door is called.
func shape(e *adopt.Entity) string {
	var fields []string
	for _, f := range e.Fields {
		word := f.Name
		if r := f.Relation; r != nil && r.Many {
			word += " <- " + r.To.Name + "." + r.By
		} else if r != nil {
			word += " -> " + r.To.Name
		}
		fields = append(fields, word)
	}
	line := e.Name + ": " + strings.Join(fields, ", ")
	if e.Plural != "" {
		line += "; plural " + e.Plural
	}
	if e.GraphQL != "" {
		line += "; type " + e.GraphQL
	}
	if e.Only != nil {
		line += "; only " + strings.Join(e.Only, " ")
	}
	return line
}

// TestEntities holds what tables become.
func TestEntities(t *testing.T) {
	id := integer("id")
	for name, c := range map[string]struct {
		tables []dbschema.Table
		want   []string
	}{
		"plurals": {
			[]dbschema.Table{
				{Name: "Order Details", Columns: []dbschema.Column{id, text("name")}, Primary: []string{"id"}},
				{Name: "people", Columns: []dbschema.Column{id, integer("boss_id")}, Primary: []string{"id"}, ForeignKeys: []dbschema.Reference{ref("boss_id", "people", "id")}},
				{Name: "wolves", Columns: []dbschema.Column{id, text("name")}, Primary: []string{"id"}},
				{Name: "purchases", Columns: []dbschema.Column{id, text("name")}, Primary: []string{"id"}},
				{Name: "bus_statuses", Columns: []dbschema.Column{id, text("name")}, Primary: []string{"id"}},
				{Name: "Größen", Columns: []dbschema.Column{id, integer("Länge (cm)")}, Primary: []string{"id"}},
				{Name: "2fa", Columns: []dbschema.Column{id, text("name")}, Primary: []string{"id"}},
			},
			[]string{"orderDetail: id, name", "person: id, bossId -> person, peopleByBoss <- person.; plural people", "wolf: id, name; plural wolves", "purchase: id, name", "busStatus: id, name", "groessen: id, laengeCm", "t2fa: id, name"},
		},
		"two tables of one singular, and a schema": {
			[]dbschema.Table{
				{Name: "fish", Columns: []dbschema.Column{id, text("name")}, Primary: []string{"id"}},
				{Name: "fishes", Columns: []dbschema.Column{id, text("name")}, Primary: []string{"id"}},
				{Name: "fish", Schema: "sea", Columns: []dbschema.Column{id, text("name")}, Primary: []string{"id"}},
			},
			[]string{"fish: id, name", "fishes: id, name; type FishesRow", "seaFish: id, name"},
		},
		"relations, both ways": {
			[]dbschema.Table{
				{Name: "employee", Columns: []dbschema.Column{id, integer("reports_to")}, Primary: []string{"id"}, ForeignKeys: []dbschema.Reference{ref("reports_to", "employee", "id")}},
				{
					Name: "message", Columns: []dbschema.Column{id, integer("from_id"), integer("to_id"), text("from")}, Primary: []string{"id"},
					ForeignKeys: []dbschema.Reference{ref("from_id", "employee", "id"), ref("to_id", "employee", "id")},
				},
			},
			[]string{
				"employee: id, reportsTo -> employee, employeesByReportsTo <- employee., messagesByFromRef <- message.fromRefId, messagesByTo <- message.toId",
				"message: id, fromRefId -> employee, toId -> employee, from",
			},
		},
		"a key of two, beside a column id": {
			[]dbschema.Table{{Name: "line", Columns: []dbschema.Column{integer("a"), integer("b"), text("id")}, Primary: []string{"b", "a"}}},
			[]string{"line: key, a, b, id"},
		},
		"references of two": {
			[]dbschema.Table{
				{Name: "line", Columns: []dbschema.Column{integer("a"), integer("b")}, Primary: []string{"b", "a"}},
				{
					Name: "note", Columns: []dbschema.Column{integer("id"), integer("x"), integer("y"), text("word"), text("line")}, Primary: []string{"id"},
					ForeignKeys: []dbschema.Reference{
						{Columns: []string{"x", "y"}, Table: "line", To: []string{"a", "b"}},
						{Columns: []string{"word", "y"}, Table: "line", To: []string{"a", "b"}}, // of another type
						{Columns: []string{"x", "y"}, Table: "note", To: []string{"x", "y"}},    // no key
					},
				},
			},
			[]string{"line: id, a, b, notes <- note.; only list findById findByIds create delete", "note: id, x, y, word, line, lineRefId -> line"},
		},
		"reserved names": {
			[]dbschema.Table{
				{Name: "query", Columns: []dbschema.Column{id, text("and"), text("nodeId")}, Primary: []string{"id"}},
				{Name: "node", Columns: []dbschema.Column{id, text("name")}, Primary: []string{"id"}},
				{Name: "rpc", Columns: []dbschema.Column{id, text("name")}, Primary: []string{"id"}},
				{Name: "query_connection", Columns: []dbschema.Column{id, text("name")}, Primary: []string{"id"}},
				{Name: "string", Columns: []dbschema.Column{id, text("name")}, Primary: []string{"id"}},
			},
			[]string{"query: id, andValue, nodeIdValue; type QueryRow", "node: id, name; type NodeRow", "rpc2: id, name", "queryConnection: id, name", "string: id, name; type StringRow"},
		},
		"names of derived types": {
			[]dbschema.Table{
				{Name: "product", Columns: []dbschema.Column{id, text("name")}, Primary: []string{"id"}},
				{Name: "product_group", Columns: []dbschema.Column{id, text("name")}, Primary: []string{"id"}},
				{Name: "product_having", Columns: []dbschema.Column{id, text("name")}, Primary: []string{"id"}},
			},
			[]string{"product: id, name", "productGroup: id, name", "productHaving: id, name; type ProductHavingRow"},
		},
		"what cannot be written": {
			[]dbschema.Table{
				{Name: "photo", Columns: []dbschema.Column{id, text("name"), {Name: "bytes", NotNull: true, Type: dbschema.Type{Name: "bytea", Kind: dbschema.Unfit, Unfit: "bytes"}}}, Primary: []string{"id"}},
				{Name: "log", Columns: []dbschema.Column{id, text("name")}, Primary: []string{"id"}, Denied: []string{"UPDATE", "DELETE"}},
				{Name: "hidden", Columns: []dbschema.Column{id, text("name")}, Primary: []string{"id"}, Denied: []string{"SELECT"}},
			},
			[]string{"photo: id, name; only list findById findByIds update delete", "log: id, name; only list findById findByIds create"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := adopt.New(&dbschema.Database{Product: "PostgreSQL", Tables: c.tables}, nil)
			var got []string
			for _, e := range p.Entities {
				got = append(got, shape(e))
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Error(diff)
			}
			compile(t, p)
		})
	}
}

// compile builds a façade and a GraphQL schema of a project: what is written has no fault.
func compile(t *testing.T, p *adopt.Project) {
	t.Helper()
	compileFiles(t, p.Files())
}

// compileFiles is compile for the files of a project.
func compileFiles(t *testing.T, files map[string]string) {
	t.Helper()
	project, err := facade.Read(folder(files))
	if err != nil {
		t.Fatal(err)
	}
	f, err := facade.New(storetest.Compiled(t, project), nil, nil)
	if err != nil {
		t.Fatalf("%v\n%s", err, files["fronds/app/frond.yaml"])
	}
	if err := projection.RegisterAll(projection.NewBuilder(), f.Catalog(), nil); err != nil {
		t.Fatal(err)
	}
}

// TestManyTables: names of a large made-up database never clash, whatever its tables are
// called.
func TestManyTables(t *testing.T) {
	db := &dbschema.Database{Product: "PostgreSQL"}
	words := []string{"user", "users", "User Data", "query", "type", "class", "address", "addresses", "node", "edge", "filter", "order", "connection", "input", "list"}
	for i := range 500 {
		table := dbschema.Table{Name: fmt.Sprintf("%s %s", words[i%len(words)], words[i/len(words)%len(words)]), Columns: []dbschema.Column{integer("id")}, Primary: []string{"id"}}
		if i%3 == 0 {
			table.Schema = fmt.Sprintf("s%d", i)
		}
		for j, w := range words {
			column := integer(w + "_id")
			if (i+j)%4 == 0 {
				column = text(w)
			}
			if k := (i*7 + j) % 500; k < i && column.NotNull {
				other := db.Tables[k]
				table.ForeignKeys = append(table.ForeignKeys, dbschema.Reference{Columns: []string{column.Name}, Schema: other.Schema, Table: other.Name, To: []string{"id"}})
			}
			table.Columns = append(table.Columns, column, text(strings.ToUpper(w)+" Text"))
		}
		db.Tables = append(db.Tables, table)
	}
	p := adopt.New(db, nil)
	if len(p.Entities) != 500 {
		t.Errorf("%d entities", len(p.Entities))
	}
	compile(t, p)
}

// TestTypes holds what each kind of type becomes in a card.
func TestTypes(t *testing.T) {
	least, most := int64(1901), int64(2155)
	columns := []dbschema.Column{
		{Name: "id", NotNull: true, Fill: dbschema.FillDefault, Type: dbschema.Type{Kind: dbschema.Integer, Bits: 64}},
		{Name: "year", Type: dbschema.Type{Kind: dbschema.Integer, Bits: 32, Least: &least, Most: &most, Domain: "year"}},
		{Name: "small", NotNull: true, Type: dbschema.Type{Kind: dbschema.Integer, Bits: 16}},
		{Name: "rate", NotNull: true, Comment: "In euros: net", Type: dbschema.Type{Kind: dbschema.Decimal, Precision: 4, Scale: 2}},
		{Name: "rating", Type: dbschema.Type{Kind: dbschema.Enum, Values: []string{"G", "PG-13", "no", "a, b"}}},
		{Name: "features", Type: dbschema.Type{Kind: dbschema.Text, List: true, Length: 10}},
		{Name: "data", NotNull: true, Type: dbschema.Type{Kind: dbschema.JSON}},
		{Name: "at", NotNull: true, Fill: dbschema.FillDefault, Type: dbschema.Type{Kind: dbschema.Instant}},
		{Name: "local", NotNull: true, Type: dbschema.Type{Kind: dbschema.DateTime}},
		{Name: "total", Fill: dbschema.FillAlways, Type: dbschema.Type{Kind: dbschema.Float}},
		{Name: "net", Type: dbschema.Type{Name: "cidr", Kind: dbschema.Other}},
	}
	db := &dbschema.Database{Tables: []dbschema.Table{{
		Name: "film", Comment: "What is shown", Columns: columns, Primary: []string{"id"}, Uniques: [][]string{{"small", "year"}, {"small"}}, Indexed: []string{"rate"},
	}}}
	got := adopt.New(db, nil).Files()["fronds/app/entities/film.yaml"]
	want := `# yaml-language-server: $schema=../../../.schema/card.json
description: What is shown
type: object
properties:
  id:
    type: integer
    format: int64
    x-kit: { role: { primary: true }, lifecycle: { create: optional } }
  year:
    type: [integer, 'null']
    minimum: 1901
    maximum: 2155
    x-kit: { lifecycle: { create: optional } }
  small:
    type: integer
    minimum: -32768
    maximum: 32767
    x-kit: { role: { unique: [[small, year], [small]] } }
  rate:
    description: "In euros: net"
    type: string
    format: decimal
    x-kit: { role: { index: true } }
  rating:
    type: [string, 'null']
    enum: [G, PG-13, "no", "a, b", null]
    x-kit: { lifecycle: { create: optional } }
  features:
    type: [array, 'null']
    items: { type: [string, 'null'], maxLength: 10 }
    x-kit: { lifecycle: { create: optional } }
  data: {}
  at:
    type: string
    format: date-time
    x-kit: { lifecycle: { create: optional } }
  local:
    type: string
    pattern: '^\d{4,}-\d{2}-\d{2}[ T]\d{2}:\d{2}(:\d{2}(\.\d{1,6})?)?$'
  total:
    type: [number, 'null']
    x-kit: { boundary: { in: closed } }
  net:
    type: [string, 'null']
    x-kit: { lifecycle: { create: optional } }
`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
