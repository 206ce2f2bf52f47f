package facade_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/filter"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/facade/rows"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
	"github.com/frondhost/frond/store/storetest"
)

// noteFiles have nested objects of both kinds, a field that not everybody sees, one
// that leaves in another form, and one that is computed.
var noteFiles = map[string]string{
	"frond.yaml": `
name: app
collectors:
  note:
    - {when: user.role == "staff"}
    - {when: user.role == "writer", hide: [secret]}
    - {when: user.role == "blind", deny: [findById, list]}
computed:
  note: {loud: {type: string, value: 'upper(title)'}}
`,
	"entities/note.yaml": `
type: object
properties:
  id: {type: string, x-kit: {role: {primary: true}}}
  title: {type: string}
  secret: {type: [string, 'null'], x-kit: {lifecycle: {create: optional}}}
  place:
    type: [object, 'null']
    properties:
      street: {type: string}
      town: {type: string}
      floor: {type: [integer, 'null']}
      at: {type: object, properties: {lat: {type: number}, lon: {type: number}}, additionalProperties: true}
      marks: {type: object}
    required: [street]
    x-kit: {lifecycle: {create: optional}}
  open: {type: [object, 'null'], x-kit: {lifecycle: {create: optional}}}
  any: {x-kit: {lifecycle: {create: optional}}}
required: [title]
x-kit-version: 1
`,
}

// between is a store that lets somebody else write between the look and the write.
type between struct {
	facade.Store
	rival func()
}

func (*between) Abilities() facade.Abilities { return facade.Abilities{} }

func (s *between) Update(ctx context.Context, e *schema.Entity, id json.RawMessage, where *filter.Filter, set facade.Record, terms *facade.Terms, sel *rows.Layout) (*rows.Rows, error) {
	if rival := s.rival; rival != nil && (len(set) > 0 || terms != nil) {
		s.rival = nil
		rival()
	}
	return s.Store.Update(ctx, e, id, where, set, terms, sel)
}

func (s *between) Delete(ctx context.Context, e *schema.Entity, id json.RawMessage, where *filter.Filter, terms *facade.Terms) (bool, error) {
	if rival := s.rival; rival != nil {
		s.rival = nil
		rival()
	}
	return s.Store.Delete(ctx, e, id, where, terms)
}

// notes is a façade with one note, and its store.
func notes(t *testing.T, attach func(*facade.Project)) (*facade.Facade, *between) {
	t.Helper()
	p := projectOf(t, noteFiles)
	if attach != nil {
		attach(p)
	}
	store := &between{Store: storetest.NewStore()}
	f := storetest.New(t, p, store, nil)
	must(t, user(f, "role", "staff"), "note.create", "", "", `{"id":"n","title":"one","secret":"s","place":{"street":"a","town":"b"},"open":{"x":1}}`)
	return f, store
}

// etag is the version of the note as a caller gets it.
func etag(t *testing.T, c facade.Caller) string {
	t.Helper()
	return jsontext.Unquote(jsontext.Get([]byte(must(t, c, "note.findById", `{"id":"n"}`, `{"fields":"etag"}`, "")), "etag"))
}

