package sqlite

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// table is how an entity stands in the database: the DDL its card asks for, and
// the names the statements are made of. It never changes.
type table struct {
	entity  *schema.Entity
	name    string    // as SQL has it, quoted
	columns []*column // of the stored fields, in declaration order
	byIndex []*column // by Property.Index; nil for a field that is not stored
	primary *column
	rowid   string // what SQLite's own number of a row can be called here
	indexes []index

	violations map[string]violation // by SQLite's message
}

// column is one stored field.
type column struct {
	prop       *schema.Property
	name       string           // as SQL has it, quoted
	definition                  // what its CREATE TABLE says
	refs       *schema.Property // the primary key it points at, where the store has its table
	fill       arg              // what rows that are older than the column get
}

// definition is a column in DDL: what a card asks for, or what a file holds.
type definition struct {
	column    string // unquoted
	typ       string // of STRICT tables: TEXT, INTEGER, REAL
	kind      string // the kind of value, where typ does not tell: a mark in a check's name
	collation string
	notNull   bool
	primary   bool
	checks    []check
	refs      string // REFERENCES and what follows, or ""
}

// check is one CHECK: its name is "column:keyword".
type check struct {
	keyword string // the card's, or "kind <kind>"
	expr    string
}

// index is one CREATE INDEX.
type index struct {
	name    string // unquoted
	unique  bool
	columns []*column
	// tail is the primary key, behind the columns of an index that is not unique:
	// every order ends in it, so a page in an index's order needs no sorting.
	tail *column
}

const decimalCollation = "decimal"

// newTable is the table of an entity's card; stored says which entities have one,
// since a relation to a remote Frond's has nothing to refer to here. The error is
// one an author can mend.
func newTable(e *schema.Entity, stored func(key string) bool) (*table, error) {
	t := &table{
		entity:     e,
		name:       quote(tableName(e.Key)),
		byIndex:    make([]*column, len(e.Fields)),
		violations: map[string]violation{},
	}
	seen := map[string]string{}
	for _, p := range e.Fields {
		if !p.Stored {
			continue
		}
		c := newColumn(e, p, stored)
		folded := asciiLower(c.column)
		if other, ok := seen[folded]; ok {
			return nil, fmt.Errorf("entity %s: the fields %s and %s differ only by case, which a column's name cannot; rename one of them",
				e.Name, other, p.Name)
		}
		seen[folded] = p.Name
		t.columns = append(t.columns, c)
		t.byIndex[p.Index] = c
		if p == e.Primary {
			t.primary = c
		}
	}
	if t.primary == nil {
		return nil, fmt.Errorf("entity %s has no primary key; mark one field with role.primary: true", e.Name)
	}
	t.rowid = t.primary.name // where fields have taken all three names
	for _, name := range []string{"rowid", "oid", "_rowid_"} {
		if seen[name] == "" {
			t.rowid = name
			break
		}
	}
	t.listIndexes()
	t.listViolations()
	return t, nil
}

func asciiLower(s string) string {
	b := []byte(s)
	for i, c := range b {
		if 'A' <= c && c <= 'Z' {
			b[i] = c + 'a' - 'A'
		}
	}
	return string(b)
}

func newColumn(e *schema.Entity, p *schema.Property, stored func(key string) bool) *column {
	name := columnName(p.Name)
	c := &column{prop: p, name: quote(name)}
	d := &c.definition
	d.column = name
	d.primary = p == e.Primary
	d.notNull = d.primary || !mayBeNull(p)
	d.typ = "TEXT"
	switch p.Kind {
	case schema.KindInteger:
		d.typ = "INTEGER"
	case schema.KindNumber:
		d.typ = "REAL"
	case schema.KindBoolean:
		d.typ = "INTEGER"
		d.mark("boolean", c.name+" IN (0, 1)")
	case schema.KindDateTime:
		d.mark("date-time", fmt.Sprintf("length(%s) = %d", c.name, len(timeLayout)))
	case schema.KindDate:
		d.mark("date", fmt.Sprintf("length(%s) = 10", c.name))
	case schema.KindDecimal:
		d.collation = decimalCollation
	case schema.KindJSON:
		d.mark("json", "json_valid("+c.name+")")
	}
	// A named conversion stores something else than what its card's shape judges:
	// a password's bounds do not hold for its hash.
	if p.Axes.In.Name == "" {
		d.checks = append(d.checks, shapeChecks(p, c.name)...)
	}
	if r := p.Axes.Create; r != nil && r.Value != nil {
		c.fill, _ = encode(p, r.Value)
	} else if p.Link != nil && p.Link.Many {
		c.fill = textArg("[]") // spec 2.3: an absent many relation is an empty list
	}
	if p.Link != nil && !p.Link.Many && p.Link.Target != nil && p.Link.Target.Primary != nil && stored(p.Link.Target.Key) {
		c.refs = p.Link.Target.Primary
		d.refs = fmt.Sprintf("REFERENCES %s (%s)%s DEFERRABLE INITIALLY DEFERRED",
			quote(tableName(p.Link.Target.Key)), quote(columnName(c.refs.Name)), onDelete(p.Axes.Relation))
	}
	return c
}

