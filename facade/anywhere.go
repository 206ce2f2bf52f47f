package facade

import (
	"context"

	"github.com/frondhost/frond/facade/access"
	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/filter"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/facade/rows"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// rowsAnywhere visits the rows of an entity that meet a condition, wherever they are kept, until visit returns false. limit is how
// many it probably takes.
func rowsAnywhere(ctx context.Context, x *viewer, e *schema.Entity, fields []string, where *filter.Filter, limit int, visit func(rows.Row) bool) error {
	if x.host.catalog.RemoteOf(e) != "" {
		door := x.host.catalog.Door(e.Key)
		if door == nil {
			return kiterror.Errorf(kiterror.NotImplemented, "a condition goes through %s, which is not served; leave it out", e.Name)
		}
		r, err := remoteRequest(x, door)
		if err != nil {
			return err
		}
		return x.host.remotes.Rows(ctx, r, fields, where, limit, visit)
	}
	store := x.store()
	if c, is := store.(crossing); is { // once for all pages
		var err error
		if where, err = c.Filter(ctx, where); err != nil {
			return err
		}
		store = c.Store
	}
	q := &Find{Entity: e, Select: rows.NewLayout(fields), Where: where, Sort: newOrder(e, nil).keys, Limit: min(limit, 1000)}
	for {
		found, err := store.Find(ctx, q)
		if err != nil {
			return err
		}
		for i := range found.Rows.Len() {
			if !visit(found.Rows.Row(i)) {
				return nil
			}
		}
		if !found.More {
			return nil
		}
		q.From = jsontext.List(found.Keys[len(found.Keys)-1])
	}
}

// Rows visits the rows of an entity that meet a condition, without access rules and wherever they are kept, until visit returns
// false. A row has all stored fields; a row of a remote lacks the closed ones. limit is the probable number of visits.
func (f *Facade) Rows(ctx context.Context, e *schema.Entity, where *filter.Filter, limit int, visit func(rows.Row) bool) error {
	x := &viewer{host: f.host, call: &Call{}, inside: true, state: access.State(nil).OfHost()}
	remote := f.host.catalog.RemoteOf(e) != ""
	var fields []string
	for _, p := range e.Fields {
		if p.Stored && (!remote || p.Readable()) {
			fields = append(fields, p.Name)
		}
	}
	return rowsAnywhere(ctx, x, e, fields, where, limit, visit)
}

// Collector returns the collector of a door, or nil.
func (f *Facade) Collector(d *catalog.Door) access.Collector { return f.host.doors.of(d).collector }
