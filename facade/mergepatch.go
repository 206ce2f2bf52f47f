package facade

import (
	"encoding/json"
	"slices"

	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// mergePatch is a patch that reaches into nested objects, which are patched member by
// member too (RFC 7396; docs/decisions/writes-and-versions.md). It is merged with the current row before it is
// judged, so that the judge sees the row to keep, and every refusal is reported at
// once; and merged again in the transaction that writes.
type mergePatch struct {
	patch  json.RawMessage
	fields []string        // it reaches into
	merged json.RawMessage // merged with the row as it was before the transaction
	whole  bool            // objects that the card leaves open are merged too
}

// over is the patch with its nested objects completed from those of the row.
func (m *mergePatch) over(e *schema.Entity, stands func(name string) json.RawMessage) json.RawMessage {
	return schema.Rewrite(m.patch, func(name string, value json.RawMessage) json.RawMessage {
		if slices.Contains(m.fields, name) {
			if was := stands(name); was != nil {
				return m.object(e.Property(name).Shape.Properties, was, value)
			}
		}
		return value
	})
}

// reaches reports whether a patch reaches into the field: its members are declared, or the
// patch is merged whole, and the kept value has the form of the sent one.
func (m *mergePatch) reaches(p *schema.Property) bool {
	return (p.Shape.Properties != nil || m.whole && p.Link == nil) && p.Axes.In.Name == "" && p.Axes.Out.Name == ""
}

// object is an object of the row with a patch laid over it. A null for a declared member
// stays: whether it may be null is for the judge to say.
func (m *mergePatch) object(fields []schema.Field, stands, patch json.RawMessage) json.RawMessage {
	var out schema.Object
	for name, value := range jsontext.Members(stands) {
		if jsontext.Get(patch, name) == nil {
			out = append(out, schema.Member{Name: name, Value: value})
		}
	}
	for name, value := range jsontext.Members(patch) {
		field := fieldOf(fields, name)
		switch {
		case field == nil && !m.whole: // open: the sent value
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

// fieldOf is the declared field called name, or nil.
func fieldOf(fields []schema.Field, name string) *schema.Field {
	for i := range fields {
		if fields[i].Name == name {
			return &fields[i]
		}
	}
	return nil
}
