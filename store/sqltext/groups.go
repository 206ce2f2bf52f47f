package sqltext

import (
	"strconv"

	"github.com/frondhost/frond/facade/aggregate"
)

// Grouped writes the statement of a Find with Group, which [Reading.Begin] leaves to it:
//
//	SELECT g.* FROM (SELECT t0."status" AS c0, count(*) AS c1 FROM "order" AS t0 WHERE … GROUP BY 1) AS g
//	WHERE g.c1 >= ? ORDER BY g.c0 LIMIT ?
//
// The groups are a table to the statement around them, so that conditions, orders and cursors are
// those of rows.
func (r *Reading) Grouped(b *Builder) error {
	const alias = "g"
	q := r.Find
	b.Text("SELECT ", alias, ".* FROM (")
	columns, err := groupColumns(r, b)
	if err != nil {
		return err
	}
	b.Text(") AS ", alias)
	t := NewTable(q.Group.Entity, "", columns)
	if r.Order, err = t.sorting(r.orderRoom[:0], q); err != nil {
		return err
	}
	r.Selection = &r.selected
	if err := r.Selection.Choose(&t, q.Select, r.Order); err != nil {
		return err
	}
	word := " WHERE "
	if q.Group.Having != nil {
		b.Text(word)
		b.Filter(q.Group.Having, &t, alias)
		word = " AND "
	}
	if q.From != nil {
		from, err := Cursor(r.Order, q.From)
		if err != nil {
			return err
		}
		b.Text(word)
		b.After(r.Order, from, false, alias)
	}
	if len(r.Order) > 0 {
		b.Text(" ORDER BY ")
		b.OrderBy(r.Order, alias)
	}
	b.Limit(q)
	return b.Ready()
}

// groupColumns writes the groups without the conditions on them, and returns their columns, which are
// in the order of the layout.
func groupColumns(r *Reading, b *Builder) (columns []*Column, err error) {
	g, alias := r.Find.Group, b.Alias()
	b.Text("SELECT ")
	for i := range g.Columns {
		c, as := &g.Columns[i], "c"+strconv.Itoa(i)
		if i > 0 {
			b.Text(", ")
		}
		var of *Column
		if c.Of == nil {
			b.Text("count(*)")
		} else if of, err = r.Table.Column(c.Of); err != nil {
			return nil, err
		}
		column := &Column{Prop: c.As, Name: as, Plain: as, NotNull: c.Func == aggregate.Count || c.Func == aggregate.CountDistinct}
		b.db.Dialect.Grouped(b, c, of, column, alias, g.Zone)
		columns = append(columns, column)
		b.Text(" AS ", as)
	}
	r.From(b, alias)
	r.Where(b, alias, " WHERE ")
	for i := range g.Keys {
		b.Text([]string{" GROUP BY ", ", "}[min(i, 1)], strconv.Itoa(i+1))
	}
	return columns, nil
}
