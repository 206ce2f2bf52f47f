package envelope_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/frondhost/frond/envelope"
	"github.com/frondhost/frond/envelope/client"
	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/access"
	"github.com/frondhost/frond/facade/budget"
	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/consistency"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/facade/rows"
	"github.com/frondhost/frond/schema/jsontext"
	"github.com/frondhost/frond/store/storetest"
)

const sum = `{"jsonrpc":"2.0","id":1,"method":"math.sum"}`

// echo answers the invocation it was called with.
var echo = facade.CallerFunc(func(_ context.Context, c *facade.Call) (*facade.Result, error) {
	text, err := json.Marshal(c.Invocation)
	return &facade.Result{Form: facade.FormValue, Value: text}, err
})

// TestStatusWithoutAFrame is every status that is not 200. Each body is a failure
// frame with a null id, whose message says what to send.
func TestStatusWithoutAFrame(t *testing.T) {
	h := envelope.NewHandler(mathCatalog(), echo, &envelope.Options{MaxBody: 64})
	type headers map[string]string
	json := headers{"Content-Type": "application/json"}
	for _, c := range []struct {
		name, method, path string
		headers            headers
		body               string
		status             int
		code               kiterror.Code
		says               string
	}{
		{"a frame", "POST", "/_kit/call", json, sum, 200, "", ""},
		{"a frame below a base path", "POST", "/base/_kit/call", json, sum, 200, "", ""},
		{"UTF-8 by name", "POST", "/_kit/call", headers{"Content-Type": `application/json; charset="UTF-8"`}, sum, 200, "", ""},
		{"no compression by name", "POST", "/_kit/call", headers{"Content-Type": "application/json", "Content-Encoding": "identity"}, sum, 200, "", ""},
		{"another path", "POST", "/_kit/calls", json, sum, 404, kiterror.NotFound, "POST to /_kit/call"},
		{"GET", "GET", "/_kit/call", nil, "", 405, kiterror.MethodNotAllowed, "POST to /_kit/call"},
		{"DELETE", "DELETE", "/_kit/call", nil, "", 405, kiterror.MethodNotAllowed, "POST to /_kit/call"},
		{"an unheard-of verb", "BREW<>", "/_kit/call", nil, "", 405, kiterror.MethodNotAllowed, "this verb is not served"},
		{"no media type", "POST", "/_kit/call", nil, sum, 415, kiterror.BadRequest, "application/json"},
		{"a form", "POST", "/_kit/call", headers{"Content-Type": "application/x-www-form-urlencoded"}, sum, 415, kiterror.BadRequest, "application/json"},
		{"text", "POST", "/_kit/call", headers{"Content-Type": "text/plain"}, sum, 415, kiterror.BadRequest, "application/json"},
		{"another charset", "POST", "/_kit/call", headers{"Content-Type": "application/json; charset=latin1"}, sum, 415, kiterror.BadRequest, "UTF-8"},
		{"compressed", "POST", "/_kit/call", headers{"Content-Type": "application/json", "Content-Encoding": "gzip"}, sum, 415, kiterror.BadRequest, "without a Content-Encoding"},
		{"as much as the cap", "POST", "/_kit/call", json, sum + strings.Repeat(" ", 64-len(sum)), 200, "", ""},
		{"a byte over the cap", "POST", "/_kit/call", json, sum + strings.Repeat(" ", 65-len(sum)), 413, kiterror.PayloadTooLarge, "cap of 64 bytes"},
	} {
		for _, length := range []string{"known", "unknown"} {
			t.Run(c.name+", length "+length, func(t *testing.T) {
				r := httptest.NewRequest(http.MethodPost, c.path, strings.NewReader(c.body))
				r.Method = c.method
				for name, value := range c.headers {
					r.Header.Set(name, value)
				}
				if length == "unknown" {
					r.ContentLength = -1
				}
				w := httptest.NewRecorder()
				h.ServeHTTP(w, r)
				if w.Code != c.status {
					t.Fatalf("status %d, want %d: %s", w.Code, c.status, w.Body)
				}
				if coding := w.Header().Get("Accept-Encoding"); (c.name == "compressed") != (coding == "identity") {
					t.Errorf("Accept-Encoding: %q", coding)
				}
				if allow := w.Header().Get("Allow"); (c.status == 405) != (allow == "POST, OPTIONS") {
					t.Errorf("Allow: %q", allow)
				}
				if c.status == 200 {
					return
				}
				if got := integersOnly(t, w.Body.String()); got != `{"jsonrpc":"2.0","id":null,"error":-32600}` {
					t.Errorf("body %s", got)
				}
				data := jsontext.Get(jsontext.Get(w.Body.Bytes(), "error"), "data")
				if code := jsontext.Unquote(jsontext.Get(data, "code")); code != string(c.code) {
					t.Errorf("code %s, want %s", code, c.code)
				}
				if message := jsontext.Unquote(jsontext.Get(data, "message")); !strings.Contains(message, c.says) {
					t.Errorf("message %q does not say %q", message, c.says)
				}
			})
		}
	}
}

