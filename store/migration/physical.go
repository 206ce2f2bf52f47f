package migration

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/frondhost/frond/schema"
)

// A rename leaves the table and the column their names. A physical task gives them, in the database,
// the names that the cards have for them. The ledger keeps the names of before: older cards find
// their rows by them, and the marks of seeds and the names of files stay as they are.

// Move is a step that renames a table, its columns or both in the database.
type Move struct {
	Step

	Of      *schema.Entity
	To      string // the table's name afterwards
	Columns []ColumnMove
	// Entries replace the ledger's entries about the table.
	Entries []Called
}

// ColumnMove is the name of a column before and after.
type ColumnMove struct{ From, To string }

// Passes are the tasks that make up t. A physical one has three: the names change in tables that fit,
// then the names of their constraints and indexes follow.
func (t *Task) Passes() []*Task {
	if !t.Physical {
		return []*Task{t}
	}
	plain := *t
	plain.Physical = false
	return []*Task{&plain, t, &plain}
}

// physical adds the moves of a task to the plan. serving is the number of other gateways over the
// database.
func (p *Planner) physical(db Database, names *Names, serving int) error {
	after := &Names{names.naming, names.tables.copy()}
	tables := &after.tables
	of := map[*thing]*schema.Entity{}
	order := tables.move()
	for _, e := range p.Task.Entities {
		if t := tables.wanted[e.Key]; t != nil && e.Table == nil && !e.View {
			of[t] = e
			order = append(order, t)
		}
	}
	var moves []Move
	for i, t := range order {
		if slices.Contains(order[:i], t) {
			continue
		}
		if m := p.moved(t, of[t], tables.plain(of[t].Key), serving); m != nil {
			moves = append(moves, *m)
		}
	}
	return db.Move(after, moves)
}

// moved returns the move of a table t that may have another name already, and of its columns. nil:
// each has the name that it should have, of which to is the table's.
func (p *Planner) moved(t *thing, e *schema.Entity, to string, serving int) *Move {
	from := cmp.Or(t.moved, t.name)
	m := &Move{Step: Step{Op: renamePhysically, Entity: e.Name, Table: from, Effect: Online, Start: Leaves}, Of: e, To: t.name}
	var does, taken []string
	if from != to {
		does = append(does, "rename the table to "+to)
	}
	if t.name != to {
		taken = append(taken, "table "+to)
	}
	for _, c := range t.columns.move() { // in an order in which each name is free
		m.Columns = append(m.Columns, ColumnMove{c.moved, c.name})
	}
	for _, field := range slices.Sorted(maps.Keys(t.columns.wanted)) {
		c, to := t.columns.wanted[field], t.columns.plain(field)
		from := cmp.Or(c.moved, c.name)
		if from == to {
			continue
		}
		does = append(does, "rename the column "+from+" to "+to)
		if c.name != to {
			taken = append(taken, "column "+to)
		}
	}
	if does == nil {
		return nil
	}
	m.Does = strings.Join(does, " and ")
	switch {
	case taken != nil:
		m.Refuse("there is another "+strings.Join(taken, " and "), "drop it if no card needs it, or leave out --physical")
	case serving > 0:
		m.Refuse(Count(int64(serving), "%d gateway serves the store", "%d gateways serve the store"), "stop them first: their statements have the names of now")
	}
	m.Entries = t.entries()
	return m
}

// move gives each thing of the cards its plain name in the database, unless another thing has that
// name, and returns the things that got another one, in order.
func (s *space) move() (moved []*thing) {
	for again := true; again; {
		again = false
		for _, name := range slices.Sorted(maps.Keys(s.wanted)) {
			x, to := s.wanted[name], s.plain(name)
			if x.name == to || slices.ContainsFunc(s.all, func(o *thing) bool { return o != x && strings.EqualFold(o.name, to) }) {
				continue
			}
			if x.called == nil {
				x.called = []string{name}
			}
			x.moved, x.lasting, x.name, again = x.name, cmp.Or(x.lasting, x.name), to, true
			moved = append(moved, x)
		}
	}
	return moved
}

// copy returns a space with things of its own.
func (s *space) copy() space {
	is := map[*thing]*thing{}
	own := func(x *thing) *thing {
		if is[x] == nil {
			y := *x
			y.columns = x.columns.copy()
			is[x] = &y
		}
		return is[x]
	}
	c := space{plain: s.plain, gone: s.gone}
	for _, x := range s.all {
		c.all = append(c.all, own(x))
	}
	if s.wanted != nil {
		c.wanted = map[string]*thing{}
		for name, x := range s.wanted {
			c.wanted[name] = own(x)
		}
	}
	return c
}