// mark says what kind of value a column holds, in the name of a check that holds for it.
func (d *definition) mark(kind, expr string) {
	d.kind = kind
	d.checks = append(d.checks, check{"kind " + kind, expr})
}

// onDelete is the card's word in SQL. Without one a row that is pointed at cannot
// go (NO ACTION): as with restrict, but judged when the whole write is done, so
// that a cascade may take both (docs/decisions/032).
func onDelete(r *schema.Relation) string {
	if r == nil {
		return ""
	}
	switch r.OnDelete {
	case "cascade":
		return " ON DELETE CASCADE"
	case "restrict":
		return " ON DELETE RESTRICT"
	case "set-null":
		return " ON DELETE SET NULL"
	}
	return ""
}

// mayBeNull says whether a row may hold null in the field. Presence and
// nullability are two things (spec 2.3.2): a field nobody has to supply at
// creation is null until someone does, whatever its shape says; and a shape
// without a type takes null like any other value.
func mayBeNull(p *schema.Property) bool {
	if p.Axes.Relation != nil && p.Axes.Relation.Many {
		return false // spec 2.3: an absent many relation is an empty list
	}
	return p.MayBeNull() || p.Shape.Type == "" || p.Axes.Create != nil && jsontext.IsNull(p.Axes.Create.Value)
}

// shapeChecks are the keywords of a field's shape that hold in the table too:
// enum, bounds and lengths.
func shapeChecks(p *schema.Property, name string) []check {
	var out []check
	add := func(keyword, format string, args ...any) {
		out = append(out, check{keyword, fmt.Sprintf(format, args...)})
	}
	if list := enumLiterals(p); list != "" {
		add("enum", "%s IN (%s)", name, list)
	}
	for _, kw := range p.Shape.Extra {
		switch kw.Name {
		case "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum":
			if p.Kind != schema.KindInteger && p.Kind != schema.KindNumber {
				continue
			}
			if bound, ok := numberLiteral(p.Kind, kw.Value); ok {
				op := map[string]string{"minimum": ">=", "maximum": "<=", "exclusiveMinimum": ">", "exclusiveMaximum": "<"}[kw.Name]
				add(kw.Name, "%s %s %s", name, op, bound)
			}
		case "minLength", "maxLength":
			n, ok := schema.Integer(kw.Value)
			if p.Kind != schema.KindString || !ok {
				continue
			}
			// length counts code points, as JSON Schema does, but stops at a NUL: so it may
			// count too few, and a text with one is taken as long enough.
			if kw.Name == "minLength" {
				add(kw.Name, "length(%s) >= %d OR instr(%s, char(0)) > 0", name, n, name)
			} else {
				add(kw.Name, "length(%s) <= %d", name, n)
			}
		}
	}
	return out
}

// enumLiterals lists the values of an enum as SQL, or "" where the column cannot
// be held to them.
func enumLiterals(p *schema.Property) string {
	if p.Kind == schema.KindJSON || p.Shape.Enum == nil {
		return ""
	}
	var list []string
	for _, v := range p.Shape.Enum {
		a, fault := encode(p, v)
		if fault != "" {
			return ""
		}
		if a.kind != argNull { // a null passes every check
			list = append(list, a.literal())
		}
	}
	return strings.Join(list, ", ")
}

// numberLiteral is a bound as SQL: an integer for a column of integers, and for
// one of numbers the real it is stored as, so that a value may equal its bound.
func numberLiteral(k schema.Kind, v json.RawMessage) (string, bool) {
	if i, ok := schema.Integer(v); ok && k == schema.KindInteger {
		return intArg(i).literal(), true
	}
	f, err := strconv.ParseFloat(string(jsontext.Trim(v)), 64)
	return floatArg(f).literal(), err == nil
}

// literal is the argument as SQL text, for DDL.
func (a arg) literal() string {
	switch a.kind {
	case argInt:
		return strconv.FormatInt(a.i, 10)
	case argFloat:
		return strconv.FormatFloat(a.f, 'e', -1, 64)
	case argText:
		return literalText(a.s)
	}
	return "NULL"
}