func TestOptions(t *testing.T) {
	w := httptest.NewRecorder()
	envelope.NewHandler(mathCatalog(), echo, nil).ServeHTTP(w, httptest.NewRequest(http.MethodOptions, envelope.Path, nil))
	if w.Code != 204 || w.Header().Get("Allow") != "POST, OPTIONS" || w.Body.Len() > 0 {
		t.Errorf("%d %q %q", w.Code, w.Header().Get("Allow"), w.Body)
	}
}

func TestDefaultCapIsOneMebibyte(t *testing.T) {
	h := envelope.NewHandler(mathCatalog(), arithmetic, nil)
	for size, want := range map[int]int{1 << 20: 200, 1<<20 + 1: 413} {
		if status, _ := post(t, h, sum+strings.Repeat(" ", size-len(sum))); status != want {
			t.Errorf("%d bytes: status %d, want %d", size, status, want)
		}
	}
}

// TestState is spec 5.1 and 5.4: what a frame says of its caller counts between
// processes, and nowhere else.
func TestState(t *testing.T) {
	const frame = `{"jsonrpc":"2.0","id":1,"method":"math.sum","params":{"state":{"user":{"id":"mallory"}},"trace":"t"}}`
	rebuild := func(r *http.Request) (access.State, error) {
		switch name := r.Header.Get("X-User"); name {
		case "":
			return nil, nil
		case "forged":
			return nil, kiterror.Errorf(kiterror.Unauthorized, "the token is not ours")
		case "broken":
			return nil, errors.New("the key store is at 10.0.0.7")
		case "panic":
			panic("at 10.0.0.7")
		default:
			return access.State{"user": map[string]any{"id": name}}, nil
		}
	}
	for _, c := range []struct {
		name string
		opts *envelope.Options
		user string
		want string // the state that arrived, or the error's code
	}{
		{"trusted", &envelope.Options{TrustState: true}, "", `{"user":{"id":"mallory"}}`},
		{"trusted, whatever the hook says", &envelope.Options{TrustState: true, State: rebuild}, "ada", `{"user":{"id":"mallory"}}`},
		{"not trusted, nobody known", nil, "", `null`},
		{"rebuilt", &envelope.Options{State: rebuild}, "ada", `{"user":{"id":"ada"}}`},
		{"rebuilt, anonymous", &envelope.Options{State: rebuild}, "", `null`},
		{"rebuilt, refused", &envelope.Options{State: rebuild}, "forged", `UNAUTHORIZED`},
		{"rebuilt, broken", &envelope.Options{State: rebuild}, "broken", `INTERNAL_ERROR`},
		{"rebuilt, panicking", &envelope.Options{State: rebuild}, "panic", `INTERNAL_ERROR`},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.opts != nil {
				c.opts.Log = slog.New(slog.DiscardHandler)
			}
			r := httptest.NewRequest(http.MethodPost, envelope.Path, strings.NewReader(frame))
			r.Header.Set("Content-Type", "application/json")
			r.Header.Set("X-User", c.user)
			w := httptest.NewRecorder()
			envelope.NewHandler(mathCatalog(), echo, c.opts).ServeHTTP(w, r)
			got := string(jsontext.Get(jsontext.Get(w.Body.Bytes(), "result"), "State"))
			if failed := jsontext.Get(w.Body.Bytes(), "error"); failed != nil {
				got = jsontext.Unquote(jsontext.Get(jsontext.Get(failed, "data"), "code"))
			}
			status := http.StatusOK
			if c.want == "UNAUTHORIZED" {
				status = http.StatusUnauthorized
			}
			if w.Code != status || got != c.want {
				t.Errorf("status %d, %s, want %s", w.Code, got, c.want)
			}
			if strings.Contains(w.Body.String(), "10.0.0.7") {
				t.Errorf("text of ours leaked: %s", w.Body)
			}
			if challenge := w.Header().Get("WWW-Authenticate"); (challenge == "Bearer") != (c.want == "UNAUTHORIZED") {
				t.Errorf("WWW-Authenticate: %q", challenge)
			}
		})
	}
}