// A write is held to the version that its caller saw, in the store's transaction.
func TestPreconditions(t *testing.T) {
	f, store := notes(t, nil)
	staff := user(f, "role", "staff")
	rival := func() {
		store.rival = func() { must(t, staff, "note.update", `{"id":"n"}`, "", `{"title":"rival"}`) }
	}
	v := etag(t, staff)
	if len(v) != 22 {
		t.Fatalf("the version is %q", v)
	}
	for _, c := range []struct {
		name, method, query string
		caller              facade.Caller
		beside              bool // somebody else writes in between
		want                kiterror.Code
	}{
		{"another version", "note.update", `{"ifMatch":"x"}`, staff, false, kiterror.PreconditionFailed},
		{"an empty one", "note.update", `{"ifMatch":""}`, staff, false, kiterror.PreconditionFailed},
		{"a null", "note.update", `{"ifMatch":null}`, staff, false, kiterror.ValidationFailed},
		{"a number", "note.update", `{"ifMatch":[1]}`, staff, false, kiterror.ValidationFailed},
		{"no version at all", "note.update", `{"ifMatch":[]}`, staff, false, kiterror.ValidationFailed},
		{"who may not read the row", "note.update", `{"ifMatch":"` + v + `"}`, user(f, "role", "blind"), false, kiterror.PreconditionFailed},
		{"a rival in between", "note.update", `{"ifMatch":"` + v + `"}`, staff, true, kiterror.PreconditionFailed},
		{"a rival before a removal", "note.delete", `{"ifMatch":"` + v + `"}`, staff, true, kiterror.PreconditionFailed},
	} {
		if c.beside {
			must(t, staff, "note.update", `{"id":"n"}`, "", `{"title":"one"}`)
			rival()
		}
		body := ""
		if c.method == "note.update" {
			body = `{"title":"mine"}`
		}
		if _, err := do(t, c.caller, c.method, `{"id":"n"}`, c.query, body); kiterror.CodeOf(err) != c.want {
			t.Errorf("%s: %v, want %s", c.name, err, c.want)
		}
		if got := must(t, staff, "note.findById", `{"id":"n"}`, `{"fields":"title"}`, ""); strings.Contains(got, "mine") {
			t.Errorf("%s: it was written: %s", c.name, got)
		}
	}
	must(t, staff, "note.update", `{"id":"n"}`, "", `{"title":"one"}`)
	now := must(t, staff, "note.update", `{"id":"n"}`, `{"ifMatch":["y","`+v+`.behind the dot"],"fields":"etag"}`, `{"title":"two"}`)
	if want := `{"etag":"` + etag(t, staff) + `"}`; now != want || strings.Contains(now, v) {
		t.Errorf("after the update %s, a read says %s", now, want)
	}
	must(t, staff, "note.update", `{"id":"n"}`, `{"ifMatch":"*"}`, `{"title":"three"}`)
	if _, err := do(t, staff, "note.update", `{"id":"m"}`, `{"ifMatch":"*"}`, `{"title":"three"}`); kiterror.CodeOf(err) != kiterror.NotFound {
		t.Errorf("a row that is not there: %v", err)
	}
	if got := must(t, staff, "note.delete", `{"id":"m"}`, `{"ifMatch":"x"}`, ""); got != "false" {
		t.Errorf("the removal of nothing: %s", got)
	}
	if _, err := staff.Call(t.Context(), &facade.Call{Entity: "note", Operation: "create", If: facade.IfMatch("x"), Invocation: facade.Invocation{Body: raw(`{"title":"x"}`)}}); kiterror.CodeOf(err) != kiterror.PreconditionFailed {
		t.Errorf("a create: %v", err)
	}
	must(t, staff, "note.delete", `{"id":"n"}`, `{"ifMatch":"`+etag(t, staff)+`"}`, "")
}

// A version says nothing of the fields its reader does not see.
func TestVersionsAreOfWhatIsSeen(t *testing.T) {
	f, _ := notes(t, nil)
	staff, writer := user(f, "role", "staff"), user(f, "role", "writer")
	all, some := etag(t, staff), etag(t, writer)
	must(t, staff, "note.update", `{"id":"n"}`, "", `{"secret":"other"}`)
	if etag(t, staff) == all {
		t.Error("staff see a change and its version is the same")
	}
	if etag(t, writer) != some {
		t.Error("what is hidden changes the version")
	}
	must(t, writer, "note.update", `{"id":"n"}`, `{"ifMatch":"`+some+`"}`, `{"title":"mine"}`)
	list := must(t, writer, "note.list", "", `{"fields":"id,etag"}`, "")
	if want := `{"id":"n","etag":"` + etag(t, writer) + `"}`; !strings.Contains(list, want) {
		t.Errorf("the list says %s, want %s", list, want)
	}
	if all := must(t, writer, "note.list", "", "", ""); strings.Contains(all, "etag") {
		t.Errorf("nobody asked for it: %s", all)
	}
}

