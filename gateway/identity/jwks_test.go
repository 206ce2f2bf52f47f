package identity_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/gateway/identity"
	"github.com/frondhost/frond/gateway/identity/tokentest"
)

// publisher is an issuer whose answers the test sets.
type publisher struct {
	mu    sync.Mutex
	text  []byte
	err   error
	takes time.Duration
	asked []time.Time
}

func (p *publisher) set(text []byte, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.text, p.err = text, err
}

func (p *publisher) fetch(ctx context.Context) ([]byte, error) {
	p.mu.Lock()
	p.asked = append(p.asked, time.Now())
	takes := p.takes
	p.mu.Unlock()
	select {
	case <-time.After(takes):
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.text, p.err
}

// times is how often it was asked until now.
func (p *publisher) times() int {
	synctest.Wait()
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.asked)
}

var errDown = errors.New("nobody is there")

// published is a session over an issuer's published keys, in a bubble where time
// passes only as the test says.
func published(t *testing.T, p *publisher, id identity.Config, log *slog.Logger) func(token string) error {
	t.Helper()
	id.Issuer, id.Audience, id.JWKS = tokentest.Issuer, []string{tokentest.Audience}, "https://issuer.example/keys"
	if id.Algorithms == nil {
		id.Algorithms = []string{"EdDSA", "ES256"}
	}
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	session, shut, err := identity.SessionOf(id, t.TempDir(), p.fetch, log)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(shut)
	return func(token string) error {
		r := httptest.NewRequest("GET", "/", nil).WithContext(t.Context())
		r.Header.Set("Authorization", "Bearer "+token)
		state, err := session(r)
		if (err == nil) != (state.User()["id"] == "ada") {
			t.Errorf("the error %v and the user %v", err, state.User())
		}
		return err
	}
}

func wantCode(t *testing.T, err error, want kiterror.Code, when string) {
	t.Helper()
	if got := kiterror.CodeOf(err); got != want {
		t.Errorf("%s: %q (%v), want %q", when, got, err, want)
	}
}

const fine kiterror.Code = ""

// A new key serves from the next poll on, and one that is gone from the set no more.
func TestRotation(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		before, after := tokentest.EdDSA("2025"), tokentest.ES256("2026")
		p := &publisher{text: tokentest.JWKS(before)}
		call := published(t, p, identity.Config{Refresh: time.Minute}, nil)
		wantCode(t, call(before.Token(nil, nil)), fine, "at first")
		p.set(tokentest.JWKS(before, after), nil)
		time.Sleep(61 * time.Second)
		wantCode(t, call(before.Token(nil, nil)), fine, "the old key, while both are published")
		wantCode(t, call(after.Token(nil, nil)), fine, "the new key, while both are published")
		if n := p.times(); n != 2 {
			t.Errorf("asked %d times, want 2", n)
		}
		p.set(tokentest.JWKS(after), nil)
		time.Sleep(time.Minute)
		wantCode(t, call(before.Token(nil, nil)), kiterror.Unauthorized, "the old key, once it is gone")
		wantCode(t, call(after.Token(nil, nil)), fine, "the new key, alone")
	})
}

