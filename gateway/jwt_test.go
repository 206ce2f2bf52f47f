package gateway_test

import (
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"encoding/asn1"
	"encoding/base64"
	"fmt"
	"io"
	"math/big"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/gateway"
	"github.com/frondhost/frond/gateway/identity"
)

// spied is a façade that remembers whom it was called by.
type spied struct {
	mu   sync.Mutex
	seen []facade.State
}

func (s *spied) middleware(next facade.Caller) facade.Caller {
	return facade.CallerFunc(func(ctx context.Context, c *facade.Call) (*facade.Result, error) {
		s.mu.Lock()
		s.seen = append(s.seen, c.Invocation.State)
		s.mu.Unlock()
		return next.Call(ctx, c)
	})
}

// take is what was seen since the last time.
func (s *spied) take() []facade.State {
	s.mu.Lock()
	defer s.mu.Unlock()
	seen := s.seen
	s.seen = nil
	return seen
}

// surface is one way to ask for the notes.
type surface struct{ name, method, path, body string }

var surfaces = []surface{
	{"REST", "GET", "/api/app/notes", ""},
	{"the envelope", "POST", "/_kit/call", `{"jsonrpc":"2.0","id":7,"method":"note.list","params":{"state":{"user":{"id":"mallory","roles":["admin"]}}}}`},
	{"GraphQL", "POST", "/graphql", `{"query":"{ notes { total } }"}`},
}

type reply struct {
	status int
	header http.Header
	body   string
}

// ask sends a request with any number of Authorization headers.
func (s surface) ask(t *testing.T, url string, authorization ...string) reply {
	t.Helper()
	req, err := http.NewRequest(s.method, url+s.path, strings.NewReader(s.body))
	if err != nil {
		t.Fatal(err)
	}
	if s.body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	req.Header["Authorization"] = authorization
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return reply{resp.StatusCode, resp.Header, string(body)}
}

// issuer is the keys of the tests over HTTP: one of each kind, all allowed at once,
// which is as much as an attacker could wish for.
type issuer struct {
	rsa, pss, ec, ed, mac signer
	config                gateway.Config
}

func newIssuer(t *testing.T) *issuer {
	t.Helper()
	secret := make([]byte, 32)
	_, _ = rand.Read(secret)
	i := &issuer{rsa: rs256("rsa"), pss: ps256("rsa"), ec: es256("ec"), ed: eddsa("ed"), mac: hs256("mac", secret)}
	dir := t.TempDir()
	for name, content := range map[string][]byte{
		"public.json": jwks(i.rsa, i.ec, i.ed),
		"secret.json": text(i.mac.JWK()),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	i.config = gateway.Config{Dir: dir, Identity: gateway.Identity{
		Issuer: mintIssuer, Audience: []string{"else", mintAudience},
		Algorithms: []string{"RS256", "PS256", "ES256", "EdDSA", "HS256"},
		Keys:       []string{"public.json", "secret.json"},
	}}
	return i
}

func TestGoodTokens(t *testing.T) {
	var spy spied
	iss := newIssuer(t)
	url, _ := run(t, notes(t), gateway.Options{Config: iss.config, Middleware: []facade.Middleware{spy.middleware}})
	ada := object{"id": "ada", "roles": []any{}, "scopes": []any{}}
	for _, c := range []struct {
		name, authorization string
		want                object
	}{
		{"RS256", "Bearer " + iss.rsa.Token(nil, nil), ada},
		{"PS256", "Bearer " + iss.pss.Token(nil, nil), ada},
		{"ES256", "Bearer " + iss.ec.Token(nil, nil), ada},
		{"EdDSA", "Bearer " + iss.ed.Token(nil, nil), ada},
		{"HS256", "Bearer " + iss.mac.Token(nil, nil), ada},
		{"the scheme in any case", "bEARER   " + iss.ed.Token(nil, nil), ada},
		{"no kid, and one key that fits", "Bearer " + iss.ed.Token(object{"kid": nil}, nil), ada},
		{"no typ", "Bearer " + iss.ed.Token(object{"typ": nil}, nil), ada},
		{"an access token by its typ", "Bearer " + iss.ed.Token(object{"typ": "at+JWT"}, nil), ada},
		{"an unknown header that may be passed over", "Bearer " + iss.ed.Token(object{"x5t": "abc"}, nil), ada},
		{"several audiences", "Bearer " + iss.ed.Token(nil, object{"aud": []string{"a", mintAudience}}), ada},
		{"a fraction of a second", "Bearer " + iss.ed.Token(nil, object{"exp": float64(time.Now().Unix()) + 60.5}), ada},
		{
			"roles, scopes, tenant", "Bearer " + iss.ed.Token(nil, object{"roles": []string{"staff", "buyer"}, "scope": "read  write", "tenant": "north"}),
			object{"id": "ada", "roles": []any{"staff", "buyer"}, "scopes": []any{"read", "write"}, "tenant": "north"},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, s := range surfaces {
				got := s.ask(t, url, c.authorization)
				seen := spy.take()
				if got.status != 200 || len(seen) != 1 {
					t.Fatalf("%s: %d %s, the façade was called %d times", s.name, got.status, got.body, len(seen))
				}
				if diff := cmp.Diff(c.want, user(t, seen[0].User())); diff != "" {
					t.Errorf("%s (-want +got):\n%s", s.name, diff)
				}
				if got.header.Get("WWW-Authenticate") != "" {
					t.Errorf("%s: a challenge to who is known", s.name)
				}
			}
		})
	}
}

