package sqlite

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// filter writes a condition on the rows of t under alias. A comparison with a
// null comes out as NULL or false, and everything that could tell the two apart
// (Not, Ne, NotIn, Every) is written so that it does not: a filter holds or it
// does not.
func (b *builder) filter(f *facade.Filter, t *table, alias string) error {
	if f == nil {
		b.text("1")
		return nil
	}
	if f.Op == facade.And {
		return b.all(f.Sub, t, alias, " AND ", "1")
	}
	if b.sure && joinable(f) && len(b.joined) > 0 {
		inner := b.joined[0]
		b.joined = b.joined[1:]
		target, err := b.store.table(f.Link.Target)
		if err != nil {
			return err
		}
		return b.all(f.Sub, target, inner, " AND ", "1")
	}
	defer func(sure bool) { b.sure = sure }(b.sure)
	b.sure = false
	switch f.Op {
	case facade.Or:
		return b.all(f.Sub, t, alias, " OR ", "0")
	case facade.Not:
		return b.not(f.Sub, t, alias)
	case facade.Some, facade.None, facade.Every:
		return b.related(f, t, alias)
	}
	c, err := t.column(f.Field)
	if err != nil {
		return err
	}
	return b.compare(f, c, alias)
}

// joinable says whether a condition leads through a relation that gives one row
// at most: then the row can be joined instead of looked for.
func joinable(f *facade.Filter) bool {
	return f.Op == facade.Some && f.Link != nil && !f.Link.Many && f.Link.Target != nil
}

// maxJoins is how many relations are joined; SQLite joins 64 tables at most, and
// plans long for many. The others are looked for by EXISTS.
const maxJoins = 12

// join writes a JOIN for every one-relation that a condition surely needs. SQLite
// may then begin with the other table, where EXISTS would make it look at every
// row of this one (docs/decisions/036). [builder.filter] comes to the same
// conditions in the same order.
func (b *builder) join(f *facade.Filter, t *table, alias string) error {
	if f == nil {
		return nil
	}
	if f.Op != facade.And && (!joinable(f) || len(b.joined) == maxJoins) {
		return nil
	}
	if f.Op == facade.Some {
		target, err := b.store.table(f.Link.Target)
		if err != nil {
			return err
		}
		own, err := t.column(f.Link.Field)
		if err != nil {
			return err
		}
		inner := b.alias()
		b.joined = append(b.joined, inner)
		b.text(" JOIN ", target.name, " AS ", inner, " ON ")
		b.column(inner, target.primary)
		b.text(" = ")
		b.column(alias, own)
		t, alias = target, inner
	}
	for _, sub := range f.Sub {
		if err := b.join(sub, t, alias); err != nil {
			return err
		}
	}
	return nil
}

// all joins conditions. It halves the list again and again: SQLite bounds how
// deep an expression may be, and a row of ANDs counts one level each.
func (b *builder) all(subs []*facade.Filter, t *table, alias, word, empty string) error {
	switch len(subs) {
	case 0:
		b.text(empty)
		return nil
	case 1:
		return b.filter(subs[0], t, alias)
	}
	half := len(subs) / 2
	b.text("(")
	if err := b.all(subs[:half], t, alias, word, empty); err != nil {
		return err
	}
	b.text(word)
	if err := b.all(subs[half:], t, alias, word, empty); err != nil {
		return err
	}
	b.text(")")
	return nil
}

func (b *builder) not(subs []*facade.Filter, t *table, alias string) error {
	b.text("(")
	if err := b.all(subs, t, alias, " AND ", "1"); err != nil {
		return err
	}
	b.text(") IS NOT TRUE")
	return nil
}