// TestTrace: the frame's own trace, or that of the request it came in.
func TestTrace(t *testing.T) {
	for frame, want := range map[string]string{
		`{"jsonrpc":"2.0","id":1,"method":"math.sum"}`:                          `"outer"`,
		`{"jsonrpc":"2.0","id":1,"method":"math.sum","params":{"trace":null}}`:  `"outer"`,
		`{"jsonrpc":"2.0","id":1,"method":"math.sum","params":{"trace":"own"}}`: `"own"`,
	} {
		if got := tracedBy(t, "outer", frame); got != want {
			t.Errorf("%s: %s, want %s", frame, got, want)
		}
	}
	const trace, other = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
	for said, want := range map[string]string{`"` + other + `"`: other, `"nonsense"`: trace, `null`: trace} {
		if got := tracedBy(t, trace, `{"jsonrpc":"2.0","id":1,"method":"math.sum","params":{"trace":`+said+`}}`); got != `"`+want+`"` {
			t.Errorf("%s in the frame: %s, want %s", said, got, want)
		}
	}
}

// tracedBy is the trace of the call that a frame makes, of a request with a header.
func tracedBy(t *testing.T, header, frame string) string {
	t.Helper()
	r := httptest.NewRequest(http.MethodPost, envelope.Path, strings.NewReader(frame))
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("traceparent", header)
	w := httptest.NewRecorder()
	envelope.NewHandler(mathCatalog(), echo, nil).ServeHTTP(w, r)
	return string(jsontext.Get(jsontext.Get(w.Body.Bytes(), "result"), "Trace"))
}