// Nobody who says nothing is refused for it, and nobody is who a frame says.
func TestNoTokenIsAnonymous(t *testing.T) {
	var spy spied
	url, _ := run(t, notes(t), gateway.Options{Config: newIssuer(t).config, Middleware: []facade.Middleware{spy.middleware}})
	for _, s := range surfaces {
		got := s.ask(t, url)
		if seen := spy.take(); got.status != 200 || len(seen) != 1 || seen[0].User() != nil {
			t.Errorf("%s: %d %s, the façade saw %v", s.name, got.status, got.body, seen)
		}
	}
}

// The header of dev identity is nobody's business where callers have tokens.
func TestDevHeaderBesideTokens(t *testing.T) {
	var spy spied
	iss := newIssuer(t)
	url, _ := run(t, notes(t), gateway.Options{Config: iss.config, Middleware: []facade.Middleware{spy.middleware}})
	for _, authorization := range []string{"", "Authorization: Bearer " + iss.ed.Token(nil, nil)} {
		headers := []string{identity.DevHeader + `: {"id":"mallory"}`}
		if authorization != "" {
			headers = append(headers, authorization)
		}
		status, body := send(t, "GET", url+"/api/app/notes", "", headers...)
		seen := spy.take()
		if status != 200 || len(seen) != 1 || (authorization == "") != (seen[0].User() == nil) || seen[0].User()["id"] == "mallory" {
			t.Errorf("%d %s, the façade saw %v", status, body, seen)
		}
	}
}

// The state in a frame changes nothing about who is calling.
func TestSentStateIsIgnored(t *testing.T) {
	var spy spied
	iss := newIssuer(t)
	url, _ := run(t, notes(t), gateway.Options{Config: iss.config, Middleware: []facade.Middleware{spy.middleware}})
	for _, state := range []string{`{"user":{"id":"mallory"}}`, `{"user":null}`, `{}`, `null`} {
		s := surface{"the envelope", "POST", "/_kit/call", `[` + strings.Repeat(`{"jsonrpc":"2.0","id":1,"method":"note.list","params":{"state":`+state+`}},`, 2) + `{"jsonrpc":"2.0","id":2,"method":"note.list"}]`}
		got := s.ask(t, url, "Bearer "+iss.ec.Token(nil, nil))
		seen := spy.take()
		if got.status != 200 || len(seen) != 3 {
			t.Fatalf("%d %s, the façade was called %d times", got.status, got.body, len(seen))
		}
		for _, was := range seen {
			if len(was) != 1 || was.User()["id"] != "ada" {
				t.Errorf("with %s the façade saw %v", state, was)
			}
		}
	}
}