// TestVersionsOfAnOperation: an operation whose rules hide more than those of findById gives a version that says
// nothing of the hidden fields, also of rows that findById does not show. It is a condition like any other.
func TestVersionsOfAnOperation(t *testing.T) {
	files := maps.Clone(noteFiles)
	files["frond.yaml"] = `
name: app
collectors:
  note:
    - {when: user.role == "staff"}
    - {for: [list], hide: [secret, place]}
    - {for: [create, update], hide: [secret]}
    - {rows: {title: {ne: theirs}}}
`
	f := storetest.New(t, projectOf(t, files), storetest.NewStore(), nil)
	staff, ann := user(f, "role", "staff"), user(f, "id", "ann")
	for _, row := range []string{`{"id":"n","title":"one","secret":"s"}`, `{"id":"m","title":"theirs","secret":"s"}`} {
		must(t, staff, "note.create", "", "", row)
	}
	list := func() string { return must(t, ann, "note.list", "", `{"fields":"id,etag","sort":"id"}`, "") }
	was, own := list(), etag(t, ann)
	must(t, staff, "note.update", `{"id":"m"}`, "", `{"secret":"other","place":{"street":"x"}}`)
	if is := list(); is != was {
		t.Errorf("a hidden change changes versions of a list:\n%s\n%s", was, is)
	}
	var page struct{ Items []struct{ ID, ETag string } }
	if err := json.Unmarshal(raw(was), &page); err != nil {
		t.Fatal(err)
	}
	seen := page.Items[1].ETag
	if seen == own || !strings.Contains(seen, "~") || strings.Contains(own, "~") {
		t.Errorf("the list has the version %q, findById %q", seen, own)
	}
	hash, omitted, _ := strings.Cut(seen, "~")
	var many []string
	for i := range 100 {
		many = append(many, fmt.Sprint("x~", i))
	}
	flood, err := json.Marshal(append(many, seen))
	if err != nil {
		t.Fatal(err)
	}
	for _, wrong := range []string{`"` + hash + `"`, `"` + own + "~" + omitted + `"`, `"~"`, `"~~~"`, `"` + hash + `~"`, string(flood)} {
		if _, err := do(t, ann, "note.update", `{"id":"n"}`, `{"ifMatch":`+wrong+`}`, `{"title":"wrong"}`); kiterror.CodeOf(err) != kiterror.PreconditionFailed {
			t.Errorf("the version %s: %v", wrong, err)
		}
	}
	written := must(t, ann, "note.update", `{"id":"n"}`, `{"ifMatch":"`+seen+`.hash","fields":"etag"}`, `{"title":"two"}`)
	if _, err := do(t, ann, "note.update", `{"id":"n"}`, `{"ifMatch":"`+seen+`"}`, `{"title":"three"}`); kiterror.CodeOf(err) != kiterror.PreconditionFailed {
		t.Errorf("the version before the change: %v", err)
	}
	must(t, ann, "note.update", `{"id":"n"}`, `{"ifMatch":`+string(jsontext.Get(raw(written), "etag"))+`}`, `{"title":"three"}`)
	must(t, ann, "note.update", `{"id":"n"}`, `{"ifMatch":["x","`+etag(t, ann)+`"]}`, `{"title":"four"}`)
	if _, err := do(t, ann, "note.update", `{"id":"m"}`, `{"ifMatch":"`+page.Items[0].ETag+`"}`, `{"title":"mine"}`); kiterror.CodeOf(err) != kiterror.NotFound {
		t.Errorf("a row that findById does not show: %v", err)
	}
}

// Patches of different members of one object keep each other's, and what they leave
// together is judged.
func TestPatchesMergeInTheTransaction(t *testing.T) {
	f, store := notes(t, nil)
	staff := user(f, "role", "staff")
	store.rival = func() { must(t, staff, "note.update", `{"id":"n"}`, "", `{"place":{"town":"theirs"}}`) }
	must(t, staff, "note.update", `{"id":"n"}`, "", `{"place":{"street":"mine"}}`)
	if got := must(t, staff, "note.findById", `{"id":"n"}`, `{"fields":"place"}`, ""); got != `{"place":{"street":"mine","town":"theirs"}}` && got != `{"place":{"town":"theirs","street":"mine"}}` {
		t.Errorf("a member is lost: %s", got)
	}
	store.rival = func() { must(t, staff, "note.update", `{"id":"n"}`, "", `{"place":null}`) }
	_, err := do(t, staff, "note.update", `{"id":"n"}`, "", `{"place":{"town":"mine"}}`)
	if got := refusals(err); got != "/body/place/street required: is required" {
		t.Errorf("what is merged is not judged: %s", got)
	}
}

