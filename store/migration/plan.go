package migration

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/schema"
)

// The names of steps. They are stable: programs read them in a plan's JSON.
const (
	CreateTable    = "create-table"
	renameTable    = "rename-table"
	AddColumn      = "add-column"
	renameColumn   = "rename-column"
	DropColumn     = "drop-column"
	ChangeType     = "change-type"
	ChangeKey      = "change-primary-key"
	SetNotNull     = "set-not-null"
	DropNotNull    = "drop-not-null"
	AddCheck       = "add-check"
	DropCheck      = "drop-check"
	AddForeignKey  = "add-foreign-key"
	DropForeignKey = "drop-foreign-key"
	AddIndex       = "add-index"
	AddUnique      = "add-unique"
	DropIndex      = "drop-index"
	Rebuild        = "rebuild" // SQLite copies the table into one of the new form

	renamePhysically = "rename-physically" // of a table, its columns or both, in the database
)

// Effect is the cost of a step.
type Effect string

// The effects.
const (
	Online Effect = "online" // it takes a moment, whatever the number of rows
	Slow   Effect = "slow"   // it reads or writes every row of the table
	Loses  Effect = "loses"  // values are gone afterwards
)

// Start is the treatment of a step by a start, with migrate: auto.
type Start string

// The treatments.
const (
	Applies Start = "applies"
	Refuses Start = "refuses" // the cards cannot be served before it, and a start may not do it
	Leaves  Start = "leaves"  // the cards can be served without it; a start never does it
)

// Step is one step of a plan.
type Step struct {
	// Op is the step's name, one of those above.
	Op string `json:"op"`
	// Entity and Field are the card's names; Field is "" for a step on the whole table, and
	// names several fields, parted by ", ", where a constraint has several. For a column that
	// no card describes it is the column's name.
	Entity string `json:"entity"`
	Field  string `json:"field"`
	// Table and Column are the database's names.
	Table  string `json:"table"`
	Column string `json:"column,omitempty"`
	Effect Effect `json:"effect"`
	// Does is the step in words, a verb first: make the column never null.
	Does string `json:"does"`
	// Start is its treatment by a start.
	Start Start `json:"start"`
	// Flag is the flag that apply needs for the step, such as --drop product.colour, or "".
	Flag string `json:"flag"`
	// Refused says that apply with the flags at hand would not do it: the flag is missing, or
	// the rows do not allow it and no flag helps.
	Refused bool `json:"refused"`
	// Reason is why the step is refused, and Remedy what to write or do.
	Reason string `json:"reason,omitempty"`
	Remedy string `json:"remedy,omitempty"`
	// SQL are the statements, in their order. A step has no statements of its own if another
	// step, such as a rebuild of the table, does its work.
	SQL []string `json:"sql"`
	// Rows is the number of rows that block the step, or else the number that it reads or writes.
	Rows int64 `json:"rows"`
	// Lost is how many values become null because they cannot be converted to the new type.
	Lost int64 `json:"lost,omitempty"`
	// Keys are the primary keys of the first ten rows that block the step, or whose values are
	// lost.
	Keys []string `json:"keys,omitempty"`
	// Bytes is about how much free disk the step needs while it runs; 0: too little to report.
	Bytes int64 `json:"bytes,omitempty"`

	skipped bool // a start leaves it, for any rows
}

// maxKeys is how many keys of rows that block a step are listed.
const maxKeys = 10

// Plan is the list of steps that change a database to the form of the cards, in order.
type Plan struct {
	Steps []Step `json:"steps"`
	// Notices name the tables that the program leaves alone because no card describes them.
	Notices []string `json:"notices"`
	// Skipped lists the differences that a start leaves, since newer cards have made them or the task changes no table.
	Skipped []string `json:"-"`
	// Begin and End are the statements around all steps, where a store takes them in one
	// transaction.
	Begin, End []string `json:"-"`
}

// MarshalJSON writes lists that are empty as [] and not as null.
func (p *Plan) MarshalJSON() ([]byte, error) {
	type plain Plan
	out := plain{Steps: []Step{}, Notices: append([]string{}, p.Notices...)}
	for _, s := range p.Steps {
		s.SQL = append([]string{}, s.SQL...)
		out.Steps = append(out.Steps, s)
	}
	return json.Marshal(out)
}

// Join appends the steps of a later pass, and takes the rest of it.
func (p *Plan) Join(later *Plan) {
	steps := append(p.Steps, later.Steps...)
	*p = *later
	p.Steps = steps
}

// Add appends a step.
func (p *Plan) Add(s Step) { p.Steps = append(p.Steps, s) }

// Concerns says whether a step is about a field, as entity.field.
func (p *Plan) Concerns(name string) bool {
	return slices.ContainsFunc(p.Steps, func(s Step) bool { return strings.EqualFold(name, s.Entity+"."+s.Field) })
}

// Refused lists the steps that cannot be applied; nil: all can.
func (p *Plan) Refused() (refused Refused) {
	for _, s := range p.Steps {
		if s.Refused {
			refused = append(refused, s)
		}
	}
	return refused
}

// Refused is the error of a plan that cannot be applied: all steps that prevent it.
type Refused []Step

// Differs is the error of a database that a start would have to change and may not: the steps.
type Differs []Step

// Error lists every step, on one line.
func (d Differs) Error() string {
	lines := make([]string, len(d))
	for i := range d {
		lines[i] = d[i].Where() + ": " + d[i].Does
	}
	return strings.Join(lines, "; ")
}