func TestHostileTokens(t *testing.T) {
	var asked sync.Map
	elsewhere := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { asked.Store(r.URL.Path, true) }))
	defer elsewhere.Close()
	var spy spied
	iss := newIssuer(t)
	url, _ := run(t, notes(t), gateway.Options{Config: iss.config, Middleware: []facade.Middleware{spy.middleware}})

	good := iss.ed.Token(nil, nil)
	parts := strings.Split(good, ".")
	header, body, signature := parts[0], parts[1], parts[2]
	now := time.Now().Unix()
	mallory := eddsa("mallory")
	// as signs by another's rules with what everybody may know.
	as := func(header object, secret []byte) string { return hs256("", secret).Token(header, nil) }

	cases := []struct{ name, token string }{
		{"expired", iss.ed.Token(nil, object{"exp": now - 61})},
		{"expired long ago", iss.ed.Token(nil, object{"exp": 0})},
		{"expired before time began", iss.ed.Token(nil, object{"exp": -1e300})},
		{"not yet valid", iss.ed.Token(nil, object{"nbf": now + 90})},
		{"valid in the far future", iss.ed.Token(nil, object{"nbf": 1e300})},
		{"valid beyond what a clock counts", iss.ed.Token(nil, object{"nbf": 9223372036854775807})},
		{"issued tomorrow", iss.ed.Token(nil, object{"iat": now + 86400})},
		{"nbf that is text", iss.ed.Token(nil, object{"nbf": fmt.Sprint(now - 10)})},
		{"no exp", iss.ed.Token(nil, object{"exp": nil})},
		{"exp that is text", iss.ed.Token(nil, object{"exp": fmt.Sprint(now + 600)})},
		{"exp that is true", iss.ed.Token(nil, object{"exp": true})},
		{"exp in a list", iss.ed.Token(nil, object{"exp": []int64{now + 600}})},
		{"exp that is null", join(text(object{"alg": "EdDSA", "kid": "ed"}), []byte(`{"iss":"https://issuer.example","aud":"shop","sub":"ada","exp":null}`), iss.ed.Sign)},
		{"exp that no number holds", join(text(object{"alg": "EdDSA", "kid": "ed"}), []byte(`{"iss":"https://issuer.example","aud":"shop","sub":"ada","exp":1e999}`), iss.ed.Sign)},

		{"another audience", iss.ed.Token(nil, object{"aud": "bank"})},
		{"another audience, nearly ours", iss.ed.Token(nil, object{"aud": "shop "})},
		{"other audiences", iss.ed.Token(nil, object{"aud": []string{"bank", "shopping"}})},
		{"audiences that are not all text", iss.ed.Token(nil, object{"aud": []any{1, mintAudience}})},
		{"no audience", iss.ed.Token(nil, object{"aud": nil})},
		{"an empty list of audiences", iss.ed.Token(nil, object{"aud": []string{}})},
		{"an audience that is an object", iss.ed.Token(nil, object{"aud": object{"shop": true}})},
		{"another issuer", iss.ed.Token(nil, object{"iss": "https://mallory.example"})},
		{"the issuer with a slash", iss.ed.Token(nil, object{"iss": mintIssuer + "/"})},
		{"the issuer in capitals", iss.ed.Token(nil, object{"iss": strings.ToUpper(mintIssuer)})},
		{"the issuer in a list", iss.ed.Token(nil, object{"iss": []string{mintIssuer}})},
		{"no issuer", iss.ed.Token(nil, object{"iss": nil})},

		{"nobody", iss.ed.Token(nil, object{"sub": nil})},
		{"nobody, by an empty name", iss.ed.Token(nil, object{"sub": ""})},
		{"somebody by a number", iss.ed.Token(nil, object{"sub": 7})},
		{"roles that are an object", iss.ed.Token(nil, object{"roles": object{"admin": true}})},
		{"roles that are not all text", iss.ed.Token(nil, object{"roles": []any{"admin", 1}})},
		{"a tenant that is a list", iss.ed.Token(nil, object{"tenant": []string{"north"}})},
		{"claims that hold no number", join(text(object{"alg": "EdDSA", "kid": "ed"}), []byte(`{"iss":"https://issuer.example","aud":"shop","sub":"ada","exp":4e9,"x":[{"y":1e999}]}`), iss.ed.Sign)},

		{"HS256 with the RSA key as PEM", as(object{"kid": "rsa"}, iss.rsa.PEM())},
		{"HS256 with the RSA key as DER", as(object{"kid": "rsa"}, iss.rsa.DER())},
		{"HS256 with the RSA key as JWK", as(object{"kid": "rsa"}, text(iss.rsa.JWK()))},
		{"HS256 with the RSA modulus", as(object{"kid": "rsa"}, rsaKey().N.Bytes())},
		{"HS256 with the RSA key as PEM, trimmed", as(object{"kid": "rsa"}, []byte(strings.TrimSpace(string(iss.rsa.PEM()))))},
		{"HS256 with the EC key as PEM", as(object{"kid": "ec"}, iss.ec.PEM())},
		{"HS256 with the EC key as DER", as(object{"kid": "ec"}, iss.ec.DER())},
		{"HS256 with the EC key as JWK", as(object{"kid": "ec"}, text(iss.ec.JWK()))},
		{"HS256 with the Ed25519 key as PEM", as(object{"kid": "ed"}, iss.ed.PEM())},
		{"HS256 with the Ed25519 key's bytes", as(object{"kid": "ed"}, iss.ed.Public.(ed25519.PublicKey))},
		{"HS256 with the Ed25519 key as PEM", as(object{"kid": "ed"}, iss.ed.PEM())},
		{"HS256 with the Ed25519 key, under the secret's name", as(object{"kid": "mac"}, iss.ed.Public.(ed25519.PublicKey))},
		{"HS256 with no secret at all", as(object{"kid": "mac"}, nil)},
		{"HS256 with the RSA key and no kid", as(object{"kid": nil}, iss.rsa.PEM())},
		{"HS384, which is not allowed, with our secret", join(text(object{"alg": "HS384", "kid": "mac"}), text(claims(nil)), iss.mac.Sign)},
		{"ES384, which is not allowed", es384("ec").Token(nil, nil)},
		{"RS512, which is not allowed, with our key", rs512("rsa").Token(nil, nil)},
		{"the algorithm in small letters", iss.rsa.Token(object{"alg": "rs256"}, nil)},
		{"an algorithm nobody knows", iss.rsa.Token(object{"alg": "XX256"}, nil)},
		{"an algorithm that is a number", iss.rsa.Token(object{"alg": 256}, nil)},
		{"algorithms in a list", iss.rsa.Token(object{"alg": []string{"RS256"}}, nil)},
		{"no algorithm", iss.rsa.Token(object{"alg": nil}, nil)},
		{"RS256 that says PS256", iss.rsa.Token(object{"alg": "PS256"}, nil)},
		{"PS256 that says RS256", iss.pss.Token(object{"alg": "RS256"}, nil)},
		{"EdDSA by the name of its curve", iss.ed.Token(object{"alg": "Ed25519"}, nil)},

		{"none in another spelling of JSON", join([]byte(`{"\u0061lg":"\u006eone"}`), text(claims(nil)), unsigned)},

		{"an unknown kid", iss.ed.Token(object{"kid": "edd"}, nil)},
		{"the kid of another key of ours", iss.ed.Token(object{"kid": "ec"}, nil)},
		{"a kid that is a number", iss.ed.Token(object{"kid": 1}, nil)},
		{"a kid that is a path", iss.ed.Token(object{"kid": "../../../dev/null"}, nil)},
		{"a kid that is a statement", iss.ed.Token(object{"kid": "' or 1=1 --"}, nil)},
		{"a kid without end", iss.ed.Token(object{"kid": strings.Repeat("k", 4000)}, nil)},
		{"a key of mallory's", mallory.Token(object{"kid": "ed"}, nil)},
		{"a key of mallory's, without a kid", mallory.Token(object{"kid": nil}, nil)},
		{"a key that came along", mallory.Token(object{"kid": nil, "jwk": mallory.JWK()}, nil)},
		{"a key that came along, under a kid of ours", mallory.Token(object{"kid": "ed", "jwk": mallory.JWK()}, nil)},
		{"our own key came along", iss.ed.Token(object{"jwk": iss.ed.JWK()}, nil)},
		{"keys at an address", mallory.Token(object{"jku": elsewhere.URL + "/jku"}, nil)},
		{"our own key and an address", iss.ed.Token(object{"jku": elsewhere.URL + "/jku"}, nil)},
		{"a certificate at an address", iss.ed.Token(object{"x5u": elsewhere.URL + "/x5u"}, nil)},
		{"a certificate that came along", iss.ed.Token(object{"x5c": []string{"MIIB"}}, nil)},
		{"an extension to be understood", iss.ed.Token(object{"crit": []string{"exp"}, "exp": now + 600}, nil)},
		{"no extension to be understood", iss.ed.Token(object{"crit": []string{}}, nil)},
		{"claims that are not encoded", iss.ed.Token(object{"b64": false, "crit": []string{"b64"}}, nil)},
		{"a token in the token", iss.ed.Token(object{"cty": "JWT"}, nil)},
		{"compressed claims", iss.ed.Token(object{"zip": "DEF"}, nil)},
		{"a token for logging out", iss.ed.Token(object{"typ": "logout+jwt"}, nil)},
		{"a proof of possession", iss.ed.Token(object{"typ": "dpop+jwt"}, nil)},
		{"a typ that is a number", iss.ed.Token(object{"typ": 1}, nil)},

		{"nothing", ""},
		{"a word", "token"},
		{"null", "null"},
		{"dots", ".."},
		{"four parts", good + "."},
		{"five parts", good + ".."},
		{"five parts that hold something", good + ".YQ.YQ"},
		{"a part in front", "YQ." + good},
		{"two parts", header + "." + body},
		{"no signature", header + "." + body + "."},
		{"no claims", header + ".." + signature},
		{"no header", "." + body + "." + signature},
		{"the signature of another token", header + "." + body + "." + strings.Split(iss.ed.Token(nil, object{"sub": "bob"}), ".")[2]},
		{"the claims of another token", header + "." + strings.Split(iss.ed.Token(nil, object{"sub": "bob"}), ".")[1] + "." + signature},
		{"the header of another token", strings.Split(iss.ec.Token(nil, nil), ".")[0] + "." + body + "." + signature},
		{"half a signature", good[:len(good)-40]},
		{"a signature and a half", good + signature[:40]},
		{"a signature of zeros", header + "." + body + "." + b64(make([]byte, 64))},
		{"ES256 with a signature of zeros", join(text(object{"alg": "ES256", "kid": "ec"}), text(claims(nil)), func([]byte) []byte { return make([]byte, 64) })},
		{"ES256 with a signature in DER", join(text(object{"alg": "ES256", "kid": "ec"}), text(claims(nil)), func(input []byte) []byte {
			raw := iss.ec.Sign(input)
			der, _ := asn1.Marshal(struct{ R, S *big.Int }{new(big.Int).SetBytes(raw[:32]), new(big.Int).SetBytes(raw[32:])})
			return der
		})},
		{"a signature with padding", good + "=="},
		{"the other alphabet", header + "." + body + "." + base64.RawStdEncoding.EncodeToString([]byte{0xfb, 0xff, 0xfe})},
		{"the same signature, spelled otherwise", respelled(good)},
		{"a space in it", header + ". " + body + "." + signature},
		{"another token behind a comma", good + ", Bearer " + good},
		{"JSON in place of three parts", fmt.Sprintf(`{"payload":%q,"protected":%q,"signature":%q}`, body, header, signature)},
		{"a header that is no JSON", join([]byte("alg=EdDSA"), text(claims(nil)), iss.ed.Sign)},
		{"a header in a list", join([]byte(`[{"alg":"EdDSA","kid":"ed"}]`), text(claims(nil)), iss.ed.Sign)},
		{"an algorithm said twice", join([]byte(`{"alg":"EdDSA","kid":"ed","alg":"none"}`), text(claims(nil)), iss.ed.Sign)},
		{"a header that is no UTF-8", join([]byte("{\"alg\":\"EdDSA\",\"kid\":\"ed\",\"x\":\"\xff\"}"), text(claims(nil)), iss.ed.Sign)},
		{"a header without a bottom", join([]byte(`{"alg":"EdDSA","kid":"ed","x":`+strings.Repeat("[", 2000)+strings.Repeat("]", 2000)+`}`), text(claims(nil)), iss.ed.Sign)},
		{"claims that are no JSON", join(text(object{"alg": "EdDSA", "kid": "ed"}), []byte("sub=ada"), iss.ed.Sign)},
		{"claims in a list", join(text(object{"alg": "EdDSA", "kid": "ed"}), text([]any{claims(nil)}), iss.ed.Sign)},
		{"claims that are null", join(text(object{"alg": "EdDSA", "kid": "ed"}), []byte("null"), iss.ed.Sign)},
		{"a claim said twice", join(text(object{"alg": "EdDSA", "kid": "ed"}), []byte(`{"iss":"https://issuer.example","aud":"shop","sub":"ada","sub":"root","exp":4000000000}`), iss.ed.Sign)},
		{"claims without a bottom", join(text(object{"alg": "EdDSA", "kid": "ed"}), []byte(`{"iss":"https://issuer.example","aud":"shop","sub":"ada","exp":4000000000,"x":`+strings.Repeat("[", 2000)+strings.Repeat("]", 2000)+`}`), iss.ed.Sign)},
		{"a byte over the cap, and otherwise good", padded(iss.ed, 8<<10+1)},
		{"64 KiB, and otherwise good", padded(iss.ed, 64<<10)},
		{"64 KiB of nothing", strings.Repeat("A", 64<<10)},
		{"64 KiB of dots", strings.Repeat(".", 64<<10)},
	}
	for _, alg := range []string{"none", "None", "NONE", "nOnE", "none ", " none", "\u006eone", ""} {
		cases = append(cases, []struct{ name, token string }{
			{fmt.Sprintf("alg %q, unsigned", alg), join(text(object{"alg": alg}), text(claims(nil)), unsigned)},
			{fmt.Sprintf("alg %q, with a kid of ours", alg), join(text(object{"alg": alg, "kid": "ed"}), text(claims(nil)), unsigned)},
			{fmt.Sprintf("alg %q, with a signature", alg), iss.ed.Token(object{"alg": alg}, nil)},
			{fmt.Sprintf("alg %q, with a byte for a signature", alg), join(text(object{"alg": alg}), text(claims(nil)), func([]byte) []byte { return []byte{0} })},
		}...)
	}
	for _, cut := range []int{1, len(header) - 1, len(header), len(header) + 1, len(header) + len(body), len(header) + len(body) + 2, len(good) - 1} {
		cases = append(cases, struct{ name, token string }{fmt.Sprintf("truncated to %d", cut), good[:cut]})
	}

	first := map[string]string{} // the body by surface: one for all of them
	refused := func(t *testing.T, authorization ...string) {
		t.Helper()
		for _, s := range surfaces {
			got := s.ask(t, url, authorization...)
			if got.status != http.StatusUnauthorized {
				t.Errorf("%s: status %d %s", s.name, got.status, got.body)
			}
			if challenge := got.header.Get("WWW-Authenticate"); challenge != `Bearer error="invalid_token"` {
				t.Errorf("%s: WWW-Authenticate %q", s.name, challenge)
			}
			if first[s.name] == "" {
				first[s.name] = got.body
			}
			if got.body != first[s.name] {
				t.Errorf("%s tells one token from another:\n%s\n%s", s.name, got.body, first[s.name])
			}
			if n := len(spy.take()); n != 0 {
				t.Errorf("%s: the façade was called %d times", s.name, n)
			}
		}
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) { refused(t, "Bearer "+c.token) })
	}
	t.Run("two headers", func(t *testing.T) { refused(t, "Bearer "+good, "Bearer "+good) })
	t.Run("two headers, one of them of another scheme", func(t *testing.T) { refused(t, "Basic YTpi", "Bearer "+good) })
	t.Run("a scheme alone", func(t *testing.T) { refused(t, "Bearer") })
	t.Run("a tab for a space", func(t *testing.T) { // the scheme is then another one
		for _, s := range surfaces {
			if got := s.ask(t, url, "Bearer\t"+good); got.status != http.StatusUnauthorized || len(spy.take()) != 0 {
				t.Errorf("%s: %d %s", s.name, got.status, got.body)
			}
		}
	})
	for name, body := range first {
		if !strings.Contains(body, "UNAUTHORIZED") || !strings.Contains(body, "get a new one") {
			t.Errorf("%s does not say what to do: %s", name, body)
		}
	}
	asked.Range(func(path, _ any) bool {
		t.Errorf("a token made the gateway ask %s", path)
		return true
	})
	// None of this was for want of a good one.
	if got := surfaces[0].ask(t, url, "Bearer "+good); got.status != 200 {
		t.Errorf("the good one is %d %s", got.status, got.body)
	}
}

