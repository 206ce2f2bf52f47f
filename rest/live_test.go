package rest_test

import (
	"fmt"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/rest"
	"github.com/frondhost/frond/schema/jsontext"
	"github.com/frondhost/frond/store/storetest"
)

// live is testdata/project over rows in memory, with author a1 and posts p1 to p3.
func live(t testing.TB, around ...facade.Middleware) *rest.Handler {
	t.Helper()
	project, err := facade.Read(os.DirFS("testdata/project"))
	if err != nil {
		t.Fatal(err)
	}
	f, err := facade.New(storetest.Compiled(t, project), storetest.NewStore(), &facade.Options{Middleware: around})
	if err != nil {
		t.Fatal(err)
	}
	h, err := rest.New(f.Catalog(), f, nil)
	if err != nil {
		t.Fatal(err)
	}
	create := func(path, body string) {
		if w := ask(t, h, "POST /api/blog/"+path, nil, body); w.Code != 201 {
			t.Fatalf("%s %s: %d %s", path, body, w.Code, w.Body)
		}
	}
	create("people", `{"id":"a1","name":"Ada","born":1815}`)
	for i, title := range []string{"one", "two", "three"} {
		create("posts", fmt.Sprintf(`{"id":"p%d","title":%q,"slug":%q,"views":%d,"authorId":"a1"}`, i+1, title, title, 10*i))
	}
	return h
}

// The ETag of some of a row's fields is that of what is sent: it is no other
// choice's. What it says of the row's version holds for a write as well.
func TestTagOfSomeFields(t *testing.T) {
	h := live(t)
	all := ask(t, h, "GET /api/blog/posts/p1", nil, "").Header().Get("ETag")
	some := ask(t, h, "GET /api/blog/posts/p1?fields=id,title", nil, "").Header().Get("ETag")
	if some == "" || some == all || some != ask(t, h, "GET /api/blog/posts/p1?fields=title,id", nil, "").Header().Get("ETag") {
		t.Errorf("tags %s of all, %s of some", all, some)
	}
	for _, c := range []struct {
		request, header string
		status          int
	}{
		{"GET /api/blog/posts/p1?fields=id,title", "If-None-Match: " + some, 304},
		{"GET /api/blog/posts/p1?fields=id,title", "If-None-Match: " + all, 200},
		{"GET /api/blog/posts/p1", "If-None-Match: " + some, 200},
		{"PATCH /api/blog/posts/p1", "If-Match: " + some, 200},
		{"PATCH /api/blog/posts/p1", "If-Match: " + some, 412},
		{"PATCH /api/blog/posts/p1", "If-Match: " + all, 412},
	} {
		if w := ask(t, h, c.request, []string{c.header}, `{"views":1}`); w.Code != c.status {
			t.Errorf("%s with %s: %d, want %d: %s", c.request, c.header, w.Code, c.status, w.Body)
		}
	}
}