// TestIDsAreEchoed byte for byte.
func TestIDsAreEchoed(t *testing.T) {
	h := envelope.NewHandler(mathCatalog(), arithmetic, nil)
	for _, id := range []string{`1`, `-0`, `1.50`, `1e400`, `12345678901234567890123`, `""`, `"a\u00e9\n"`, `"é"`, `null`} {
		for _, method := range []string{"math.sum", "math.nothing", "nothing"} {
			_, got := post(t, h, fmt.Sprintf(`{"jsonrpc":"2.0","id": %s ,"method":%q}`, id, method))
			if want := `{"jsonrpc":"2.0","id":` + id + `,`; !strings.HasPrefix(got, want) {
				t.Errorf("%s %s: %s", method, id, got)
			}
		}
	}
	for _, id := range []string{`{}`, `[1]`, `true`} {
		_, got := post(t, h, fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":"math.sum"}`, id))
		if integersOnly(t, got) != `{"jsonrpc":"2.0","id":null,"error":-32600}` {
			t.Errorf("%s: %s", id, got)
		}
	}
}

// TestPanicStaysInside: the frame fails alone, nothing of the panic leaves, the
// stack is logged.
func TestPanicStaysInside(t *testing.T) {
	var log bytes.Buffer
	h := envelope.NewHandler(mathCatalog(), facade.CallerFunc(func(ctx context.Context, c *facade.Call) (*facade.Result, error) {
		if c.Operation == "sum" {
			panic("password=hunter2")
		}
		return arithmetic(ctx, c)
	}), &envelope.Options{Log: slog.New(slog.NewTextHandler(&log, nil))})
	_, got := post(t, h, `[`+sum+`,{"jsonrpc":"2.0","id":2,"method":"math.get_data"}]`)
	want := `[{"jsonrpc":"2.0","id":1,"error":-32000},{"jsonrpc":"2.0","id":2,"result":["hello",5]}]`
	if diff := cmp.Diff(want, integersOnly(t, got)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if strings.Contains(got, "hunter2") || !strings.Contains(got, `"code":"INTERNAL_ERROR"`) {
		t.Errorf("answer: %s", got)
	}
	if !strings.Contains(log.String(), "hunter2") || !strings.Contains(log.String(), "TestPanicStaysInside") {
		t.Errorf("log lacks the panic or its stack: %s", log.String())
	}
}

// TestUncodedFailureIsOnlyLogged likewise, for an error.
func TestUncodedFailureIsOnlyLogged(t *testing.T) {
	var log bytes.Buffer
	h := envelope.NewHandler(mathCatalog(), facade.CallerFunc(func(context.Context, *facade.Call) (*facade.Result, error) {
		return nil, errors.New("disk /var/secret is full")
	}), &envelope.Options{Log: slog.New(slog.NewTextHandler(&log, nil))})
	_, got := post(t, h, sum)
	if strings.Contains(got, "secret") || !strings.Contains(got, `"code":"INTERNAL_ERROR"`) || !strings.Contains(got, `"code":-32000`) {
		t.Errorf("answer: %s", got)
	}
	if !strings.Contains(log.String(), "secret") {
		t.Errorf("log: %s", log.String())
	}
}

// TestBatchRunsTenAtOnce, and answers in the order of the frames.
func TestBatchRunsTenAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var now, most atomic.Int32
		h := envelope.NewHandler(mathCatalog(), facade.CallerFunc(func(context.Context, *facade.Call) (*facade.Result, error) {
			n := now.Add(1)
			for m := most.Load(); n > m && !most.CompareAndSwap(m, n); {
				m = most.Load()
			}
			time.Sleep(time.Second)
			now.Add(-1)
			return &facade.Result{Form: facade.FormValue, Value: json.RawMessage("true")}, nil
		}), nil)
		var frames, want []string
		for i := range 100 {
			frames = append(frames, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"math.sum"}`, i))
			want = append(want, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":true}`, i))
		}
		start := time.Now()
		_, got := post(t, h, "["+strings.Join(frames, ",")+"]")
		if most.Load() != 10 || time.Since(start) != 10*time.Second {
			t.Errorf("%d at once, %s in all; want 10 and 10s", most.Load(), time.Since(start))
		}
		if diff := cmp.Diff("["+strings.Join(want, ",")+"]", got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		_, got = post(t, h, "["+strings.Join(append(frames, sum), ",")+"]")
		if integersOnly(t, got) != `{"jsonrpc":"2.0","id":null,"error":-32600}` || !strings.Contains(got, "at most 100 frames") {
			t.Errorf("101 frames: %s", got)
		}
	})
}

