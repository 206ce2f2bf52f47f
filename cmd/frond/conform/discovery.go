package conform

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

const discover = `{"jsonrpc":"2.0","id":"conform-1","method":"rpc.discover"}`

// discovery are the clauses of sections 2.1 to 2.5 and 9.
var discovery = []clause{
	{ID: "discover", Number: "4.1", Text: "rpc.discover is answered by a discovery document", Without: "needs the cards in a folder of its project, and does not notice changes", try: func(t *trial) {
		text := t.result(t.answered(t.host.post(t.ctx, discover)))
		if text == nil {
			return
		}
		if err := t.take(text); err != nil {
			t.fail("the document cannot be used: %v", err)
		}
	}},
	{ID: "version", Number: "9.1", Text: "the document has x-kit-version 1", Without: "reads it as version 1", try: document(func(t *trial) {
		if v := jsontext.Get(t.raw, "x-kit-version"); string(v) != "1" {
			t.fail("x-kit-version is %s", orAbsent(v))
		}
	})},
	{ID: "doors", Number: "2.5", Text: "each Frond has a name and doors, each door a name and ops", Without: "ignores the document", try: document(func(t *trial) {
		fronds := jsontext.List(jsontext.Get(t.raw, "fronds"))
		if len(fronds) == 0 {
			t.fail("fronds has no element")
		}
		for _, f := range fronds {
			if !isText(jsontext.Get(f, "name")) || jsontext.KindOf(jsontext.Get(f, "doors")) != jsontext.Array {
				t.fail("a Frond has no name or no doors: %s", cut(string(f)))
			}
			for _, d := range jsontext.List(jsontext.Get(f, "doors")) {
				if !isText(jsontext.Get(d, "name")) || jsontext.KindOf(jsontext.Get(d, "ops")) != jsontext.Array {
					t.fail("a door has no name or no ops: %s", cut(string(d)))
				}
			}
		}
	})},
	{ID: "kinds", Number: "2.5", Text: "each operation has a name and a kind, query or command", Without: "takes the kind from the name: list, find, get, search, count, exists and stats are queries", try: document(func(t *trial) {
		for _, op := range t.operations() {
			if kind := jsontext.Unquote(jsontext.Get(op, "kind")); !isText(jsontext.Get(op, "name")) || kind != "query" && kind != "command" {
				t.fail("an operation has no name, or no kind: %s", cut(string(op)))
			}
		}
	})},
	{ID: "output", Number: "2.5.1", Text: "an operation whose result is no shape names no output; input and output are cards", Without: "ignores the document, or passes values on unchecked", try: document(func(t *trial) {
		for _, op := range t.operations() {
			for _, part := range []string{"input", "output"} {
				if v := jsontext.Get(op, part); v != nil && jsontext.KindOf(v) != jsontext.Object {
					t.fail("%s of %s is no card: %s", part, jsontext.Unquote(jsontext.Get(op, "name")), cut(string(v)))
				}
			}
		}
	})},
	{ID: "facades", Number: "2.5.2", Text: "a door has an operation; an entity without one is left out", Without: "refuses the document", try: perDoor(func(t *trial) {
		if len(t.door.there.Ops) == 0 {
			t.fail("%s has no operation; leave the door out", t.door.there.Name)
		}
	})},
	{ID: "facts", Number: "2.5.3", Text: "facts is a list; each fact has a name", Without: "has no facts of the host", try: document(func(t *trial) {
		for _, f := range jsontext.List(jsontext.Get(t.raw, "fronds")) {
			if jsontext.KindOf(jsontext.Get(f, "facts")) != jsontext.Array {
				t.fail("facts is %s; write [] if there are none", orAbsent(jsontext.Get(f, "facts")))
			}
			for _, fact := range jsontext.List(jsontext.Get(f, "facts")) {
				if !isText(jsontext.Get(fact, "name")) {
					t.fail("a fact has no name: %s", cut(string(fact)))
				}
			}
		}
	})},
	{ID: "card", Number: "2.1", Text: "a card has type object, the lowercased entity name as title, x-kit-version 1", Without: "reads the card by the name of its door", try: perDoor(func(t *trial) {
		card := t.card()
		if card == nil {
			t.skip("")
			return
		}
		if title := jsontext.Unquote(jsontext.Get(card, "title")); title != strings.ToLower(t.door.there.Name) {
			t.fail("the title is %q, and the entity is %s", title, strings.ToLower(t.door.there.Name))
		}
		if jsontext.Unquote(jsontext.Get(card, "type")) != "object" || string(jsontext.Get(card, "x-kit-version")) != "1" {
			t.fail("type is %s, x-kit-version %s", orAbsent(jsontext.Get(card, "type")), orAbsent(jsontext.Get(card, "x-kit-version")))
		}
	})},
	{ID: "primary", Number: "2.2", Text: "one field of a card has role.primary", Without: "reads no row of the door by its key", try: perDoor(func(t *trial) {
		if t.card() == nil {
			t.skip("")
		} else if t.door.primary() == "" {
			t.fail("no field has x-kit: {role: {primary: true}}")
		}
	})},
	{ID: "axes", Number: "2.2", Text: "axes have the values of the specification", Without: "leaves the unknown ones out, with a line in its log", try: document(func(t *trial) {
		for i := range t.document.Fronds {
			for _, f := range t.document.Fronds[i].Ignored {
				t.fail("%s: %s", f.Pointer, f.Message)
			}
		}
	})},
	{ID: "required", Number: "2.3", Text: "required names fields that no lifecycle.create answers and that are no many relation", Without: "demands them of callers", try: perDoor(func(t *trial) {
		card := t.door.there.Schema
		if card == nil {
			t.skip("")
			return
		}
		for _, name := range card.Required {
			f := card.Field(name)
			switch raw := jsontext.Get(jsontext.Get(t.card(), "properties"), name); {
			case f == nil:
				t.fail("required names %s, which is no field", name)
			case jsontext.Get(jsontext.Get(jsontext.Get(raw, "x-kit"), "lifecycle"), "create") != nil:
				t.fail("%s is required, and its lifecycle.create answers for it", name)
			case jsontext.Unquote(jsontext.Get(jsontext.Get(jsontext.Get(jsontext.Get(raw, "x-kit"), "role"), "relation"), "kind")) == "many":
				t.fail("%s is required, and is a many relation", name)
			}
		}
	})},
	{ID: "relations", Number: "2.4", Text: "relation.to is the lowercased name of an entity", Without: "reads names in any case; the key of an unknown one is a plain field", try: perDoor(func(t *trial) {
		if t.card() == nil {
			t.skip("")
			return
		}
		for name, f := range jsontext.Members(jsontext.Get(t.card(), "properties")) {
			if to := jsontext.Unquote(jsontext.Get(jsontext.Get(jsontext.Get(jsontext.Get(f, "x-kit"), "role"), "relation"), "to")); to != strings.ToLower(to) {
				t.fail("%s leads to %q; write %s", name, to, strings.ToLower(to))
			}
		}
	})},
}

