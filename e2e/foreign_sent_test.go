package e2e_test

import (
	"compress/gzip"
	"compress/zlib"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/frondhost/frond/gateway"
)

// TestSortAsTheCardStates: a host gets sort as a text or as a list, whichever its card states, in whatever form a surface sends it.
func TestSortAsTheCardStates(t *testing.T) {
	t.Parallel()
	for form, want := range map[string]string{
		`{"type":"string"}`:                            `"-title,pages"`,
		`{"type":"array","items":{"type":"string"}}`:   `["-title","pages"]`,
		`{"type":["string","array"],"description":""}`: ``,
	} {
		host := &foreignHost{
			document: desk(foreignDoor("note", noteCard, foreignOp("findById", "query"),
				foreignOp("list", "query", `"input":{"type":"object","properties":{"limit":{"type":"integer"},"sort":`+form+`}}`))),
			answers: map[string]func(invoked) any{"note.list": always(`{"items":[` + oneNote + `],"total":1,"hasMore":false,"endCursor":null}`)},
		}
		url := served(t, host)
		url, _, _ = housed(t, nil, map[string]gateway.Remote{"desk": {URL: url}})
		for _, a := range []inquiry{
			{rest: `GET /api/desk/notes?sort=-title,pages&fields=id`, want: `{"items":[{"id":"n1"}],"total":1,"hasMore":false,"endCursor":null}`},
			{method: `note.list {"query":{"sort":["-title","pages"],"fields":["id"]}}`, want: `{"items":[{"id":"n1"}],"total":1,"hasMore":false,"endCursor":null}`},
			{method: `note.list {"query":{"sort":"-title, pages","fields":["id"]}}`, want: `{"items":[{"id":"n1"}],"total":1,"hasMore":false,"endCursor":null}`},
			{graphql: `{ notes(orderBy: [{title: DESC}, {pages: ASC}]) { items { id } } }`, want: `{"notes":{"items":[{"id":"n1"}]}}`},
		} {
			host.counted()
			a.check(t, url)
			if asked := host.asked(); want != "" && !strings.Contains(asked, `"sort":`+want) {
				t.Errorf("%s: %+v asked %s", form, a, asked)
			}
		}
	}
}

// TestOffsetOfAListWithoutCard: a host that does not say which keys its list takes gets offset and after as the caller sent them.
func TestOffsetOfAListWithoutCard(t *testing.T) {
	t.Parallel()
	host := &foreignHost{
		document: desk(foreignDoor("note", noteCard, noteReads...)),
		answers: map[string]func(invoked) any{"note.list": func(in invoked) any {
			row := oneNote
			if in.Query["offset"] != nil || in.Query["after"] != nil {
				row = twoNote
			}
			return always(`{"items":[` + row + `],"total":2,"hasMore":true,"endCursor":"c1"}`)(in)
		}},
	}
	url, _, _ := housed(t, nil, map[string]gateway.Remote{"desk": {URL: served(t, host)}})
	for _, a := range []inquiry{
		{rest: `GET /api/desk/notes?limit=1&offset=1&fields=id`, want: `{"items":[{"id":"n2"}],"total":2,"hasMore":true,"endCursor":"c1"}`},
		{rest: `GET /api/desk/notes?limit=1&after=c1&fields=id`, want: `{"items":[{"id":"n2"}],"total":2,"hasMore":true,"endCursor":"c1"}`},
		{rest: `GET /api/desk/notes?limit=1&fields=id`, want: `{"items":[{"id":"n1"}],"total":2,"hasMore":true,"endCursor":"c1"}`},
		{method: `note.list {"query":{"offset":1,"limit":1,"fields":["id"]}}`, want: `{"items":[{"id":"n2"}],"total":2,"hasMore":true,"endCursor":"c1"}`},
		{method: `note.list {"query":{"after":"c1","limit":1,"fields":["id"]}}`, want: `{"items":[{"id":"n2"}],"total":2,"hasMore":true,"endCursor":"c1"}`},
		{method: `note.list {"query":{"before":"c1"}}`, want: `VALIDATION_FAILED`},
	} {
		a.check(t, url)
	}
}

