package remote

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/filter"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/facade/rows"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// A filter in the words of a host's list, which the card of the list names:
//
//	two fields                      one object of both
//	a field that is known already   decided here, for the batch of a relation too
//	a relation that the card lacks  its rows are listed first, and their keys compared
//	and that the card lacks         NOT_IMPLEMENTED, where a name has to occur twice
//
// A host without a known card gets the words of this program.

// hostFilter is a filter on the rows of r.Door in the words of its host's list.
func (h *Hosts) hostFilter(ctx context.Context, r facade.RemoteRequest, f *filter.Filter) (*filter.Filter, error) {
	if d := narrowed(f); d != nil {
		return nil, kiterror.Errorf(kiterror.NotImplemented, "%s is computed where %s runs, without your access rules for its rows; leave it out", d.As.Name, r.Door.Name)
	}
	op := r.Door.Operation("list")
	if op == nil || op.FilterWords == nil {
		return f.Joined(), nil
	}
	f, err := h.withoutRelations(ctx, r, op, f)
	if err != nil {
		return nil, err
	}
	if f = f.Joined(); f.NeedsAnd() && !slices.Contains(op.FilterWords, "and") {
		return nil, kiterror.Errorf(kiterror.NotImplemented,
			"the list of %s takes no and in its filter where it runs, and two conditions here, with those of your access rules, have one name; send one condition for each field", r.Door.Name)
	}
	return f, nil
}

// narrowed is a value of rows that access rules narrow here, which the filter's text does not say; nil:
// there is none.
func narrowed(f *filter.Filter) *filter.Derived {
	if f == nil {
		return nil
	}
	if f.Derived != nil && f.Derived.Where != nil {
		return f.Derived
	}
	for _, sub := range f.Sub {
		if d := narrowed(sub); d != nil {
			return d
		}
	}
	return nil
}

// withoutRelations is a filter without the relations that the host's list does not take.
func (h *Hosts) withoutRelations(ctx context.Context, r facade.RemoteRequest, op *catalog.Operation, f *filter.Filter) (*filter.Filter, error) {
	if f == nil || f.Link == nil && len(f.Sub) == 0 {
		return f, nil
	}
	if f.Op == filter.Aggregate {
		if !slices.Contains(op.FilterWords, f.Link.Name+"."+f.Derived.Func.String()) {
			return nil, kiterror.Errorf(kiterror.NotImplemented, "the host of %s takes no condition on %s; leave it out", r.Door.Name, f.Derived.As.Name)
		}
		return f, nil
	}
	if f.Link != nil {
		if f.Via == nil && slices.Contains(op.FilterWords, f.Link.Name) {
			return f, nil
		}
		return h.byKeys(ctx, r, f.Hops())
	}
	out := *f
	out.Sub = make([]*filter.Filter, len(f.Sub))
	for i, sub := range f.Sub {
		var err error
		if out.Sub[i], err = h.withoutRelations(ctx, r, op, sub); err != nil {
			return nil, err
		}
	}
	return &out, nil
}

// byKeys is a filter through a relation as one on the keys of the rows that meet it now:
//
//	author: {name: {eq: Ada}}             authorId: {in: [a1, a2]}
//	comments: {some: {open: {eq: true}}}  id: {in: [p1, p7]}, the postId of those comments
func (h *Hosts) byKeys(ctx context.Context, r facade.RemoteRequest, f *filter.Filter) (*filter.Filter, error) {
	sub := &filter.Filter{Op: filter.And, Sub: f.Sub}
	if f.Op == filter.Every {
		sub = &filter.Filter{Op: filter.Not, Sub: []*filter.Filter{sub}} // met where none is found
	}
	at, from := f.Link.Field, f.Link.Target.Primary
	if f.Link.Inverse != nil {
		at, from = f.Link.Field.Owner.Primary, f.Link.Inverse
	}
	keys, err := h.keysOf(ctx, r, r.Catalog.Door(f.Link.Target.Key), from, sub)
	if err != nil {
		return nil, err
	}
	some := filter.Nothing()
	switch _, list := filter.ItemKind(at); {
	case len(keys) == 0:
	case list: // the ids stand in the row
		for _, key := range keys {
			some.Sub = append(some.Sub, &filter.Filter{Op: filter.Has, Field: at, Values: []any{key}})
		}
		if len(some.Sub) == 1 {
			some = some.Sub[0]
		}
	case len(keys) == 1:
		some = &filter.Filter{Op: filter.Eq, Field: at, Values: keys}
	default:
		some = &filter.Filter{Op: filter.In, Field: at, Values: keys}
	}
	if f.Op != filter.Some {
		some = &filter.Filter{Op: filter.Not, Sub: []*filter.Filter{some}}
	}
	return some, nil
}

// maxKeys is how many keys a relation may come to in a filter: in takes no more.
const maxKeys = 500

// keysOf are the distinct values of a field over the rows of a door that meet a filter, page by
// page. The door is a remote one too: the compiler has refused other conditions.
func (h *Hosts) keysOf(ctx context.Context, r facade.RemoteRequest, door *catalog.Door, field *schema.Property, f *filter.Filter) (keys []any, err error) {
	if door == nil {
		return nil, kiterror.Errorf(kiterror.NotImplemented, "a condition of %s goes through %s, which has no operations where it runs", r.Door.Name, field.Owner.Name)
	}
	from := r.Door.Name
	r.Door = door
	if err := filtered(door, f); err != nil {
		return nil, err
	}
	if f, err = h.hostFilter(ctx, r, f); err != nil {
		return nil, err
	}
	l := facade.RemoteList{Op: door.Operation("list"), Filter: f, Limit: door.Limits.Max, Layout: rows.NewLayout([]string{field.Name})}
	for {
		res, err := h.List(ctx, r, &facade.Call{
			Entity: door.Name, Operation: "list", Select: l.Layout.Fields,
			Invocation: facade.Invocation{State: r.State, Trace: r.Trace},
		}, l)
		if err != nil {
			return nil, err
		}
		for i := range res.Rows.Len() {
			keys = appendKeys(keys, field, res.Rows.Row(i).Get(field.Name))
		}
		switch {
		case len(keys) > maxKeys, res.HasMore && (res.EndCursor() == "" || !l.Op.Takes("after")):
			return nil, kiterror.Errorf(kiterror.NotImplemented, "a condition of %s goes through more than %d rows of %s, which its host's list cannot be asked for; narrow the condition", from, min(maxKeys, len(keys)), door.Name)
		case !res.HasMore:
			return keys, nil
		}
		l.Query = schema.Object{{Name: "after", Value: jsontext.Quote(res.EndCursor())}}.AppendJSON(nil)
	}
}

// appendKeys adds the value of a key field, or the values of a list of keys, each once. A null
// leads nowhere.
func appendKeys(keys []any, field *schema.Property, text json.RawMessage) []any {
	kind, values := field.Kind, []json.RawMessage{text}
	if item, list := filter.ItemKind(field); list {
		kind, values = item, nil
		for _, v := range jsontext.Elements(text) {
			values = append(values, v)
		}
	}
	for _, v := range values {
		if key, why := kind.Value(v); why == "" && !slices.Contains(keys, key) {
			keys = append(keys, key)
		}
	}
	return keys
}
