package facade

import (
	"context"
	"encoding/json"

	"github.com/frondhost/frond/facade/filter"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/facade/rows"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// keysAnywhere returns the distinct values of a field in the rows that meet a condition, wherever they are kept. The items of
// lists are values too. It ends early with more than most values.
func keysAnywhere(ctx context.Context, x *viewer, field *schema.Property, where *filter.Filter, most int) ([]any, error) {
	e := field.Owner
	if x.host.catalog.RemoteOf(e) != "" {
		door := x.host.catalog.Door(e.Key)
		if door == nil {
			return nil, kiterror.Errorf(kiterror.NotImplemented, "a condition goes through %s, which has no operations where it runs; leave it out", e.Name)
		}
		r, err := remoteRequest(x, door)
		if err != nil {
			return nil, err
		}
		return x.host.remotes.Keys(ctx, r, field, where, most)
	}
	keys := NewKeys(field)
	q := &Find{Entity: e, Select: rows.NewLayout([]string{field.Name}), Where: where, Sort: newOrder(e, nil).keys, Limit: min(most+1, 1000)}
	for {
		found, err := x.store().Find(ctx, q)
		if err != nil {
			return nil, err
		}
		for i := range found.Rows.Len() {
			keys.Add(found.Rows.Row(i).Get(field.Name))
		}
		if !found.More || len(keys.Values) > most {
			return keys.Values, nil
		}
		q.From = nil
		for _, v := range jsontext.Elements(found.Keys[len(found.Keys)-1]) {
			q.From = append(q.From, v)
		}
	}
}

// Keys are the distinct values of a key, or of a list of keys.
type Keys struct {
	Values []any

	field *schema.Property
	seen  map[any]bool
}

// NewKeys makes an empty set of the values of a field.
func NewKeys(field *schema.Property) *Keys { return &Keys{field: field, seen: map[any]bool{}} }

// Add adds the value of a row. A null leads nowhere.
func (k *Keys) Add(text json.RawMessage) {
	item, list := filter.ItemKind(k.field)
	if !list {
		k.add(k.field.Kind, text)
		return
	}
	for _, v := range jsontext.Elements(text) {
		k.add(item, v)
	}
}

func (k *Keys) add(kind schema.Kind, text json.RawMessage) {
	if key, why := kind.Value(text); why == "" && !k.seen[key] {
		k.seen[key] = true
		k.Values = append(k.Values, key)
	}
}
