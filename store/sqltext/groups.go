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
// The groups are a table to the statement around them, so that conditions, orders and cursors
// work as for rows.
//
// With Each, from writes the keys and the rows that have them, and key is the number of the key. The
// groups of each key are numbered, up to the limit:
//
//	SELECT g.* FROM (SELECT g.*, row_number() OVER w AS n FROM (SELECT k.n AS k, … GROUP BY 1, 2) AS g
//	WHERE … WINDOW w AS (PARTITION BY g.k ORDER BY g.c0)) AS g WHERE g.n <= ? ORDER BY g.k, g.n
func (r *Reading) Grouped(b *Builder, key string, from func(alias string)) error {
	const alias = "g"
	q := r.Find
	if q.Each != nil {
		b.Text("SELECT g.* FROM (SELECT g.*, row_number() OVER w AS n FROM (")
	} else {
		b.Text("SELECT ", alias, ".* FROM (")
	}
	columns, err := groupColumns(r, b, key, from)
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
		follow(b, r.Order, q.From, false, alias, word)
	}
	if q.Each != nil {
		b.Text(" WINDOW w AS (PARTITION BY g.k")
	}
	if len(r.Order) > 0 {
		b.Text(" ORDER BY ")
		b.OrderBy(r.Order, alias)
	}
	if q.Each == nil {
		b.Limit(q)
		return b.Ready()
	}
	b.Text(")) AS g WHERE g.n <= ")
	b.Bind(IntValue(int64(max(0, q.Limit)) + 1)) // one more says that there are more
	b.Text(" ORDER BY g.k, g.n")
	return b.Ready()
}

// groupColumns writes the groups without the conditions on them, and returns their columns, which are
// in the order of the layout.
func groupColumns(r *Reading, b *Builder, key string, from func(alias string)) (columns []*Column, err error) {
	g, alias, keys := r.Find.Group, b.Alias(), 0
	b.Text("SELECT ")
	if r.Find.Each != nil {
		b.Text(key, " AS k, ")
		keys++
	}
	for i := range g.Columns {
		c, as := &g.Columns[i], "c"+strconv.Itoa(i)
		Separate(b, i, ", ")
		var of *Column
		if c.Of == nil {
			b.Text("count(*)")
		} else if of, err = r.Table.Column(c.Of); err == nil {
			err = of.order()
		}
		if err != nil {
			return nil, err
		}
		column := &Column{Prop: c.As, Name: as, Plain: as, NotNull: c.Func == aggregate.Count || c.Func == aggregate.CountDistinct}
		b.db.Dialect.Grouped(b, c, of, column, alias, g.Zone)
		columns = append(columns, column)
		b.Text(" AS ", as)
	}
	if r.Find.Each != nil {
		from(alias)
	} else {
		plain(r, b, alias)
		r.Where(b, alias, " WHERE ")
	}
	for i := range keys + g.Keys {
		b.Text([]string{" GROUP BY ", ", "}[min(i, 1)], strconv.Itoa(i+1))
	}
	return columns, nil
}
