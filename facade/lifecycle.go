package facade

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/frondhost/frond/facade/access"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/format"
	"github.com/frondhost/frond/schema/jsontext"
)

// fill ends the third step for local rows: the judged body is decoded, brought into the form it
// is kept in, and completed by the rules of the lifecycle (spec 2.2).
func fill(_ context.Context, x *execution) (err error) {
	switch {
	case x.op.builtin == nil && x.op.Input != nil:
		var set schema.Object
		if x.door.Shapes(x.op.Input) {
			set = x.doorScope.Set
		}
		x.body, err = filled(&x.viewer, x.op.Input, x.body, set)
	case x.op.builtin == nil:
	case x.op.builtin.fill == fillCreate:
		x.body, err = filled(&x.viewer, x.door.Entity, x.body, x.doorScope.Set)
	case x.op.builtin.fill == fillUpdate:
		x.body, err = patched(&x.viewer, x.door.Entity, x.body)
	}
	if err != nil {
		return err
	}
	return x.refusal() // of values that could not be decoded
}

// filled is a body at creation, completed with the fields left out: a preset of a collector,
// the value of the field's create rule, or an empty list of ids.
func filled(x *viewer, card *schema.Entity, sent, set schema.Object) (schema.Object, error) {
	now := x.now()
	out := make(schema.Object, 0, len(card.Fields))
	for _, p := range card.Fields {
		if !p.Stored {
			continue
		}
		value := sent.Get(p.Name)
		switch {
		case value != nil:
			value = inward(x, p, value)
		case set.Get(p.Name) != nil:
			value = set.Get(p.Name)
		case p.Axes.Create != nil:
			var err error
			if value, err = created(x.host.registry, p, now); err != nil {
				return nil, err
			}
		case p.Link != nil && p.Link.Many:
			value = json.RawMessage("[]") // spec 2.3: an absent many relation becomes an empty list
		}
		if value != nil {
			out = append(out, schema.Member{Name: p.Name, Value: value})
		}
	}
	return out, nil
}

// patched is a patch, completed with the fields that lifecycle.update sets. An empty patch
// stays empty: reading a row does not touch it.
func patched(x *viewer, card *schema.Entity, sent schema.Object) (schema.Object, error) {
	if len(sent) == 0 {
		return nil, nil
	}
	now := x.now()
	out := make(schema.Object, 0, len(sent)+2)
	for _, p := range card.Fields {
		switch value := sent.Get(p.Name); {
		case !p.Stored:
		case value != nil:
			out = append(out, schema.Member{Name: p.Name, Value: inward(x, p, value)})
		case p.Axes.Update == schema.UpdateNow:
			out = append(out, schema.Member{Name: p.Name, Value: p.Now(now)})
		}
	}
	return out, nil
}

// created is the value that a create rule gives; nil for optional, which leaves the field
// out.
func created(registry *schema.Registry, p *schema.Property, now time.Time) (json.RawMessage, error) {
	switch rule := p.Axes.Create; {
	case rule.Value != nil:
		return rule.Value, nil
	case rule.Now:
		return p.Now(now), nil
	case rule.Generate != "":
		generate := registry.Generators[rule.Generate]
		if generate == nil {
			// spec 2.2.3: resolved against the consumer's registry, an unknown name is a local error.
			return nil, kiterror.Internal(fmt.Errorf("unknown generator %q, named by %s.%s", rule.Generate, p.Owner.Name, p.Name))
		}
		value, err := generate()
		if err != nil {
			return nil, kiterror.Internal(fmt.Errorf("generator %q: %w", rule.Generate, err))
		}
		return value, nil
	}
	return nil, nil
}

// inward brings a judged value over the boundary: it is decoded by the field's named
// conversion (spec 2.2: boundary.in), and a date-time gets the form in which rows hold it.
// The author's own code is inside the boundary, so its values are not decoded.
func inward(x *viewer, p *schema.Property, value json.RawMessage) json.RawMessage {
	if name := p.Axes.In.Name; name != "" && !x.inside {
		convert := x.host.registry.Conversions[name].Decode
		if convert == nil {
			x.fail(fmt.Errorf("unknown generator: no conversion called %q decodes %s.%s", name, p.Owner.Name, p.Name))
			return value
		}
		decoded, err := convert(value)
		if err != nil {
			x.refuse(schema.Detail{
				Path: p.Name, Pointer: "/body/" + jsontext.Token(p.Name), Code: "decode",
				Message: "cannot be read by the conversion " + name + "; send it in the form that takes",
				Params:  map[string]any{"conversion": name},
			})
			return value
		}
		if details := refusedDecoded(x, p, decoded); len(details) > 0 {
			for _, d := range details {
				x.refuse(d)
			}
			return decoded
		}
		value = decoded
	}
	value = jsontext.Trim(value)
	switch {
	case jsontext.KindOf(value) != jsontext.String:
	case p.Kind == schema.KindDateTime:
		value = schema.NormalDateTime(value)
		if !schema.IsDateTime(value) {
			refuseFormat(x, p, "a date-time such as 2026-05-01T10:30:00Z")
		}
	case p.Kind == schema.KindDecimal && !format.IsDecimal(jsontext.Unquote(value)):
		// The judge saw the sent value; a conversion made this one.
		refuseFormat(x, p, `a decimal number in quotes, such as "12.50"`)
	}
	return value
}

// refusedDecoded are the faults of a decoded value by the card, as rows will show it: "   " is no
// text of minLength 1 once it is trimmed. A field with an encoding is judged by the encoded
// value; the hash that a conversion of the author's makes of a password, which no row shows, is
// not judged.
func refusedDecoded(x *viewer, p *schema.Property, decoded json.RawMessage) []schema.Detail {
	switch out := p.Axes.Out; {
	case out.Name != "":
		encode := x.host.registry.Conversions[out.Name].Encode
		if encode == nil {
			return nil // reading the row says so
		}
		shown, err := encode(decoded)
		if err != nil {
			return nil
		}
		decoded = shown
	case out.Closed && schema.Builtins().Conversions[p.Axes.In.Name].Decode == nil:
		return nil
	}
	return access.RefusedValue(p, decoded)
}

// refuseFormat refuses a value that the judge accepted and that its conversion turned into
// something the field cannot hold.
func refuseFormat(x *viewer, p *schema.Property, what string) {
	x.refuse(schema.Detail{Path: p.Name, Pointer: "/body/" + jsontext.Token(p.Name), Code: "format", Message: "must be " + what})
}

// mergePatch is a patch that reaches into nested objects, which are patched member by member too (RFC 7396;
// docs/decisions/writes-and-versions.md). It is merged with the current row before it is judged, so that the
// judge sees the row to keep, and every refusal is reported at once; and merged again in the transaction that
// writes.
type mergePatch struct {
	patch  json.RawMessage
	fields []string        // it reaches into
	merged json.RawMessage // merged with the row as it was before the transaction
	whole  bool            // objects that the card leaves open are merged too
}

// over is the patch with its nested objects completed from the row's.
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