// document tries a clause of the discovery document, if the host has one.
func document(try func(*trial)) func(*trial) {
	return func(t *trial) {
		if t.document == nil {
			t.skip("there is no document")
			return
		}
		t.host.sent, t.host.got = discover, fmt.Sprintf("200 %s", t.raw)
		try(t)
	}
}

// operations returns the operations of every door, in the order of the document.
func (s *suite) operations() (all []json.RawMessage) {
	for _, f := range jsontext.List(jsontext.Get(s.raw, "fronds")) {
		for _, d := range jsontext.List(jsontext.Get(f, "doors")) {
			all = append(all, jsontext.List(jsontext.Get(d, "ops"))...)
		}
	}
	return all
}

// card is the card of the door as the document has it; nil: the door stores no rows.
func (t *trial) card() json.RawMessage {
	for _, f := range jsontext.List(jsontext.Get(t.raw, "fronds")) {
		for _, d := range jsontext.List(jsontext.Get(f, "doors")) {
			if schema.EntityKey(jsontext.Unquote(jsontext.Get(d, "name"))) == schema.EntityKey(t.door.there.Name) {
				t.host.sent, t.host.got = discover, string(d)
				return jsontext.Get(d, "schema")
			}
		}
	}
	return nil
}

func isText(v json.RawMessage) bool {
	return jsontext.KindOf(v) == jsontext.String && jsontext.Unquote(v) != ""
}

func orAbsent(v json.RawMessage) string {
	if v == nil {
		return "absent"
	}
	return cut(string(v))
}
