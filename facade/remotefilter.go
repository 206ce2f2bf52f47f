package facade

import (
	"context"
	"encoding/json"
	"slices"
	"strconv"

	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/filter"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/facade/rows"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// What the host of a remote Frond is asked by a filter. The card of its list names the words:
//
//	two fields                      one object of both
//	a field that is known already   decided here, for the batch of a relation too
//	a relation that the card lacks  its rows are listed first, and their keys compared
//	and that the card lacks         NOT_IMPLEMENTED, where a name has to occur twice
//
// A host of which no card is known understands what one like this does.

// hostFilter is a filter on the rows of a door in the words of its host's list.
func (x remoteCall) hostFilter(ctx context.Context, door *catalog.Door, f *filter.Filter) (*filter.Filter, error) {
	op := door.Operation("list")
	if op == nil || op.FilterWords == nil {
		return f.Joined(), nil
	}
	f, err := x.withoutRelations(ctx, op, f)
	if err != nil {
		return nil, err
	}
	if f = f.Joined(); f.NeedsAnd() && !slices.Contains(op.FilterWords, "and") {
		return nil, kiterror.Errorf(kiterror.NotImplemented,
			"the list of %s takes no and in its filter where it runs, and two conditions here, with those of your access rules, have one name; send one condition for each field", door.Name)
	}
	return f, nil
}

// withoutRelations is a filter without the relations that the host's list does not take.
func (x remoteCall) withoutRelations(ctx context.Context, op *catalog.Operation, f *filter.Filter) (*filter.Filter, error) {
	if f == nil || f.Link == nil && len(f.Sub) == 0 {
		return f, nil
	}
	if f.Link != nil {
		if slices.Contains(op.FilterWords, f.Link.Name) {
			return f, nil
		}
		return x.byKeys(ctx, f)
	}
	out := *f
	out.Sub = make([]*filter.Filter, len(f.Sub))
	for i, sub := range f.Sub {
		var err error
		if out.Sub[i], err = x.withoutRelations(ctx, op, sub); err != nil {
			return nil, err
		}
	}
	return &out, nil
}

// byKeys is a filter through a relation as one on the keys of the rows that meet it now:
//
//	author: {name: {eq: Ada}}             authorId: {in: [a1, a2]}
//	comments: {some: {open: {eq: true}}}  id: {in: [p1, p7]}, the postId of those comments
func (x remoteCall) byKeys(ctx context.Context, f *filter.Filter) (*filter.Filter, error) {
	sub := &filter.Filter{Op: filter.And, Sub: f.Sub}
	if f.Op == filter.Every {
		sub = &filter.Filter{Op: filter.Not, Sub: []*filter.Filter{sub}} // met where none is found
	}
	at, from := f.Link.Field, f.Link.Target.Primary
	if f.Link.Inverse != nil {
		at, from = f.Link.Field.Owner.Primary, f.Link.Inverse
	}
	keys, err := x.keysOf(ctx, x.catalog.Door(f.Link.Target.Key), from, sub)
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
// page. The door runs on the host of a remote too: the compiler has refused other conditions.
func (x remoteCall) keysOf(ctx context.Context, door *catalog.Door, field *schema.Property, f *filter.Filter) (keys []any, err error) {
	if door == nil {
		return nil, kiterror.Errorf(kiterror.NotImplemented, "a condition of %s goes through %s, which has no operations where it runs", x.door.Name, field.Owner.Name)
	}
	there, err := remoteAt(x.execution, door)
	if err != nil {
		return nil, err
	}
	if err := filtered(door, f); err != nil {
		return nil, err
	}
	if f, err = there.hostFilter(ctx, door, f); err != nil || f.Never() {
		return nil, err
	}
	op, after := door.Operation("list"), ""
	for {
		query := schema.Object{{Name: "limit", Value: strconv.AppendInt(nil, int64(door.Limits.Max), 10)}}
		if f != nil {
			query = append(query, schema.Member{Name: "filter", Value: f.AppendJSON(nil)})
		}
		if after != "" {
			query = append(query, schema.Member{Name: "after", Value: jsontext.Quote(after)})
		}
		res, err := there.client.Call(ctx, &Call{
			Entity: door.Name, Operation: "list", Select: []string{field.Name},
			Invocation: Invocation{State: x.state, Trace: x.call.Invocation.Trace, Query: query.AppendJSON(nil)},
		})
		if err != nil {
			return nil, err
		}
		for i := range res.Rows.Len() {
			keys = appendKeys(keys, field, res.Rows.Row(i).Get(field.Name))
		}
		switch {
		case len(keys) > maxKeys, res.HasMore && (res.EndCursor() == "" || !op.Takes("after")):
			return nil, kiterror.Errorf(kiterror.NotImplemented, "a condition of %s goes through more than %d rows of %s, which its host's list cannot be asked for; narrow the condition", x.door.Name, min(maxKeys, len(keys)), door.Name)
		case !res.HasMore:
			return keys, nil
		}
		after = res.EndCursor()
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
		if key, why := rows.Value(kind, v); why == "" && !slices.Contains(keys, key) {
			keys = append(keys, key)
		}
	}
	return keys
}

// decided are the keys of a batch that the filter's own conditions on the field of the batch let
// through, with their places, and the filter without those conditions: a host takes each name
// once.
func decided(field *schema.Property, keys []json.RawMessage, f *filter.Filter) (some []json.RawMessage, places []int, rest *filter.Filter) {
	if f.Never() {
		return nil, nil, nil
	}
	var own, others []*filter.Filter
	for _, c := range f.Conditions() {
		if c.Field == field && field.Axes.In.Name == "" {
			own = append(own, c)
		} else {
			others = append(others, c)
		}
	}
	for i, key := range keys {
		if !slices.ContainsFunc(own, func(c *filter.Filter) bool { return !c.Meets(key) }) {
			some, places = append(some, key), append(places, i)
		}
	}
	if len(others) > 0 {
		rest = &filter.Filter{Op: filter.And, Sub: others}
	}
	return some, places, rest
}

// inPlaces are the groups of some of n keys at the places of those keys; the others have no rows.
func inPlaces(groups []Group, places []int, n int) []Group {
	out := make([]Group, n)
	for i, at := range places {
		if i < len(groups) {
			out[at] = groups[i]
		}
	}
	return out
}