// compare writes the comparison of a column with the operand.
func (b *builder) compare(f *facade.Filter, c *column, alias string) error {
	switch f.Op {
	case facade.In, facade.NotIn:
		if f.Op == facade.NotIn {
			b.text("(")
		}
		b.in(f, c, alias)
		if f.Op == facade.NotIn {
			b.text(") IS NOT TRUE")
		}
		return nil
	}
	if len(f.Values) != 1 {
		return facade.Internal(fmt.Errorf("sqlite: a filter on %s has %d values instead of one", f.Field.Name, len(f.Values)))
	}
	value := f.Values[0]
	switch f.Op {
	case facade.IsNull:
		b.column(alias, c)
		if null, _ := value.(bool); null {
			b.text(" IS NULL")
		} else {
			b.text(" IS NOT NULL")
		}
		return nil
	case facade.Has:
		b.has(value, c, alias)
		return nil
	case facade.Contains, facade.StartsWith, facade.EndsWith, facade.IContains:
		text, ok := value.(string)
		if !ok {
			b.text("0")
			return nil
		}
		b.match(f.Op, text, c, alias)
		return nil
	}
	op, ok := comparisons[f.Op]
	if !ok {
		return facade.Internal(fmt.Errorf("sqlite: operator %d is not known", f.Op))
	}
	a, ok := operand(f.Field, value)
	if !ok { // nothing of another kind equals, precedes or follows it
		if f.Op == facade.Ne {
			b.text("1")
		} else {
			b.text("0")
		}
		return nil
	}
	b.column(alias, c)
	b.text(op)
	b.bind(a)
	return nil
}

var comparisons = map[facade.Op]string{
	facade.Eq: " = ", facade.Ne: " IS NOT ", facade.Lt: " < ", facade.Lte: " <= ", facade.Gt: " > ", facade.Gte: " >= ",
}

// in writes a membership test. The list is one bound JSON array whatever its
// length, so that lists of all lengths share a statement; only reals are bound one
// by one, since a number read from JSON by SQLite may differ in its last bit.
func (b *builder) in(f *facade.Filter, c *column, alias string) {
	b.column(alias, c)
	if f.Field.Kind == schema.KindNumber {
		b.text(" IN (")
		for i, v := range f.Values {
			if i > 0 {
				b.text(", ")
			}
			a, _ := operand(f.Field, v)
			b.bind(a)
		}
		b.text(")")
		return
	}
	list := []byte{'['}
	for _, v := range f.Values {
		if a, ok := operand(f.Field, v); ok {
			list = appendElement(list, a)
		}
	}
	b.text(" IN (SELECT value FROM json_each(")
	b.bind(textArg(string(append(list, ']'))))
	b.text("))")
}

// appendElement appends an argument as an element of a JSON array.
func appendElement(list []byte, a arg) []byte {
	if len(list) > 1 {
		list = append(list, ',')
	}
	switch a.kind {
	case argInt:
		return fmt.Append(list, a.i)
	case argFloat:
		return appendFloat(list, a.f)
	case argText:
		return jsontext.AppendString(list, a.s)
	}
	return append(list, "null"...)
}

// match writes a test on a part of a text, case and all. No pattern language is
// involved, so there is nothing to escape.
func (b *builder) match(op facade.Op, text string, c *column, alias string) {
	if text == "" { // every text has nothing in it
		b.column(alias, c)
		b.text(" IS NOT NULL")
		return
	}
	switch op {
	case facade.Contains:
		b.text("instr(")
		b.column(alias, c)
		b.text(", ")
		b.bind(textArg(text))
		b.text(") > 0")
	case facade.IContains:
		b.text("instr(frond_lower(")
		b.column(alias, c)
		b.text("), ")
		b.bind(textArg(strings.ToLower(text)))
		b.text(") > 0")
	case facade.StartsWith:
		// a range, which an index can answer
		above, bounded := "", false
		if c.collation == "" {
			above, bounded = after(text)
		}
		if !bounded {
			b.text("instr(")
			b.column(alias, c)
			b.text(", ")
			b.bind(textArg(text))
			b.text(") = 1")
			return
		}
		b.text("(")
		b.column(alias, c)
		b.text(" >= ")
		b.bind(textArg(text))
		b.text(" AND ")
		b.column(alias, c)
		b.text(" < ")
		b.bind(textArg(above))
		b.text(")")
	case facade.EndsWith:
		// by bytes: SQLite's substr of a text stops at a NUL, that of a blob does not
		b.text("substr(CAST(")
		b.column(alias, c)
		b.text(" AS BLOB), ")
		b.bind(intArg(-int64(len(text))))
		b.text(") = ")
		b.bind(arg{kind: argBlob, s: text})
	}
}

