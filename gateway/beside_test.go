package gateway_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/access"
	"github.com/frondhost/frond/gateway"
)

// Rules for a remote whose cards are its host's: a frond.yaml without cards.

const letterCard = `
required: [title, owner]
properties:
  id: {type: string, x-kit: {role: {primary: true}}}
  title: {type: string}
  owner: {type: string}
  secret: {type: [string, 'null'], x-kit: {lifecycle: {create: optional}}}
`

// letters are the files of the host.
func letters() map[string]string {
	return map[string]string{
		"fronds/post/entities/letter.yaml": letterCard,
		"fronds/post/frond.yaml":           "search: {letter: {fields: {title: A}}}",
		"fronds/post/seeds/letter.yaml":    `[{id: l1, title: One, owner: ann, secret: x}, {id: l2, title: Two, owner: bob}]`,
	}
}

// production is a gateway in mode production whose caller is the user of the header X-User.
func production(p *facade.Project, remotes map[string]gateway.Remote, log *slog.Logger) (*gateway.Gateway, error) {
	return gateway.New(p, &gateway.Options{
		Config: gateway.Config{Store: "memory", Mode: gateway.Production, Remotes: remotes}, Logger: log,
		Session: func(r *http.Request) (access.State, error) {
			if id := r.Header.Get("X-User"); id != "" {
				return access.State{"user": map[string]any{"id": id}}, nil
			}
			return nil, nil
		},
	})
}

// as sends a request and returns the status and the body.
func as(gw *gateway.Gateway, user, method, path, body string) string {
	r := httptest.NewRequest(method, path, strings.NewReader(body))
	if r.Header.Set("Content-Type", "application/json"); user != "" {
		r.Header.Set("X-User", user)
	}
	w := httptest.NewRecorder()
	gw.Handler().ServeHTTP(w, r)
	return http.StatusText(w.Code) + " " + strings.TrimSpace(w.Body.String())
}

// TestRulesBesideARemote: a frond.yaml without cards has rules for the doors that a remote's host describes, on every
// operation, and computed fields, surfaces, deprecations, no search.
func TestRulesBesideARemote(t *testing.T) {
	there := newElsewhere(t)
	there.serve("post", folderOf(t, letters()))
	here := folderOf(t, map[string]string{"fronds/post/frond.yaml": `
collectors: {letter: [{when: user.id != nil, rows: {owner: {eq: $user.id}}, hide: [secret], deny: [delete]}, {deny: all}]}
computed: {letter: {loud: {type: string, value: upper(title)}}}
search: {letter: off}
surfaces: {graphql: {except: [letter.create]}}
doors: {letter: {operations: {findByIds: {deprecated: use list}}}}
`})
	gw, err := production(here, map[string]gateway.Remote{"post": {URL: there.url()}}, silence)
	if err != nil {
		t.Fatal(err)
	}
	defer gw.Close()
	for _, c := range []struct{ user, method, path, body, want string }{
		{"", "GET", "/api/post/letters", "", "Unauthorized"},
		{"ann", "GET", "/api/post/letters?fields=id,title,loud", "", `OK {"items":[{"id":"l1","title":"One","loud":"ONE"}],"total":1,`},
		{"ann", "GET", "/api/post/letters/l1", "", `OK {"id":"l1","title":"One","owner":"ann","loud":"ONE"}`},
		{"ann", "GET", "/api/post/letters/l2", "", "Not Found"},
		{"ann", "PATCH", "/api/post/letters/l2", `{"title":"Mine"}`, "Not Found"},
		{"ann", "PATCH", "/api/post/letters/l1", `{"owner":"bob"}`, "Forbidden"},
		{"ann", "PATCH", "/api/post/letters/l1", `{"title":"Uno"}`, "OK"},
		{"ann", "POST", "/api/post/letters", `{"id":"l3","title":"Three","owner":"bob"}`, "Forbidden"},
		{"ann", "POST", "/api/post/letters", `{"id":"l3","title":"Three","owner":"ann"}`, "Created"},
		{"ann", "DELETE", "/api/post/letters/l1", "", "Forbidden"},
		{"bob", "GET", "/api/post/letters/aggregate?select=count", "", `OK {"items":[{"key":{},"count":1}]`},
		{"ann", "GET", "/api/post/letters?search=one", "", "Bad Request"},
		{"ann", "GET", "/api/post/letters?filter[secret]=x", "", "Bad Request"},
	} {
		if got := as(gw, c.user, c.method, c.path, c.body); !strings.HasPrefix(got, c.want) {
			t.Errorf("%s: %s %s: %s, want %s", c.user, c.method, c.path, got, c.want)
		}
	}
	sdl := gw.SDL()
	if strings.Contains(sdl, "createLetter") || !strings.Contains(sdl, `@deprecated(reason: "use list")`) || strings.Contains(sdl, "search:") {
		t.Errorf("the schema does not follow the frond.yaml beside:\n%s", sdl)
	}
}

