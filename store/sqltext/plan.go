package sqltext

import "github.com/frondhost/frond/facade/rows"

// plan is the statement that reads a row of a table by its key alone. It never changes, and is kept
// with the layout that it answers, since the façade keeps the layouts that come again.
type plan struct {
	table     *Table
	selection Selection
	sql       []byte
}

// planOf returns the plan of a layout, and makes it for a layout without a plan of t. An
// INTERNAL_ERROR says that a field is not stored.
func (b *Builder) planOf(t *Table, layout *rows.Layout) (*plan, error) {
	if p, _ := layout.Plan.Load().(*plan); p != nil && p.table == t {
		return p, nil
	}
	p := &plan{table: t}
	err := p.selection.Choose(t, layout, nil)
	if err == nil {
		err = b.selectRow(t, &p.selection, Value{}, nil)
	}
	if err != nil {
		return nil, err
	}
	p.sql = append(p.sql, b.SQL...)
	b.reset(b.db)
	layout.Plan.Store(p)
	return p, nil
}

// Row writes the statement of a Find with a key, whose value is key, to b, which is empty.
func (r *Reading) Row(b *Builder, key Value) error {
	p, err := b.planOf(r.Table, r.Find.Select)
	if err != nil {
		return err
	}
	r.Selection = &p.selection
	if r.Find.Where != nil {
		return b.selectRow(r.Table, r.Selection, key, r.Find.Where)
	}
	b.SQL, b.Args = append(b.SQL, p.sql...), append(b.Args, make([]Value, max(1, len(r.Table.Primary.Parts)))...)
	bindKey(b.Args, r.Table.Primary, key)
	return nil
}

// bindKey puts a value into the places that [Builder.Equal] has left for it at the beginning of
// args. A text that is no key leaves them null, which never equals a value.
func bindKey(args []Value, c *Column, v Value) {
	if c.Parts == nil {
		args[0] = v
		return
	}
	values, ok := c.SplitKey(v.S)
	if !ok {
		values = make([]Value, len(c.Parts))
	}
	copy(args, values)
}