// Unknown kids cause one fetch, however many tokens have one.
func TestUnknownKidAsksOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		before, after := tokentest.EdDSA("2025"), tokentest.EdDSA("2026")
		p := &publisher{text: tokentest.JWKS(before)}
		call := published(t, p, identity.Config{Refresh: time.Hour}, nil)
		wantCode(t, call(before.Token(nil, nil)), fine, "at first")
		p.set(tokentest.JWKS(before, after), nil)
		wantCode(t, call(after.Token(nil, nil)), fine, "a key that is new")
		if n := p.times(); n != 2 {
			t.Fatalf("asked %d times, want 2", n)
		}
		for i := range 1000 {
			wantCode(t, call(tokentest.EdDSA(fmt.Sprint("mallory", i)).Token(nil, nil)), kiterror.Unauthorized, "a key of nobody's")
		}
		if n := p.times(); n != 2 {
			t.Errorf("a thousand unknown kids made it %d questions, want 2", n)
		}
		// Somebody sends on and on; the issuer hears of it once in ten seconds.
		start := time.Now()
		mallory := tokentest.EdDSA("mallory").Token(nil, tokentest.Object{"exp": time.Now().Unix() + 7200})
		for time.Since(start) < 10*time.Minute {
			time.Sleep(time.Second)
			wantCode(t, call(mallory), kiterror.Unauthorized, "a key of nobody's")
		}
		if n := p.times(); n < 58 || n > 63 {
			t.Errorf("asked %d times in ten minutes, want about 60", n)
		}
		asked := p.times()
		time.Sleep(time.Minute)
		wantCode(t, call(before.Token(nil, tokentest.Object{"sub": "ada", "exp": time.Now().Unix() - 100})), kiterror.Unauthorized, "a kid we know, and a token that is too old")
		wantCode(t, call(tokentest.EdDSA("2025").Token(nil, nil)), kiterror.Unauthorized, "a kid we know, and a key we do not")
		wantCode(t, call(tokentest.EdDSA("").Token(tokentest.Object{"kid": nil}, nil)), kiterror.Unauthorized, "no kid")
		if n := p.times(); n != asked {
			t.Errorf("tokens without an unknown kid made it %d questions more", n-asked)
		}
	})
}

// Requests that arrive during a fetch wait for its answer.
func TestRequestsShareAFetch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		before, after := tokentest.EdDSA("2025"), tokentest.EdDSA("2026")
		p := &publisher{text: tokentest.JWKS(before), takes: 3 * time.Second}
		call := published(t, p, identity.Config{Refresh: time.Hour}, nil)
		all := func(token string) {
			var group sync.WaitGroup
			for range 50 {
				group.Go(func() { wantCode(t, call(token), fine, "one of many") })
			}
			group.Wait()
		}
		start := time.Now()
		all(before.Token(nil, nil)) // the first answer of all, which is waited for too
		if took := time.Since(start); p.times() != 1 || took != 3*time.Second {
			t.Errorf("at the start: asked %d times in %s, want once in 3s", p.times(), took)
		}
		p.set(tokentest.JWKS(after), nil)
		all(after.Token(nil, nil))
		if n := p.times(); n != 2 {
			t.Errorf("after the rotation: asked %d times, want 2", n)
		}
	})
}

// The periodic fetch joins one that a token has caused.
func TestPollJoinsWhatIsUnderWay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		before, after := tokentest.EdDSA("2025"), tokentest.EdDSA("2026")
		p := &publisher{text: tokentest.JWKS(before), takes: 3 * time.Second}
		call := published(t, p, identity.Config{Refresh: time.Minute}, nil)
		wantCode(t, call(before.Token(nil, nil)), fine, "at first") // 0:03; the next poll is at 1:03
		p.set(tokentest.JWKS(after), nil)
		time.Sleep(58 * time.Second)
		wantCode(t, call(after.Token(nil, nil)), fine, "a new key, two seconds before") // 1:01 to 1:04
		if n := p.times(); n != 2 {
			t.Errorf("asked %d times, want 2", n)
		}
		time.Sleep(61 * time.Second)
		if n := p.times(); n != 3 {
			t.Errorf("a minute later: asked %d times, want 3", n)
		}
	})
}

// Whoever stops waiting is not kept, and the answer is there for the next.
func TestWaitingEndsWithTheRequest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ed := tokentest.EdDSA("ed")
		p := &publisher{text: tokentest.JWKS(ed), takes: 4 * time.Second}
		session, shut, err := identity.SessionOf(identity.Config{
			Issuer: tokentest.Issuer, Audience: []string{tokentest.Audience}, Algorithms: []string{"EdDSA"}, JWKS: "https://issuer.example/keys",
		}, "", p.fetch, slog.New(slog.DiscardHandler))
		if err != nil {
			t.Fatal(err)
		}
		defer shut()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		r := httptest.NewRequest("GET", "/", nil).WithContext(ctx)
		r.Header.Set("Authorization", "Bearer "+ed.Token(nil, nil))
		start := time.Now()
		_, err = session(r)
		wantCode(t, err, kiterror.ServiceUnavailable, "who did not wait")
		if took := time.Since(start); took != time.Second {
			t.Errorf("it took %s", took)
		}
		_, err = session(r.WithContext(t.Context()))
		wantCode(t, err, fine, "who did")
	})
}