// TestFaultsBesideARemote: mistakes are reported with the file of this project and what to write.
func TestFaultsBesideARemote(t *testing.T) {
	there := newElsewhere(t)
	files := letters()
	delete(files, "fronds/post/frond.yaml")
	there.serve("post", folderOf(t, files))
	for said, want := range map[string]string{
		"collectors: {leter: open}":                                                             `fronds/post/frond.yaml#/collectors/leter: a collector is declared for leter, but no door is called that; did you mean letter?`,
		"many: {letter: '*'}":                                                                   `fronds/post/frond.yaml#/many: a frond.yaml beside the cards of a remote has no key many; its keys are name, doors, search, collectors, computed, facts, surfaces`,
		"collectors: {letter: open}\nsearch: {letter: off}":                                     `search/letter: letter of post is not searched by words; leave the entry out`,
		"collectors: {letter: open}\nsearch: {letter: {fields: {title: A}}}":                    `the remote decides which fields are searched; write letter: off, or leave it out`,
		"collectors: {letter: open}\ndoors: {letter: {operations: {lst: {deprecated: true}}}}":  `letter has no operation lst; did you mean list?`,
		"collectors: {letter: open}\nfacts: {gone: {open: true}}":                               `post has no fact gone`,
		"collectors: {letter: [{rows: {ownr: {eq: a}}}]}":                                       `fronds/post/frond.yaml#/collectors/letter/0/rows`,
		"collectors: {letter: open}\ncomputed: {letter: {title: {type: string, value: owner}}}": `the computed field title of letter has the name of another field`,
	} {
		gw, err := production(folderOf(t, map[string]string{"fronds/post/frond.yaml": said}), map[string]gateway.Remote{"post": {URL: there.url()}}, silence)
		if err == nil {
			_ = gw.Close()
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v\nwant %s", said, err, want)
		}
	}
	_, err := production(folderOf(t, map[string]string{"fronds/post/frond.yaml": "collectors: {letter: open}"}), nil, silence)
	if err == nil || !strings.Contains(err.Error(), "post has no cards here; add cards, write remotes: {post: http://…} in gateway.yaml") {
		t.Errorf("without a remote: %v", err)
	}
}

// buffer is a log that many goroutines write.
type buffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}

// TestADoorThatARemoteAddsStaysClosed: in production a door without rules and without the word open is not served, whether the
// remote comes up after the start or adds the door later; its other doors are.
func TestADoorThatARemoteAddsStaysClosed(t *testing.T) {
	there := newElsewhere(t)
	log := &buffer{}
	gw, err := production(folderOf(t, map[string]string{"fronds/post/frond.yaml": "collectors: {letter: open}"}), map[string]gateway.Remote{"post": {URL: there.url()}}, slog.New(slog.NewTextHandler(log, nil)))
	if err != nil {
		t.Fatal(err)
	}
	defer gw.Close()
	files := letters()
	files["fronds/post/entities/stamp.yaml"] = `{properties: {id: {type: string, x-kit: {role: {primary: true}}}}}`
	there.serve("post", folderOf(t, files))
	eventually(t, func() string { return as(gw, "", "GET", "/api/post/letters", "") }, "OK")
	for _, path := range []string{"/api/post/stamps", "/api/post/stamps/1"} {
		if got := as(gw, "ann", "GET", path, ""); !strings.HasPrefix(got, "Not Found") {
			t.Errorf("%s: %s", path, got)
		}
	}
	if got := as(gw, "ann", "POST", "/_kit/call", `{"jsonrpc":"2.0","id":1,"method":"stamp.list"}`); !strings.Contains(got, "NOT_FOUND") {
		t.Errorf("over the envelope: %s", got)
	}
	if strings.Contains(gw.SDL(), "Stamp") {
		t.Error("GraphQL shows the door")
	}
	if got := log.String(); !strings.Contains(got, "stamp is not served: everybody may do everything with stamp at its host") {
		t.Errorf("the log does not say so:\n%s", got)
	}
}

