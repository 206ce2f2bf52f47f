package e2e_test

import (
	"strings"
	"testing"

	"github.com/frondhost/frond/gateway"
)

// TestTitlesOfViews: each host names the views of its own document. Two hosts, a Frond of this project and a synced one
// may use one title for views that are equal or not; each serves its operations in full.
func TestTitlesOfViews(t *testing.T) {
	t.Parallel()
	card := func(field string) string {
		return `{"title":"publish","type":"object","properties":{"` + field + `":{"type":"string"}},"required":["` + field + `"]}`
	}
	host := func(frond, door, input string) *foreignHost {
		doc := strings.Replace(desk(foreignDoor(door, strings.Replace(foreignWriter, `"writer"`, `"`+door+`"`, 1), foreignOp("findById", "query"), foreignOp("publish", "command", `"input":`+input))), `"desk"`, `"`+frond+`"`, 1)
		return &foreignHost{document: doc, answers: map[string]func(invoked) any{door + ".publish": func(in invoked) any { return []any{frond, in.Body} }}}
	}
	remote := func(h *foreignHost) gateway.Remote { return gateway.Remote{URL: served(t, h)} }
	for _, c := range []struct {
		name, second string
		here         map[string]string
		asks         []inquiry
	}{
		{name: "equal", second: card("at"), asks: []inquiry{
			{rest: `POST /api/first/letters/publish {"at":"noon"}`, want: `["first",{"at":"noon"}]`},
			{rest: `POST /api/second/posters/publish {"at":"noon"}`, want: `["second",{"at":"noon"}]`},
			{rest: `POST /api/second/posters/publish {"on":"wall"}`, want: `Bad Request VALIDATION_FAILED`},
		}},
		{name: "not equal", second: card("on"), asks: []inquiry{
			{graphql: `mutation { letterPublish(input: {at: "noon"}) }`, want: `{"letterPublish":["first",{"at":"noon"}]}`},
			{graphql: `mutation { posterPublish(input: {on: "wall"}) }`, want: `{"posterPublish":["second",{"on":"wall"}]}`},
			{method: `poster.publish {"body":{"at":"noon"}}`, want: `VALIDATION_FAILED`},
			{method: `letter.publish {"body":{"on":"wall"}}`, want: `VALIDATION_FAILED`},
		}},
		{
			name: "a view of this project", second: card("on"),
			here: map[string]string{
				"fronds/own/entities/book.yaml": bareCard, "fronds/own/views/publish.yaml": `{type: object, properties: {here: {type: string}}}`,
				"fronds/own/frond.yaml": "collectors: {book: open}\ndoors: {book: {operations: {publish: {kind: command, input: publish}}}}",
			},
			asks: []inquiry{
				{graphql: `mutation { letterPublish(input: {at: "noon"}) }`, want: `{"letterPublish":["first",{"at":"noon"}]}`},
				{method: `poster.publish {"body":{"on":"wall"}}`, want: `["second",{"on":"wall"}]`},
				{method: `book.publish {"body":{"on":"wall"}}`, want: `VALIDATION_FAILED`},
			},
		},
		{
			name: "an entity of this project", second: card("on"),
			here: map[string]string{"fronds/own/entities/publish.yaml": bareCard, "fronds/own/frond.yaml": "collectors: {publish: open}"},
			asks: []inquiry{
				{method: `letter.publish {"body":{"at":"noon"}}`, want: `["first",{"at":"noon"}]`},
				{method: `poster.publish {"body":{"on":"wall"}}`, want: `["second",{"on":"wall"}]`},
				{method: `publish.list`, want: `{"items":[],"total":0,"hasMore":false,"endCursor":null}`},
			},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			url, _, log := housed(t, c.here, map[string]gateway.Remote{"first": remote(host("first", "letter", card("at"))), "second": remote(host("second", "poster", c.second))})
			for _, ask := range c.asks {
				ask.check(t, url)
			}
			if strings.Contains(log.String(), "claims names") {
				t.Errorf("a remote is left out: %s", log)
			}
		})
	}

	dir := t.TempDir()
	for _, h := range []*foreignHost{host("first", "letter", card("at")), host("second", "poster", card("on"))} {
		if r := run(t, "", "sync", strings.SplitN(strings.SplitN(h.document, `"fronds":[{"name":"`, 2)[1], `"`, 2)[0], "--from", served(t, h), "--dir", dir); r.code != 0 {
			t.Fatal(r.stderr)
		}
	}
	sdl := run(t, "", "schema", "--dir", dir, "--remote", "first=http://127.0.0.1:1", "--remote", "second=http://127.0.0.1:2")
	if sdl.code != 0 || !strings.Contains(sdl.stdout, "input: PublishInput!): JSON") || !strings.Contains(sdl.stdout, "input: PosterPublishInput!): JSON") {
		t.Errorf("synced: %s%s", sdl.stdout, sdl.stderr)
	}
}

// bareCard is a card with a key alone.
const bareCard = `{properties: {id: {type: string, x-kit: {role: {primary: true}}}}}`
