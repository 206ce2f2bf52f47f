package client_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/frondhost/frond/envelope"
	"github.com/frondhost/frond/envelope/client"
	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/access"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/schema/jsontext"
	"github.com/frondhost/frond/store/storetest"
)

// manners stands before a host and removes some of its abilities.
type manners struct {
	host    http.Handler
	posts   atomic.Int32
	batches atomic.Int32
	noIDs   bool                // findByIds is not served
	refuse  http.HandlerFunc    // of batches; nil: they are taken
	shuffle func([]byte) []byte // of the answer to a batch
}

func (m *manners) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	m.posts.Add(1)
	body, _ := io.ReadAll(r.Body)
	batch := jsontext.KindOf(body) == jsontext.Array
	if batch {
		m.batches.Add(1)
	}
	switch {
	case batch && m.refuse != nil:
		m.refuse(w, r)
		return
	case m.noIDs && strings.Contains(string(body), ".findByIds"):
		_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"Method not found"}}`, idIn(string(body)))
		return
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	if m.shuffle == nil || !batch {
		m.host.ServeHTTP(w, r)
		return
	}
	answer := httptest.NewRecorder()
	m.host.ServeHTTP(answer, r)
	_, _ = w.Write(m.shuffle(answer.Body.Bytes()))
}

func (m *manners) start(t testing.TB) *client.Remote {
	t.Helper()
	server := httptest.NewServer(m)
	t.Cleanup(server.Close)
	return remote(t, server.URL, nil)
}

func keysOf(texts ...string) (all []json.RawMessage) {
	for _, k := range texts {
		all = append(all, json.RawMessage(k))
	}
	return all
}

func idsUpTo(n int) (all []json.RawMessage) {
	for i := range n {
		all = append(all, fmt.Appendf(nil, `"k%d"`, i))
	}
	return all
}

// TestManyKeysEveryWay asks for rows by many keys as the façade itself does,
// and by each way down the ladder: the same groups, whatever the host's manners.
func TestManyKeysEveryWay(t *testing.T) {
	near := storetest.Facade(t)
	refusal := func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"Invalid Request"}}`)
	}
	for name, m := range map[string]*manners{
		"findByIds":    {},
		"batches":      {noIDs: true},
		"single calls": {noIDs: true, refuse: refusal},
		"batches answered in another order": {noIDs: true, shuffle: func(answer []byte) []byte {
			var all []string
			for _, v := range jsontext.Elements(answer) {
				all = append([]string{string(v)}, all...)
			}
			return []byte("[" + strings.Join(all, ",") + "]")
		}},
	} {
		m.host = envelope.NewHandler(near.Catalog(), near, nil)
		r := m.start(t).With(near.Catalog())
		for _, call := range []*facade.Call{
			{Entity: "author", Operation: "findById", Each: &facade.Each{Field: "id", Keys: keysOf(`"alan"`, `"nobody"`, `"ada"`, `null`, `"alan"`, `7`)}},
			{Entity: "comment", Operation: "findById", Each: &facade.Each{Field: "id", Keys: keysOf(`4`, `1`, `"x"`, `1.0`)}},
			{Entity: "post", Operation: "list", Each: &facade.Each{Field: "authorId", Keys: keysOf(`"alan"`, `"nobody"`, `7`, `"ada"`, `null`)}},
			{
				Entity: "comment", Operation: "list", Each: &facade.Each{Field: "replyTo", Keys: keysOf(`1`, `4`, `2`)},
				Invocation: facade.Invocation{Query: json.RawMessage(`{"limit":1,"sort":"-id","filter":{"likes":{"gte":1}},"total":false}`)},
			},
			{Entity: "author", Operation: "findById", Each: &facade.Each{Field: "id"}},
			{Entity: "author", Operation: "findById", Each: &facade.Each{Field: "id", Keys: keysOf(`"ada"`)}},
			{Entity: "author", Operation: "findById", Each: &facade.Each{Field: "id", Keys: keysOf(`7`, `null`)}},
		} {
			a, err := near.Call(t.Context(), call)
			if err != nil {
				t.Fatal(err)
			}
			b, err := r.Call(t.Context(), call)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if a.Form != b.Form || len(a.Groups) != len(b.Groups) {
				t.Fatalf("%s: form %d near, %d far; %d groups near, %d far", name, a.Form, b.Form, len(a.Groups), len(b.Groups))
			}
			for i := range a.Groups {
				if diff := cmp.Diff(group(a, i), group(b, i)); diff != "" {
					t.Errorf("%s: %s.%s, key %s (-near +far):\n%s", name, call.Entity, call.Operation, call.Each.Keys[i], diff)
				}
			}
		}
	}
}

