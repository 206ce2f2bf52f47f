package schema_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/frondhost/frond/schema"
)

// TestKeysAreBounded checks that a primary or unique text without maxLength takes 255
// code points, at creation and at update, and that a bound of the card's own, another
// kind of value and another host's card are left as they are.
func TestKeysAreBounded(t *testing.T) {
	const card = `
type: object
properties:
  id: {type: string, x-kit: {role: {primary: true}}}
  slug: {type: [string, 'null'], x-kit: {role: {unique: [[slug]]}}}
  url: {type: string, maxLength: 2000, x-kit: {role: {unique: [[url]]}}}
  number: {type: integer, x-kit: {role: {unique: [[number]]}}}
  text: {type: string}
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
	if text := string(own.Card.AppendJSON(nil)); strings.Contains(text, "255") {
		t.Errorf("the card says what its author did not write: %s", text)
	}
}