// Stop returns why a task may not apply the plan, or nil: the refused steps, and at a start the
// steps that a start may not take.
func (p *Plan) Stop(task *Task) error {
	var stop []Step
	for _, s := range p.Steps {
		if task.Unchanged && s.Start != Leaves || task.Start && s.Start == Refuses || !task.Start && s.Refused {
			stop = append(stop, s)
		}
	}
	switch {
	case stop == nil:
		return nil
	case task.Unchanged:
		return Differs(stop)
	}
	return Refused(stop)
}

// Error lists every step, one a line.
func (r Refused) Error() string {
	lines := make([]string, len(r))
	for i := range r {
		lines[i] = r[i].Refusal()
	}
	return strings.Join(lines, "\n")
}

// Refusal returns why the step is not applied, on one line:
//
//	table post, column title: cannot make the column never null: 3 rows hold null; give those rows a value first, or …
func (s *Step) Refusal() string {
	text := s.Where() + ": cannot " + s.Does + ": " + s.Reason
	if len(s.Keys) > 0 {
		text += " (" + s.listed() + ")"
	}
	return text + "; " + s.Remedy
}

// Where names the table and the column, and after them the entity and the field where these have
// other names.
func (s *Step) Where() string {
	text, name := "table "+s.Table, s.Entity
	if s.Column != "" {
		text += ", column " + s.Column
	}
	if s.Field != "" {
		name += "." + s.Field
	}
	if !strings.EqualFold(s.Entity, s.Table) || s.Field != "" && s.Field != s.Column {
		text += " (" + name + ")"
	}
	return text
}

// listed names the rows that block the step: "keys 1, 2, 3 and 7 more".
func (s *Step) listed() string {
	n := s.Rows
	if s.Lost > 0 {
		n = s.Lost
	}
	text := "keys " + strings.Join(s.Keys, ", ")
	if n == 1 {
		text = "key " + s.Keys[0]
	}
	if more := n - int64(len(s.Keys)); more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// Refuse makes the step one that the rows do not allow and that no flag permits.
func (s *Step) Refuse(reason, remedy string) {
	s.Refused, s.Reason, s.Remedy = true, reason, remedy
	if !s.skipped {
		s.Start = Refuses
	}
}

// Applied is a step as the history of a database keeps it.
type Applied struct {
	Op     string `json:"op"`
	Entity string `json:"entity"`
	Field  string `json:"field,omitempty"`
	Rows   int64  `json:"rows"`
}

// Entry is one migration in the history of a database: when, as RFC 3339 in UTC, and what.
type Entry struct {
	At    string    `json:"at"`
	Steps []Applied `json:"steps"`
}

// maxHistory is how many entries of the history are looked through for a rename.
const maxHistory = 1000

// Record returns steps as the text that a store's history keeps.
func Record(steps []Step) ([]byte, error) {
	all := make([]Applied, len(steps))
	for i, s := range steps {
		all[i] = Applied{Op: s.Op, Entity: s.Entity, Field: s.Field, Rows: s.Rows}
	}
	return json.Marshal(all)
}

// ReadEntry returns an entry of the history from a text of [Record]. A text of another program
// has no steps.
func ReadEntry(at string, steps []byte) Entry {
	e := Entry{At: at}
	if json.Unmarshal(steps, &e.Steps) != nil {
		e.Steps = nil
	}
	return e
}

// Count is a message with a number in it, in the singular or the plural: "%d row holds null".
func Count(n int64, one, many string) string {
	if n == 1 {
		return fmt.Sprintf(one, n)
	}
	return fmt.Sprintf(many, n)
}

// Task is the form that a store is to have, and the losses that its author allows.
type Task struct {
	// Entities are those whose rows the store keeps.
	Entities []*schema.Entity
	// Changes are the parts that a card cannot express: new names, and values for older rows.
	Changes catalog.SchemaChanges
	// Start says that a program starts. A start applies only steps that the cards need and that
	// lose no values.
	Start bool
	// Unchanged forbids every change: the error is [Differs] if a start would make one.
	Unchanged bool
	// Physical says that tables and columns get the names of the cards in the database too.
	Physical bool
	// Drop and Convert are the fields, as entity.field, whose columns may be dropped and whose
	// values may be converted with a loss.
	Drop, Convert []string
	// Progress, if set, is called now and then while rows of a table are copied or filled, from
	// one goroutine.
	Progress func(table string, done, total int64)
}

// The flags of apply, as a plan names them.
const (
	DropFlag    = "--drop"
	ConvertFlag = "--convert"
)

// may says whether the flag was given for a field: --drop product.colour. Case does not matter.
func (t *Task) may(flag, entity, field string) bool {
	list := t.Drop
	if flag == ConvertFlag {
		list = t.Convert
	}
	return slices.ContainsFunc(list, func(name string) bool { return strings.EqualFold(name, entity+"."+field) })
}

// Executes reports whether the task executes a step: it is not refused, and a start may apply it.
func (t *Task) Executes(s *Step) bool { return !s.Refused && (!t.Start || s.Start == Applies) }

// Value returns frond.yaml's computation of a field of older rows, or nil.
func (t *Task) Value(p *schema.Property, e *schema.Entity) *catalog.Backfill {
	for _, v := range t.Changes.Values {
		if v.Entity == e && v.Field == p {
			return v
		}
	}
	return nil
}
