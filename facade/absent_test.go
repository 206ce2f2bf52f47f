package facade_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/catalog"
)

// people are rows with the four combinations of presence and null, and a field that is encoded.
var people = map[string]string{
	"fronds/people/frond.yaml": "changes: [person]\n",
	"fronds/people/entities/person.yaml": `
properties:
  id: {type: string, x-kit: {role: {primary: true}}}
  name: {type: string}
  phone: {type: [string, 'null']}
  nick: {type: string}
  note: {type: [string, 'null']}
  city: {type: string, x-kit: {lifecycle: {create: optional}, boundary: {out: {encode: uppercase}}}}
  bossId: {type: string, x-kit: {role: {relation: {to: person, kind: one}}}}
required: [id, name, phone]
`,
}

// TestAbsentFields: a field that is optional and refuses null is absent wherever its row leaves, so
// that the row can be sent back. A field that may be null is null.
func TestAbsentFields(t *testing.T) {
	f := facadeOf(t, people, nil)
	const bare = `{"id":"a","name":"A","phone":null,"note":null}`
	const full = `{"id":"b","name":"B","phone":"1","nick":"Bee","note":"n","city":"ROME","bossId":"a"}`
	for _, c := range []struct{ method, params, query, body, want string }{
		{"person.create", "", "", `{"id":"a","name":"A","phone":null}`, bare},
		{"person.create", "", "", `{"id":"b","name":"B","phone":"1","nick":"Bee","note":"n","city":"Rome","bossId":"a"}`, full},
		{"person.findById", `{"id":"a"}`, "", "", bare},
		{"person.findById", `{"id":"a"}`, `{"fields":"id,nick,note"}`, "", `{"id":"a","note":null}`},
		{"person.findByIds", "", `{"ids":["b","a"]}`, "", "[" + full + "," + bare + "]"},
		{"person.list", "", `{"fields":"nick,boss.nick","sort":"id","total":false}`, "", `{"items":[{"boss":null},{"nick":"Bee","boss":{}}],"total":-1,"hasMore":false,"endCursor":"*"}`},
		{"person.update", `{"id":"a"}`, "", `{"name":"A","phone":null,"note":null}`, bare},
		{"person.list", "", `{"filter":{"nick":{"isNull":true}},"fields":"id","total":false}`, "", `{"items":[{"id":"a"}],"total":-1,"hasMore":false,"endCursor":"*"}`},
	} {
		got := must(t, f, c.method, c.params, c.query, c.body)
		var page map[string]json.RawMessage
		if c.method == "person.list" && json.Unmarshal([]byte(got), &page) == nil {
			page["endCursor"] = json.RawMessage(`"*"`)
		}
		if got != c.want && !sameJSON(t, page, c.want) {
			t.Errorf("%s %s %s: got %s, want %s", c.method, c.query, c.body, got, c.want)
		}
	}
	if _, err := do(t, f, "person.update", `{"id":"b"}`, "", `{"nick":null}`); err == nil {
		t.Error("null was accepted for a field without null")
	}
}

func sameJSON(t *testing.T, page map[string]json.RawMessage, want string) bool {
	t.Helper()
	var a, b any
	text, _ := json.Marshal(page)
	if json.Unmarshal(text, &a) != nil || json.Unmarshal([]byte(want), &b) != nil {
		t.Fatalf("%s or %s cannot be read", text, want)
	}
	one, _ := json.Marshal(a)
	other, _ := json.Marshal(b)
	return string(one) == string(other)
}

// TestAbsentInEvents: events show subscribers, webhooks and other hosts a row without the fields
// that it lacks, also where the log has null for them.
func TestAbsentInEvents(t *testing.T) {
	f := facadeOf(t, people, nil)
	event := &facade.Event{
		Frond: "people", Name: "personChanged", Change: catalog.Created, Entity: "person", Key: json.RawMessage(`"a"`),
		Data: json.RawMessage(`{"id":"a","name":"A","phone":null,"nick":null,"note":null,"city":null,"bossId":null}`),
	}
	const want = `{"id":"a","name":"A","phone":null,"note":null}`
	out, err := f.Outward(event)
	if err != nil || string(out.Data) != want {
		t.Errorf("outward: %s, %v; want %s", out.Data, err, want)
	}
	w, err := f.Watch(context.Background(), &facade.Subscription{Frond: "people", Fact: "personChanged", Versions: true})
	if err != nil {
		t.Fatal(err)
	}
	shown, err := w.Reveal(context.Background(), []*facade.Event{event})
	if err != nil || len(shown) != 1 || string(shown[0].Data) != want || shown[0].Version == "" {
		t.Errorf("revealed: %+v, %v; want %s", shown, err, want)
	}
}

// TestAbsentInHandlers: a handler of a command answers a Go value with null for such a field, and
// callers get the row without it.
func TestAbsentInHandlers(t *testing.T) {
	type person struct {
		ID    string  `json:"id"`
		Name  string  `json:"name"`
		Phone *string `json:"phone"`
		Nick  *string `json:"nick"`
	}
	f := facadeOf(t, people, func(p *facade.Project) {
		facade.Handle(p.Door("person"), "findById", func(context.Context, *facade.Call) (any, error) {
			return person{ID: "a", Name: "A"}, nil
		})
	})
	if got := must(t, f, "person.findById", `{"id":"a"}`, "", ""); got != `{"id":"a","name":"A","phone":null}` {
		t.Errorf("got %s", got)
	}
}

// TestAdviceOnFieldsThatCannotBeCleared: the catalog names optional fields that refuse null, once for
// an entity, with the type to write.
func TestAdviceOnFieldsThatCannotBeCleared(t *testing.T) {
	f := facadeOf(t, people, nil)
	got := f.Catalog().Advice
	want := "fronds/people/entities/person.yaml#/properties/nick: nick, city, bossId: optional without null, so that a value can be changed and never cleared; if callers should clear it, allow null: type: [string, 'null']"
	if len(got) != 1 || got[0].Error() != want {
		t.Errorf("the advice is %v, want %s", got, want)
	}
}