// TestDetailsOfAHostArriveWhole: the details of a host's failure keep their digits and the order of their members on every surface.
func TestDetailsOfAHostArriveWhole(t *testing.T) {
	t.Parallel()
	const details = `{"z":9007199254740993,"price":1.50,"a":[1e2,{"y":0.10,"b":null}]}`
	host := &foreignHost{
		document: desk(foreignDoor("note", noteCard, foreignOp("findById", "query"))),
		always: func(w http.ResponseWriter, r *http.Request) bool {
			text, _ := io.ReadAll(r.Body)
			r.Body = io.NopCloser(strings.NewReader(string(text)))
			code := "CONFLICT"
			switch {
			case !strings.Contains(string(text), "note.findById"):
				return false
			case strings.Contains(string(text), `"odd"`):
				code = "ODD_CODE"
			}
			id := string(text)[strings.Index(string(text), `"id":`)+5:]
			_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32000,"message":"no","data":{"code":"%s","message":"no","details": %s }}}`, id[:strings.IndexAny(id, ",}")], code, details)
			return true
		},
	}
	url, _, _ := housed(t, nil, map[string]gateway.Remote{"desk": {URL: served(t, host)}})
	for _, id := range []string{"n1", "odd"} {
		for path, body := range map[string]string{
			"/_kit/call": `{"jsonrpc":"2.0","id":1,"method":"note.findById","params":{"params":{"id":"` + id + `"}}}`,
			"/graphql":   `{"query":"{ note(id: \"` + id + `\") { id } }"}`,
		} {
			if got := send(t, "POST", url+path, body); !strings.Contains(string(got.Body), details) {
				t.Errorf("%s of %s: %s", path, id, got.Body)
			}
		}
		if got := send(t, "GET", url+"/api/desk/notes/"+id, ""); !strings.Contains(string(got.Body), details) {
			t.Errorf("REST of %s: %s", id, got.Body)
		}
	}
}

// TestHostsThatCompress: an answer that is compressed unasked is read.
func TestHostsThatCompress(t *testing.T) {
	t.Parallel()
	for name, coded := range map[string]func(io.Writer) io.WriteCloser{
		"gzip":    func(w io.Writer) io.WriteCloser { return gzip.NewWriter(w) },
		"deflate": func(w io.Writer) io.WriteCloser { return zlib.NewWriter(w) },
	} {
		host := &foreignHost{
			document: desk(foreignDoor("note", noteCard, foreignOp("findById", "query"))),
			answers:  map[string]func(invoked) any{"note.findById": always(oneNote)},
		}
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			plain := httptest.NewRecorder()
			host.serve(plain, r)
			w.Header().Set("Content-Encoding", name)
			out := coded(w)
			_, _ = out.Write(plain.Body.Bytes())
			_ = out.Close()
		}))
		t.Cleanup(server.Close)
		url, _, _ := housed(t, nil, map[string]gateway.Remote{"desk": {URL: server.URL}})
		for range 3 {
			inquiry{rest: `GET /api/desk/notes/n1?fields=id`, want: `{"id":"n1"}`}.check(t, url)
		}
	}

	host := &foreignHost{document: desk(foreignDoor("note", noteCard, foreignOp("findById", "query"))), answers: map[string]func(invoked) any{"note.findById": always(oneNote)}}
	url, _, _ := housed(t, nil, map[string]gateway.Remote{"desk": {URL: served(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		plain := httptest.NewRecorder()
		host.serve(plain, r)
		if !strings.Contains(plain.Body.String(), "fronds") {
			w.Header().Set("Content-Encoding", "br")
			_, _ = w.Write([]byte("\x0b\x02\x80ab\x03"))
			return
		}
		_, _ = w.Write(plain.Body.Bytes())
	}))}})
	r, err := http.Get(url + "/api/desk/notes/n1")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = r.Body.Close() }()
	if text, _ := io.ReadAll(r.Body); r.StatusCode != http.StatusBadGateway || !strings.Contains(string(text), "in a coding other than gzip and deflate; turn compression off there") {
		t.Errorf("br: %d %s", r.StatusCode, text)
	}
}
