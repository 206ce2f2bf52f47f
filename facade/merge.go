package facade

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"

	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// merging is a patch that reaches into nested objects, which are patched member by
// member too (RFC 7396; decision 226). It is merged with the row as it stands before
// it is judged, so that what is judged is what will be kept, and every refusal is
// told at once; and merged again in the transaction that writes.
type merging struct {
	patch  json.RawMessage
	fields []string        // it reaches into
	seen   json.RawMessage // merged with the row as it stood before the transaction
	whole  bool            // objects that the card leaves open are merged too
}

// merge finds out whether a patch reaches into nested objects, and merges it with
// the row as it stands where it does.
func (t *trip) merge(ctx context.Context, patch json.RawMessage) error {
	e := t.door.Entity
	m := &merging{patch: patch, seen: patch, whole: t.call.Merge}
	for name, value := range jsontext.Members(patch) {
		p := e.Property(name)
		if p == nil || !p.Stored || !m.into(p) || jsontext.KindOf(value) != jsontext.Object {
			continue
		}
		if m.fields = append(m.fields, name); t.away() && p.Shape.Properties == nil {
			return kiterror.Errorf(kiterror.NotImplemented, "the update of %s runs elsewhere, and merges no object such as %s there; send it as application/json, which replaces it", t.door.Name, name)
		}
	}
	if m.fields == nil {
		return nil
	}
	t.merging = m
	if t.away() { // it is merged there; here it is judged as far as it can be
		m.seen = m.over(e, func(string) json.RawMessage { return json.RawMessage("{}") })
		return nil
	}
	rows, err := t.store().Update(ctx, e, t.id, t.see.Rows, nil, nil, NewLayout(m.fields))
	if err == nil && rows.Len() > 0 { // a row that is not there is told when it is updated
		m.seen = m.over(e, rows.Row(0).Get)
	}
	return err
}

// merged is what a patch writes into the row as it stands in the transaction; nil
// where that is what was judged before.
func (t *trip) merged(current Row) (Record, error) {
	body := t.merging.over(t.door.Entity, current.Get)
	if bytes.Equal(body, t.merging.seen) {
		return nil, nil
	}
	again := *t
	again.details, again.verdict = nil, nil
	again.body = again.judge(t.door.Entity, schema.Update, body)
	if err := again.refusal(); err != nil {
		return nil, err
	}
	var err error
	if again.body, err = again.patched(t.door.Entity, again.body); err != nil {
		return nil, err
	}
	if t.amended != nil {
		again.body = laidOver(t.door.Entity, again.body, t.amended)
	}
	return again.body, again.refusal()
}

// over is the patch with its nested objects completed from those that stand.
func (m *merging) over(e *schema.Entity, stands func(name string) json.RawMessage) json.RawMessage {
	var out schema.Object
	for name, value := range jsontext.Members(m.patch) {
		if slices.Contains(m.fields, name) {
			if was := stands(name); was != nil {
				value = m.object(e.Property(name).Shape.Properties, was, value)
			}
		}
		out = append(out, schema.Member{Name: name, Value: value})
	}
	return out.AppendJSON(nil)
}

// into says whether a patch reaches into the field: its members are declared, or the
// patch is merged whole, and what is kept has the form of what is sent.
func (m *merging) into(p *schema.Property) bool {
	return (p.Shape.Properties != nil || m.whole && p.Link == nil) && p.Axes.In.Name == "" && p.Axes.Out.Name == ""
}

// object is an object as it stands with a patch laid over it. A null for a declared
// member stays: whether it may be null is the judge's to say.
func (m *merging) object(fields []schema.Field, stands, patch json.RawMessage) json.RawMessage {
	var out schema.Object
	for name, value := range jsontext.Members(stands) {
		if jsontext.Get(patch, name) == nil {
			out = append(out, schema.Member{Name: name, Value: value})
		}
	}
	for name, value := range jsontext.Members(patch) {
		field := fieldOf(fields, name)
		switch {
		case field == nil && !m.whole: // open: the value is what was sent
		case field == nil && jsontext.IsNull(value):
			continue
		case jsontext.KindOf(value) != jsontext.Object:
		case field == nil:
			value = m.object(nil, jsontext.Get(stands, name), value)
		case m.whole || field.Shape.Properties != nil:
			value = m.object(field.Shape.Properties, jsontext.Get(stands, name), value)
		}
		out = append(out, schema.Member{Name: name, Value: value})
	}
	return out.AppendJSON(nil)
}

func fieldOf(fields []schema.Field, name string) *schema.Field {
	for i := range fields {
		if fields[i].Name == name {
			return &fields[i]
		}
	}
	return nil
}
