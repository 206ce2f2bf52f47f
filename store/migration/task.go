package migration

import (
	"slices"
	"strings"

	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/schema"
)

// Task is the form that a store is to have, and the losses that its author allows.
type Task struct {
	// Entities are those whose rows the store keeps.
	Entities []*schema.Entity
	// Changes are the parts that a card cannot express: new names, and values for older rows.
	Changes catalog.SchemaChanges
	// Start says that a program starts: it applies only steps that lose nothing and that the cards
	// need.
	Start bool
	// Unchanged says that nothing may be changed: the error is [Differs] where a start would.
	Unchanged bool
	// Drop and Convert are the fields, as entity.field, whose columns may be dropped and whose
	// values may be converted with a loss.
	Drop, Convert []string
	// Progress, where it is set, is called now and then while rows of a table are copied or
	// filled, from one goroutine.
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

// Value returns what computes a field of older rows; nil where frond.yaml says nothing.
func (t *Task) Value(p *schema.Property, e *schema.Entity) *catalog.Backfill {
	for _, v := range t.Changes.Values {
		if v.Entity == e && v.Field == p {
			return v
		}
	}
	return nil
}