// A batch is refused in many ways. Which rung a host stands on is found out once.
func TestRefusedBatches(t *testing.T) {
	answer := func(status int, body string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(status)
			_, _ = io.WriteString(w, body)
		}
	}
	near := storetest.Facade(t)
	for name, refuse := range map[string]http.HandlerFunc{
		"an invalid request":        answer(200, `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"no"}}`),
		"a parse error under 400":   answer(400, `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"no"}}`),
		"a method that is no text":  answer(200, `{"jsonrpc":"2.0","id":null,"error":{"code":-32601,"message":"no"}}`),
		"a page":                    answer(400, `<html>`),
		"a crash":                   answer(500, `Traceback (most recent call last)`),
		"another media type":        answer(415, ``),
		"an object":                 answer(200, `{}`),
		"a result":                  answer(200, `{"jsonrpc":"2.0","id":1,"result":null}`),
		"an array of something":     answer(200, `[1]`),
		"nothing at all, under 204": answer(204, ``),
	} {
		m := &manners{host: envelope.NewHandler(near.Catalog(), near, nil), noIDs: true, refuse: refuse}
		r := m.start(t)
		call := &facade.Call{Entity: "author", Operation: "findById", Each: &facade.Each{Field: "id", Keys: keysOf(`"alan"`, `"ada"`, `"grace"`)}}
		for range 3 {
			result, err := r.Call(t.Context(), call)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if string(result.Rows.Row(result.Groups[1].From).Get("id")) != `"ada"` {
				t.Errorf("%s: %s", name, result.AppendJSON(nil))
			}
		}
		if m.batches.Load() != 1 || m.posts.Load() != 1+3*3 || r.Status().Batches != "refused" {
			t.Errorf("%s: %d batches in %d posts, %+v", name, m.batches.Load(), m.posts.Load(), r.Status())
		}
	}
}

// What is no refusal: a host that is down, and a failure of its own for the whole.
func TestBatchesThatFail(t *testing.T) {
	near := storetest.Facade(t)
	for name, c := range map[string]struct {
		status int
		body   string
		code   kiterror.Code
	}{
		"away":             {503, ``, kiterror.ServiceUnavailable},
		"asks to slow":     {429, ``, kiterror.TooManyRequests},
		"who are you":      {401, `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"no","data":{"code":"UNAUTHORIZED","message":"no"}}}`, kiterror.Unauthorized},
		"broken":           {200, `{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"no","data":{"code":"LOCKED","message":"no"}}}`, kiterror.Locked},
		"one frame broken": {200, `[{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"no","data":{"code":"LOCKED","message":"no"}}}]`, kiterror.Locked},
	} {
		m := &manners{host: envelope.NewHandler(near.Catalog(), near, nil), noIDs: true, refuse: func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(c.status)
			_, _ = io.WriteString(w, c.body)
		}}
		r := m.start(t)
		_, err := r.Call(t.Context(), &facade.Call{Entity: "author", Operation: "findById", Each: &facade.Each{Field: "id", Keys: keysOf(`"alan"`, `"ada"`)}})
		if kiterror.CodeOf(err) != c.code || m.posts.Load() != 1 || r.Status().Batches == "refused" {
			t.Errorf("%s: %v after %d posts, %+v", name, err, m.posts.Load(), r.Status())
		}
	}
}

