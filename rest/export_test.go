package rest_test

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/rest"
	"github.com/frondhost/frond/schema/jsontext"
)

// paged is a caller of list with two pages. fail is the error of the second one.
func paged(asked *[]string, fail error) facade.Caller {
	return facade.CallerFunc(func(_ context.Context, c *facade.Call) (*facade.Result, error) {
		*asked = append(*asked, string(c.Invocation.Query))
		res := rowsOf(`{"id":"p1","title":"=1"}`, `{"id":"p2","title":""}`)
		res.Form, res.HasMore, res.Cursors = facade.FormPage, true, []string{"c1"}
		if jsontext.Get(c.Invocation.Query, "after") != nil {
			if fail != nil {
				return nil, fail
			}
			res = rowsOf(`{"id":"p3","title":null}`)
			res.Form, res.Cursors = facade.FormPage, []string{"c2"}
		}
		return res, nil
	})
}

// TestExport answers a list as a file for an Accept that prefers one.
func TestExport(t *testing.T) {
	const csv, ndjson = "id,title\r\np1,=1\r\np2,\"\"\r\np3,\r\n", "{\"id\":\"p1\",\"title\":\"=1\"}\n{\"id\":\"p2\",\"title\":\"\"}\n{\"id\":\"p3\",\"title\":null}\n"
	for _, c := range []struct{ line, accept, media, body string }{
		{"GET /api/blog/posts", "text/csv", "text/csv; charset=utf-8; header=present", csv},
		{"GET /api/blog/posts", "application/json;q=0.5, Text/CSV", "text/csv; charset=utf-8; header=present", csv},
		{"GET /api/blog/posts", "application/x-ndjson, */*;q=0.1", "application/x-ndjson", ndjson},
		{"GET /api/blog/posts?escape=formulas", "text/csv", "text/csv; charset=utf-8; header=present", strings.Replace(csv, "=1", "'=1", 1)},
		{"GET /api/blog/posts?fields=title,id", "text/csv", "text/csv; charset=utf-8; header=present", "title,id\r\n=1,p1\r\n\"\",p2\r\n,p3\r\n"},
		{"HEAD /api/blog/posts", "text/csv", "text/csv; charset=utf-8; header=present", ""},
	} {
		var asked []string
		w := ask(t, serve(t, paged(&asked, nil), nil), c.line, []string{"Accept: " + c.accept}, "")
		if w.Code != http.StatusOK || w.Header().Get("Content-Type") != c.media || w.Body.String() != c.body {
			t.Errorf("%s as %s: %d %q\n%q", c.line, c.accept, w.Code, w.Header().Get("Content-Type"), w.Body)
		}
		name := `attachment; filename=posts.` + map[bool]string{true: "csv", false: "ndjson"}[strings.Contains(c.media, "csv")]
		if got := w.Header().Get("Content-Disposition"); got != name {
			t.Errorf("%s as %s: %s", c.line, c.accept, got)
		}
		if want := map[bool]int{true: 1, false: 2}[strings.HasPrefix(c.line, "HEAD")]; len(asked) != want {
			t.Errorf("%s asked %q", c.line, asked)
		}
	}
	for _, accept := range []string{"application/json, text/csv", "*/*", "text/*, application/json;q=0.9", "text/csv;q=0"} {
		var asked []string
		if w := ask(t, serve(t, paged(&asked, nil), nil), "GET /api/blog/posts", []string{"Accept: " + accept}, ""); w.Header().Get("Content-Type") != "application/json" {
			t.Errorf("%s: %s", accept, w.Header().Get("Content-Type"))
		}
	}
}

// TestExportIsRefused with a problem, before a part of the file is sent.
func TestExportIsRefused(t *testing.T) {
	for line, want := range map[string]string{
		"GET /api/blog/posts?escape=all":     "VALIDATION_FAILED /query/escape:enum",
		"GET /api/blog/posts?before=x":       "VALIDATION_FAILED /query/before:unknown_key",
		"GET /api/blog/posts?count=exact":    "VALIDATION_FAILED /query/count:unknown_key",
		"GET /api/blog/posts?limit=-1":       "VALIDATION_FAILED /query/limit:type",
		"GET /api/blog/posts?filter[zz]=foo": "FORBIDDEN",
	} {
		caller := facade.CallerFunc(func(context.Context, *facade.Call) (*facade.Result, error) {
			return nil, kiterror.Errorf(kiterror.Forbidden, "not for you")
		})
		if got := problem(t, ask(t, serve(t, caller, nil), line, []string{"Accept: text/csv"}, "")); got != want {
			t.Errorf("%s: %s, want %s", line, got, want)
		}
	}
}

// TestExportThatFails: a failure after the first page cuts the connection, so that the client does not
// take half of the rows for all of them.
func TestExportThatFails(t *testing.T) {
	var asked []string
	server := httptest.NewServer(serve(t, paged(&asked, errors.New("the disk is gone")), &rest.Options{Log: slog.New(slog.DiscardHandler)}))
	defer server.Close()
	r, _ := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL+"/api/blog/posts", nil)
	r.Header.Set("Accept", "application/x-ndjson")
	w, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Body.Close()
	body, err := io.ReadAll(w.Body)
	server.Close() // waits for the handler, which writes asked
	if !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("the answer ended with %v after %s", err, strconv.Quote(string(body)))
	}
	if len(asked) != 2 || slices.Contains(asked, "") {
		t.Errorf("asked %q", asked)
	}
}
