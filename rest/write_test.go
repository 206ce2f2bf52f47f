package rest_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/access"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/rest"
	"github.com/frondhost/frond/schema"
)

// result is a caller that answers everything with one result.
func result(r *facade.Result) facade.Caller {
	return facade.CallerFunc(func(context.Context, *facade.Call) (*facade.Result, error) { return r, nil })
}

func failing(err error) facade.Caller {
	return facade.CallerFunc(func(context.Context, *facade.Call) (*facade.Result, error) { return nil, err })
}

func page(p facade.Page, texts ...string) *facade.Result {
	r := rowsOf(texts...)
	r.Form, r.Page = facade.FormPage, p
	return r
}

// TestResultsAreWritten is what each form of result is answered with.
func TestResultsAreWritten(t *testing.T) {
	post := `{"id":"p/1","title":"é"}`
	for _, c := range []struct {
		name, request string
		headers       []string
		body          string
		caller        facade.Caller
		status        int
		want          string            // the body
		header        map[string]string // some of the headers
	}{
		{"a row", "GET /api/blog/posts/p1", nil, "", result(row(post)), 200, post, map[string]string{
			"Content-Type": "application/json", "Cache-Control": "private, no-cache", "Content-Length": "25",
		}},
		{"HEAD", "HEAD /api/blog/posts/p1", nil, "", result(row(post)), 200, "", map[string]string{"Content-Type": "application/json", "Content-Length": "25"}},
		{"a row that was created", "POST /api/blog/posts", nil, "{}", result(row(post)), 201, post, map[string]string{"Location": "/api/blog/posts/p%2F1"}},
		{"one with a number for an id", "POST /api/blog/categories", nil, "{}", result(row(`{"number":7}`)), 201, `{"number":7}`, map[string]string{"Location": "/api/blog/categories/7"}},
		{"one that hides its id", "POST /api/blog/posts", nil, "{}", result(row(`{"title":"x"}`)), 201, `{"title":"x"}`, map[string]string{"Location": ""}},
		{"one whose id is empty", "POST /api/blog/posts", nil, "{}", result(row(`{"id":""}`)), 201, `{"id":""}`, map[string]string{"Location": ""}},
		{"one whose id climbs", "POST /api/blog/posts", nil, "{}", result(row(`{"id":".."}`)), 201, `{"id":".."}`, map[string]string{"Location": ""}},
		{"one whose id stays", "POST /api/blog/posts", nil, "{}", result(row(`{"id":"."}`)), 201, `{"id":"."}`, map[string]string{"Location": ""}},
		{"one whose id is an operation's path", "POST /api/blog/posts", nil, "{}", result(row(`{"id":"by-slug"}`)), 201, `{"id":"by-slug"}`, map[string]string{"Location": ""}},
		{"one whose id only looks like it", "POST /api/blog/posts", nil, "{}", result(row(`{"id":"..."}`)), 201, `{"id":"..."}`, map[string]string{"Location": "/api/blog/posts/..."}},
		{"a row that was changed", "PATCH /api/blog/posts/p1", nil, "{}", result(row(post)), 200, post, nil},
		{"by a merge patch", "PATCH /api/blog/posts/p1", []string{"Content-Type: application/merge-patch+json; charset=utf-8"}, "{}", result(row(post)), 200, post, nil},
		{"by PUT, of nothing", "PUT /api/blog/posts/p1", nil, `{}`, result(row(post)), 200, post, nil},
		{"a row that was removed", "DELETE /api/blog/posts/p1", nil, "", value("true"), 204, "", map[string]string{"Content-Type": "", "Content-Length": ""}},
		{"rows", "GET /api/blog/posts/p1/related", nil, "", result(rowsOf(post, post)), 200, "[" + post + "," + post + "]", nil},
		{
			"a page", "GET /api/blog/posts?limit=1&filter[title]=a%26b", nil, "", result(page(facade.Page{Total: 9, HasMore: true, Cursors: []string{"c="}}, post)), 200,
			`{"items":[` + post + `],"total":9,"hasMore":true,"endCursor":"c="}`,
			map[string]string{"Link": `</api/blog/posts?limit=1&filter%5Btitle%5D=a%26b&after=c%3D>; rel="next"`},
		},
		{
			"the next one", "GET /api/blog/posts?after=c%3D&limit=1", nil, "", result(page(facade.Page{Total: 9, HasMore: true, Cursors: []string{"d"}}, post)), 200,
			`{"items":[` + post + `],"total":9,"hasMore":true,"endCursor":"d"}`,
			map[string]string{"Link": `</api/blog/posts?limit=1&after=d>; rel="next"`},
		},
		{
			"the last one", "GET /api/blog/posts?after=d", nil, "", result(page(facade.Page{Total: 9, Cursors: []string{"e"}}, post)), 200,
			`{"items":[` + post + `],"total":9,"hasMore":false,"endCursor":"e"}`,
			map[string]string{"Link": ""},
		},
		{
			"one read backward", "GET /api/blog/posts?before=d", nil, "", result(page(facade.Page{Total: 9, HasMore: true, Cursors: []string{"e"}}, post)), 200,
			`{"items":[` + post + `],"total":9,"hasMore":true,"endCursor":"e"}`,
			map[string]string{"Link": ""},
		},
		{
			"one of a range", "GET /api/blog/posts?before=d&after=a&limit=1", nil, "", result(page(facade.Page{Total: 9, HasMore: true, Cursors: []string{"b"}}, post)), 200,
			`{"items":[` + post + `],"total":9,"hasMore":true,"endCursor":"b"}`,
			map[string]string{"Link": `</api/blog/posts?before=d&limit=1&after=b>; rel="next"`},
		},
		{
			"one of a range read backward", "GET /api/blog/posts?before=d&after=a&backward=true", nil, "", result(page(facade.Page{Total: 9, HasMore: true, Cursors: []string{"b"}}, post)), 200,
			`{"items":[` + post + `],"total":9,"hasMore":true,"endCursor":"b"}`,
			map[string]string{"Link": ""},
		},
		{
			"one before a cursor from the beginning", "GET /api/blog/posts?before=d&backward=false&limit=1", nil, "", result(page(facade.Page{Total: 9, HasMore: true, Cursors: []string{"b"}}, post)), 200,
			`{"items":[` + post + `],"total":9,"hasMore":true,"endCursor":"b"}`,
			map[string]string{"Link": `</api/blog/posts?before=d&backward=false&limit=1&after=b>; rel="next"`},
		},
		{"a value", "GET /api/ops/healths/check", nil, "", value(`{"ok":true}`), 200, `{"ok":true}`, nil},
		{"a value of null", "POST /api/ops/healths/restart", nil, "", value(`null`), 200, `null`, map[string]string{"Cache-Control": ""}},
		{"a value that was left out", "POST /api/ops/healths/restart", nil, "", value(``), 200, `null`, nil},
		{"what a row may do", "OPTIONS /api/blog/posts/p1", nil, "", nil, 204, "", map[string]string{
			"Allow": "GET, HEAD, PUT, PATCH, DELETE, OPTIONS", "Accept-Patch": "application/merge-patch+json, application/json",
		}},
		{"what a plural may do", "OPTIONS /api/blog/posts", nil, "", nil, 204, "", map[string]string{"Allow": "GET, HEAD, POST, OPTIONS", "Accept-Patch": ""}},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := ask(t, serve(t, c.caller, nil), c.request, c.headers, c.body)
			if w.Code != c.status {
				t.Errorf("status %d, want %d", w.Code, c.status)
			}
			if diff := cmp.Diff(c.want, w.Body.String()); diff != "" {
				t.Errorf("body (-want +got):\n%s", diff)
			}
			for name, want := range c.header {
				if got := w.Header().Get(name); got != want {
					t.Errorf("%s: %q, want %q", name, got, want)
				}
			}
		})
	}
}

