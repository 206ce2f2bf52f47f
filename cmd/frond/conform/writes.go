package conform

import (
	"encoding/json"
	"math/rand/v2"
	"slices"
	"strconv"

	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// writes are the clauses about create, update and delete. They are tried with --write.
var writes = []clause{
	{ID: "create", Number: "2.3", Text: "create gives the row with the sent values, and findById reads it", Without: "passes the answer on", try: written(func(t *trial, body schema.Object, key string) {
		row := t.result(t.call("create", `{"body":`+string(body.AppendJSON(nil))+`}`))
		if row == nil {
			return
		}
		id := jsontext.Get(row, key)
		if id == nil {
			t.fail("the row has no %s", key)
			return
		}
		defer t.tidy(id)
		t.same(row, body)
		if t.door.op("findById") != nil && t.verdict == passed {
			t.same(t.result(t.call("findById", `{"params":{"id":`+string(id)+`}}`)), body)
		}
	})},
	{ID: "missing", Number: "2.3", Text: "create without a required field is VALIDATION_FAILED, and a nullable one may be null and not absent", Without: "refuses it itself, by the card", try: written(func(t *trial, body schema.Object, _ string) {
		for i, m := range body {
			if field := t.door.there.Schema; !slices.Contains(field.Required, m.Name) {
				continue
			}
			rest := append(append(schema.Object{}, body[:i]...), body[i+1:]...)
			t.refused("create", `{"body":`+string(rest.AppendJSON(nil))+`}`)
			return
		}
		t.skip("no field is required")
	})},
	{ID: "unknownKey", Number: "7.7", Text: "an unknown key of a body is VALIDATION_FAILED", Without: "refuses it itself, by the card", try: written(func(t *trial, body schema.Object, _ string) {
		t.refused("create", `{"body":`+string(append(body, schema.Member{Name: "conformUnknown", Value: json.RawMessage("1")}).AppendJSON(nil))+`}`)
	})},
	{ID: "wrongType", Number: "7.7", Text: "a value of a wrong type is VALIDATION_FAILED", Without: "refuses it itself, by the card", try: written(func(t *trial, body schema.Object, key string) {
		for i, m := range body {
			if m.Name != key && jsontext.KindOf(m.Value) != jsontext.Object {
				wrong := append(schema.Object{}, body...)
				wrong[i].Value = json.RawMessage(`{"conform":1}`)
				t.refused("create", `{"body":`+string(wrong.AppendJSON(nil))+`}`)
				return
			}
		}
		t.skip("no field has a value of another type")
	})},
	{ID: "update", Number: "2.2", Text: "update changes the sent fields and keeps the others", Without: "passes the answer on", try: written(func(t *trial, body schema.Object, key string) {
		if t.door.op("update") == nil {
			t.absent("the door has no update")
			return
		}
		row := t.result(t.call("create", `{"body":`+string(body.AppendJSON(nil))+`}`))
		id := jsontext.Get(row, key)
		if id == nil {
			return
		}
		defer t.tidy(id)
		for _, m := range body {
			p := t.door.here.Entity.Property(m.Name)
			if code, _ := p.Forbids(schema.Update); code != "" || m.Name == key {
				continue
			}
			patch := schema.Object{m}
			t.same(t.result(t.call("update", `{"params":{"id":`+string(id)+`},"body":`+string(patch.AppendJSON(nil))+`}`)), body)
			return
		}
		t.skip("no field may be updated")
	})},
	{ID: "delete", Number: "4.2", Text: "delete gives true, then false or NOT_FOUND, and findById null", Without: "passes the answer on", try: written(func(t *trial, body schema.Object, key string) {
		if t.door.op("delete") == nil {
			t.absent("the door has no delete")
			return
		}
		id := jsontext.Get(t.result(t.call("create", `{"body":`+string(body.AppendJSON(nil))+`}`)), key)
		if id == nil {
			return
		}
		in := `{"params":{"id":` + string(id) + `}}`
		if gone := t.result(t.call("delete", in)); t.verdict == passed && string(gone) != "true" {
			t.fail("delete gives %s", orAbsent(gone))
		}
		if again := t.call("delete", in); t.verdict == passed && again.Error == nil && string(again.Result) != "false" {
			t.fail("delete of the same row again gives %s", orAbsent(again.Result))
		}
	})},
}

// written tries a clause about writes of each door that has create. body is a row that its card takes.
func written(try func(t *trial, body schema.Object, key string)) func(*trial) {
	return perDoor(func(t *trial) {
		key := t.door.primary()
		switch {
		case t.door.op("create") == nil || key == "":
			t.skip("")
			return
		case !t.writes:
			t.skip("rows are written with --write alone")
			return
		}
		body, why := t.body()
		if why != "" {
			t.skip("no row can be made of the card: %s", why)
			return
		}
		try(t, body, key)
	})
}

// body makes a row: of required fields, and fields that the card leaves to callers.
func (t *trial) body() (body schema.Object, why string) {
	e := t.door.here.Entity
	for _, p := range e.Fields {
		required := slices.Contains(t.door.there.Schema.Required, p.Name)
		many := p.Axes.Relation != nil && p.Axes.Relation.Many
		if code, _ := p.Forbids(schema.Create); code != "" || many || !p.Stored || !required && p.Axes.Create != nil || !p.Readable() && !required {
			continue
		}
		value, ok := t.value(p)
		if !ok {
			if required {
				return nil, p.Name + " has a shape that the suite makes no value of"
			}
			continue
		}
		body = append(body, schema.Member{Name: p.Name, Value: value})
	}
	if _, details := e.Judge(schema.Create, body.AppendJSON(nil), ""); len(details) > 0 {
		return nil, details[0].Path + " " + details[0].Message
	}
	return body, ""
}

// value is a value of a field: one that a row of the door or of the related door has, or one of its type.
func (t *trial) value(p *schema.Property) (json.RawMessage, bool) {
	if l := p.Link; l != nil && !l.Many {
		for _, d := range t.doors {
			if d.here != nil && d.here.Entity == l.Target && len(d.rows) > 0 {
				return jsontext.Get(d.rows[0], d.primary()), true
			}
		}
		return json.RawMessage("null"), p.Shape.Nullable
	}
	unique := len(p.Axes.Unique) > 0 || p.Axes.Primary
	for _, row := range t.door.rows {
		if v := jsontext.Get(row, p.Name); v != nil && !unique {
			return v, true
		}
	}
	n := strconv.Itoa(rand.IntN(1_000_000)) //nolint:gosec // no secret
	for _, try := range []string{`"conform-` + n + `"`, `"conform-` + n + `@example.com"`, n, "1", "true", `"2026-01-31"`, `"2026-01-31T09:30:00Z"`, `"09:30:00"`, `"https://example.com/` + n + `"`, `[]`, `{}`, `"a"`} {
		if _, details := p.Owner.Judge(schema.Plain, schema.Object{{Name: p.Name, Value: json.RawMessage(try)}}.AppendJSON(nil), ""); !about(details, p.Name) {
			return json.RawMessage(try), true
		}
	}
	if len(p.Shape.Enum) > 0 {
		return p.Shape.Enum[0], true
	}
	return json.RawMessage("null"), p.Shape.Nullable
}

// about reports whether a refusal is about a field.
func about(details []schema.Detail, name string) bool {
	for _, d := range details {
		if d.Path == name || len(d.Path) > len(name) && d.Path[:len(name)+1] == name+"." {
			return true
		}
	}
	return false
}

// same fails a clause whose row lacks a sent value.
func (t *trial) same(row json.RawMessage, body schema.Object) {
	for _, m := range body {
		p := t.door.here.Entity.Property(m.Name)
		if row == nil || t.verdict != passed || !p.Readable() || p.Axes.In.Name != "" || p.Axes.Out.Name != "" {
			continue
		}
		if got := jsontext.Get(row, m.Name); !equal(got, m.Value) && p.Kind != schema.KindDateTime {
			t.fail("%s was sent as %s and is %s", m.Name, m.Value, orAbsent(got))
		}
	}
}

// refused fails a clause whose call is not VALIDATION_FAILED.
func (t *trial) refused(operation, in string) {
	a := t.call(operation, in)
	switch {
	case t.verdict != passed:
	case a.denied():
		t.skip("the host refuses this caller; name one with --state, or sign with --key")
	case a.Error == nil:
		t.fail("it is taken")
		if id := jsontext.Get(a.Result, t.door.primary()); id != nil {
			t.tidy(id)
		}
	default:
		if t.kitError(a); t.verdict == passed && jsontext.Unquote(jsontext.Get(a.Error.Data, "code")) != "VALIDATION_FAILED" {
			t.fail("the code is %s", jsontext.Get(a.Error.Data, "code"))
		}
	}
}

// tidy deletes a row that the suite made. The exchange that is shown stays.
func (t *trial) tidy(id json.RawMessage) {
	if t.door.op("delete") == nil {
		return
	}
	sent, got := t.host.sent, t.host.got
	_, _ = t.host.call(t.ctx, t.door.there.Name+".delete", `{"params":{"id":`+string(id)+`}}`)
	t.host.sent, t.host.got = sent, got
}