// An issuer that does not answer is given up on.
func TestIssuerThatHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ed := tokentest.EdDSA("ed")
		p := &publisher{text: tokentest.JWKS(ed), takes: time.Hour}
		call := published(t, p, identity.Config{Refresh: time.Minute}, nil)
		start := time.Now()
		wantCode(t, call(ed.Token(nil, nil)), kiterror.ServiceUnavailable, "while it hangs")
		if took := time.Since(start); took != 5*time.Second {
			t.Errorf("it took %s, want 5s", took)
		}
	})
}

// Without any keys yet nothing can be said about a token, which is no fault of it;
// the issuer is asked less and less often, and not by who sends tokens.
func TestIssuerDownAtTheStart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ed := tokentest.EdDSA("ed")
		p := &publisher{err: errDown}
		call := published(t, p, identity.Config{Refresh: time.Minute}, nil)
		start := time.Now()
		for time.Since(start) < 100*time.Second {
			wantCode(t, call(ed.Token(nil, nil)), kiterror.ServiceUnavailable, "while it is down")
			wantCode(t, call("x.y.z"), kiterror.Unauthorized, "what is no token at all, while it is down")
			time.Sleep(time.Second / 2)
		}
		var waits []time.Duration
		for i := range p.times() - 1 {
			waits = append(waits, p.asked[i+1].Sub(p.asked[i]))
		}
		if got := fmt.Sprint(waits); got != "[1s 2s 4s 8s 16s 32s]" {
			t.Errorf("it was asked again after %s", got)
		}
		p.set(tokentest.JWKS(ed), nil)
		time.Sleep(time.Minute)
		wantCode(t, call(ed.Token(nil, nil)), fine, "once it is there")
	})
}

// A local key goes on being good while the published ones cannot be had.
func TestLocalKeysBesidePublishedOnes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		local, remote := tokentest.EdDSA("local"), tokentest.EdDSA("remote")
		p := &publisher{err: errDown}
		call := published(t, p, identity.Config{Refresh: time.Minute, Keys: []string{string(tokentest.Text(local.JWK()))}}, nil)
		wantCode(t, call(local.Token(nil, nil)), fine, "the local key")
		wantCode(t, call(remote.Token(nil, nil)), kiterror.ServiceUnavailable, "a key that may be published")
		p.set(tokentest.JWKS(remote), nil)
		time.Sleep(time.Minute)
		wantCode(t, call(local.Token(nil, nil)), fine, "the local key, beside the others")
		wantCode(t, call(remote.Token(nil, nil)), fine, "the published key")
		wantCode(t, call(tokentest.EdDSA("none").Token(nil, nil)), kiterror.Unauthorized, "neither")
	})
}

// An answer that is no set of keys removes none.
func TestLastGoodKeysAreKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ed := tokentest.EdDSA("ed")
		p := &publisher{text: tokentest.JWKS(ed)}
		var log bytes.Buffer
		call := published(t, p, identity.Config{Refresh: time.Minute}, slog.New(slog.NewTextHandler(&log, nil)))
		wantCode(t, call(ed.Token(nil, nil)), fine, "at first")
		for _, c := range []struct {
			name, text string
			err        error
			says       string
		}{
			{"nobody there", "", errDown, "nobody is there"},
			{"nothing", "", nil, "line 1"},
			{"a page", "<html>down for maintenance</html>", nil, "line 1"},
			{"another document", `{"error":"down"}`, nil, "it is no JWKS"},
			{"a list", `[]`, nil, "it is no JWKS"},
			{"keys that are an object", `{"keys":{}}`, nil, "it is no JWKS"},
			{"keys said twice", `{"keys":[],"keys":[]}`, nil, "keys"},
			{"no keys", `{"keys":[]}`, nil, "it contains no key"},
			{"keys of another kind alone", string(tokentest.JWKS(tokentest.ES384("ec"))), nil, "it contains no key"},
			{"too many", `{"keys":[` + strings.Repeat(`{},`, 100) + `{}]}`, nil, "more than 100 keys"},
		} {
			synctest.Wait()
			log.Reset()
			p.set([]byte(c.text), c.err)
			time.Sleep(time.Minute)
			wantCode(t, call(ed.Token(nil, nil)), fine, c.name)
			wantCode(t, call(tokentest.EdDSA("x").Token(nil, nil)), kiterror.Unauthorized, c.name+", another key")
			synctest.Wait() // whoever asks in the background may be writing
			if !strings.Contains(log.String(), c.says) || !strings.Contains(log.String(), "kept=true") {
				t.Errorf("%s: want %q in the log: %s", c.name, c.says, log.String())
			}
		}
		p.set(tokentest.JWKS(tokentest.EdDSA("new")), nil)
		time.Sleep(time.Minute)
		wantCode(t, call(ed.Token(nil, nil)), kiterror.Unauthorized, "once there is another set")
	})
}

