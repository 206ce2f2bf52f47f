package sqlite

import (
	"fmt"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
	"github.com/frondhost/frond/store/sqlite/engine"
)

// filter writes a condition on the rows of t, which stand under alias; a nil filter holds for
// every row.
//
// In SQL a comparison with a null is NULL and not false, and NOT NULL is NULL again. A filter
// has two values (docs/decisions/021): each operator that could see the difference (Not, Ne,
// NotIn, None, Every) is written so that NULL counts as false.
//
//	{title: {contains: "tea"}, or: [{price: {lt: 5}}, {status: {ne: "live"}}]}
//	(instr(t0."title", ?) > 0 AND (t0."price" < ? OR t0."status" IS NOT ?))
func (b *builder) filter(f *facade.Filter, t *table, alias string) error {
	if f == nil {
		b.text("1")
		return nil
	}
	if f.Op == facade.And {
		return b.all(f.Sub, t, alias, " AND ", "1")
	}
	// join has written this relation: its condition is one on the joined table.
	if b.sure && joinable(f) && len(b.joined) > 0 {
		inner := b.joined[0]
		b.joined = b.joined[1:]
		target, err := b.store.table(f.Link.Target)
		if err != nil {
			return err
		}
		defer func(was reach) { b.reach = was }(b.reach)
		b.reach = b.reach.through(false)
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

// all joins conditions by word; empty is what no condition means. It halves the list again and
// again, since SQLite bounds the depth of an expression (1,000) and a chain of ANDs counts one
// level for each.
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

// not writes that subs do not all hold: (…) IS NOT TRUE, which is true for false and for NULL.
func (b *builder) not(subs []*facade.Filter, t *table, alias string) error {
	b.text("(")
	if err := b.all(subs, t, alias, " AND ", "1"); err != nil {
		return err
	}
	b.text(") IS NOT TRUE")
	return nil
}

// compare writes the comparison of a column with the operand of f. An operand of another type
// than the column's is no error here: nothing equals it, and Ne holds for every row.
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

// comparisons are the operators that SQL has a word for. Ne is IS NOT, which holds for null.
var comparisons = map[facade.Op]string{
	facade.Eq: " = ", facade.Ne: " IS NOT ", facade.Lt: " < ", facade.Lte: " <= ", facade.Gt: " > ", facade.Gte: " >= ",
}

// in writes a membership test:
//
//	t0."status" IN (SELECT value FROM json_each(?))
//
// The list is one bound JSON array whatever its length, so that lists of all lengths share a
// statement. Numbers that may have fractions are bound one by one, because SQLite's reading of
// a JSON number may differ from Go's in its last bit.
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
	b.bind(engine.TextValue(string(append(list, ']'))))
	b.text("))")
}

// appendElement appends a value to a JSON array that begins with its bracket. A blob has no
// JSON and becomes null, which equals nothing.
func appendElement(list []byte, a engine.Value) []byte {
	if len(list) > 1 {
		list = append(list, ',')
	}
	switch a.Kind {
	case engine.Int:
		return fmt.Append(list, a.I)
	case engine.Float:
		return appendFloat(list, a.F)
	case engine.Text:
		return jsontext.AppendString(list, a.S)
	}
	return append(list, "null"...)
}