// Once a host has taken a batch, an answer that is none is a failure.
func TestBatchesThatWereTaken(t *testing.T) {
	near := storetest.Facade(t)
	m := &manners{host: envelope.NewHandler(near.Catalog(), near, nil), noIDs: true}
	r := m.start(t)
	call := &facade.Call{Entity: "author", Operation: "findById", Each: &facade.Each{Field: "id", Keys: keysOf(`"alan"`, `"ada"`)}}
	if _, err := r.Call(t.Context(), call); err != nil || r.Status().Batches != "taken" {
		t.Fatalf("%v, %+v", err, r.Status())
	}
	m.refuse = func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "<html>") }
	if _, err := r.Call(t.Context(), call); kiterror.CodeOf(err) != kiterror.BadGateway || m.posts.Load() != 2 {
		t.Errorf("%v after %d posts", err, m.posts.Load())
	}
}

// Replies of a batch are distinguished by their ids alone.
func TestRepliesOfABatch(t *testing.T) {
	for name, c := range map[string]struct {
		answer string // %1, %2 are the ids of the frames
		want   string // the rows' ids, or the failure's message
	}{
		"ids as strings":      {`[{"jsonrpc":"2.0","id":"%2","result":{"id":"b"}},{"jsonrpc":"2.0","id":"%1","result":{"id":"a"}}]`, `"a""b"`},
		"null for no row":     {`[{"jsonrpc":"2.0","id":%2,"result":null,"error":null},{"jsonrpc":"2.0","id":%1,"result":{"id":"a"}}]`, `"a"`},
		"one left out":        {`[{"jsonrpc":"2.0","id":%1,"result":{"id":"a"}}]`, "the host left 1 of 2 frames unanswered"},
		"none at all":         {`[]`, "the host left 2 of 2 frames unanswered"},
		"one twice":           {`[{"jsonrpc":"2.0","id":%1,"result":{"id":"a"}},{"jsonrpc":"2.0","id":%1,"result":{"id":"b"}}]`, "the host answered another frame than the one sent"},
		"one that was not":    {`[{"jsonrpc":"2.0","id":%1,"result":{"id":"a"}},{"jsonrpc":"2.0","id":%2,"result":null},{"jsonrpc":"2.0","id":"x","result":null}]`, "the host answered another frame than those sent"},
		"one of them refused": {`[{"jsonrpc":"2.0","id":%1,"error":{"code":-32000,"message":"m","data":{"code":"GONE","message":"was there once"}}},{"jsonrpc":"2.0","id":%2,"result":null}]`, "was there once"},
	} {
		batches := 0
		r := remote(t, "http://host", &client.Options{Retries: -1, Transport: tripper(func(r *http.Request) (*http.Response, error) {
			asked, _ := io.ReadAll(r.Body)
			if jsontext.KindOf(asked) != jsontext.Array {
				return nil, fmt.Errorf("a single call")
			}
			answer := c.answer
			if batches++; batches == 1 { // the host takes batches
				answer = `[{"jsonrpc":"2.0","id":%1,"result":null},{"jsonrpc":"2.0","id":%2,"result":null}]`
			}
			n := 0
			for _, frame := range jsontext.Elements(asked) {
				n++
				answer = strings.ReplaceAll(answer, fmt.Sprint("%", n), idIn(string(frame)))
			}
			return answered(r, 200, answer)
		})})
		call := &facade.Call{Entity: "math", Operation: "findById", Each: &facade.Each{Field: "id", Keys: keysOf(`"a"`, `"b"`)}}
		if _, err := r.Call(t.Context(), call); err != nil {
			t.Fatal(err)
		}
		got := ""
		result, err := r.Call(t.Context(), call)
		if err != nil {
			got = kiterror.AsError(err).Message
		} else {
			for i := range result.Rows.Len() {
				got += string(result.Rows.Row(i).Get("id"))
			}
		}
		if got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}

// TestPostsDependOnDepth walks three levels over two hosts: the number of posts is
// the number of levels, whatever the number of rows, but for what one findByIds
// (500 ids) and one batch (100 frames) hold.
func TestPostsDependOnDepth(t *testing.T) {
	near := storetest.Facade(t)
	for _, c := range []struct {
		name  string
		noIDs bool
		rows  int
		posts int32
	}{
		{"findByIds, 10 rows", false, 10, 3},
		{"findByIds, 100 rows", false, 100, 3},
		{"findByIds, 400 rows: four batches of lists", false, 400, 1 + 1 + 4},
		{"findByIds, 600 rows: two of them, six batches", false, 600, 1 + 2 + 6},
		{"batches, 10 rows", true, 10, 3},
		{"batches, 100 rows", true, 100, 3},
		{"batches, 400 rows", true, 400, 1 + 4 + 4},
	} {
		people := &manners{host: envelope.NewHandler(near.Catalog(), near, nil), noIDs: c.noIDs}
		blog := &manners{host: people.host, noIDs: c.noIDs}
		authors, posts := people.start(t).With(near.Catalog()), blog.start(t).With(near.Catalog())
		if c.noIDs { // what is found out once is not the walk's
			_, _ = authors.Call(t.Context(), &facade.Call{Entity: "author", Operation: "findById", Each: &facade.Each{Field: "id", Keys: idsUpTo(2)}})
			people.posts.Store(0)
		}
		for i, call := range []*facade.Call{
			{Entity: "post", Operation: "list"},
			{Entity: "author", Operation: "findById", Each: &facade.Each{Field: "id", Keys: idsUpTo(c.rows)}},
			{Entity: "post", Operation: "list", Each: &facade.Each{Field: "authorId", Keys: idsUpTo(c.rows)}},
		} {
			to := posts
			if i == 1 {
				to = authors
			}
			if _, err := to.Call(t.Context(), call); err != nil {
				t.Fatal(err)
			}
		}
		if n := people.posts.Load() + blog.posts.Load(); n != c.posts {
			t.Errorf("%s: %d posts, want %d", c.name, n, c.posts)
		}
	}
}

// Frames that are long go in more batches: a receiver takes 1 MiB.
func TestLongFramesGoInMoreBatches(t *testing.T) {
	near := storetest.Facade(t)
	m := &manners{host: envelope.NewHandler(near.Catalog(), near, &envelope.Options{TrustState: true}), noIDs: true}
	call := &facade.Call{Entity: "author", Operation: "findById", Each: &facade.Each{Field: "id", Keys: idsUpTo(60)}}
	call.Invocation.State = access.State{"user": map[string]any{"id": "u", "claims": strings.Repeat("x", 50<<10)}}
	if _, err := m.start(t).Call(t.Context(), call); err != nil || m.batches.Load() != 4 {
		t.Errorf("%v, %d batches, want 4", err, m.batches.Load())
	}
}

// An answer that is too large for one is asked for in halves, until one row alone is.
func TestLargeAnswersAreHalved(t *testing.T) {
	near := storetest.Facade(t)
	for _, c := range []struct {
		noIDs bool
		most  int64 // of an answer: several rows, or one and not two
	}{{false, 1500}, {true, 1500}, {false, 250}, {true, 250}} {
		m := &manners{noIDs: c.noIDs}
		m.host = envelope.NewHandler(near.Catalog(), facade.CallerFunc(func(_ context.Context, c *facade.Call) (*facade.Result, error) {
			text := []byte{'['}
			ids := []json.RawMessage{jsontext.Get(c.Invocation.Params, "id")}
			if c.Operation == "findByIds" {
				ids = nil
				for _, id := range jsontext.Elements(jsontext.Get(c.Invocation.Query, "ids")) {
					ids = append(ids, id)
				}
			}
			for i, id := range ids {
				if i > 0 {
					text = append(text, ',')
				}
				text = fmt.Appendf(text, `{"id":%s,"name":"%s"}`, id, strings.Repeat("x", 100))
			}
			if c.Operation != "findByIds" {
				return &facade.Result{Value: text[1:]}, nil
			}
			return &facade.Result{Value: append(text, ']')}, nil
		}), nil)
		server := httptest.NewServer(m)
		r := remote(t, server.URL, &client.Options{MaxAnswer: c.most}).With(near.Catalog())
		call := &facade.Call{Entity: "author", Operation: "findById", Each: &facade.Each{Field: "id", Keys: idsUpTo(40)}}
		result, err := r.Call(t.Context(), call)
		if err != nil || result.Rows.Len() != 40 {
			t.Errorf("%+v: %v", c, err)
		}
		r.Close()
		server.Close()
	}
}