// An issuer that publishes what it should keep to itself is not helped along: a
// secret that everybody can read signs for everybody.
func TestPublishedSecretsAreIgnored(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ed, ec := tokentest.EdDSA("ed"), tokentest.ES256("ec")
		leaked := tokentest.HS256("mac", bytes.Repeat([]byte("k"), 32))
		private := tokentest.EdDSA("private")
		withD := private.JWK()
		withD["d"] = tokentest.B64(make([]byte, 32))
		hidden := private.JWK()
		hidden["kid"], hidden["k"] = "hidden", tokentest.B64(make([]byte, 32))
		encrypts := ec.JWK()
		encrypts["use"] = "enc"
		signs := tokentest.EdDSA("signs").JWK()
		delete(signs, "use")
		signs["key_ops"] = []string{"sign"}
		bound := tokentest.EdDSA("bound")
		boundJWK := bound.JWK()
		boundJWK["alg"] = "ES256"
		weak := tokentest.Object{"kty": "RSA", "kid": "weak", "n": tokentest.B64(bytes.Repeat([]byte{0xff}, 128)), "e": "AQAB"}
		off := ec.JWK()
		off["kid"], off["y"] = "off", off["x"]

		local := tokentest.HS256("ours", bytes.Repeat([]byte("o"), 32))
		var log bytes.Buffer
		p := &publisher{text: tokentest.Text(tokentest.Object{"keys": []any{ed.JWK(), leaked.JWK(), withD, hidden, encrypts, signs, boundJWK, weak, off, 7, tokentest.Object{"kty": "new"}}})}
		dir := t.TempDir()
		tokentest.Write(dir, "ours.json", tokentest.Text(local.JWK()))
		session, shut, err := identity.SessionOf(identity.Config{
			Issuer: tokentest.Issuer, Audience: []string{tokentest.Audience}, Algorithms: []string{"EdDSA", "ES256", "HS256", "RS256"},
			Keys: []string{"ours.json"}, JWKS: "https://issuer.example/keys",
		}, dir, p.fetch, slog.New(slog.NewTextHandler(&log, nil)))
		if err != nil {
			t.Fatal(err)
		}
		defer shut()
		call := func(token string) error {
			r := httptest.NewRequest("GET", "/", nil)
			r.Header.Set("Authorization", "Bearer "+token)
			_, err := session(r)
			return err
		}
		wantCode(t, call(local.Token(nil, nil)), fine, "our own secret")
		wantCode(t, call(ed.Token(nil, nil)), fine, "the key that is as it should be")
		for name, token := range map[string]string{
			"a published secret":         leaked.Token(nil, nil),
			"a private key":              private.Token(nil, nil),
			"a private key by its k":     private.Token(tokentest.Object{"kid": "hidden"}, nil),
			"a key for encryption":       ec.Token(nil, nil),
			"a key of another algorithm": bound.Token(nil, nil),
		} {
			wantCode(t, call(token), kiterror.Unauthorized, name)
		}
		for _, says := range []string{
			"key 1: a secret has no place here", "key 2: there is a private key in it", "key 3: a secret has no place", `key 4: its use is \"enc\"`,
			"key 5: verify is not among", "key 7: an RSA key of 1024 bits", "key 8: it is no JWK that can be used", "key 9: it is no JWK", "key 10: it is no JWK",
		} {
			if !strings.Contains(log.String(), says) {
				t.Errorf("want %q in the log:\n%s", says, log.String())
			}
		}
	})
}

