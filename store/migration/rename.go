package migration

import (
	"fmt"
	"strings"

	"github.com/frondhost/frond/schema"
)

// Renaming is a step that gives a table or a column another name in the ledger.
type Renaming struct {
	Step

	Entry Called
}

// resolve finds the tables and columns of a task's entities. present are the tables of the
// database, whose columns get the names of their fields; ledger is its record of names; rows
// returns the number of rows of a table.
//
//	renamed: {a: b}, and something is called a           it is called b from now on, a step
//	something has been called a and is called b          no step
//	a and b are both there, and b has rows               refused
//	neither is there, and the cards leave something out  refused: the line may have a slip
//	an older program has renamed a table itself, and     refused: a new table would hide its rows
//	older cards have no name for it
//
// Without a rename a name leads to the table that has it now, or else to one that had it: older cards
// find their rows when newer ones have renamed them. They are refused where the newer ones have
// used the name again for something else.
func resolve(task *Task, naming Naming, present []*Table, ledger ledger, rows func(table string) (int64, error)) (names *Names, renamed []Renaming, refused []Step, err error) {
	r := &resolving{task: task, rows: rows, history: ledger.History, names: DefaultNames(naming)}
	tables := &r.names.tables
	for _, t := range present {
		tables.all = append(tables.all, &thing{name: t.Name, noted: t.Name})
	}
	tables.learn(ledger.Names, func(c Called) string {
		if c.Column != "" {
			return ""
		}
		return c.Table
	})
	for i, t := range present {
		x := tables.all[i]
		x.columns.plain = naming.Column
		for j := range t.Columns {
			x.columns.all = append(x.columns.all, &thing{name: t.Columns[j].Name})
		}
		x.columns.learn(ledger.Names, func(c Called) string {
			if c.Table != x.noted {
				return ""
			}
			return c.Column
		})
	}
	if err := r.tables(); err != nil {
		return nil, nil, nil, err
	}
	for _, e := range r.entities() {
		r.columns(e, tables.wanted[e.Key])
	}
	for i, t := range present {
		x := tables.all[i]
		for j := range t.Columns {
			t.Columns[j].Field = x.columns.all[j].label()
			x.columns.all[j].unwritten = x.columns.all[j].unwritten || x.noted != x.name && x.columns.all[j].called != nil
		}
	}
	return r.names, r.renamed, r.refused, nil
}

// resolving is one run of [resolve].
type resolving struct {
	task    *Task
	rows    func(table string) (int64, error)
	history func() ([]Entry, error)
	names   *Names
	renamed []Renaming
	refused []Step
}

// entities returns the entities with a table of this program.
func (r *resolving) entities() (all []*schema.Entity) {
	for _, e := range r.task.Entities {
		if e.Primary != nil && !e.View && e.Table == nil {
			all = append(all, e)
		}
	}
	return all
}

// tables finds the table of each entity.
func (r *resolving) tables() error {
	var lines []line
	for _, n := range r.task.Changes.Renamed {
		if n.Field == "" {
			lines = append(lines, line{n.Entity, n.To})
		}
	}
	s := &r.names.tables
	if err := s.follow(lines, r.both); err != nil {
		return err
	}
	var keys []string
	entities := map[string]*schema.Entity{}
	for _, e := range r.entities() {
		keys, entities[e.Key] = append(keys, e.Key), e
	}
	step := func(key string, x *thing, does string) Step {
		return Step{Op: renameTable, Entity: entities[key].Name, Table: x.name, Effect: Online, Does: does, Start: Applies}
	}
	var fresh []string
	s.settle(keys, func(key string) {
		fresh = append(fresh, key)
		if former := before(lines, key); former != nil && s.unknown() != nil {
			slip := step(key, &thing{name: s.plain(key)}, "rename "+former[0]+" to "+key)
			slip.Refuse("there is no table "+former[0], "name one of those that no card describes, which are "+strings.Join(s.unknown(), ", ")+", or remove the line from renamed")
			r.refused = append(r.refused, slip)
		}
	})
	renamed, at, err := r.replaced(fresh)
	if err != nil {
		return err
	}
	for _, key := range fresh {
		if renamed == nil {
			break
		}
		hides := Step{Op: CreateTable, Entity: entities[key].Name, Table: s.plain(key), Effect: Online, Does: "make the table"}
		hides.Refuse(fmt.Sprintf("newer cards have given the name %[1]s to a table of this store, at %[2]s, and these cards have no entity called %[1]s", renamed.name, at),
			fmt.Sprintf("start the newer cards, or, if its rows are those of %[2]s, write renamed: {%[1]s: %[2]s} in frond.yaml; drop the table %[1]s if its rows are not wanted any more", renamed.name, key))
		r.refused = append(r.refused, hides)
	}
	s.remember(lines)
	for _, key := range keys {
		x := s.wanted[key]
		if x.renamed != "" {
			r.renamed = append(r.renamed, Renaming{step(key, x, "rename "+x.renamed+" to "+key), x.entry(x.name, "")})
			x.unwritten = false
		}
		if other := s.once(key); other != nil {
			again := step(key, other, "find the rows of "+key)
			again.Refuse(fmt.Sprintf("newer cards call that table %s since %s, and have another entity called %s", other.label(), other.at, key),
				"start the newer cards, or drop the table if its rows are not wanted any more")
			r.refused = append(r.refused, again)
		}
	}
	return nil
}

