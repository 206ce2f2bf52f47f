package facade_test

import (
	"context"
	"strings"
	"testing"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/compile"
	"github.com/frondhost/frond/facade/kiterror"
)

// vault is an entity with a field that never leaves, one that leaves encoded and a
// nested object, and operations that answer it every way there is.
func vault(collectors string) map[string]string {
	return map[string]string{
		"entities/account.yaml": `
properties:
  id: {type: string, x-kit: {role: {primary: true}}}
  owner: {type: string}
  pin: {type: string, x-kit: {boundary: {out: closed}}}
  note: {type: [string, 'null'], x-kit: {lifecycle: {create: optional}}}
  place: {type: object, properties: {city: {type: string}}, required: [city]}
required: [id, owner, pin, place]`,
		"views/face.yaml": `
of: account
omit: [note]`,
		"views/card.yaml": `
properties:
  owner: {type: string}
  place: {type: object, properties: {city: {type: string}}}
  places: {type: array, items: {type: object, properties: {city: {type: string}}}}
  free: {type: object}
required: []`,
		"seeds/account.yaml": `
- {id: a1, owner: ada, pin: '4711', note: hush, place: {city: Rome}}
- {id: a2, owner: bob, pin: '1234', note: null, place: {city: Oslo}}`,
		"frond.yaml": `
name: vault
doors:
  account:
    operations:
      whole: {kind: query, output: account}
      wholes: {kind: query, output: account, cardinality: many}
      paged: {kind: query, output: account, cardinality: page}
      face: {kind: query, output: face}
      card: {kind: query, output: card}
      raw: {kind: query}
      own: {kind: query}
` + collectors,
	}
}

// inside is an account as its author's own code reads it: pin, note and all.
func insideAccount(ctx context.Context, _ *facade.Call) (any, error) {
	return facade.Inside(ctx).Call(ctx, &facade.Call{Entity: "account", Operation: "findById", Invocation: facade.Invocation{Params: raw(`{"id":"a1"}`)}})
}

// What is closed outward, and what is hidden, leaves by no answer of a handler.
func TestNothingClosedLeavesByAHandler(t *testing.T) {
	attach := func(p *facade.Project) {
		door := p.Door("account")
		facade.Handle(door, "whole", insideAccount)
		facade.Handle(door, "face", insideAccount)
		facade.Handle(door, "raw", insideAccount)
		facade.Handle(door, "wholes", func(ctx context.Context, c *facade.Call) (any, error) {
			return []any{map[string]any{"id": "a1", "owner": "ada", "pin": "4711", "note": "hush", "place": map[string]any{"city": "Rome"}}}, nil
		})
		facade.Handle(door, "paged", func(ctx context.Context, c *facade.Call) (any, error) {
			return facade.Inside(ctx).Call(ctx, &facade.Call{Entity: "account", Operation: "list"})
		})
		facade.Handle(door, "card", func(ctx context.Context, c *facade.Call) (any, error) {
			return raw(`{"owner":"ada","place":{"city":"Rome"},"places":[{"city":"Rome"},7],"free":{"any":"thing"}}`), nil
		})
		facade.Handle(door, "own", func(ctx context.Context, c *facade.Call) (any, error) {
			return facade.From(ctx).Call(ctx, &facade.Call{Entity: "account", Operation: "list", Select: []string{"owner"}})
		})
	}
	scoped := facadeOf(t, vault("collectors: {account: [{when: user != nil}, {rows: {owner: {eq: bob}}, hide: [note]}]}"), attach)
	for _, c := range []struct{ op, want string }{
		{"whole", `{"id":"a1","owner":"ada","place":{"city":"Rome"}}`}, // a handler's row: its author answers for which
		{"wholes", `[{"id":"a1","owner":"ada","place":{"city":"Rome"}}]`},
		{"paged", `{"items":[{"id":"a1","owner":"ada","place":{"city":"Rome"}},{"id":"a2","owner":"bob","place":{"city":"Oslo"}}],"total":2,"hasMore":false,"endCursor":"…"}`},
		{"face", `{"id":"a1","owner":"ada","place":{"city":"Rome"}}`},
		{"card", `{"owner":"ada","place":{"city":"Rome"},"places":[{"city":"Rome"},7],"free":{"any":"thing"}}`},
		{"raw", `INTERNAL_ERROR`},
		{"own", `{"items":[{"owner":"bob"}],"total":1,"hasMore":false,"endCursor":"…"}`}, // and what it reads for the caller is scoped
	} {
		got := known(do(t, as(scoped, nil), "account."+c.op, "", "", ""))
		if got != c.want {
			t.Errorf("%s: got\n%s\nwant\n%s", c.op, got, c.want)
		}
	}
	for _, method := range []string{"account.list", "account.whole", "account.face"} {
		if text := must(t, user(scoped, "id", "x"), method, "", "", ""); strings.Contains(text, "4711") {
			t.Errorf("%s: %s", method, text)
		}
	}
}

// A view does not open what its entity closes.
func TestAViewStaysClosed(t *testing.T) {
	files := vault("")
	files["views/face.yaml"] = "of: account\npick: [id]\nproperties:\n  pin: {type: string}"
	_, err := compile.Project(projectOf(t, files), nil)
	want := "entities/account.yaml#/doors/account: the output of account.face, a view of account, opens pin, which is closed outward there; leave it out of the view, or give the view's field a name of its own"
	if err == nil || err.Error() != want {
		t.Errorf("got\n%v\nwant\n%s", err, want)
	}
}

// What an operation takes by a view of its own door is stamped and scoped too.
func TestAnInputViewIsStamped(t *testing.T) {
	files := vault("collectors: {account: [{rows: {owner: {eq: $user.id}}, set: {owner: $user.id}, hide: [note], allow: all}]}")
	files["frond.yaml"] = strings.Replace(files["frond.yaml"], "raw: {kind: query}", "open: {kind: command, input: account}", 1)
	f := facadeOf(t, files, func(p *facade.Project) {
		facade.Handle(p.Door("account"), "open", func(_ context.Context, c *facade.Call) (any, error) { return c.Invocation.Body, nil })
	})
	body := `{"id":"n","pin":"1","place":{"city":"x"}}`
	if got, want := must(t, user(f, "id", "ada"), "account.open", "", "", body), `{"id":"n","owner":"ada","pin":"1","place":{"city":"x"}}`; got != want {
		t.Errorf("got %s want %s", got, want)
	}
	for body, want := range map[string]string{
		`{"id":"n","owner":"bob","pin":"1","place":{"city":"x"}}`: "/body/owner read_only: is set for you; leave it out",
		`{"id":"n","note":"x","pin":"1","place":{"city":"x"}}`:    "/body/note unknown_key: is not part of the card; leave it out",
	} {
		if _, err := do(t, user(f, "id", "ada"), "account.open", "", "", body); refusals(err) != want {
			t.Errorf("%s: %s", body, refusals(err))
		}
	}
	if _, err := do(t, user(f), "account.open", "", "", body); kiterror.CodeOf(err) != kiterror.Forbidden {
		t.Errorf("stamped with nothing: %v", err)
	}
}