// TestFailuresAreProblems is every code with its status, and what is said beside it.
func TestFailuresAreProblems(t *testing.T) {
	quiet := &rest.Options{Log: slog.New(slog.DiscardHandler)}
	for _, code := range []kiterror.Code{
		kiterror.ValidationFailed, kiterror.BadRequest, kiterror.Unauthorized, kiterror.Forbidden, kiterror.NotFound, kiterror.MethodNotAllowed,
		kiterror.RequestTimeout, kiterror.Conflict, kiterror.Gone, kiterror.PreconditionFailed, kiterror.PayloadTooLarge, kiterror.UnprocessableEntity,
		kiterror.Locked, kiterror.TooManyRequests, kiterror.InternalError, kiterror.NotImplemented, kiterror.BadGateway, kiterror.ServiceUnavailable, kiterror.GatewayTimeout,
	} {
		w := ask(t, serve(t, failing(&kiterror.Error{Code: code, Message: "m"}), quiet), "GET /api/blog/posts/p1", nil, "")
		if w.Code != code.Status() || problem(t, w) != string(code) {
			t.Errorf("%s: status %d, want %d: %s", code, w.Code, code.Status(), w.Body)
		}
		if challenge := w.Header().Get("WWW-Authenticate"); (challenge == "Bearer") != (code == kiterror.Unauthorized) {
			t.Errorf("%s: WWW-Authenticate %q", code, challenge)
		}
		for _, of := range []string{"ETag", "Location", "Link", "Allow"} {
			if w.Header().Get(of) != "" {
				t.Errorf("%s: has %s", code, of)
			}
		}
	}

	w := ask(t, serve(t, failing(kiterror.Invalid("no", schema.Detail{Path: "title", Pointer: "/body/title", Code: "required", Message: "is <required>"})), nil), "POST /api/blog/posts?", nil, "{}")
	want := `{"type":"about:blank","title":"Bad Request","status":400,"detail":"no","instance":"/api/blog/posts","data":` +
		`{"code":"VALIDATION_FAILED","message":"no","entity":"post","operation":"create","details":[` +
		`{"path":"title","pointer":"/body/title","code":"required","message":"is <required>"}]}}`
	if diff := cmp.Diff(want, w.Body.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}

	// nothing there
	for request, caller := range map[string]facade.Caller{
		"GET /api/blog/posts/p1":             result(row("")),
		"HEAD /api/blog/posts/p1":            result(row("")),
		"GET /api/blog/posts/by-slug?slug=x": value("null"),
		"DELETE /api/blog/posts/p1":          value("false"),
	} {
		w := ask(t, serve(t, caller, nil), request, nil, "")
		if w.Code != 404 {
			t.Errorf("%s: %d", request, w.Code)
		}
		if strings.HasPrefix(request, "HEAD") {
			if w.Body.Len() > 0 || w.Header().Get("Content-Length") == "0" {
				t.Errorf("%s: %s", request, w.Body)
			}
			continue
		}
		if problem(t, w) != "NOT_FOUND" || !strings.Contains(w.Body.String(), "there is no post ") {
			t.Errorf("%s: %s", request, w.Body)
		}
	}
}

