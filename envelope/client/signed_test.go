package client_test

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/frondhost/frond/envelope"
	"github.com/frondhost/frond/envelope/client"
	"github.com/frondhost/frond/envelope/signing"
	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/access"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/schema/jsontext"
	"github.com/frondhost/frond/store/storetest"
)

// sender is a key of one's own, and who verifies it for a Frond.
func sender(t testing.TB, frond string) (*signing.Signer, *signing.Verifier) {
	t.Helper()
	public, private, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	v, err := signing.NewVerifier(frond, []signing.Key{{Public: public}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return signing.NewSigner(private, "shop"), v
}

// posts keeps what comes in, and lets something befall it on its way.
type posts struct {
	host http.Handler
	way  func(n int, w http.ResponseWriter, body []byte) (passed []byte) // nil: it was answered

	mu  sync.Mutex
	all [][]byte
}

func (p *posts) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	p.mu.Lock()
	p.all = append(p.all, body)
	n := len(p.all)
	p.mu.Unlock()
	if p.way != nil {
		if body = p.way(n, w, body); body == nil {
			return
		}
	}
	r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	p.host.ServeHTTP(w, r)
}

func (p *posts) start(t testing.TB, opts *client.Options) *client.Remote {
	t.Helper()
	server := httptest.NewServer(p)
	t.Cleanup(server.Close)
	return remote(t, server.URL, opts).HurryUp()
}

func TestSignedState(t *testing.T) {
	signer, verifier := sender(t, "numbers")
	host := &posts{host: envelope.NewHandler(mathCatalog(), echo, &envelope.Options{Verifier: verifier, TrustState: true, State: func(*http.Request) (access.State, error) {
		t.Error("the hook was asked")
		return nil, nil
	}})}
	forge := func(with string) func(int, http.ResponseWriter, []byte) []byte {
		return func(_ int, _ http.ResponseWriter, body []byte) []byte {
			changed := bytes.Replace(body, []byte(`"state":{"caller":"whoever called us","user":{"id":"ada"}}`), []byte(with), 1)
			if bytes.Equal(changed, body) {
				t.Errorf("nothing is changed in %s", body)
			}
			return changed
		}
	}
	for name, way := range map[string]func(int, http.ResponseWriter, []byte) []byte{
		"as it was sent": nil,
		"forged":         forge(`"state":{"user":{"id":"mallory"},"caller":"root"}`),
		"left out":       forge(`"state":null`),
		"empty":          forge(`"state":{}`),
	} {
		host.way = way
		r := host.start(t, &client.Options{Name: "numbers", Signer: signer, Retries: -1})
		result, err := r.Call(t.Context(), &facade.Call{Entity: "math", Operation: "sum", Invocation: facade.Invocation{
			State: access.State{"user": map[string]any{"id": "ada"}, "caller": "whoever called us"},
		}})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if got := string(jsontext.Get(result.AppendJSON(nil), "State")); got != `{"caller":"shop","user":{"id":"ada"}}` {
			t.Errorf("%s: the state is %s", name, got)
		}
	}
}

// TestSignedBesideASession: a host with a session takes the signed state of a post for the Frond that it is
// signed for, and the session's of any other.
func TestSignedBesideASession(t *testing.T) {
	signer, verifier := sender(t, "")
	stranger, _ := sender(t, "")
	host := envelope.NewHandler(mathCatalog(), echo, &envelope.Options{Verifier: verifier, TrustState: true, Log: slog.New(slog.DiscardHandler), State: func(*http.Request) (access.State, error) {
		return access.State{"user": map[string]any{"id": "eva"}}, nil
	}, Atomic: func(_ context.Context, state access.State, _ string, sent json.RawMessage) (*facade.Result, error) {
		return &facade.Result{Form: facade.FormValue, Value: jsontext.Quote(fmt.Sprint(state["user"], string(sent)))}, nil
	}})
	const frame = `{"jsonrpc":"2.0","id":1,"method":"math.sum","params":{"state":{"user":{"id":"mallory"}}}}`
	seal := func(s *signing.Signer, frond, frame string) string {
		sealed, err := s.Seal([]byte(frame), frond, json.RawMessage(`{"user":{"id":"ada"}}`))
		if err != nil {
			t.Fatal(err)
		}
		return string(sealed.Post())
	}
	good := seal(signer, "numbers", frame)
	for _, c := range []struct {
		name, body, want string
		status           int
	}{
		{"unsigned", frame, `"State":{"user":{"id":"eva"}}`, 200},
		{"signed", good, `"State":{"caller":"shop","user":{"id":"ada"}}`, 200},
		{"again", good, "the token has been used", 401},
		{"by a stranger", seal(stranger, "numbers", frame), "signed with a key that is not known here", 401},
		{"no token", strings.Replace(frame, `"state"`, `"identity":null,"state"`, 1), "identity is not a token", 401},
		{"for another Frond", seal(signer, "letters", frame), "math is of the Frond numbers, and the call is signed for letters", 200},
		{"several calls", seal(signer, "numbers", `{"jsonrpc":"2.0","id":1,"method":"rpc.atomic","params":{"calls":[{"method":"math.sum"}],"state":{"user":{"id":"mallory"}}}}`), `"result":"map[id:ada]{\"calls\":[{\"method\":\"math.sum\"}]}"`, 200},
		{"several calls, for another Frond", seal(signer, "letters", `{"jsonrpc":"2.0","id":1,"method":"rpc.atomic","params":{"calls":[{"method":"math.sum"}]}}`), "math is of the Frond numbers, and the call is signed for letters", 200},
	} {
		r := httptest.NewRequest(http.MethodPost, envelope.Path, strings.NewReader(c.body))
		r.Header.Set("Content-Type", "application/json")
		w := httptest.NewRecorder()
		host.ServeHTTP(w, r)
		if w.Code != c.status || !strings.Contains(w.Body.String(), c.want) {
			t.Errorf("%s: %d %s; want %d with %s", c.name, w.Code, w.Body, c.status, c.want)
		}
	}
}

// TestUnsignedCallsAreRefused, and the sender of a call that is refused so knows that
// this is between the two of them.
func TestUnsignedCallsAreRefused(t *testing.T) {
	_, verifier := sender(t, "math")
	stranger, _ := sender(t, "math")
	host := &posts{host: envelope.NewHandler(mathCatalog(), echo, &envelope.Options{Verifier: verifier, Log: slog.New(slog.DiscardHandler)})}
	const frame = `{"jsonrpc":"2.0","id":1,"method":"math.sum","params":{}}`
	for _, body := range []string{frame, `[` + frame + `,` + frame + `]`, `{"jsonrpc":"2.0","id":1,"method":"rpc.discover"}`, `{"jsonrpc":"2.0","method":"math.sum"}`, `{"jsonrpc":"2.0","id":1,"method":"nothing.there"}`} {
		r := httptest.NewRequest(http.MethodPost, envelope.Path, strings.NewReader(body))
		r.Header.Set("Content-Type", "application/json")
		w := httptest.NewRecorder()
		host.ServeHTTP(w, r)
		if w.Code != http.StatusUnauthorized || w.Header().Get("WWW-Authenticate") != "Kit-Call" {
			t.Errorf("%s: %d %q", body, w.Code, w.Header().Get("WWW-Authenticate"))
		}
		answers := strings.Count(w.Body.String(), `"code":"UNAUTHORIZED"`)
		if want := strings.Count(body, `"id"`); answers != want {
			t.Errorf("%s: %d refusals, want %d: %s", body, answers, want, w.Body)
		}
	}
	twice := `{"jsonrpc":"2.0","id":1,"method":"math.sum","params":{"identity":"x","identity":"y"}}`
	r := httptest.NewRequest(http.MethodPost, envelope.Path, strings.NewReader(twice))
	r.Header.Set("Content-Type", "application/json")
	w := httptest.NewRecorder()
	host.ServeHTTP(w, r)
	if !strings.Contains(w.Body.String(), "-32700") || !strings.Contains(w.Body.String(), "occurs twice") {
		t.Errorf("a name that occurs twice: %s", w.Body)
	}
	for name, signer := range map[string]*signing.Signer{"not signed": nil, "by a stranger": stranger} {
		remote := host.start(t, &client.Options{Name: "math", Signer: signer})
		_, err := remote.Call(t.Context(), &facade.Call{Entity: "math", Operation: "sum"})
		if got := kiterror.AsError(err); got.Code != kiterror.BadGateway || !strings.Contains(got.Message, "does not take the call as it is signed") || strings.Contains(got.Message, "known") {
			t.Errorf("%s: %v", name, err)
		}
		if status := remote.Status(); status.Posts != 1 {
			t.Errorf("%s: it was sent %d times", name, status.Posts)
		}
	}
}

// TestSignedAgain: what is sent again has a token of its own, or it would be a replay.
func TestSignedAgain(t *testing.T) {
	signer, verifier := sender(t, "math")
	host := &posts{host: envelope.NewHandler(mathCatalog(), echo, &envelope.Options{Verifier: verifier})}
	host.way = func(n int, w http.ResponseWriter, body []byte) []byte {
		if n > 2 {
			return body
		}
		answer := httptest.NewRecorder() // it arrives, and the answer does not
		r := httptest.NewRequest(http.MethodPost, envelope.Path, bytes.NewReader(body))
		r.Header.Set("Content-Type", "application/json")
		host.host.ServeHTTP(answer, r)
		if answer.Code != http.StatusOK {
			t.Errorf("the %d. time: %s", n, answer.Body)
		}
		w.WriteHeader(http.StatusServiceUnavailable)
		return nil
	}
	r := host.start(t, &client.Options{Name: "math", Signer: signer})
	if _, err := r.Call(t.Context(), &facade.Call{Entity: "math", Operation: "get"}); err != nil {
		t.Fatal(err)
	}
	tokens := map[string]bool{}
	for _, post := range host.all {
		tokens[string(jsontext.Get(jsontext.Get(post, "params"), "identity"))] = true
	}
	if len(host.all) != 3 || len(tokens) != 3 {
		t.Errorf("%d posts had %d tokens, want 3 of each", len(host.all), len(tokens))
	}
}

// TestSignedManyKeys asks for many keys by every rung: the same rows, each post signed
// once, whatever it holds, for the Frond whose door it is.
func TestSignedManyKeys(t *testing.T) {
	near := storetest.Facade(t)
	frond := near.Catalog().Door("post").Frond.Name
	for name, m := range map[string]*manners{
		"findByIds":    {},
		"batches":      {noIDs: true},
		"single calls": {noIDs: true, refuse: func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusBadRequest) }},
	} {
		signer, verifier := sender(t, frond)
		m.host = envelope.NewHandler(near.Catalog(), near, &envelope.Options{Verifier: verifier})
		host := &posts{host: m}
		r := host.start(t, &client.Options{Name: "somewhere", Signer: signer}).With(near.Catalog())
		for _, call := range []*facade.Call{
			{Entity: "post", Operation: "findById", Each: &facade.Each{Field: "id", Keys: keysOf(`"p1"`, `"p2"`, `"nobody"`)}},
			{Entity: "post", Operation: "list", Each: &facade.Each{Field: "authorId", Keys: keysOf(`"alan"`, `"ada"`)}},
		} {
			a, err := near.Call(t.Context(), call)
			if err != nil {
				t.Fatal(err)
			}
			b, err := r.Call(t.Context(), call)
			if err != nil {
				t.Fatalf("%s: %s.%s: %v", name, call.Entity, call.Operation, err)
			}
			for i := range a.Groups {
				if diff := cmp.Diff(group(a, i), group(b, i)); diff != "" {
					t.Errorf("%s: %s.%s (-near +far):\n%s", name, call.Entity, call.Operation, diff)
				}
			}
		}
		for _, post := range host.all {
			if n := bytes.Count(post, []byte(`"identity":"`)); n != 1 {
				t.Errorf("%s: a post has %d tokens: %s", name, n, post)
			}
		}
	}
}