// A batch of small frames cannot ask for answers without end: past the cap a frame is
// refused and not run, a notification is run as ever.
func TestBatchAnswersAreCapped(t *testing.T) {
	var ran, notified atomic.Int32
	large := json.RawMessage(`"` + strings.Repeat("x", 1<<20) + `"`)
	h := envelope.NewHandler(mathCatalog(), facade.CallerFunc(func(_ context.Context, c *facade.Call) (*facade.Result, error) {
		if c.Operation == "add" {
			notified.Add(1)
			return &facade.Result{Form: facade.FormValue, Value: json.RawMessage("1")}, nil
		}
		ran.Add(1)
		return &facade.Result{Form: facade.FormValue, Value: large}, nil
	}), nil)
	var frames []string
	for i := range 60 {
		frames = append(frames, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"math.sum"}`, i))
	}
	for range 40 {
		frames = append(frames, `{"jsonrpc":"2.0","method":"math.add"}`)
	}
	_, got := post(t, h, "["+strings.Join(frames, ",")+"]")
	results, refused := strings.Count(got, `"result":`), strings.Count(got, `"code":"PAYLOAD_TOO_LARGE"`)
	// Ten run at once, so nine more may be under way when the cap is passed.
	if least := envelope.MaxAnswer >> 20; results < least || results > least+10 || results != int(ran.Load()) {
		t.Errorf("%d frames have results, %d were run", results, ran.Load())
	}
	if results+refused != 60 || notified.Load() != 40 {
		t.Errorf("%d results and %d refusals of 60 frames, %d of 40 notifications run", results, refused, notified.Load())
	}
	if !strings.Contains(got, "send this frame in another batch") {
		t.Error("nobody is ended what to do")
	}
}

// A query whose answer is beyond the budget is refused; a command is done, and its answer is sent.
func TestAnswersBeyondTheBudget(t *testing.T) {
	large := json.RawMessage(`"` + strings.Repeat("x", 2<<20) + `"`)
	h := envelope.NewHandler(storetest.Facade(t).Catalog(), facade.CallerFunc(func(context.Context, *facade.Call) (*facade.Result, error) {
		return &facade.Result{Form: facade.FormValue, Value: large}, nil
	}), &envelope.Options{Budget: budget.New(1<<20, 0)})
	for method, want := range map[string]string{"post.countWords": `"code":"PAYLOAD_TOO_LARGE"`, "post.archive": `"result":"xxx`} {
		if _, got := post(t, h, `{"jsonrpc":"2.0","id":1,"method":"`+method+`"}`); !strings.Contains(got, want) {
			t.Errorf("%s: %.200s, want %s", method, got, want)
		}
	}
}

func TestTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := envelope.NewHandler(mathCatalog(), facade.CallerFunc(func(ctx context.Context, _ *facade.Call) (*facade.Result, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		}), &envelope.Options{Timeout: 3 * time.Second})
		start := time.Now()
		_, got := post(t, h, sum)
		if time.Since(start) != 3*time.Second || !strings.Contains(got, `"code":"GATEWAY_TIMEOUT"`) {
			t.Errorf("after %s: %s", time.Since(start), got)
		}
	})
}

// TestClientGone: the context of the call ends, and nothing is logged as broken.
func TestClientGone(t *testing.T) {
	var log bytes.Buffer
	ended := make(chan error, 1)
	done := make(chan struct{})
	ctx, cancel := context.WithCancel(t.Context())
	h := envelope.NewHandler(mathCatalog(), facade.CallerFunc(func(call context.Context, _ *facade.Call) (*facade.Result, error) {
		cancel()
		<-call.Done()
		ended <- call.Err()
		return nil, call.Err()
	}), &envelope.Options{Log: slog.New(slog.NewTextHandler(&log, nil))})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer close(done)
		h.ServeHTTP(w, r)
	}))
	defer server.Close()
	if _, err := client.New(server.URL, &client.Options{Retries: -1}).Call(ctx, &facade.Call{Entity: "math", Operation: "sum"}); err == nil {
		t.Error("an answer came")
	}
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("the call's context ended with %v", err)
	}
	<-done
	if log.Len() > 0 {
		t.Errorf("logged: %s", log.String())
	}
}

// TestNotAnInvocation is -32602, with a detail for every member that is wrong.
func TestNotAnInvocation(t *testing.T) {
	h := envelope.NewHandler(mathCatalog(), echo, nil)
	for _, c := range []struct{ params, want string }{
		{`{}`, ``},
		{`{"params":{},"query":{},"body":null,"state":{},"trace":"x","identity":{"any":1}}`, ``},
		{`{"params":null,"query":null,"state":null,"trace":null}`, ``},
		{`{"body":[1]}`, ``}, // what a body may be is the façade's word
		{`[]`, ` type`},
		{`null`, ``}, // as peers send what they do not have
		{`"x"`, ` type`},
		{`{"parms":{},"quary":{}}`, `/parms unknown_key, /quary unknown_key`},
		{`{"a/b~c":1}`, `/a~1b~0c unknown_key`},
		{`{"params":[],"query":7,"state":"me","trace":1,"x":1}`, `/params type, /query type, /state type, /trace type, /x unknown_key`},
	} {
		_, got := post(t, h, `{"jsonrpc":"2.0","id":1,"method":"math.sum","params":`+c.params+`}`)
		failed := jsontext.Get([]byte(got), "error")
		if (failed == nil) != (c.want == "") || failed != nil && string(jsontext.Get(failed, "code")) != "-32602" {
			t.Errorf("%s: %s", c.params, got)
			continue
		}
		var details []string
		for _, d := range jsontext.Elements(jsontext.Get(jsontext.Get(failed, "data"), "details")) {
			details = append(details, jsontext.Unquote(jsontext.Get(d, "pointer"))+" "+jsontext.Unquote(jsontext.Get(d, "code")))
		}
		if diff := cmp.Diff(c.want, strings.Join(details, ", ")); diff != "" {
			t.Errorf("%s: details (-want +got):\n%s", c.params, diff)
		}
	}
}

