package gateway_test

import (
	"maps"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/frondhost/frond/gateway"
)

// TestStartPageNames: the page at / names a door where the API documents or introspection do, and nowhere else.
func TestStartPageNames(t *testing.T) {
	for _, c := range []struct {
		name   string
		config gateway.Config
		has    []string
		hasNot []string
	}{
		{"documents", gateway.Config{}, []string{"note", "vault"}, []string{">hidden<", "innermost"}},
		{"introspection", gateway.Config{GraphQL: gateway.GraphQL{Introspection: new(true)}}, []string{"note", "vault", ">hidden<"}, []string{"innermost"}},
		{"no documents", gateway.Config{NoDocuments: true, Mode: gateway.Development}, nil, []string{"note", "vault", ">hidden<", "<svg"}},
	} {
		got := docsOf(t, c.config)("/", "Accept: text/html")
		_, body, _ := strings.Cut(got.body, "</style>")
		for _, text := range c.has {
			if !strings.Contains(body, text) {
				t.Errorf("%s: the page lacks %s: %s", c.name, text, body)
			}
		}
		for _, text := range c.hasNot {
			if strings.Contains(body, text) {
				t.Errorf("%s: the page has %s: %s", c.name, text, body)
			}
		}
		if !strings.Contains(got.header.Get("Cache-Control"), "private") {
			t.Errorf("%s: %v", c.name, got.header)
		}
	}
}

// TestStartPageRows: the numbers are the totals of the caller's own list; refused credentials get no number.
func TestStartPageRows(t *testing.T) {
	files := maps.Clone(docsFiles)
	files["fronds/app/frond.yaml"] = &fstest.MapFile{Data: []byte(`
collectors:
  note:
    - when: '"staff" in user.roles'
    - when: user != nil
      rows: {title: {eq: $user.id}}
    - deny: all
  vault:
    - {when: '"staff" in user.roles'}
    - deny: [list]
  hidden: open
`)}
	files["fronds/app/seeds/note.yaml"] = &fstest.MapFile{Data: []byte("- {id: a, title: ada}\n- {id: b, title: bob}\n- {id: c, title: bob}\n")}
	get := pagesOf(t, files, gateway.Config{Identity: gateway.Identity{Dev: true}})
	const note, vault = `<a href="/docs#note.list">note</a><td>`, `<a href="/docs#vault.list">vault</a><td>`
	for user, want := range map[string][]string{
		"":                               {"an anonymous caller sees", note + "after signing in<td>", vault + "after signing in<td>"},
		`{"id":"bob"}`:                   {"bob sees", note + `<a href="/api/app/notes">2</a>`, vault + "not for you<td>"},
		`{"id":"<b>"}`:                   {"&lt;b&gt; sees", note + `<a href="/api/app/notes">0</a>`},
		`{"id":"eve","roles":["staff"]}`: {note + `<a href="/api/app/notes">3</a>`, vault + `<a href="/api/app/vaults">0</a>`},
		"bob":                            {"Rows are not counted: ", note + "<td>"},
	} {
		headers := []string{"Accept: text/html"}
		if user != "" {
			headers = append(headers, "X-Frond-User: "+user)
		}
		got := get("/", headers...)
		for _, text := range want {
			if got.status != 200 || !strings.Contains(got.body, text) {
				t.Errorf("%q: the page lacks %s: %d %s", user, text, got.status, got.body)
			}
		}
	}
}