// respelled is a token whose last character carries the same bits of the signature
// and others beside them, which a careless decoder drops.
func respelled(token string) string {
	const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
	at := strings.IndexByte(alphabet, token[len(token)-1])
	return token[:len(token)-1] + string(alphabet[at|1])
}

func unsigned([]byte) []byte { return nil }

// padded is a good token of so many bytes.
func padded(s signer, size int) string {
	for n := size/4*3 - 300; ; n++ {
		token := s.Token(nil, object{"pad": strings.Repeat("x", n)})
		if len(token) >= size {
			return token
		}
	}
}

func TestLongestToken(t *testing.T) {
	iss := newIssuer(t)
	url, _ := run(t, notes(t), gateway.Options{Config: iss.config})
	long := iss.ed.Token(nil, object{"pad": strings.Repeat("x", 5700)})
	if len(long) < 7<<10 || len(long) > 8<<10 {
		t.Fatalf("the token of the test has %d bytes", len(long))
	}
	if got := surfaces[0].ask(t, url, "Bearer "+long); got.status != 200 {
		t.Errorf("%d bytes: %d %s", len(long), got.status, got.body)
	}
}

// Other schemes are refused too; the answer names the one that is read.
func TestOtherSchemes(t *testing.T) {
	var spy spied
	url, _ := run(t, notes(t), gateway.Options{Config: newIssuer(t).config, Middleware: []facade.Middleware{spy.middleware}})
	for _, authorization := range []string{"Basic YWRhOnB3", "Basic", "Digest x", "Bearer2 x", "", "bearertoken", "DPoP x"} {
		for _, s := range surfaces {
			got := s.ask(t, url, authorization)
			if got.status != 401 || !strings.Contains(got.body, "Authorization: Bearer") || got.header.Get("WWW-Authenticate") != "Bearer" || len(spy.take()) != 0 {
				t.Errorf("%s, %q: %d %v %s", s.name, authorization, got.status, got.header, got.body)
			}
		}
	}
}