// sql is the definition as CREATE TABLE and ADD COLUMN have it. [parseDefinition]
// reads it back.
func (d *definition) sql() string {
	var b strings.Builder
	b.WriteString(quote(d.column) + " " + d.typ)
	if d.collation != "" {
		b.WriteString(" COLLATE " + d.collation)
	}
	if d.notNull {
		b.WriteString(" NOT NULL")
	}
	if d.primary {
		b.WriteString(" PRIMARY KEY")
	}
	for _, c := range d.checks {
		fmt.Fprintf(&b, " CONSTRAINT %s CHECK (%s)", quote(d.column+":"+c.keyword), c.expr)
	}
	if d.refs != "" {
		b.WriteString(" " + d.refs)
	}
	return b.String()
}

// sql is the whole CREATE TABLE, under any name.
func (t *table) sql(name string) string {
	lines := make([]string, len(t.columns))
	for i, c := range t.columns {
		lines[i] = "  " + c.definition.sql()
	}
	return "CREATE TABLE " + name + " (\n" + strings.Join(lines, ",\n") + "\n) STRICT"
}

// listIndexes gathers unique constraints, role.index and one index per relation,
// which the other side of it and onDelete read.
func (t *table) listIndexes() {
	led := map[*column]bool{t.primary: true} // columns that lead an index already
	key := tableName(t.entity.Key)
	for _, members := range t.entity.Uniques {
		ix := index{unique: true}
		names := make([]string, 0, len(members))
		for _, p := range members {
			if c := t.byIndex[p.Index]; c != nil {
				ix.columns = append(ix.columns, c)
				names = append(names, c.column)
			}
		}
		if len(ix.columns) != len(members) || len(members) == 1 && ix.columns[0] == t.primary {
			continue
		}
		ix.name = key + ":unique " + strings.Join(names, " ")
		led[ix.columns[0]] = true
		t.indexes = append(t.indexes, ix)
	}
	for _, c := range t.columns {
		one := c.prop.Link != nil && !c.prop.Link.Many
		if (c.prop.Axes.Index || one) && !led[c] {
			led[c] = true
			t.indexes = append(t.indexes, index{name: key + ":index " + c.column, columns: []*column{c}, tail: t.primary})
		}
	}
}

func (t *table) indexSQL(ix index) string {
	names := make([]string, 0, len(ix.columns)+1)
	for _, c := range ix.columns {
		names = append(names, c.name)
	}
	if ix.tail != nil {
		names = append(names, ix.tail.name)
	}
	create := "CREATE INDEX "
	if ix.unique {
		create = "CREATE UNIQUE INDEX "
	}
	return create + quote(ix.name) + " ON " + t.name + " (" + strings.Join(names, ", ") + ")"
}

// listViolations says what SQLite's messages mean. They name tables and columns
// without quotes, so a name could be mistaken for two: hence whole messages.
func (t *table) listViolations() {
	key := tableName(t.entity.Key)
	unique := func(columns []*column) {
		names := make([]string, len(columns))
		props := make([]*schema.Property, len(columns))
		for i, c := range columns {
			names[i], props[i] = key+"."+c.column, c.prop
		}
		t.violations["UNIQUE constraint failed: "+strings.Join(names, ", ")] = violation{unique: props}
	}
	unique([]*column{t.primary})
	for _, ix := range t.indexes {
		if ix.unique {
			unique(ix.columns)
		}
	}
	for _, c := range t.columns {
		t.violations["NOT NULL constraint failed: "+key+"."+c.column] = violation{field: c.prop, keyword: "required"}
		for _, ck := range c.checks {
			keyword := ck.keyword
			if strings.HasPrefix(keyword, "kind ") {
				keyword = "type"
			}
			t.violations["CHECK constraint failed: "+c.column+":"+ck.keyword] = violation{field: c.prop, keyword: keyword}
		}
		if c.typ != "TEXT" {
			t.violations[fmt.Sprintf("cannot store TEXT value in %s column %s.%s", c.typ, key, c.column)] = violation{field: c.prop, keyword: "type"}
		}
	}
}

// column is the column of a field of the entity, whichever set of cards the
// property is of.
func (t *table) column(p *schema.Property) (*column, error) {
	if p != nil && p.Index < len(t.byIndex) {
		if c := t.byIndex[p.Index]; c != nil && c.prop == p {
			return c, nil
		}
	}
	name := "?"
	if p != nil {
		name = p.Name
	}
	return nil, facade.Internal(fmt.Errorf("sqlite: %s.%s is not a stored field", t.entity.Name, name))
}
