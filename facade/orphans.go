package facade

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/frondhost/frond/facade/access"
	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/filter"
	"github.com/frondhost/frond/facade/rows"
	"github.com/frondhost/frond/schema"
)

// Orphans are rows whose reference names a row that its host does not have.
type Orphans struct {
	By    *schema.Property // the reference
	Count int              // of rows
	Keys  []string         // of some of the rows
	Read  int              // rows that were looked at
	More  bool             // there are rows that were not
	Err   error            // the rows could not be read
}

// The bounds of [Facade.Orphans] for a reference: rows to read and keys to name.
const (
	mostOrphansRead  = 100_000
	mostOrphansNamed = 10
)

// Orphans looks for orphans of each reference between rows of different places.
func (f *Facade) Orphans(ctx context.Context) (all []Orphans) {
	h := f.host
	x := &viewer{host: h, call: &Call{}, inside: true, state: access.State(nil).OfHost()}
	for _, e := range h.catalog.Set.Entities {
		for _, p := range e.Fields {
			if l := p.Link; l != nil && p.Stored && l.Through == nil && catalog.Apart(h.catalog.Fronds, l) && h.reaches(e) && h.reaches(l.Target) {
				all = append(all, orphansOf(ctx, x, p))
			}
		}
	}
	return all
}

// orphansOf looks for orphans of one reference.
func orphansOf(ctx context.Context, x *viewer, by *schema.Property) Orphans {
	o := Orphans{By: by}
	type row struct{ key, refs json.RawMessage }
	var batch []row
	ask := func() {
		refs := newKeys(by)
		for _, r := range batch {
			refs.add(r.refs)
		}
		gone, err := (&pointedRows{by, refs.values}).gone(ctx, x)
		o.Err = err
		missing := map[any]bool{}
		for _, key := range gone {
			missing[key] = true
		}
		for _, r := range batch {
			own := newKeys(by)
			own.add(r.refs)
			if !slices.ContainsFunc(own.values, func(ref any) bool { return missing[ref] }) {
				continue
			}
			if o.Count++; len(o.Keys) < mostOrphansNamed {
				o.Keys = append(o.Keys, strings.Trim(string(r.key), `"`))
			}
		}
		batch = nil
	}
	where := &filter.Filter{Op: filter.IsNull, Field: by, Values: []any{false}}
	key := by.Owner.Primary.Name
	err := x.host.rows(ctx, x, by.Owner, []string{key, by.Name}, where, mostOrphansRead, func(found rows.Row) bool {
		if o.Read == mostOrphansRead {
			o.More = true
			return false
		}
		o.Read++
		batch = append(batch, row{found.Get(key), found.Get(by.Name)})
		if len(batch) == 500 {
			ask()
		}
		return o.Err == nil
	})
	if o.Err == nil {
		o.Err = err
	}
	if o.Err == nil && len(batch) > 0 {
		ask()
	}
	return o
}
