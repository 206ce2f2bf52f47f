package schema_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/frondhost/frond/schema"
)

// TestKeysAreBounded checks that a primary or unique text without maxLength takes 255
// code points, at creation and at update, and that a bound of the card's own, another
// kind of value and another host's card are left as they are. The card says so.
func TestKeysAreBounded(t *testing.T) {
	const card = `
type: object
properties:
  id: {type: string, x-kit: {role: {primary: true}}}
  slug: {type: [string, 'null'], x-kit: {role: {unique: [[slug]]}}}
  url: {type: string, maxLength: 2000, x-kit: {role: {unique: [[url]]}}}
  number: {type: integer, x-kit: {role: {unique: [[number]]}}}
  text: {type: string}
  uuid: {type: string, format: uuid, x-kit: {role: {unique: [[uuid]]}}}
required: [id, slug, url, number, text]
x-kit-version: 1
`
	compile := func(remote bool) *schema.Entity {
		t.Helper()
		set, err := schema.Compile([]schema.Source{{File: "page.yaml", Name: "page", Frond: "app", Data: []byte(card)}}, schema.Builtins(), &schema.CompileOptions{Remote: map[string]bool{"app": remote}})
		if err != nil {
			t.Fatal(err)
		}
		return set.Entity("page")
	}
	judge := func(e *schema.Entity, mode schema.Mode, letters int) string {
		text := strings.Repeat("é", letters)
		body := fmt.Sprintf(`{"id":%q,"slug":%q,"url":%q,"number":1,"text":%q}`, text, text, text, text)
		if mode == schema.Update {
			body = fmt.Sprintf(`{"slug":%q,"text":%q}`, text, text)
		}
		_, details := e.Judge(mode, []byte(body), "/body")
		var out []string
		for _, d := range details {
			out = append(out, fmt.Sprintf("%s %s %v", d.Path, d.Code, d.Params["limit"]))
		}
		return strings.Join(out, "; ")
	}
	own, foreign := compile(false), compile(true)
	const maxKey = 255 // docs/decisions/judge.md
	for _, c := range []struct {
		what   string
		e      *schema.Entity
		mode   schema.Mode
		length int
		want   string
	}{
		{"at the bound", own, schema.Create, maxKey, ""},
		{"over it", own, schema.Create, maxKey + 1, "id maxLength 255; slug maxLength 255"},
		{"at update", own, schema.Update, maxKey + 1, "slug maxLength 255"},
		{"another host's", foreign, schema.Create, maxKey + 1, ""},
	} {
		if got := judge(c.e, c.mode, c.length); got != c.want {
			t.Errorf("%s: %q, want %q", c.what, got, c.want)
		}
	}
	// The card that is published says the bound, so that every consumer judges alike.
	for e, want := range map[*schema.Entity]string{own: "id slug", foreign: ""} {
		var bounded []string
		for _, p := range e.Fields {
			if string(e.Card.Field(p.Name).Shape.Extra.Get("maxLength")) == "255" {
				bounded = append(bounded, p.Name)
			}
		}
		if got := strings.Join(bounded, " "); got != want {
			t.Errorf("the card bounds %q, want %q", got, want)
		}
	}
}

// TestKeySchema holds the JSON Schema of a file: names, any name, names by their beginning, and a
// value of two forms.
func TestKeySchema(t *testing.T) {
	keys := []schema.Key{
		{Name: "title", About: "A title.", Form: `{"type":"string"}`, Default: "none", Example: "title: Tide"},
		{Name: "size", About: "Both.", Form: `{"type":"integer"}`, Keys: []schema.Key{{Name: "width", About: "Any."}}},
		{Name: "fields", About: "By name.", Keys: []schema.Key{{Name: "*", About: "One.", Form: "{}"}}},
		{Name: "^x-", About: "The author's own."},
	}
	const want = `{"$schema":"https://json-schema.org/draft/2020-12/schema","title":"A file",` +
		`"type":"object","properties":{` +
		`"title":{"description":"A title. Default: none. Example: title: Tide","type":"string"},` +
		`"size":{"description":"Both.","anyOf":[{"type":"integer"},{"type":"object","properties":{"width":{"description":"Any."}},"additionalProperties":false}]},` +
		`"fields":{"description":"By name.","type":"object","additionalProperties":{"description":"One."}}},` +
		`"patternProperties":{"^x-":{"description":"The author's own."}},"additionalProperties":false`
	for _, c := range []struct {
		what string
		defs []schema.KeyDef
		want string
	}{
		{"alone", nil, want + `}`},
		{
			"with definitions",
			[]schema.KeyDef{{Name: "a", Form: `{"type":"boolean"}`}, {Name: "b", Keys: []schema.Key{{Name: "c", About: "C."}}}},
			want + `,"$defs":{"a":{"type":"boolean"},"b":{"type":"object","properties":{"c":{"description":"C."}},"additionalProperties":false}}}`,
		},
	} {
		var got bytes.Buffer
		if err := json.Compact(&got, schema.KeySchema("A file", keys, c.defs...)); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(c.want, got.String()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.what, diff)
		}
	}
}
