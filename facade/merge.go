package facade

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// merge completes the nested objects of a patch from the row as it stands, so that
// they are patched member by member too (RFC 7396; decision 022): a member that is
// absent stays, null clears one that may be null and removes any other. It is done
// before the patch is judged, so what is judged is what will be kept. An object
// that the card leaves open is one value and is replaced.
func (t *trip) merge(ctx context.Context, patch json.RawMessage) (json.RawMessage, error) {
	e := t.door.Entity
	var nested []string
	for name, value := range jsontext.Members(patch) {
		if p := e.Property(name); p != nil && p.Stored && merges(p) && jsontext.KindOf(value) == jsontext.Object {
			nested = append(nested, name)
		}
	}
	if nested == nil {
		return patch, nil
	}
	if t.away() { // it is merged there; here it is judged as far as it can be
		return t.merged(patch, nested, func(string) json.RawMessage { return json.RawMessage("{}") }), nil
	}
	rows, err := t.store().Update(ctx, e, t.id, t.see.Rows, nil, NewLayout(nested))
	if err != nil || rows.Len() == 0 {
		return patch, err // a row that is not there is told when it is updated
	}
	return t.merged(patch, nested, rows.Row(0).Get), nil
}

// merged is the patch with its nested objects completed from those that stand.
func (t *trip) merged(patch json.RawMessage, nested []string, stands func(name string) json.RawMessage) json.RawMessage {
	var out schema.Object
	for name, value := range jsontext.Members(patch) {
		if slices.Contains(nested, name) {
			if was := stands(name); was != nil {
				value = mergeObject(t.door.Entity.Property(name).Shape.Properties, was, value)
			}
		}
		out = append(out, schema.Member{Name: name, Value: value})
	}
	return appendObject(nil, out)
}

// merges says whether a patch reaches into the field: its members are declared, and
// what is kept has the form of what is sent.
func merges(p *schema.Property) bool {
	return p.Shape.Properties != nil && p.Axes.In.Name == "" && p.Axes.Out.Name == ""
}

// mergeObject is an object as it stands with a patch laid over it.
func mergeObject(fields []schema.Field, stands, patch json.RawMessage) json.RawMessage {
	var out schema.Object
	for name, value := range jsontext.Members(stands) {
		if jsontext.Get(patch, name) == nil {
			out = append(out, schema.Member{Name: name, Value: value})
		}
	}
	for name, value := range jsontext.Members(patch) {
		field := fieldOf(fields, name)
		switch {
		case field == nil: // the judge refuses it
		case jsontext.IsNull(value) && !field.Shape.Nullable:
			continue
		case field.Shape.Properties != nil && jsontext.KindOf(value) == jsontext.Object:
			value = mergeObject(field.Shape.Properties, jsontext.Get(stands, name), value)
		}
		out = append(out, schema.Member{Name: name, Value: value})
	}
	return appendObject(nil, out)
}

func fieldOf(fields []schema.Field, name string) *schema.Field {
	for i := range fields {
		if fields[i].Name == name {
			return &fields[i]
		}
	}
	return nil
}