// TestNotAFrame is -32700 and -32600.
func TestNotAFrame(t *testing.T) {
	h := envelope.NewHandler(mathCatalog(), arithmetic, nil)
	for _, c := range []struct {
		name, body string
		integer    int
		id         string
		says       string
	}{
		{"nothing", ``, -32700, `null`, "empty"},
		{"white space", " \n", -32700, `null`, "empty"},
		{"half a frame", `{"jsonrpc":"2.0",` + "\n" + `"id":1,`, -32700, `null`, "line 2"},
		{"two frames", sum + sum, -32700, `null`, "line 1"},
		{"a key twice", `{"jsonrpc":"2.0","id":1,"id":2,"method":"math.sum"}`, -32700, `null`, "twice"},
		{"a key twice, deep inside", `{"jsonrpc":"2.0","id":1,"method":"math.sum","params":{"body":{"a":1,"\u0061":2}}}`, -32700, `null`, "twice"},
		{"not UTF-8", "{\"jsonrpc\":\"2.0\",\"id\":\"\xff\",\"method\":\"math.sum\"}", -32700, `null`, "UTF-8"},
		{"nested too deep", `{"jsonrpc":"2.0","id":1,"method":"math.sum","params":{"body":` + strings.Repeat("[", 200) + strings.Repeat("]", 200) + `}}`, -32700, `null`, "deeper"},
		{"a string", `"math.sum"`, -32600, `null`, "a frame is an object"},
		{"no version", `{"id":1,"method":"math.sum"}`, -32600, `1`, `"jsonrpc":"2.0"`},
		{"a number for a version", `{"jsonrpc":2.0,"id":1,"method":"math.sum"}`, -32600, `1`, `"jsonrpc":"2.0"`},
		{"no method", `{"jsonrpc":"2.0","id":"x"}`, -32600, `"x"`, "method"},
		{"a method of null", `{"jsonrpc":"2.0","id":"x","method":null}`, -32600, `"x"`, "method"},
		{"neither method nor id", `{"jsonrpc":"2.0"}`, -32600, `null`, "method"},
		{"a misspelt member", `{"jsonrpc":"2.0","id":1,"method":"math.sum","parms":{}}`, -32600, `1`, `"parms"`},
		{"a response", `{"jsonrpc":"2.0","id":1,"result":1}`, -32600, `1`, "method"},
		{"a method without a dot", `{"jsonrpc":"2.0","id":1,"method":"sum"}`, -32601, `1`, "rpc.discover lists them"},
		{"a reserved method", `{"jsonrpc":"2.0","id":1,"method":"rpc.other"}`, -32601, `1`, ""},
		{"an empty method", `{"jsonrpc":"2.0","id":1,"method":""}`, -32601, `1`, "rpc.discover lists them"},
	} {
		status, got := post(t, h, c.body)
		if want := fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":%d}`, c.id, c.integer); status != 200 || integersOnly(t, got) != want {
			t.Errorf("%s: status %d, %s, want %s", c.name, status, got, want)
		}
		if message := jsontext.Unquote(jsontext.Get(jsontext.Get([]byte(got), "error"), "message")); !strings.Contains(message, c.says) {
			t.Errorf("%s: %q does not say %q", c.name, message, c.says)
		}
	}
}

