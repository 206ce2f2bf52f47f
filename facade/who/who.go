// Package who explains which callers see a row. It evaluates each access rule over the values of the row; the conditions on the
// caller remain. No user is searched.
//
//	rows: {customerId: {eq: $user.id}}             user.id is u-erik
//	rows: {project: {ownerId: {eq: $user.id}}}     user.id is the ownerId of project p-7, u-ann
package who

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/access"
	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/filter"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/facade/rows"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// Rule is an access rule that shows a row to some callers. For an operation of a caller the first rule counts whose When holds.
type Rule struct {
	Rule    *int     `json:"rule"`    // its number, from 0; nil: the door is open
	Pointer string   `json:"pointer"` // FILE#POINTER
	When    string   `json:"when"`    // the expression of the rule; "": always
	Then    []string `json:"then"`    // further conditions on the caller, which all have to hold
	Hides   []string `json:"hides"`   // fields of the row that these callers do not have
	// Operations are the operations on the row that the rule opens.
	Operations []string `json:"operations"`
	// Tests are the names of [Options.Callers] to whom the rule shows the row.
	Tests []string `json:"tests"`
}

// Caller is a caller with a name.
type Caller struct {
	Name  string
	State access.State
}

// Options of [Shows]; nil is fine.
type Options struct {
	Field   string // only rules that show this field; "": all rules
	Callers []Caller
}

// Shows returns the rules that show the row of an entity with a key; an empty list means that no caller sees the row. The error is
// NOT_FOUND for a missing door, field or row, BAD_REQUEST for a key of another type, and NOT_IMPLEMENTED if Go code or the host of a
// remote decides over the door.
func Shows(ctx context.Context, f *facade.Facade, entity, key string, opts *Options) ([]Rule, error) {
	if opts == nil {
		opts = &Options{}
	}
	door, err := doorOf(f.Catalog(), entity)
	if err != nil {
		return nil, err
	}
	field, err := readable(door, opts.Field)
	if err != nil {
		return nil, err
	}
	at, err := find(ctx, f, door.Entity, key)
	if err != nil {
		return nil, err
	}
	templates, err := templatesOf(f, door)
	if err != nil {
		return nil, err
	}
	r := &residues{ctx, f}
	all := []Rule{}
	for i := range templates {
		t := &templates[i]
		rule := Rule{Pointer: t.At, When: t.When, Hides: hidden(door, t.Hide), Operations: ofRow(door, t.Opens), Tests: []string{}}
		if len(rule.Operations) == 0 || slices.Contains(rule.Hides, field) {
			continue
		}
		rest, err := r.of(at, t.Rows, false)
		switch {
		case err != nil:
			return nil, err
		case rest.never():
			continue
		case t.Number >= 0:
			rule.Rule = &t.Number
		}
		rule.Then = rest.sentences()
		for _, c := range opts.Callers {
			is, err := r.shows(at, t, rule.Operations, c.State)
			if err != nil {
				return nil, err
			}
			if is {
				rule.Tests = append(rule.Tests, c.Name)
			}
		}
		all = append(all, rule)
	}
	return all, nil
}

// doorOf returns the door of an entity with rows.
func doorOf(c *catalog.Catalog, entity string) (*catalog.Door, error) {
	hasRows := func(d *catalog.Door) bool { return d != nil && d.Entity != nil && d.Entity.Primary != nil }
	if door := c.Door(entity); hasRows(door) {
		return door, nil
	}
	var names []string
	for d := range c.Doors() {
		if hasRows(d) {
			names = append(names, d.Name)
		}
	}
	return nil, kiterror.Errorf(kiterror.NotFound, "no door with rows is called %s%s", schema.Quoted(entity), schema.Instead(entity, names, true))
}

// templatesOf returns the rules of a door; those of an open door are one, whose Number is -1.
func templatesOf(f *facade.Facade, door *catalog.Door) ([]access.Template, error) {
	collector := f.Collector(door)
	templates, ruled := access.Templates(collector, door, time.Now())
	switch {
	case access.AuthorityOf(door, collector) == catalog.ByGoCode:
		return nil, kiterror.Errorf(kiterror.NotImplemented, "%s: Go code decides over each call; ask for one caller with frond explain --state", door.Name)
	case access.HostDecides(door, collector):
		return nil, kiterror.Errorf(kiterror.NotImplemented, "%s: its rules are at the host of %s; run frond who there", door.Name, door.Frond.Name)
	case !ruled:
		templates = []access.Template{{Number: -1, At: door.AccessAt, Opens: door.OperationNames()}}
	}
	return templates, nil
}

// shows reports whether a rule counts for one of the operations of a caller, and shows them the row.
func (r *residues) shows(at *place, t *access.Template, operations []string, state access.State) (bool, error) {
	counts := t.Number < 0 || slices.ContainsFunc(operations, func(op string) bool { return t.Decides(state, op) })
	if bound := t.Bind(state); counts && bound != nil {
		return r.meets(at, bound)
	}
	return counts, nil
}

// readable returns the name of a field that some callers may read; "" for "".
func readable(door *catalog.Door, name string) (string, error) {
	if name == "" {
		return "", nil
	}
	p, _ := filter.Field(door.Entity, name)
	switch {
	case p == nil && door.ComputedField(name) == nil:
		return "", kiterror.Errorf(kiterror.NotFound, "%s has no field called %s%s", door.Name, schema.Quoted(name), schema.Instead(name, door.FieldNames(), true))
	case p == nil:
		return name, nil
	case !p.Readable():
		return "", kiterror.Errorf(kiterror.NotFound, "%s.%s leaves for no caller: its card says boundary: {out: closed}; name a field that leaves", door.Name, p.Name)
	}
	return p.Name, nil
}

// find reads the row with a key.
func find(ctx context.Context, f *facade.Facade, e *schema.Entity, key string) (at *place, err error) {
	text := jsontext.Quote(key)
	if e.Primary.Kind == schema.KindInteger || e.Primary.Kind == schema.KindNumber {
		text = json.RawMessage(key)
	}
	id, why := e.Primary.Kind.Value(text)
	if why != "" || jsontext.Check(text) != nil {
		return nil, kiterror.Errorf(kiterror.BadRequest, "%s has no key such as %s; write %s", e.Name, schema.Quoted(key), why)
	}
	where := &filter.Filter{Op: filter.Eq, Field: e.Primary, Values: []any{id}}
	err = f.Rows(ctx, e, where, 1, func(row rows.Row) bool { at = &place{entity: e, row: row}; return false })
	if err == nil && at == nil {
		err = kiterror.Errorf(kiterror.NotFound, "%s has no row with the key %s; write the key of a row that is there", e.Name, schema.Quoted(key))
	}
	return at, err
}

// hidden returns the fields that a rule hides, and the computed fields that read one of them.
func hidden(door *catalog.Door, hide []string) []string {
	all := append([]string{}, hide...)
	for _, c := range door.Computed {
		if !slices.Contains(all, c.Name) && slices.ContainsFunc(c.Inputs, func(p *schema.Property) bool { return slices.Contains(hide, p.Name) || !p.Readable() }) {
			all = append(all, c.Name)
		}
	}
	return all
}

// ofRow returns the operations that read, change or delete one row, and the author's.
func ofRow(door *catalog.Door, names []string) []string {
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool {
		op := door.Operation(name)
		return op == nil || op.Builtin && !strings.Contains(" list findById update delete ", " "+name+" ")
	})
}