// A relation to a door that the surface does not show is a name like any other, in
// brackets too: nothing but the façade says what is wrong with it.
func TestFilterBracketsOnASurface(t *testing.T) {
	project, err := facade.Read(os.DirFS("testdata/project"))
	if err != nil {
		t.Fatal(err)
	}
	for _, frond := range project.Fronds {
		if frond.Name == "blog" {
			frond.Config.Data = append(frond.Config.Data, "\nsurfaces: {rest: {except: [author]}}\n"...)
		}
	}
	f, err := facade.New(storetest.Compiled(t, project), storetest.NewStore(), nil)
	if err != nil {
		t.Fatal(err)
	}
	view, err := f.Catalog().Surface(catalog.OnREST)
	if err != nil {
		t.Fatal(err)
	}
	h, err := rest.New(view, f.On(view), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, rest := range []string{
		"=x", "[name]=x", "[name][eq]=x", "[born][gte]=1800", "[eq]=x", "[some][name]=x", "[not][name]=x", "[a][b][c]=1",
		"[in]=x&filter[%s][in]=y", "=x&filter[%s]=y", "=x&filter[%s][eq]=y", "=x&filter[%s][name]=y", "[or][name]=x", "[or]=x", "[not]=x", "[name][some]=x",
	} {
		refused := func(name string) string {
			w := ask(t, h, "GET /api/blog/posts?filter["+name+"]"+strings.ReplaceAll(rest, "%s", name), nil, "")
			return strings.ReplaceAll(problem(t, w), name, "NAME")
		}
		if hidden, absent := refused("author"), refused("nobody"); hidden != absent {
			t.Errorf("filter[…]%s tells %s of a hidden one, and %s of none", rest, hidden, absent)
		}
	}
	if w := ask(t, h, "GET /api/blog/posts?filter[authorId]=a1", nil, ""); w.Code != 200 {
		t.Errorf("the key: %d %s", w.Code, w.Body)
	}
}

// TestOneRowsLife goes through a row's life as its client sees it.
func TestOneRowsLife(t *testing.T) {
	h := live(t)
	steps := []struct {
		name, request, body string
		status              int
		want                string // members of the row, the ids of a page, or the problem's code and details
	}{
		{
			"a create that lacks and has too much", "POST /api/blog/posts", `{"titel":"x","title":null,"views":"many"}`, 400,
			"VALIDATION_FAILED /body/titel:unknown_key /body/title:type /body/slug:required /body/views:type /body/authorId:required",
		},
		{"create", "POST /api/blog/posts", `{"id":"p4","title":"four","slug":"4","score":null,"authorId":"a1"}`, 201, `title="four" score=null views=0`},
		{"create again", "POST /api/blog/posts", `{"id":"p5","title":"four","slug":"4","authorId":"a1"}`, 409, "CONFLICT /body/slug:unique"},
		{"read", "GET /api/blog/posts/p4", ``, 200, `title="four" score=null views=0`},
		{"patch", "PATCH /api/blog/posts/p4", `{"score":1.5}`, 200, `title="four" score=1.5 views=0`},
		{"PUT merges as well", "PUT /api/blog/posts/p4", `{"views":7}`, 200, `title="four" score=1.5 views=7`},
		{"a PUT of nothing", "PUT /api/blog/posts/p4", ``, 400, "VALIDATION_FAILED /body:type"},
		{"a PATCH of nothing", "PATCH /api/blog/posts/p4", ``, 400, "VALIDATION_FAILED /body:type"},
		{"a PUT of null", "PUT /api/blog/posts/p4", `null`, 400, "VALIDATION_FAILED /body:type"},
		{"a PATCH of null", "PATCH /api/blog/posts/p4", ` null `, 400, "VALIDATION_FAILED /body:type"},
		{"an explicit null clears", "PATCH /api/blog/posts/p4", `{"score":null}`, 200, `title="four" score=null views=7`},
		{"a patch that does not fit", "PATCH /api/blog/posts/p4", `{"title":""}`, 400, "VALIDATION_FAILED /body/title:minLength"},
		{"a patch of nothing there", "PATCH /api/blog/posts/p9", `{"views":7}`, 404, "NOT_FOUND"},
		{"what is closed does not leave", "GET /api/blog/posts/p4", ``, 200, `secret=`},
		{"list", "GET /api/blog/posts?sort=-views", ``, 200, "p3 p2 p4 p1"},
		{"filter and page", "GET /api/blog/posts?filter[views][gte]=1&sort=-views&limit=2", ``, 200, "p3 p2"},
		{"filter by a relation", "GET /api/blog/posts?filter[author][name][startsWith]=A&filter[views][in]=7,10", ``, 200, "p2 p4"},
		{"filter by many", "GET /api/blog/people?filter[posts][some][slug]=4", ``, 200, "a1"},
		{"some fields of one row", "GET /api/blog/posts/p4?fields=views,id", ``, 200, `title= views=7 id="p4"`},
		{"no field of it", "GET /api/blog/posts/p4?fields=", ``, 200, `title= views= id=`},
		{"a field that is none", "GET /api/blog/posts/p4?fields=id,vievs&fields=secret", ``, 400, "VALIDATION_FAILED /query/fields/1:unknown_key /query/fields/2:unknown_key"},
		{"fields of nothing there", "GET /api/blog/posts/p9?fields=id", ``, 404, "NOT_FOUND"},
		{"fields of rows by ids", "GET /api/blog/posts/find-by-ids?ids=p4&fields=id,vievs", ``, 400, "VALIDATION_FAILED /query/fields/1:unknown_key"},
		{"fields of a write", "PATCH /api/blog/posts/p4?fields=id", `{"views":8}`, 400, "VALIDATION_FAILED /query/fields:unknown_key"},
		{"filter that finds nothing", "GET /api/blog/posts?filter[title]=five", ``, 200, ""},
		{"or", "GET /api/blog/posts?filter[or][0][views]=0&filter[or][1][slug]=4&sort=id", ``, 200, "p1 p4"},
		{"an unknown field in a filter", "GET /api/blog/posts?filter[vievs]=1", ``, 400, "VALIDATION_FAILED /query/filter/vievs:unknown_key"},
		{"a field that is closed", "GET /api/blog/posts?filter[secret]=1", ``, 400, "VALIDATION_FAILED /query/filter/secret:unknown_key"},
		{"an unknown parameter", "GET /api/blog/posts?limt=1", ``, 400, "VALIDATION_FAILED /query/limt:unknown_key"},
		{"a limit that is no number", "GET /api/blog/posts?limit=ten", ``, 400, "VALIDATION_FAILED /query/limit:type"},
		{"a limit below nothing", "GET /api/blog/posts?limit=-1", ``, 400, "VALIDATION_FAILED /query/limit:minimum"},
		{"a cursor from elsewhere", "GET /api/blog/posts?after=abc", ``, 400, "VALIDATION_FAILED /query/after:cursor"},
		{"by ids", "GET /api/blog/posts/find-by-ids?ids=p4,nothing,p1", ``, 200, `p4 p1`},
		{"an operation nobody answers", "POST /api/blog/posts/p4/publish", ``, 501, "NOT_IMPLEMENTED"},
		{"delete", "DELETE /api/blog/posts/p4", ``, 204, ""},
		{"delete again", "DELETE /api/blog/posts/p4", ``, 404, "NOT_FOUND"},
		{"read what is gone", "GET /api/blog/posts/p4", ``, 404, "NOT_FOUND"},
	}
	for _, s := range steps {
		w := ask(t, h, s.request, nil, s.body)
		if w.Code != s.status {
			t.Errorf("%s: status %d, want %d: %s", s.name, w.Code, s.status, w.Body)
			continue
		}
		var got string
		switch body := w.Body.Bytes(); {
		case s.status >= 400:
			got = problem(t, w)
		case len(body) == 0:
		case body[0] == '[', jsontext.Get(body, "items") != nil:
			list := body
			if body[0] == '{' {
				list = jsontext.Get(body, "items")
			}
			var ids []string
			for _, row := range jsontext.Elements(list) {
				ids = append(ids, jsontext.Unquote(jsontext.Get(row, "id")))
			}
			got = strings.Join(ids, " ")
		default:
			var members []string
			for want := range strings.FieldsSeq(s.want) {
				name, _, _ := strings.Cut(want, "=")
				members = append(members, name+"="+string(jsontext.Get(body, name)))
			}
			got = strings.Join(members, " ")
		}
		if diff := cmp.Diff(s.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s%s", s.name, diff, w.Body)
		}
	}
}

// TestPagesFollowTheirLinks reads all rows by the Link of each page.
func TestPagesFollowTheirLinks(t *testing.T) {
	h := live(t)
	var ids []string
	next := "/api/blog/posts?sort=-views&limit=1&filter[views][gte]=0"
	for pages := 0; next != "" && pages < 9; pages++ {
		w := ask(t, h, "GET "+next, nil, "")
		for _, row := range jsontext.Elements(jsontext.Get(w.Body.Bytes(), "items")) {
			ids = append(ids, jsontext.Unquote(jsontext.Get(row, "id")))
		}
		link := w.Header().Get("Link")
		next, _, _ = strings.Cut(strings.TrimPrefix(link, "<"), `>; rel="next"`)
	}
	if got := strings.Join(ids, " "); got != "p3 p2 p1" {
		t.Errorf("%s", got)
	}
}

// TestConditionalRequests is RFC 9110 section 13 for one row.
func TestConditionalRequests(t *testing.T) {
	h := live(t)
	read := ask(t, h, "GET /api/blog/posts/p1", nil, "")
	tag := read.Header().Get("ETag")
	if len(tag) != 24 || tag[0] != '"' {
		t.Fatalf("ETag %q", tag)
	}
	other := ask(t, h, "GET /api/blog/posts/p2", nil, "").Header().Get("ETag")
	if other == tag {
		t.Error("two rows have one tag")
	}
	if again := ask(t, h, "HEAD /api/blog/posts/p1", nil, "").Header().Get("ETag"); again != tag {
		t.Errorf("HEAD has the tag %q", again)
	}
	for _, c := range []struct {
		name, request, header, body string
		status                      int
	}{
		{"the same", "GET /api/blog/posts/p1", "If-None-Match: " + tag, "", 304},
		{"the same, weakly", "GET /api/blog/posts/p1", "If-None-Match: W/" + tag, "", 304},
		{"any", "GET /api/blog/posts/p1", "If-None-Match: *", "", 304},
		{"one of several", "GET /api/blog/posts/p1", `If-None-Match: "a,b", W/"c" , ` + tag, "", 304},
		{"the same by HEAD", "HEAD /api/blog/posts/p1", "If-None-Match: " + tag, "", 304},
		{"another", "GET /api/blog/posts/p1", "If-None-Match: " + other, "", 200},
		{"not a tag", "GET /api/blog/posts/p1", "If-None-Match: " + tag[1:23], "", 200},
		{"an open quote", "GET /api/blog/posts/p1", "If-None-Match: " + tag[:23], "", 200},
		{"none at all", "GET /api/blog/posts/p9", "If-None-Match: *", "", 404},
		{"a read of the same", "GET /api/blog/posts/p1", "If-Match: " + tag, "", 200},
		{"a read of another", "GET /api/blog/posts/p1", "If-Match: " + other, "", 412},
		{"a list has no tag", "GET /api/blog/posts", "If-None-Match: *", "", 200},
		{"an update of another", "PATCH /api/blog/posts/p1", "If-Match: " + other, `{"views":1}`, 412},
		{"an update of the same, weakly", "PATCH /api/blog/posts/p1", "If-Match: W/" + tag, `{"views":1}`, 412},
		{"an update unless there", "PUT /api/blog/posts/p1", "If-None-Match: *", `{"views":1}`, 412},
		{"an update unless the same", "PUT /api/blog/posts/p1", "If-None-Match: " + tag, `{"views":1}`, 412},
		{"a removal of another", "DELETE /api/blog/posts/p1", "If-Match: " + other, "", 412},
		{"an update of none", "PATCH /api/blog/posts/p9", "If-Match: *", `{"views":1}`, 404},
		{"an update that does not fit", "PATCH /api/blog/posts/p1", "If-Match: " + tag, `{"views":"x"}`, 400},
	} {
		w := ask(t, h, c.request, []string{c.header}, c.body)
		if w.Code != c.status {
			t.Errorf("%s: %d, want %d: %s", c.name, w.Code, c.status, w.Body)
		}
		switch {
		case c.status == 304 && (w.Body.Len() > 0 || w.Header().Get("ETag") != tag || w.Header().Get("Content-Type") != ""):
			t.Errorf("%s: %v %s", c.name, w.Header(), w.Body)
		case c.status >= 400 && (w.Header().Get("ETag") != "" || w.Header().Get("Cache-Control") != "no-store" || w.Header().Get("Vary") != ""):
			t.Errorf("%s: a failure has headers of the answer that is not given: %v", c.name, w.Header())
		case c.status == 412 && problem(t, w) != "PRECONDITION_FAILED":
			t.Errorf("%s: %s", c.name, w.Body)
		}
	}
	if w := ask(t, h, "GET /api/blog/posts/p1", nil, ""); w.Header().Get("ETag") != tag {
		t.Fatalf("the row was changed: %s", w.Body)
	}

	// A write answers the tag of the row as a read gives it.
	written := ask(t, h, "PATCH /api/blog/posts/p1", []string{"If-Match: " + tag}, `{"views":1}`)
	if written.Code != 200 {
		t.Fatalf("%d %s", written.Code, written.Body)
	}
	now := ask(t, h, "GET /api/blog/posts/p1", nil, "").Header().Get("ETag")
	if got := written.Header().Get("ETag"); got != now || got == tag {
		t.Errorf("after the update the tag is %s, a read says %s, it was %s", got, now, tag)
	}
	created := ask(t, h, "POST /api/blog/posts", nil, `{"id":"p6","title":"six","slug":"6","authorId":"a1"}`)
	if got, now := created.Header().Get("ETag"), ask(t, h, "GET /api/blog/posts/p6", nil, "").Header().Get("ETag"); got != now {
		t.Errorf("after the creation the tag is %s, a read says %s", got, now)
	}
	if w := ask(t, h, "DELETE /api/blog/posts/p6", []string{"If-Match: " + created.Header().Get("ETag")}, ""); w.Code != 204 {
		t.Errorf("removal of the same: %d %s", w.Code, w.Body)
	}
}

// TestNoTagWithoutARead: a row that no GET answers has no tag after a write.
func TestNoTagWithoutARead(t *testing.T) {
	project, err := facade.Read(fstest.MapFS{
		"entities/note.yaml": {Data: []byte("properties:\n  id: {type: string, x-kit: {role: {primary: true}}}\n  text: {type: string}\n")},
		"frond.yaml":         {Data: []byte("name: app\ndoors: {note: {operations: {only: [list, create, update]}}}\ncollectors: {'*': open}\n")},
	})
	if err != nil {
		t.Fatal(err)
	}
	f, err := facade.New(storetest.Compiled(t, project), storetest.NewStore(), nil)
	if err != nil {
		t.Fatal(err)
	}
	h, err := rest.New(f.Catalog(), f, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, request := range []string{"POST /api/app/notes", "PATCH /api/app/notes/n1"} {
		body := map[bool]string{true: `{"id":"n1","text":"a"}`, false: `{"text":"b"}`}[strings.HasPrefix(request, "POST")]
		if w := ask(t, h, request, nil, body); w.Code >= 300 || w.Header().Get("ETag") != "" {
			t.Errorf("%s: %d %v %s", request, w.Code, w.Header(), w.Body)
		}
	}
}

// TestConditionOnNothing: what is not there is not written, whatever a writer would do.
func TestConditionOnNothing(t *testing.T) {
	for _, request := range []string{"PATCH /api/blog/posts/p9", "DELETE /api/blog/posts/p9"} {
		if w := ask(t, live(t), request, []string{"If-Match: *"}, `{"views":1}`); w.Code != 404 || problem(t, w) != "NOT_FOUND" {
			t.Errorf("%s: %d %s", request, w.Code, w.Body)
		}
	}
}

// TestOneOfManyWins: of writers that all read the same row, one writes.
func TestOneOfManyWins(t *testing.T) {
	h := live(t)
	tag := ask(t, h, "GET /api/blog/posts/p1", nil, "").Header().Get("ETag")
	var won, lost sync.Map
	var writers sync.WaitGroup
	for i := range 20 {
		writers.Go(func() {
			w := ask(t, h, "PATCH /api/blog/posts/p1", []string{"If-Match: " + tag}, fmt.Sprintf(`{"views":%d}`, 100+i))
			switch w.Code {
			case http.StatusOK:
				won.Store(i, true)
			case http.StatusPreconditionFailed:
				lost.Store(i, true)
			default:
				t.Errorf("%d %s", w.Code, w.Body)
			}
		})
	}
	writers.Wait()
	count := func(m *sync.Map) (n int) { m.Range(func(any, any) bool { n++; return true }); return n }
	if count(&won) != 1 || count(&lost) != 19 {
		t.Errorf("%d won, %d lost", count(&won), count(&lost))
	}
}