// TestFactWithoutSchemaIsOpened: a remote's fact about no row reaches no caller, and the refusal says how to open it; opened, it
// reaches everybody.
func TestFactWithoutSchemaIsOpened(t *testing.T) {
	there := newElsewhere(t)
	files := letters()
	files["fronds/post/frond.yaml"] = "facts: [{name: ratesChanged}]"
	there.serve("post", folderOf(t, files))
	for said, want := range map[string]string{
		"collectors: {letter: open}":                                           `401 ratesChanged: its host does not say which callers may have it; facts: {ratesChanged: {open: true}} in fronds/post/frond.yaml opens it for everybody`,
		"collectors: {letter: open}\nfacts: {ratesChanged: {open: true}}":      "200 text/event-stream",
		"collectors: {letter: open, ratesChanged: [{when: user.id == 'ann'}]}": "401 ratesChanged is not for everybody; say who you are",
	} {
		gw, err := production(folderOf(t, map[string]string{"fronds/post/frond.yaml": said}), map[string]gateway.Remote{"post": {URL: there.url()}}, silence)
		if err != nil {
			t.Fatal(err)
		}
		server := httptest.NewServer(gw.Handler())
		r, err := http.Get(server.URL + "/api/post/facts/ratesChanged")
		if err != nil {
			t.Fatal(err)
		}
		got := fmt.Sprint(r.StatusCode, " ", r.Header.Get("Content-Type"))
		if r.StatusCode != http.StatusOK {
			var problem struct{ Detail string }
			_ = json.NewDecoder(r.Body).Decode(&problem)
			got = fmt.Sprint(r.StatusCode, " ", problem.Detail)
		}
		_ = r.Body.Close()
		_ = gw.Close()
		server.Close()
		if got != want {
			t.Errorf("%s: %s, want %s", said, got, want)
		}
	}
}

// TestRulesThatAHostCannotFilterBy: the start says so, with the line to write.
func TestRulesThatAHostCannotFilterBy(t *testing.T) {
	const rules = "collectors: {letter: [{rows: {%s}}]}"
	for _, c := range []struct{ name, list, rows, want string }{
		{"no list", "", "owner: {eq: $user.id}", "letter has no list where it runs, so that its host cannot be asked for some rows alone; write rules without rows, such as letter: [{when: user.id != nil}, {deny: all}]"},
		{"no card", `{"name":"list","kind":"query"},`, "owner: {eq: $user.id}", "the list of letter takes no filter where it runs"},
		{"no and", `{"name":"list","kind":"query","input":{"title":"l","type":"object","properties":{"filter":{"type":"object"}}}},`, "and: [{owner: {ne: a}}, {owner: {ne: b}}]", "the filter of letter takes no and where it runs; go by one condition of each field"},
		{"two fields", `{"name":"list","kind":"query","input":{"title":"l","type":"object","properties":{"filter":{"type":"object"}}}},`, "owner: {ne: a}, title: {ne: b}", ""},
		{"another field", `{"name":"list","kind":"query","input":{"title":"l","type":"object","properties":{"filter":{"type":"object","properties":{"title":{"type":"object"}}}}}},`, "owner: {eq: $user.id}", "the filter of letter takes no owner where it runs; go by title"},
		{"no or", `{"name":"list","kind":"query","input":{"title":"l","type":"object","properties":{"filter":{"type":"object","properties":{"title":{"type":"object"}}}}}},`, "or: [{title: {eq: a}}, {title: {eq: b}}]", "the filter of letter takes no or where it runs"},
		{"a key under the relation's name", `{"name":"list","kind":"query","input":{"title":"l","type":"object","properties":{"filter":{"type":"object","properties":{"answersId":{"type":"object"}}}}}},`, "answersId: {eq: a}", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			document := `{"x-kit-version":1,"fronds":[{"name":"post","doors":[{"name":"letter","ops":[` + c.list + `{"name":"findById","kind":"query"}],"schema":{"title":"letter","type":"object","properties":{"id":{"type":"string","x-kit":{"role":{"primary":true}}},"title":{"type":"string"},"owner":{"type":"string"},"answers":{"type":["string","null"],"x-kit":{"role":{"relation":{"to":"letter","kind":"one"}}}}},"required":["title","owner"]}}]}]}`
			host := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				_, _ = io.WriteString(w, `{"jsonrpc":"2.0","id":1,"result":`+document+`}`)
			}))
			defer host.Close()
			gw, err := production(folderOf(t, map[string]string{"fronds/post/frond.yaml": fmt.Sprintf(rules, c.rows)}), map[string]gateway.Remote{"post": {URL: host.URL}}, silence)
			if err == nil {
				_ = gw.Close()
			}
			if got := fmt.Sprint(err); c.want == "" && err != nil || !strings.Contains(got, c.want) {
				t.Errorf("%s\nwant %s", got, c.want)
			}
		})
	}
}