// replaced returns a table with rows that an older program has renamed itself, if the cards do not
// describe it and there are new entities: any of them may be the older name. It returns nil if there
// is no such table.
func (r *resolving) replaced(fresh []string) (*thing, string, error) {
	s := &r.names.tables
	if len(fresh) == 0 || len(s.unknown()) == 0 || r.history == nil {
		return nil, "", nil
	}
	history, err := r.history()
	if err != nil {
		return nil, "", err
	}
	for _, entry := range history {
		for _, step := range entry.Steps {
			x := s.own(s.plain(schema.EntityKey(step.Entity)))
			if step.Op != renameTable || x == nil || x.called != nil || s.uses(x) {
				continue
			}
			if n, err := r.rows(x.name); err != nil || n > 0 {
				return x, entry.At, err
			}
		}
	}
	return nil, "", nil
}

// both decides about a rename whose two names have a table each, as after a start without the
// line: the one with rows counts.
func (r *resolving) both(l line, from, to *thing) (bool, error) {
	there, err := r.rows(to.name)
	if err != nil {
		return false, err
	}
	remaining, err := r.rows(from.name)
	if err != nil || remaining == 0 {
		return false, err // an older program made it again, and wrote nothing
	}
	if there == 0 {
		return true, nil
	}
	step := Step{Op: renameTable, Entity: l.to, Table: to.name, Effect: Online, Does: "rename " + l.from + " to " + l.to, Rows: remaining}
	step.Refuse(fmt.Sprintf("both are there: %s has %s and %s has %s", l.to, Count(there, "%d row", "%d rows"), l.from, Count(remaining, "%d row", "%d rows")),
		"move the rows of "+l.from+" and drop it, or remove the line from renamed")
	r.refused = append(r.refused, step)
	return false, nil
}

// columns finds the column of each field of an entity with the table t.
func (r *resolving) columns(e *schema.Entity, t *thing) {
	var lines []line
	for _, n := range r.task.Changes.Renamed {
		if n.Field != "" && n.Entity == e.Key {
			lines = append(lines, line{n.Field, n.To})
		}
	}
	var fields []string
	for _, p := range e.Fields {
		if p.Stored && p.Parts() == nil {
			fields = append(fields, p.Name)
		}
	}
	s := &t.columns
	fresh := s.plain == nil // the table is not there yet
	s.plain = r.names.naming.Column
	_ = s.follow(lines, func(line, *thing, *thing) (bool, error) { return false, nil }) // the new name was applied, or is a field of its own
	step := func(field string, x *thing, does string) Step {
		return Step{Op: renameColumn, Entity: e.Name, Field: field, Table: t.name, Column: x.name, Effect: Online, Does: does, Start: Applies}
	}
	s.settle(fields, func(field string) {
		if former := before(lines, field); former != nil && !fresh && s.unknown() != nil {
			slip := step(field, &thing{name: s.plain(field)}, "rename "+former[0]+" to "+field)
			slip.Refuse("the table has no column "+former[0], "name one of those that no card describes, which are "+strings.Join(s.unknown(), ", ")+", or remove the line from renamed")
			r.refused = append(r.refused, slip)
		}
	})
	s.remember(lines)
	for _, field := range fields {
		x := s.wanted[field]
		if x.renamed != "" {
			r.renamed = append(r.renamed, Renaming{step(field, x, "rename "+x.renamed+" to "+field), x.entry(t.name, x.name)})
			x.unwritten = false
		}
		if other := s.once(field); other != nil && !r.task.may(DropFlag, e.Name, other.label()) {
			again := step(field, other, "find the values of "+field)
			again.Flag = DropFlag + " " + e.Name + "." + other.label()
			again.Refuse(fmt.Sprintf("newer cards call that column %s since %s, and have another field called %s", other.label(), other.at, field),
				"start the newer cards, or, if the values are not wanted any more, run frond migrate apply "+again.Flag)
			r.refused = append(r.refused, again)
		}
	}
}