// after is the smallest text behind every text that starts with prefix.
func after(prefix string) (string, bool) {
	for prefix != "" {
		r, n := utf8.DecodeLastRuneInString(prefix)
		prefix = prefix[:len(prefix)-n]
		switch {
		case r == utf8.MaxRune:
		case r == 0xD7FF: // the code points behind it are halves of others
			return prefix + "\uE000", true
		default:
			return prefix + string(r+1), true
		}
	}
	return "", false
}

// has writes whether a JSON array holds a scalar, by value and by type: true is
// not 1, and "1" is not 1.
func (b *builder) has(value any, c *column, alias string) {
	if c.prop.Kind != schema.KindJSON {
		b.text("0")
		return
	}
	var a arg
	var types string
	switch v := value.(type) {
	case string:
		a, types = textArg(v), "'text'"
	case int64:
		a, types = intArg(v), "'integer', 'real'"
	case float64:
		a, types = floatArg(v), "'integer', 'real'"
	case bool:
		a = boolArg(v)
		if types = "'false'"; v {
			types = "'true'"
		}
	default:
		b.text("0")
		return
	}
	j := b.alias()
	b.text("(json_type(")
	b.column(alias, c)
	b.text(") = 'array' AND EXISTS (SELECT 1 FROM json_each(")
	b.column(alias, c)
	b.text(") AS ", j, " WHERE ", j, ".type IN (", types, ") AND ", j, ".value = ")
	b.bind(a)
	b.text("))")
}

// maxRelations is how many relations a condition may go through, one behind the other.
const maxRelations = 20

// related writes a condition on the rows a relation leads to.
func (b *builder) related(f *facade.Filter, t *table, alias string) error {
	if f.Link == nil || f.Link.Target == nil {
		return facade.Internal(fmt.Errorf("sqlite: a filter of %s goes through no relation", t.entity.Name))
	}
	if b.depth == maxRelations {
		return tooDeep()
	}
	b.depth++
	defer func() { b.depth-- }()
	target, err := b.store.table(f.Link.Target)
	if err != nil {
		return err
	}
	if f.Op != facade.Some {
		b.text("NOT ")
	}
	b.text("EXISTS (SELECT 1 FROM ")
	inner := b.alias()
	switch {
	case f.Link.Inverse != nil: // the target points back
		back, err := target.column(f.Link.Inverse)
		if err != nil {
			return err
		}
		b.text(target.name, " AS ", inner, " WHERE ")
		b.column(inner, back)
		b.text(" = ")
		b.column(alias, t.primary)
	case f.Link.Many: // the ids stand in the row
		own, err := t.column(f.Link.Field)
		if err != nil {
			return err
		}
		ids := b.alias()
		b.text("json_each(")
		b.column(alias, own)
		b.text(") AS ", ids, " CROSS JOIN ", target.name, " AS ", inner, " ON ")
		b.column(inner, target.primary)
		b.text(" = ", ids, ".value WHERE 1")
	default:
		own, err := t.column(f.Link.Field)
		if err != nil {
			return err
		}
		b.text(target.name, " AS ", inner, " WHERE ")
		b.column(inner, target.primary)
		b.text(" = ")
		b.column(alias, own)
	}
	b.text(" AND ")
	if f.Op == facade.Every {
		err = b.not(f.Sub, target, inner)
	} else {
		err = b.all(f.Sub, target, inner, " AND ", "1")
	}
	b.text(")")
	return err
}