// TestOursStaysInside: uncoded failures and panics are logged, and say nothing outside.
func TestOursStaysInside(t *testing.T) {
	panics := func(v any) facade.Caller {
		return facade.CallerFunc(func(context.Context, *facade.Call) (*facade.Result, error) { panic(v) })
	}
	for name, caller := range map[string]facade.Caller{
		"an uncoded failure":  failing(errors.New("disk /secret is full")),
		"a panic":             panics("secret"),
		"a panic of an error": panics(errors.New("secret")),
		"no answer at all":    result(nil),
	} {
		var log bytes.Buffer
		w := ask(t, serve(t, caller, &rest.Options{Log: slog.New(slog.NewTextHandler(&log, nil))}), "GET /api/blog/posts/p1", nil, "")
		if w.Code != 500 || problem(t, w) != "INTERNAL_ERROR" || strings.Contains(w.Body.String(), "secret") {
			t.Errorf("%s: %d %s", name, w.Code, w.Body)
		}
		if name != "no answer at all" && !strings.Contains(log.String(), "secret") {
			t.Errorf("%s: the log lacks it: %s", name, log.String())
		}
		if strings.HasPrefix(name, "a panic") && !strings.Contains(log.String(), "TestOursStaysInside") {
			t.Errorf("%s: the log lacks the stack: %s", name, log.String())
		}
	}
}

func TestWhoIsCalling(t *testing.T) {
	var state access.State
	caller := facade.CallerFunc(func(_ context.Context, c *facade.Call) (*facade.Result, error) {
		state = c.Invocation.State
		return row(`{"id":"p1"}`), nil
	})
	opts := &rest.Options{State: func(r *http.Request) (access.State, error) {
		if r.Header.Get("Authorization") != "Bearer ada" {
			return nil, kiterror.Errorf(kiterror.Unauthorized, "the token is not ours")
		}
		return access.State{"user": map[string]any{"id": "ada"}}, nil
	}}
	if w := ask(t, serve(t, caller, opts), "GET /api/blog/posts/p1", []string{"Authorization: Bearer ada"}, ""); w.Code != 200 || state.User()["id"] != "ada" {
		t.Errorf("%d, %v", w.Code, state)
	}
	w := ask(t, serve(t, caller, opts), "GET /api/blog/posts/p1", nil, "")
	if w.Code != 401 || problem(t, w) != "UNAUTHORIZED" || w.Header().Get("WWW-Authenticate") != "Bearer" {
		t.Errorf("%d %v %s", w.Code, w.Header(), w.Body)
	}
}