// TestSignedForAHostThatDoesNotVerify: the token is one member more, and the state is sent as well.
func TestSignedForAHostThatDoesNotVerify(t *testing.T) {
	signer, _ := sender(t, "math")
	host := &posts{host: envelope.NewHandler(mathCatalog(), echo, &envelope.Options{TrustState: true})}
	r := host.start(t, &client.Options{Name: "math", Signer: signer})
	result, err := r.Call(t.Context(), &facade.Call{Entity: "math", Operation: "sum", Invocation: facade.Invocation{State: access.State{"user": map[string]any{"id": "ada"}}}})
	if err != nil {
		t.Fatal(err)
	}
	if got := string(jsontext.Get(result.AppendJSON(nil), "State")); got != `{"user":{"id":"ada"}}` {
		t.Errorf("the state is %s", got)
	}
	if _, err := r.Discover(t.Context()); err != nil {
		t.Error(err)
	}
}

// TestUnsignable: a number beyond doubles has no canonical text, so nothing is sent.
func TestUnsignable(t *testing.T) {
	signer, verifier := sender(t, "math")
	host := &posts{host: envelope.NewHandler(mathCatalog(), echo, &envelope.Options{Verifier: verifier})}
	r := host.start(t, &client.Options{Name: "math", Signer: signer})
	_, err := r.Call(t.Context(), &facade.Call{Entity: "math", Operation: "sum", Invocation: facade.Invocation{Body: json.RawMessage(`{"a":1e999}`)}})
	if got := kiterror.AsError(err); got.Code != kiterror.BadRequest || !strings.Contains(got.Message, "cannot be signed") {
		t.Errorf("%v", err)
	}
	if len(host.all) > 0 {
		t.Errorf("%d posts were sent", len(host.all))
	}
}
