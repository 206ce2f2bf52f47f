package migration

import (
	"strings"

	"github.com/frondhost/frond/schema"
)

// A field that cards newly require, with a value for older rows, is made never null once every gateway has these cards: gateways with
// other cards write rows without it, and those with these cards give the rows a value.

// await has the columns of such fields be ones that may be null, while gateways with other cards serve their table.
func (p *Planner) await(db Database, wanted []*Table, older map[string]bool) {
	for _, t := range wanted {
		was := find(p.Present, t.Name)
		if p.others[t.Name] == 0 || was == nil || was.Foreign || older[t.Name] {
			continue
		}
		for i := range t.Columns {
			c := &t.Columns[i]
			if old := was.Column(c.Name); !c.NotNull || c.Filled || old != nil && old.NotNull || !p.Task.valued(t.Entity, c.Field) {
				continue
			}
			d := Difference{Op: SetNotNull, Table: t, Was: was, Column: c, WasColumn: &Column{}, Others: p.others[t.Name]}
			db.Accept(&d)
			p.Awaited = append(p.Awaited, d)
			if was.Column(c.Name) != nil {
				s := d.Step()
				s.Effect, s.Start = Slow, Leaves
				s.Await(d.Others)
				p.Plan.Add(s)
			}
		}
	}
}

// Awaits returns the column of a table if it may be null for a while, or nil.
func (p *Planner) Awaits(table, column string) *Column {
	for _, d := range p.Awaited {
		if d.Table.Name == table && strings.EqualFold(d.Column.Name, column) {
			return d.Column
		}
	}
	return nil
}

// Await says that the column of the step may be null while n gateways with other cards serve.
func (s *Step) Await(n int64) {
	s.Does += Count(n, "; null stays allowed while %d gateway with other cards serves", "; null stays allowed while %d gateways with other cards serve")
}

// Late returns the computation of the values of an awaited column for rows without one; nil where an expression reads a column that
// the table does not have.
func (p *Planner) Late(d *Difference, e *schema.Entity, names *Names) *Filling {
	s := d.Step()
	f := &Filling{Value: p.Task.Value(e.Property(d.Column.Field), e), Column: d.Column, When: "t." + quote(d.Column.Name) + " IS NULL"}
	if f.Reads = s.reads(f.Value, d.Was, func(field string) string { return names.Column(e.Key, field) }); s.Refused {
		return nil
	}
	return f
}