func TestPreferences(t *testing.T) {
	for _, c := range []struct {
		request, prefer, want, applied string
	}{
		{"GET /api/blog/posts", "count=none", `post.list query={"total":false}`, "count=none"},
		{"GET /api/blog/posts?limit=1", `respond-async, Count="none"; x=1`, `post.list query={"limit":1,"total":false}`, "count=none"},
		{"GET /api/blog/posts?total=true", "count=none", `post.list query={"total":true}`, ""},
		{"GET /api/blog/posts", "count=exact", `post.list`, "count=exact"},
		{"GET /api/blog/posts", "count=planned, count=estimated", `post.list query={"count":"estimated"}`, "count=estimated"},
		{"GET /api/blog/posts?count=none", "count=exact", `post.list query={"count":"none"}`, ""},
		{"GET /api/blog/posts", "count=planned", `post.list`, ""},
		{"GET /api/blog/posts", "position, count=none", `post.list query={"total":false}`, "position, count=none"},
		{"GET /api/blog/posts/p1", "position", `post.findById params={"id":"p1"}`, ""},
		{"GET /api/blog/posts/p1", "count=none", `post.findById params={"id":"p1"}`, ""},
	} {
		var got string
		w := ask(t, serve(t, reader(&got), nil), c.request, []string{"Prefer: " + c.prefer}, "")
		if got != c.want || w.Header().Get("Preference-Applied") != c.applied {
			t.Errorf("%s, Prefer: %s: %s, applied %q", c.request, c.prefer, got, w.Header().Get("Preference-Applied"))
		}
	}
}

// TestTimeout: the time set for a call runs out.
func TestTimeout(t *testing.T) {
	h := serve(t, facade.CallerFunc(func(ctx context.Context, _ *facade.Call) (*facade.Result, error) {
		<-ctx.Done()
		return nil, fmt.Errorf("interrupted") // as a store may say it
	}), &rest.Options{Timeout: 3 * time.Second})
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		w := ask(t, h, "GET /api/blog/posts/p1", nil, "")
		if time.Since(start) != 3*time.Second || w.Code != 504 || problem(t, w) != "GATEWAY_TIMEOUT" {
			t.Errorf("after %s: %d %s", time.Since(start), w.Code, w.Body)
		}
	})
}

// TestClosedConnection: the context of the call ends, and no failure is logged.
func TestClosedConnection(t *testing.T) {
	var log bytes.Buffer
	called, done := make(chan struct{}), make(chan struct{})
	h := serve(t, facade.CallerFunc(func(ctx context.Context, _ *facade.Call) (*facade.Result, error) {
		close(called)
		<-ctx.Done()
		return nil, errors.New("interrupted")
	}), &rest.Options{Log: slog.New(slog.NewTextHandler(&log, nil))})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer close(done)
		h.ServeHTTP(w, r)
	}))
	defer server.Close()
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-called
		cancel()
	}()
	r, _ := http.NewRequestWithContext(ctx, http.MethodGet, server.URL+"/api/blog/posts/p1", nil)
	if resp, err := server.Client().Do(r); err == nil {
		resp.Body.Close()
		t.Error("an answer came")
	}
	<-done
	if log.Len() > 0 {
		t.Errorf("logged: %s", log.String())
	}
}

// TestHeadOverTheWire: the length of the body that GET would have had.
func TestHeadOverTheWire(t *testing.T) {
	server := httptest.NewServer(serve(t, value(`"`+strings.Repeat("x", 5000)+`"`), nil))
	defer server.Close()
	resp, err := server.Client().Head(server.URL + "/api/ops/healths/check")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != 200 || resp.ContentLength != 5002 {
		t.Errorf("%d, length %d", resp.StatusCode, resp.ContentLength)
	}
}

// TestTraceGoesAlong: a traceparent becomes the call's trace.
func TestTraceGoesAlong(t *testing.T) {
	const traceparent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
	var trace string
	caller := facade.CallerFunc(func(_ context.Context, c *facade.Call) (*facade.Result, error) {
		trace = c.Invocation.Trace
		return row(`{"id":"p1"}`), nil
	})
	ask(t, serve(t, caller, nil), "GET /api/blog/posts/p1", []string{"Traceparent: " + traceparent}, "")
	if trace != traceparent {
		t.Errorf("trace %q", trace)
	}
}

// TestLongHeadersAreOmitted checks that a key or a cursor of any length breaks no
// client: headers over 4 KB are not sent, and the body has the same information.
func TestLongHeadersAreOmitted(t *testing.T) {
	for _, c := range []struct {
		length int
		want   bool
	}{{1000, true}, {4200, false}} {
		text := strings.Repeat("c", c.length)
		w := ask(t, serve(t, result(row(`{"id":"`+text+`"}`)), nil), "POST /api/blog/posts", nil, "{}")
		if got := w.Header().Get("Location") != ""; w.Code != http.StatusCreated || got != c.want {
			t.Errorf("an id of %d letters: %d, Location %v", c.length, w.Code, got)
		}
		page := rowsOf(`{"id":"x"}`)
		page.Form, page.Page = facade.FormPage, facade.Page{HasMore: true, Cursors: []string{text}}
		w = ask(t, serve(t, result(page), nil), "GET /api/blog/posts", nil, "")
		if got := w.Header().Get("Link") != ""; w.Code != http.StatusOK || got != c.want || !strings.Contains(w.Body.String(), text) {
			t.Errorf("a cursor of %d letters: %d, Link %v", c.length, w.Code, got)
		}
	}
}