// A handler that stands before update is not called for another version, and the
// write it makes inside is held to the one its caller named.
func TestPreconditionsReachHandlers(t *testing.T) {
	ran := 0
	var f *facade.Facade
	var store *between
	f, store = notes(t, func(p *facade.Project) {
		facade.Handle(p.Door("note"), "update", func(ctx context.Context, c *facade.Call) (any, error) {
			ran++
			if store.rival != nil {
				rival := store.rival
				store.rival = nil
				rival()
			}
			inside := facade.Inside(ctx)
			if _, err := inside.Call(ctx, &facade.Call{Entity: "note", Operation: "update", Invocation: facade.Invocation{Params: c.Invocation.Params, Body: c.Invocation.Body}}); err != nil {
				return nil, err
			}
			return inside.Call(ctx, &facade.Call{Entity: "note", Operation: "update", Invocation: facade.Invocation{Params: c.Invocation.Params, Body: raw(`{"secret":"by the handler"}`)}})
		})
	})
	writer := user(f, "role", "writer")
	direct := func() { // by the store: another writer in another process
		e := f.Catalog().Door("note").Entity
		if _, err := store.Store.Update(t.Context(), e, raw(`"n"`), nil, facade.Record{{Name: "title", Value: raw(`"rival"`)}}, nil, rows.NewLayout(nil)); err != nil {
			t.Error(err)
		}
	}
	v := etag(t, writer)
	for i, c := range []struct {
		version string
		rival   func()
		want    kiterror.Code
		ran     int
	}{
		{"x", nil, kiterror.PreconditionFailed, 0},
		{v, direct, kiterror.PreconditionFailed, 1},
		{"", nil, "", 2},
	} {
		store.rival = c.rival
		if c.version == "" {
			c.version = etag(t, writer)
		}
		_, err := do(t, writer, "note.update", `{"id":"n"}`, fmt.Sprintf(`{"ifMatch":%q}`, c.version), `{"title":"mine"}`)
		if err == nil && c.want != "" || err != nil && err.Code != c.want || ran != c.ran {
			t.Errorf("%d: %v, the handler ran %d times; want %s, %d", i, err, ran, c.want, c.ran)
		}
	}
}

// A remote holds its rows to the versions it gave; one that holds none to any is not
// asked to, and says so.
func TestPreconditionsAtARemote(t *testing.T) {
	there := hosting(t, nil)
	for _, mode := range []string{knownAlone, cardsAndKnown} {
		f := atRemote(t, there, mode, nil)
		read := must(t, f, "post.findById", `{"id":"p1"}`, `{"fields":"etag"}`, "")
		v := jsontext.Unquote(jsontext.Get([]byte(read), "etag"))
		if own := must(t, there, "post.findById", `{"id":"p1"}`, `{"fields":"etag"}`, ""); read != own || v == "" {
			t.Errorf("%s: the version is %s, there %s", mode, read, own)
		}
		if _, err := do(t, f, "post.update", `{"id":"p1"}`, `{"ifMatch":"x"}`, `{"title":"x"}`); kiterror.CodeOf(err) != kiterror.PreconditionFailed {
			t.Errorf("%s: another version: %v", mode, err)
		}
		got := must(t, f, "post.update", `{"id":"p1"}`, `{"ifMatch":"`+v+`","fields":["title","etag"]}`, `{"title":"held `+mode+`"}`)
		if !strings.Contains(got, "held "+mode) || !strings.Contains(got, `"etag":"`) {
			t.Errorf("%s: %s", mode, got)
		}
		res, err := f.Call(t.Context(), &facade.Call{Entity: "post", Operation: "findById", Version: true, Invocation: facade.Invocation{Params: raw(`{"id":"p1"}`)}})
		if err != nil || len(res.Versions) != 1 || len(res.Versions[0]) != 22 || res.Rows.Row(0).Get("etag") != nil {
			t.Errorf("%s: %v, %v", mode, res, err)
		}
		if _, err := f.Call(t.Context(), &facade.Call{Entity: "post", Operation: "update", If: &facade.Precondition{NoneMatch: []string{"x"}}, Invocation: facade.Invocation{Params: raw(`{"id":"p1"}`), Body: raw(`{}`)}}); kiterror.CodeOf(err) != kiterror.NotImplemented {
			t.Errorf("%s: If-None-Match: %v", mode, err)
		}
	}
}