// A key without a name answers for every kid, and does not keep a new one from
// being asked for.
func TestKeysWithoutNames(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ed, late := tokentest.EdDSA(""), tokentest.EdDSA("late")
		nameless := ed.JWK()
		delete(nameless, "kid")
		p := &publisher{text: tokentest.Text(tokentest.Object{"keys": []any{nameless}})}
		call := published(t, p, identity.Config{Refresh: time.Hour}, nil)
		wantCode(t, call(ed.Token(tokentest.Object{"kid": "anything"}, nil)), fine, "any kid")
		wantCode(t, call(ed.Token(tokentest.Object{"kid": nil}, nil)), fine, "no kid")
		p.set(tokentest.Text(tokentest.Object{"keys": []any{nameless, late.JWK()}}), nil)
		wantCode(t, call(late.Token(nil, nil)), fine, "a key that came later")
		a, b := tokentest.EdDSA("a"), tokentest.EdDSA("b")
		p.set(tokentest.JWKS(a, b), nil)
		time.Sleep(time.Hour)
		wantCode(t, call(a.Token(nil, nil)), fine, "one of two by name")
		wantCode(t, call(a.Token(tokentest.Object{"kid": nil}, nil)), kiterror.Unauthorized, "one of two, and it does not say which")
		wantCode(t, call(a.Token(tokentest.Object{"kid": "b"}, nil)), kiterror.Unauthorized, "one of two by the other's name")
	})
}

// What an issuer may answer over HTTP, and what is not followed.
func TestFetch(t *testing.T) {
	ed := tokentest.EdDSA("ed")
	good := tokentest.JWKS(ed)
	for _, c := range []struct {
		name   string
		answer func(w http.ResponseWriter, r *http.Request)
		code   kiterror.Code
		says   string
	}{
		{"keys", func(w http.ResponseWriter, r *http.Request) {
			if r.Header.Get("Accept") == "" || r.Header.Get("Authorization") != "" {
				t.Errorf("asked with %v", r.Header)
			}
			_, _ = w.Write(good)
		}, fine, ""},
		{"keys elsewhere", func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/elsewhere" {
				_, _ = w.Write(good)
				return
			}
			http.Redirect(w, r, "/elsewhere", http.StatusFound)
		}, kiterror.ServiceUnavailable, "status 302"},
		{"keys that are not there", func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusNotFound)
			_, _ = w.Write(good)
		}, kiterror.ServiceUnavailable, "status 404"},
		{"keys without end", func(w http.ResponseWriter, _ *http.Request) {
			_, _ = w.Write(good[:len(good)-1])
			for range 1000 {
				if _, err := w.Write(bytes.Repeat([]byte(" "), 1<<10)); err != nil {
					return
				}
			}
			_, _ = w.Write([]byte("}"))
		}, kiterror.ServiceUnavailable, "more than 524288 bytes"},
	} {
		t.Run(c.name, func(t *testing.T) {
			server := httptest.NewServer(http.HandlerFunc(c.answer))
			defer server.Close()
			var log bytes.Buffer
			session, shut, err := identity.SessionOf(identity.Config{
				Issuer: tokentest.Issuer, Audience: []string{tokentest.Audience}, Algorithms: []string{"EdDSA"}, JWKS: server.URL + "/keys",
			}, "", nil, slog.New(slog.NewTextHandler(&log, nil)))
			if err != nil {
				t.Fatal(err)
			}
			r := httptest.NewRequest("GET", "/", nil)
			r.Header.Set("Authorization", "Bearer "+ed.Token(nil, nil))
			_, err = session(r)
			shut() // nobody writes to the log any more
			wantCode(t, err, c.code, "a token")
			if !strings.Contains(log.String(), c.says) {
				t.Errorf("want %q in the log: %s", c.says, log.String())
			}
		})
	}
}