// TestCredentialsThatDoNotHold refuse the request, whatever came in it, and what a
// client revives from that is the same for one frame and for many.
func TestCredentialsThatDoNotHold(t *testing.T) {
	h := envelope.NewHandler(mathCatalog(), arithmetic, &envelope.Options{State: func(*http.Request) (access.State, error) {
		return nil, kiterror.Errorf(kiterror.Unauthorized, "the token is not ours")
	}})
	for name, body := range map[string]string{
		"a frame":        sum,
		"a batch":        `[` + sum + `,` + sum + `]`,
		"a notification": `{"jsonrpc":"2.0","method":"math.sum"}`,
		"discovery":      `{"jsonrpc":"2.0","id":1,"method":"rpc.discover"}`,
	} {
		r := httptest.NewRequest(http.MethodPost, envelope.Path, strings.NewReader(body))
		r.Header.Set("Content-Type", "application/json")
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		answered := strings.Contains(w.Body.String(), `"code":"UNAUTHORIZED"`)
		if w.Code != http.StatusUnauthorized || w.Header().Get("WWW-Authenticate") != "Bearer" || answered != (name != "a notification") || strings.Contains(w.Body.String(), "result") {
			t.Errorf("%s: %d %v %s", name, w.Code, w.Header(), w.Body)
		}
	}
	server := httptest.NewServer(h)
	defer server.Close()
	host := client.New(server.URL, &client.Options{Retries: -1})
	defer host.Close()
	for name, call := range map[string]facade.Call{
		"one":  {Entity: "math", Operation: "sum"},
		"many": {Entity: "math", Operation: "findById", Each: &facade.Each{Field: "id", Keys: []json.RawMessage{json.RawMessage(`1`), json.RawMessage(`2`)}}},
	} {
		if _, err := host.Call(t.Context(), &call); kiterror.CodeOf(err) != kiterror.Unauthorized {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestPositionsOfABatch: the frames of a batch have the positions of their pages where the request
// prefers them, and the members of JSON-RPC alone where it does not. The page of a single frame has
// its position in a header.
func TestPositionsOfABatch(t *testing.T) {
	cat := mathCatalog()
	cat.Fronds[0].Doors[0].Operations[1].Cardinality = catalog.PageOf
	store := consistency.With(t.Context(), &consistency.Record{})
	h := envelope.NewHandler(cat, facade.CallerFunc(func(ctx context.Context, c *facade.Call) (*facade.Result, error) {
		r := &facade.Result{Form: facade.FormPage, Rows: rows.New(rows.NewLayout(nil), 0)}
		if c.Position {
			r.Position = facade.Position(7)
		}
		if consistency.Copies(ctx) == nil {
			r.Total = 1 // read from the store itself
		}
		return r, nil
	}), nil)
	page := func(id, total int, beside string) string {
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{"items":[],"total":%d,"hasMore":false,"endCursor":null}%s}`, id, total, beside)
	}
	at := `,"position":"` + facade.Position(7).String() + `"`
	frame := func(id int, method string) string {
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"math.%s"}`, id, method)
	}
	batch := "[" + frame(1, "sum") + "," + frame(2, "subtract") + "]"
	for _, c := range []struct{ prefer, body, want, header string }{
		{"", batch, "[" + page(1, 0, "") + "," + page(2, 0, "") + "]", ""},
		{"count=none", batch, "[" + page(1, 0, "") + "," + page(2, 0, "") + "]", ""},
		{"position=any", batch, "[" + page(1, 0, at) + "," + page(2, 0, "") + "]", ""},
		{"count=none, position", batch, "[" + page(1, 1, at) + "," + page(2, 1, "") + "]", ""},
		{"position=any", frame(1, "sum"), page(1, 0, ""), facade.Position(7).String()},
		{"", frame(1, "sum"), page(1, 0, ""), facade.Position(7).String()},
	} {
		r := httptest.NewRequestWithContext(store, http.MethodPost, "/_kit/call", strings.NewReader(c.body))
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Prefer", c.prefer)
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		if diff := cmp.Diff(c.want, w.Body.String()); diff != "" || w.Header().Get(facade.PositionHeader) != c.header {
			t.Errorf("Prefer: %q, %s: %q %s", c.prefer, c.body, w.Header().Get(facade.PositionHeader), diff)
		}
	}
}
