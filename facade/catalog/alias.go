package catalog

import (
	"encoding/json"
	"time"

	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// Alias is an earlier name of an entity (renamed: {item: {to: product, until: 2027-06-01}}), which
// its callers may still use until a date. It leads to the very same door, which is compiled once, so
// a collector, a hidden field or a surface holds under both names. It never changes and may be used
// from many goroutines.
type Alias struct {
	// Name is the old name as frond.yaml spells it; look-ups ignore case.
	Name string
	// Plural is the old segment of REST paths, the regular plural of Name.
	Plural string
	// Door is the door of the new name, as the catalog that has the alias shows it.
	Door *Door
	// Since is when the catalog was compiled: the name is deprecated by then at the latest.
	Since time.Time
	// Until is the last second at which the name is answered, the end of the day in UTC.
	Until time.Time
	// File and At are the place of its declaration, a path and a JSON pointer.
	File, At string

	// Clock is the time by which Refusal judges; nil: time.Now.
	Clock func() time.Time
}

// Reason says why the name is not to be used any more, for schemas and documents.
func (a *Alias) Reason() string {
	return "renamed to " + a.Door.Name + "; answered until " + a.Day()
}

// Day is the last day on which the name is answered: 2027-06-01.
func (a *Alias) Day() string { return a.Until.Format(time.DateOnly) }

// Refusal is GONE after the last day, by the façade's clock, with the new name; until then it
// is nil. A façade refuses such calls itself; a surface asks if it would otherwise judge the
// request first.
func (a *Alias) Refusal() *kiterror.Error {
	now := a.Clock
	if now == nil {
		now = time.Now
	}
	if !a.Past(now()) {
		return nil
	}
	return kiterror.Errorf(kiterror.Gone, "%s was renamed to %s and was answered until %s; call %s", a.Name, a.Door.Name, a.Day(), a.Door.Name)
}

// Past reports whether the last day is over.
func (a *Alias) Past(now time.Time) bool { return now.After(a.Until.Add(time.Second - 1)) }

// Alias returns the alias of that name, or nil.
func (c *Catalog) Alias(name string) *Alias {
	if len(c.aliases) == 0 {
		return nil
	}
	return c.aliases[schema.EntityKey(name)]
}

// addAliases enters the aliases of a door.
func (c *Catalog) addAliases(d *Door) {
	for _, a := range d.Aliases {
		if c.aliases == nil {
			c.aliases = map[string]*Alias{}
		}
		c.aliases[schema.EntityKey(a.Name)] = a
	}
}

// FormerNames are the names that fields of rows had before, by the one that each has now.
type FormerNames []formerName

// formerName is a former name of a field, and its name today.
type formerName struct{ was, is string }

// Renew replaces former names in a kept row by the present ones; nil for a row without former
// names.
func (f FormerNames) Renew(row json.RawMessage) json.RawMessage {
	now := map[string]string{}
	for _, name := range f {
		if jsontext.Get(row, name.was) != nil && jsontext.Get(row, name.is) == nil {
			now[name.was] = name.is
		}
	}
	if len(now) == 0 {
		return nil
	}
	var out schema.Object
	for name, value := range jsontext.Members(row) {
		if is, old := now[name]; old {
			name = is
		}
		out = append(out, schema.Member{Name: name, Value: value})
	}
	return out.AppendJSON(nil)
}
