package sqltext

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// The requirements of a card on its table, for any database. Types, names and the text of
// statements are the store's own.

// MayBeNull says whether a row may hold null in the field. Presence and nullability are two things
// (spec 2.3.2): a field that creation does not require is null until it is set, for any shape; and
// a shape without a type takes null like any other value. Many relations and create: {value: null}
// are the store's own cases in addition to [schema.Property.MayBeNull].
func MayBeNull(p *schema.Property) bool {
	if p.Axes.Relation != nil && p.Axes.Relation.Many {
		return false // spec 2.3: an absent many relation is an empty list
	}
	return p.MayBeNull() || p.Shape.Type == "" || p.Axes.Create != nil && jsontext.IsNull(p.Axes.Create.Value)
}

// OnDelete returns the action of a relation's card on the deletion of its target, in SQL: CASCADE,
// RESTRICT, SET NULL or "". Without an action the target cannot be deleted: as with restrict, but
// judged when the whole write is done, so that a cascade may take both (docs/decisions/sqlite.md).
func OnDelete(p *schema.Property) string {
	if p.Axes.Relation == nil {
		return ""
	}
	return strings.ToUpper(p.Axes.Relation.OnDelete)
}

// Constant is what rows get that are older than a field: the card's constant, [] for a list of
// ids, or null.
func Constant(p *schema.Property) Value {
	switch r := p.Axes.Create; {
	case r != nil && r.Value != nil:
		v, _ := Encode(p, r.Value)
		return v
	case p.Link != nil && p.Link.Many:
		return TextValue("[]") // spec 2.3: an absent many relation is an empty list
	}
	return Value{}
}

// Target is the primary key that a field points at; nil if the field is no one-relation or the
// target has no table. stored says by key which entities have a table: an entity of a remote
// Frond has none here.
func Target(p *schema.Property, stored func(key string) bool) *schema.Property {
	if p.Link == nil || p.Link.Many || p.Link.Target == nil || !stored(p.Link.Target.Key) {
		return nil
	}
	return p.Link.Target.Primary
}

// Check is a keyword of a field's shape that the table enforces too.
type Check struct {
	Keyword string // the card's
	Expr    string // in SQL
}

// Checks lists the keywords of a field that its table enforces: enum, bounds and lengths. The
// judge has checked them before; the table holds them against other programs that write to it.
//
//	{"enum": ["draft", "live"]}   "status" IN ('draft', 'live')
//	{"minimum": 0}                "price" >= 0
//	{"maxLength": 80}             length("title") <= 80
//
// A pattern is not among them: the judge's regular expressions are no database's. name is the
// column's, quoted. literal writes a value, false for one that the database cannot keep; length
// writes how a length compares with a number, by >= or <=.
func Checks(p *schema.Property, name string, literal func(Value) (string, bool), length func(operator string, n int64) string) (all []Check) {
	// A named conversion stores another value than the one that its card's shape judges: a
	// password's bounds do not hold for its hash.
	if p.Axes.In.Name != "" {
		return nil
	}
	if list := enum(p, literal); list != "" {
		all = append(all, Check{"enum", name + " IN (" + list + ")"})
	}
	for _, kw := range p.Shape.Extra {
		if kw.Implied {
			continue
		}
		operator := operators[kw.Name]
		switch kw.Name {
		case "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum":
			if v, ok := bound(p.Kind, kw); ok {
				text, _ := literal(v)
				all = append(all, Check{kw.Name, fmt.Sprintf("%s %s %s", name, operator, text)})
			}
		case "minLength", "maxLength":
			if n, ok := schema.Integer(kw.Value); ok && p.Kind == schema.KindString {
				all = append(all, Check{kw.Name, length(operator, n)})
			}
		}
	}
	return all
}

// operators are how a value compares with the number of a keyword.
var operators = map[string]string{
	"minimum": ">=", "maximum": "<=", "exclusiveMinimum": ">", "exclusiveMaximum": "<", "minLength": ">=", "maxLength": "<=",
}

// enum lists the values of an enum as SQL, or "" where the column cannot be held to them: values
// of several kinds or that the database cannot keep, and JSON, which has more than one text for
// a value.
func enum(p *schema.Property, literal func(Value) (string, bool)) string {
	if p.Kind == schema.KindJSON {
		return ""
	}
	var list []string
	for _, v := range p.Shape.Enum {
		a, fault := Encode(p, v)
		text, ok := literal(a)
		if fault != "" || !ok {
			return ""
		}
		if a.Kind != Null { // a null passes every check
			list = append(list, text)
		}
	}
	return strings.Join(list, ", ")
}

// bound is the number of a bound: an integer for a column of integers, else the stored double, so
// that a value may equal its bound. It is false for a bound without a number, and for other
// kinds.
func bound(k schema.Kind, kw schema.Keyword) (Value, bool) {
	if i, ok := schema.Integer(kw.Value); ok && k == schema.KindInteger {
		return IntValue(i), true
	}
	f, err := strconv.ParseFloat(string(jsontext.Trim(kw.Value)), 64)
	return FloatValue(f), err == nil && (k == schema.KindInteger || k == schema.KindNumber)
}

// ListIndexes lists the indexes that the card needs, and has statements use them:
//
//	role.unique         post:unique slug     unique, on slug
//	role.index          post:index status    on status, id
//	a one-relation      post:index author    on author, id
//	a key of several    post:key             unique, on those
//
// The other side of a relation and onDelete read the index of the relation. A column that leads
// another index gets no index of its own.
func (t *Table) ListIndexes() {
	leads, tail := map[*Column]bool{t.Primary: true}, t.Primary
	if parts := t.Primary.Parts; parts != nil {
		tail, leads[parts[0]] = nil, true
		t.Indexes = append(t.Indexes, Index{Name: t.Plain + ":key", Unique: true, Columns: parts})
	}
	for _, members := range t.Entity.Uniques {
		ix := Index{Unique: true}
		for _, p := range members {
			if c := t.Stored(p); c != nil {
				ix.Columns = append(ix.Columns, c)
			}
		}
		// Without all its members an index would check other values; the primary key alone is unique.
		if len(ix.Columns) != len(members) || len(members) == 1 && ix.Columns[0] == t.Primary {
			continue
		}
		leads[ix.Columns[0]] = true
		ix.Name = t.Plain + ":unique " + strings.Join(Plain(ix.Columns), " ")
		t.Indexes = append(t.Indexes, ix)
	}
	for _, c := range t.Columns {
		one := c.Prop.Link != nil && !c.Prop.Link.Many
		if (c.Prop.Axes.Index || one) && !leads[c] {
			leads[c] = true
			t.Indexes = append(t.Indexes, Index{Name: t.Plain + ":index " + c.Plain, Columns: []*Column{c}, Tail: tail})
		}
	}
	t.UseIndexes(false)
}
