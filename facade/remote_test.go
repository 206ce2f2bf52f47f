package facade_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/frondhost/frond/envelope"
	"github.com/frondhost/frond/envelope/client"
	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/access"
	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/compile"
	"github.com/frondhost/frond/facade/filter"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/facade/project"
	"github.com/frondhost/frond/facade/remote"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
	"github.com/frondhost/frond/store/storetest"
)

// noon is the clock of both sides, so that now is the same here and there.
func noon() time.Time { return time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC) }

// hosting is the test project over a store of its own.
func hosting(t *testing.T, attach func(*facade.Project)) *facade.Facade {
	t.Helper()
	p := storetest.Project(t)
	if attach != nil {
		attach(p)
	}
	return storetest.New(t, p, storetest.NewStore(), &facade.Options{Now: noon})
}

// served is a host behind an address.
func served(t *testing.T, f *facade.Facade) *client.Remote {
	t.Helper()
	server := httptest.NewServer(envelope.NewHandler(f.Catalog(), f, &envelope.Options{TrustState: true}))
	t.Cleanup(server.Close)
	remote := client.New(server.URL, nil)
	t.Cleanup(remote.Close)
	return remote
}

// atRemote is a host without rows: every Frond of the project runs behind the address of
// another one, of which it knows what mode says.
func atRemote(t *testing.T, there *facade.Facade, mode string, attach func(*facade.Project)) *facade.Facade {
	t.Helper()
	client := served(t, there)
	document, err := client.Discover(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	known, err := schema.ReadDiscovery(document)
	if err != nil {
		t.Fatal(err)
	}
	p := storetest.Project(t)
	if mode == knownAlone {
		p = &facade.Project{Registry: schema.Builtins()}
		for i := range known.Fronds {
			p.Fronds = append(p.Fronds, project.Discovered(&known.Fronds[i], "rpc.discover"))
		}
	} else if attach != nil {
		attach(p)
	}
	remotes := map[string]facade.Caller{}
	for i, f := range p.Fronds {
		f.Remote = "http://there.example"
		if mode == cardsAndKnown {
			for j := range known.Fronds {
				if known.Fronds[j].Name == f.Name {
					p.Fronds[i].Known = &known.Fronds[j]
				}
			}
		}
		remotes[f.Name] = client
	}
	f, err := facade.New(storetest.Compiled(t, p), nil, &facade.Options{Remotes: remote.New(remotes), Now: noon})
	if err != nil {
		t.Fatal(err)
	}
	for _, frond := range p.Fronds {
		remotes[frond.Name] = client.With(f.Catalog())
	}
	return f
}

// What a host knows of a Frond that runs elsewhere.
const (
	cardsHere     = "the cards are here"
	cardsAndKnown = "the cards are here, and the remote has told of itself"
	knownAlone    = "the remote has told of itself"
)

// TestNearAndFar: nobody can find out where a Frond runs, whatever is known of it here.
func TestNearAndFar(t *testing.T) {
	calls := []struct{ method, params, query, body string }{
		{"post.list", "", ``, ``},
		{"post.list", "", `{"filter":{"status":{"eq":"draft"}},"sort":"-price","limit":2}`, ``},
		{"post.list", "", `{"filter":{"author":{"email":{"eq":"ADA@EXAMPLE.COM"}}},"fields":"id,title,excerpt"}`, ``},
		{"post.list", "", `{"filter":{"comments":{"some":{"id":{"ne":""}}}},"fields":["id"]}`, ``},
		{"post.list", "", `{"limit":0}`, ``},
		{"post.list", "", `{"limit":2,"offset":1,"cursors":true}`, ``},
		{"post.list", "", `{"limit":2,"before":"","cursors":true,"sort":"title"}`, ``},
		{"post.list", "", `{"cursors":1}`, ``},
		{"post.list", "", `{"total":false,"offset":2}`, ``},
		{"post.list", "", `{"filter":{"editorNote":{"isNull":true}},"nonsense":1}`, ``},
		{"post.list", "", `{"fields":"editorNote"}`, ``},
		{"post.list", "", `{"sort":"nothing"}`, ``},
		{"post.aggregate", "", ``, ``},
		{"post.aggregate", "", `{"by":"status,createdAt:year","select":["count","price.sum"],"sort":"-count","zone":"Europe/Paris"}`, ``},
		{"post.aggregate", "", `{"filter":{"author":{"email":{"eq":"ADA@EXAMPLE.COM"}}},"by":"author","limit":1,"having":{"count":{"gte":1}}}`, ``},
		{"post.aggregate", "", `{"by":"editorNote:day,nothing","select":"editorNote.min","zone":"Mars"}`, ``},
		{"author.list", "", `{"filter":{"email":{"eq":"ADA@EXAMPLE.COM"}}}`, ``},
		{"post.findById", `{"id":"p1"}`, ``, ``},
		{"post.findById", `{"id":"nobody"}`, ``, ``},
		{"post.findById", `{"id":7}`, ``, ``},
		{"post.findById", `{}`, `{"x":1}`, `{"y":2}`},
		{"post.findByIds", ``, `{"ids":["p3","p1","nobody","p3"]}`, ``},
		{"post.findByIds", ``, `{"ids":[]}`, ``},
		{"post.bySlug", `{"slug":"notes-on-the-engine"}`, ``, ``},
		{"post.bySlug", `{"slug":"nothing"}`, ``, ``},
		{"post.bySlug", `{"slug":7}`, ``, ``},
		{"post.teasers", ``, `{"tag":"t1"}`, ``},
		{"post.countWords", ``, ``, ``},
		{"post.archive", `{"id":"p1"}`, ``, ``},
		{"health.check", ``, ``, ``},
		{"audit.list", ``, ``, ``},
		{"nothing.list", ``, ``, ``},
		{"author.create", ``, ``, `{"id":"zoe","name":"Zoe","email":"ZOE@Example.com","password":"12345678","address":{"city":"Ulm","street":"A"}}`},
		{"author.create", ``, ``, `{"id":"zoe","name":"Zoe","email":"zoe2@example.com","password":"12345678"}`},
		{"author.create", ``, ``, `{"karma":"x","nickname":"Z","name":null,"address":{"zip":1,"b":2}}`},
		{"author.create", ``, ``, `[1]`},
		{"author.update", `{"id":"zoe"}`, ``, `{"bio":"Writes.","address":{"zip":"89073"}}`},
		{"author.update", `{"id":"zoe"}`, ``, `{"address":{"street":null,"city":""}}`},
		{"author.update", `{"id":"zoe"}`, ``, `{"email":null,"joinedAt":"2024-01-01T00:00:00Z"}`},
		{"author.update", `{"id":"nobody"}`, ``, `{"bio":null}`},
		{"author.update", `{"id":"zoe"}`, `{"where":{"email":{"eq":"ZOE@example.com"},"address":{"isNull":false}}}`, `{"bio":"Reads."}`},
		{"author.update", `{"id":"zoe"}`, `{"where":{"bio":{"eq":"Writes."},"posts":{"none":{}}}}`, `{"bio":"Walks."}`},
		{"author.update", `{"id":"nobody"}`, `{"where":{"bio":{"eq":"Writes."}}}`, `{"bio":"Walks."}`},
		{"author.update", `{"id":"zoe"}`, `{"where":{"karma":{"eq":1}}}`, `{"bio":"Walks."}`},
		{"author.update", `{"id":"zoe"}`, `{"where":null}`, `{"bio":"Walks."}`},
		{"author.delete", `{"id":"zoe"}`, `{"where":{"bio":{"eq":"Writes."}}}`, ``},
		{"post.create", ``, ``, `{"id":"p9","slug":"new","title":"New","body":null,"authorId":"zoe"}`},
		{"post.create", ``, ``, `{"id":"p10","slug":"newer","title":"New","body":null,"authorId":"nobody"}`},
		{"post.publish", `{"id":"p9"}`, ``, `{"at":"2026-05-01T12:00:00Z"}`},
		{"post.publish", `{"id":"p9"}`, ``, `{"at":"2026-05-01T12:00:00Z"}`},
		{"post.publish", `{"id":"p9"}`, ``, `{"when":1}`},
		{"author.delete", `{"id":"zoe"}`, ``, ``},
		{"post.delete", `{"id":"p9"}`, ``, ``},
		{"post.delete", `{"id":"p9"}`, ``, ``},
		{"tag.delete", `{"id":"t1"}`, ``, ``},
	}
	for _, mode := range []string{cardsHere, cardsAndKnown, knownAlone} {
		t.Run(mode, func(t *testing.T) {
			near := hosting(t, nil)
			far := atRemote(t, hosting(t, nil), mode, nil)
			for _, c := range calls {
				name := fmt.Sprint(c.method, " ", c.params, c.query, c.body)
				if diff := cmp.Diff(answer(t, near, c.method, c.params, c.query, c.body), answer(t, far, c.method, c.params, c.query, c.body)); diff != "" {
					t.Errorf("%s (-near +far):\n%s", name, diff)
				}
			}
		})
	}
}

// answer is a result or an error, as every surface writes it.
func answer(t *testing.T, c facade.Caller, method, params, query, body string) string {
	t.Helper()
	text, err := do(t, c, method, params, query, body)
	if err != nil {
		return string(err.AppendJSON(nil))
	}
	return text
}

// TestNearAndFarBatches: a call for many keys has the same rows for each.
func TestNearAndFarBatches(t *testing.T) {
	keys := func(texts ...string) (list []json.RawMessage) {
		for _, s := range texts {
			list = append(list, raw(s))
		}
		return list
	}
	calls := []*facade.Call{
		{Entity: "author", Operation: "findById", Each: &facade.Each{Field: "id", Keys: keys(`"ada"`, `"nobody"`, `null`, `"alan"`, `"ada"`)}},
		{Entity: "post", Operation: "list", Each: &facade.Each{Field: "authorId", Keys: keys(`"alan"`, `"nobody"`, `"ada"`, `"alan"`)}, Invocation: facade.Invocation{Query: raw(`{"limit":1,"sort":"title"}`)}},
		{Entity: "post", Operation: "list", Each: &facade.Each{Field: "authorId"}},
		{Entity: "post", Operation: "findById", Each: &facade.Each{Field: "id"}, Select: []string{"id", "excerpt"}},
		{Entity: "post", Operation: "findById", Each: &facade.Each{Field: "slug", Keys: keys(`"x"`)}},
	}
	for _, mode := range []string{cardsHere, cardsAndKnown, knownAlone} {
		near := hosting(t, nil)
		far := atRemote(t, hosting(t, nil), mode, nil)
		for i, c := range calls {
			text := func(caller facade.Caller) string {
				res, err := caller.Call(t.Context(), c)
				if err != nil {
					return err.Error()
				}
				return string(res.AppendJSON(nil))
			}
			if diff := cmp.Diff(text(near), text(far)); diff != "" {
				t.Errorf("%s, call %d (-near +far):\n%s", mode, i, diff)
			}
		}
	}
}

// TestNearAndFarEdges: a cursor for every row, and what lies before the page.
func TestNearAndFarEdges(t *testing.T) {
	near := hosting(t, nil)
	first, err := near.Call(t.Context(), &facade.Call{Entity: "post", Operation: "list", Invocation: facade.Invocation{Query: raw(`{"limit":2}`)}})
	if err != nil {
		t.Fatal(err)
	}
	cursor := first.EndCursor()
	for _, mode := range []string{cardsAndKnown, knownAlone} {
		far := atRemote(t, hosting(t, nil), mode, nil)
		for _, query := range []string{
			`{"limit":3,"sort":"-title"}`, `{"limit":2,"offset":1}`, `{"limit":2,"before":""}`, `{"limit":0}`, `{"limit":2,"backward":true}`, `{"limit":2,"before":"` + cursor + `","backward":false}`,
			`{"limit":1,"after":"` + cursor + `","before":""}`, `{"limit":1,"after":"` + cursor + `","backward":true}`,
		} {
			page := func(caller facade.Caller) facade.Page {
				res, err := caller.Call(t.Context(), &facade.Call{Entity: "post", Operation: "list", Cursors: true, Behind: true, Invocation: facade.Invocation{Query: raw(query)}})
				if err != nil {
					t.Fatal(err)
				}
				return res.Page
			}
			if diff := cmp.Diff(page(near), page(far)); diff != "" {
				t.Errorf("%s, %s (-near +far):\n%s", mode, query, diff)
			}
		}
	}
}

// TestNearAndFarCollectors: the collectors of a Frond that runs elsewhere hold here
// too, and a caller sees the same either way.
func TestNearAndFarCollectors(t *testing.T) {
	attach := func(p *facade.Project) {
		facade.Collect(p.Door("post"), access.CollectorFunc(func(_ context.Context, s access.State, d *catalog.Door, op *catalog.Operation) (access.Scope, error) {
			user := s.User()
			if user == nil {
				return access.Scope{}, kiterror.Errorf(kiterror.Unauthorized, "say who you are")
			}
			if user["role"] == "editor" {
				return access.Scope{}, nil
			}
			if op.Name == "delete" {
				return access.Scope{}, kiterror.Errorf(kiterror.Forbidden, "not yours to remove")
			}
			author := d.Entity.Property("authorId")
			return access.Scope{
				Rows: &filter.Filter{Op: filter.Eq, Field: author, Values: []any{user["id"]}},
				Hide: []string{"price", "excerpt"},
				Set:  schema.Object{{Name: "authorId", Value: json.RawMessage(fmt.Sprintf("%q", user["id"]))}},
			}, nil
		}))
	}
	states := []access.State{nil, {"user": map[string]any{"id": "alan"}}, {"user": map[string]any{"id": "ed", "role": "editor"}}}
	calls := []struct{ method, params, query, body string }{
		{"post.list", ``, ``, ``},
		{"post.list", ``, `{"filter":{"price":{"gt":"1"}}}`, ``},
		{"post.list", ``, `{"fields":"id,price"}`, ``},
		{"post.findById", `{"id":"p1"}`, ``, ``},
		{"post.findById", `{"id":"p2"}`, ``, ``},
		{"post.findByIds", ``, `{"ids":["p2","p1"]}`, ``},
		{"author.list", ``, `{"filter":{"posts":{"some":{"status":{"eq":"published"}}}},"fields":"id"}`, ``},
		{"post.create", ``, ``, `{"id":"q1","slug":"q1","title":"Q","body":null}`},
		{"post.create", ``, ``, `{"id":"q2","slug":"q2","title":"Q","body":null,"authorId":"alan"}`},
		{"post.create", ``, ``, `{"id":"q3","slug":"q3","price":"1.00","title":"Q"}`},
		{"post.update", `{"id":"p1"}`, ``, `{"title":"X"}`},
		{"post.update", `{"id":"p2"}`, ``, `{"title":"Y"}`},
		{"post.update", `{"id":"p2"}`, ``, `{"authorId":"ada"}`},
		{"post.delete", `{"id":"p1"}`, ``, ``},
		{"post.bySlug", `{"slug":"the-imitation-game"}`, ``, ``},
	}
	for _, mode := range []string{cardsHere, cardsAndKnown} {
		for _, state := range states {
			near := hosting(t, attach)
			far := atRemote(t, hosting(t, attach), mode, attach)
			for _, c := range calls {
				text := func(caller facade.Caller) string {
					text, err := storetest.Call(t, caller, c.method, facade.Invocation{Params: raw(c.params), Query: raw(c.query), Body: raw(c.body), State: state})
					if err != nil {
						return string(err.AppendJSON(nil))
					}
					return text
				}
				if diff := cmp.Diff(text(near), text(far)); diff != "" {
					t.Errorf("%s, %v: %s %s%s%s (-near +far):\n%s", mode, state, c.method, c.params, c.query, c.body, diff)
				}
			}
		}
	}
}

// TestNearAndFarMoves: a write of a key through which a rule of this host reads is judged by the row
// afterwards, also where another host keeps the row. A value that only that host can know is refused.
func TestNearAndFarMoves(t *testing.T) {
	for _, c := range []struct{ rule, patch, near, far string }{
		{`{"author":{"id":{"eq":"ada"}}}`, `{"authorId":"alan"}`, "FORBIDDEN", "FORBIDDEN"},
		{`{"not":{"author":{"id":{"eq":"alan"}}}}`, `{"authorId":"alan"}`, "FORBIDDEN", "FORBIDDEN"},
		{`{"or":[{"author":{"id":{"eq":"ada"}}},{"title":{"eq":"X"}}]}`, `{"authorId":"alan"}`, "FORBIDDEN", "FORBIDDEN"},
		{`{"or":[{"author":{"id":{"eq":"ada"}}},{"title":{"eq":"X"}}]}`, `{"authorId":"alan","title":"X"}`, "", ""},
		{`{"tags":{"some":{"id":{"eq":"t1"}}}}`, `{"tags":["t2"]}`, "FORBIDDEN", "FORBIDDEN"},
		{`{"tags":{"count":{"gte":1}}}`, `{"tags":[]}`, "FORBIDDEN", "FORBIDDEN"},
		{`{"tags":{"count":{"gte":1}}}`, `{"tags":["t2"]}`, "", "NOT_IMPLEMENTED"},
		{`{"tags":{"count":{"gte":1}}}`, `{"title":"X"}`, "", ""},
		{`{"comments":{"count":{"gte":0}}}`, `{"authorId":"alan"}`, "", ""},
	} {
		attach := func(p *facade.Project) {
			facade.Collect(p.Door("post"), access.CollectorFunc(func(_ context.Context, _ access.State, d *catalog.Door, op *catalog.Operation) (access.Scope, error) {
				if op.Name != "update" {
					return access.Scope{}, nil
				}
				rows, details := filter.Parse(d.Entity, raw(c.rule), "/rows")
				if len(details) > 0 {
					t.Fatal(details)
				}
				return access.Scope{Rows: rows}, nil
			}))
		}
		for name, f := range map[string]*facade.Facade{"near": hosting(t, attach), "far": atRemote(t, hosting(t, nil), cardsAndKnown, attach)} {
			want := map[string]string{"near": c.near, "far": c.far}[name]
			got := ""
			if _, err := do(t, f, "post.update", `{"id":"p1"}`, "", c.patch); err != nil {
				got = string(err.Code)
			}
			if got != want {
				t.Errorf("%s: %s under %s: got %q, want %q", name, c.patch, c.rule, got, want)
			}
		}
	}
}

// TestAProjectCompilesAgain: what one façade learned of a remote does not stay with the
// project. The presenter is the project's own where it runs here again.
func TestAProjectCompilesAgain(t *testing.T) {
	there := hosting(t, nil)
	known := there.Catalog().Discovery()
	p := storetest.Project(t)
	moved := *p
	moved.Fronds = nil
	for _, f := range p.Fronds {
		src := *f
		src.Remote = "http://there.example"
		for i := range known.Fronds {
			if known.Fronds[i].Name == f.Name {
				src.Known = &known.Fronds[i]
			}
		}
		moved.Fronds = append(moved.Fronds, &src)
	}
	if _, err := compile.Project(&moved, nil); err != nil {
		t.Fatal(err)
	}
	here := storetest.New(t, p, storetest.NewStore(), nil)
	want := must(t, there, "post.findById", `{"id":"p1"}`, "", "")
	if diff := cmp.Diff(jsontext.Get(raw(want), "excerpt"), jsontext.Get(raw(must(t, here, "post.findById", `{"id":"p1"}`, "", "")), "excerpt")); diff != "" {
		t.Errorf("excerpt (-want +got):\n%s", diff)
	}
}

// TestARefusalWithoutDetailsIsNotSentAgain: a create whose fields a collector sets.
func TestARefusalWithoutDetailsIsNotSentAgain(t *testing.T) {
	p := storetest.Project(t)
	for _, f := range p.Fronds {
		f.Remote = "http://there.example"
	}
	facade.Collect(p.Door("author"), access.CollectorFunc(func(context.Context, access.State, *catalog.Door, *catalog.Operation) (access.Scope, error) {
		return access.Scope{Set: schema.Object{{Name: "bio", Value: raw(`"set"`)}}}, nil
	}))
	sent := 0
	refuses := facade.CallerFunc(func(context.Context, *facade.Call) (*facade.Result, error) {
		sent++
		return nil, kiterror.Errorf(kiterror.ValidationFailed, "no")
	})
	f, err := facade.New(storetest.Compiled(t, p), nil, &facade.Options{Remotes: remote.New(map[string]facade.Caller{"people": refuses, "blog": refuses})})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := do(t, f, "author.create", "", "", `{"name":"A","email":"a@b.example","password":"12345678"}`); err == nil || err.Code != kiterror.ValidationFailed || sent != 1 {
		t.Errorf("%v, sent %d times, want once", err, sent)
	}
}
