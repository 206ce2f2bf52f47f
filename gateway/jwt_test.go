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
	"github.com/frondhost/frond/facade/access"
	"github.com/frondhost/frond/gateway"
	"github.com/frondhost/frond/gateway/identity"
	"github.com/frondhost/frond/gateway/identity/tokentest"
)

// spied is a façade that remembers whom it was called by.
type spied struct {
	mu   sync.Mutex
	seen []access.State
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
func (s *spied) take() []access.State {
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
	rsa, pss, ec, ed, mac tokentest.Signer
	config                gateway.Config
}

func newIssuer(t *testing.T) *issuer {
	t.Helper()
	secret := make([]byte, 32)
	_, _ = rand.Read(secret)
	i := &issuer{rsa: tokentest.RS256("rsa"), pss: tokentest.PS256("rsa"), ec: tokentest.ES256("ec"), ed: tokentest.EdDSA("ed"), mac: tokentest.HS256("mac", secret)}
	dir := t.TempDir()
	for name, content := range map[string][]byte{
		"public.json": tokentest.JWKS(i.rsa, i.ec, i.ed),
		"secret.json": tokentest.Text(i.mac.JWK()),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	i.config = gateway.Config{Dir: dir, Identity: gateway.Identity{
		Issuer: tokentest.Issuer, Audience: []string{"else", tokentest.Audience},
		Algorithms: []string{"RS256", "PS256", "ES256", "EdDSA", "HS256"},
		Keys:       []string{"public.json", "secret.json"},
	}}
	return i
}

func TestGoodTokens(t *testing.T) {
	var spy spied
	iss := newIssuer(t)
	url, _ := run(t, notes(t), gateway.Options{Config: iss.config, Middleware: []facade.Middleware{spy.middleware}})
	ada := tokentest.Object{"id": "ada", "roles": []any{}, "scopes": []any{}}
	for _, c := range []struct {
		name, authorization string
		want                tokentest.Object
	}{
		{"RS256", "Bearer " + iss.rsa.Token(nil, nil), ada},
		{"PS256", "Bearer " + iss.pss.Token(nil, nil), ada},
		{"ES256", "Bearer " + iss.ec.Token(nil, nil), ada},
		{"EdDSA", "Bearer " + iss.ed.Token(nil, nil), ada},
		{"HS256", "Bearer " + iss.mac.Token(nil, nil), ada},
		{"the scheme in any case", "bEARER   " + iss.ed.Token(nil, nil), ada},
		{"no kid, and one key that fits", "Bearer " + iss.ed.Token(tokentest.Object{"kid": nil}, nil), ada},
		{"no typ", "Bearer " + iss.ed.Token(tokentest.Object{"typ": nil}, nil), ada},
		{"an access token by its typ", "Bearer " + iss.ed.Token(tokentest.Object{"typ": "at+JWT"}, nil), ada},
		{"an unknown header that may be passed over", "Bearer " + iss.ed.Token(tokentest.Object{"x5t": "abc"}, nil), ada},
		{"several audiences", "Bearer " + iss.ed.Token(nil, tokentest.Object{"aud": []string{"a", tokentest.Audience}}), ada},
		{"a fraction of a second", "Bearer " + iss.ed.Token(nil, tokentest.Object{"exp": float64(time.Now().Unix()) + 60.5}), ada},
		{
			"roles, scopes, tenant", "Bearer " + iss.ed.Token(nil, tokentest.Object{"roles": []string{"staff", "buyer"}, "scope": "read  write", "tenant": "north"}),
			tokentest.Object{"id": "ada", "roles": []any{"staff", "buyer"}, "scopes": []any{"read", "write"}, "tenant": "north"},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, s := range surfaces {
				got := s.ask(t, url, c.authorization)
				seen := spy.take()
				if got.status != 200 || len(seen) != 1 {
					t.Fatalf("%s: %d %s, the façade was called %d times", s.name, got.status, got.body, len(seen))
				}
				if diff := cmp.Diff(c.want, tokentest.User(seen[0].User())); diff != "" {
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
	mallory := tokentest.EdDSA("mallory")
	// as signs by another's rules with what everybody may know.
	as := func(header tokentest.Object, secret []byte) string {
		return tokentest.HS256("", secret).Token(header, nil)
	}

	cases := []struct{ name, token string }{
		{"expired", iss.ed.Token(nil, tokentest.Object{"exp": now - 61})},
		{"expired long ago", iss.ed.Token(nil, tokentest.Object{"exp": 0})},
		{"expired before time began", iss.ed.Token(nil, tokentest.Object{"exp": -1e300})},
		{"not yet valid", iss.ed.Token(nil, tokentest.Object{"nbf": now + 90})},
		{"valid in the far future", iss.ed.Token(nil, tokentest.Object{"nbf": 1e300})},
		{"valid beyond what a clock counts", iss.ed.Token(nil, tokentest.Object{"nbf": 9223372036854775807})},
		{"issued tomorrow", iss.ed.Token(nil, tokentest.Object{"iat": now + 86400})},
		{"nbf that is text", iss.ed.Token(nil, tokentest.Object{"nbf": fmt.Sprint(now - 10)})},
		{"no exp", iss.ed.Token(nil, tokentest.Object{"exp": nil})},
		{"exp that is text", iss.ed.Token(nil, tokentest.Object{"exp": fmt.Sprint(now + 600)})},
		{"exp that is true", iss.ed.Token(nil, tokentest.Object{"exp": true})},
		{"exp in a list", iss.ed.Token(nil, tokentest.Object{"exp": []int64{now + 600}})},
		{"exp that is null", tokentest.Join(tokentest.Text(tokentest.Object{"alg": "EdDSA", "kid": "ed"}), []byte(`{"iss":"https://issuer.example","aud":"shop","sub":"ada","exp":null}`), iss.ed.Sign)},
		{"exp that no number holds", tokentest.Join(tokentest.Text(tokentest.Object{"alg": "EdDSA", "kid": "ed"}), []byte(`{"iss":"https://issuer.example","aud":"shop","sub":"ada","exp":1e999}`), iss.ed.Sign)},

		{"another audience", iss.ed.Token(nil, tokentest.Object{"aud": "bank"})},
		{"another audience, nearly ours", iss.ed.Token(nil, tokentest.Object{"aud": "shop "})},
		{"other audiences", iss.ed.Token(nil, tokentest.Object{"aud": []string{"bank", "shopping"}})},
		{"audiences that are not all text", iss.ed.Token(nil, tokentest.Object{"aud": []any{1, tokentest.Audience}})},
		{"no audience", iss.ed.Token(nil, tokentest.Object{"aud": nil})},
		{"an empty list of audiences", iss.ed.Token(nil, tokentest.Object{"aud": []string{}})},
		{"an audience that is an object", iss.ed.Token(nil, tokentest.Object{"aud": tokentest.Object{"shop": true}})},
		{"another issuer", iss.ed.Token(nil, tokentest.Object{"iss": "https://mallory.example"})},
		{"the issuer with a slash", iss.ed.Token(nil, tokentest.Object{"iss": tokentest.Issuer + "/"})},
		{"the issuer in capitals", iss.ed.Token(nil, tokentest.Object{"iss": strings.ToUpper(tokentest.Issuer)})},
		{"the issuer in a list", iss.ed.Token(nil, tokentest.Object{"iss": []string{tokentest.Issuer}})},
		{"no issuer", iss.ed.Token(nil, tokentest.Object{"iss": nil})},

		{"nobody", iss.ed.Token(nil, tokentest.Object{"sub": nil})},
		{"nobody, by an empty name", iss.ed.Token(nil, tokentest.Object{"sub": ""})},
		{"somebody by a number", iss.ed.Token(nil, tokentest.Object{"sub": 7})},
		{"roles that are an object", iss.ed.Token(nil, tokentest.Object{"roles": tokentest.Object{"admin": true}})},
		{"roles that are not all text", iss.ed.Token(nil, tokentest.Object{"roles": []any{"admin", 1}})},
		{"a tenant that is a list", iss.ed.Token(nil, tokentest.Object{"tenant": []string{"north"}})},
		{"claims that hold no number", tokentest.Join(tokentest.Text(tokentest.Object{"alg": "EdDSA", "kid": "ed"}), []byte(`{"iss":"https://issuer.example","aud":"shop","sub":"ada","exp":4e9,"x":[{"y":1e999}]}`), iss.ed.Sign)},

		{"HS256 with the RSA key as PEM", as(tokentest.Object{"kid": "rsa"}, iss.rsa.PEM())},
		{"HS256 with the RSA key as DER", as(tokentest.Object{"kid": "rsa"}, iss.rsa.DER())},
		{"HS256 with the RSA key as JWK", as(tokentest.Object{"kid": "rsa"}, tokentest.Text(iss.rsa.JWK()))},
		{"HS256 with the RSA modulus", as(tokentest.Object{"kid": "rsa"}, tokentest.RSAKey().N.Bytes())},
		{"HS256 with the RSA key as PEM, trimmed", as(tokentest.Object{"kid": "rsa"}, []byte(strings.TrimSpace(string(iss.rsa.PEM()))))},
		{"HS256 with the EC key as PEM", as(tokentest.Object{"kid": "ec"}, iss.ec.PEM())},
		{"HS256 with the EC key as DER", as(tokentest.Object{"kid": "ec"}, iss.ec.DER())},
		{"HS256 with the EC key as JWK", as(tokentest.Object{"kid": "ec"}, tokentest.Text(iss.ec.JWK()))},
		{"HS256 with the Ed25519 key as PEM", as(tokentest.Object{"kid": "ed"}, iss.ed.PEM())},
		{"HS256 with the Ed25519 key's bytes", as(tokentest.Object{"kid": "ed"}, iss.ed.Public.(ed25519.PublicKey))},
		{"HS256 with the Ed25519 key as PEM", as(tokentest.Object{"kid": "ed"}, iss.ed.PEM())},
		{"HS256 with the Ed25519 key, under the secret's name", as(tokentest.Object{"kid": "mac"}, iss.ed.Public.(ed25519.PublicKey))},
		{"HS256 with no secret at all", as(tokentest.Object{"kid": "mac"}, nil)},
		{"HS256 with the RSA key and no kid", as(tokentest.Object{"kid": nil}, iss.rsa.PEM())},
		{"HS384, which is not allowed, with our secret", tokentest.Join(tokentest.Text(tokentest.Object{"alg": "HS384", "kid": "mac"}), tokentest.Text(tokentest.Claims(nil)), iss.mac.Sign)},
		{"ES384, which is not allowed", tokentest.ES384("ec").Token(nil, nil)},
		{"RS512, which is not allowed, with our key", tokentest.RS512("rsa").Token(nil, nil)},
		{"the algorithm in small letters", iss.rsa.Token(tokentest.Object{"alg": "rs256"}, nil)},
		{"an algorithm nobody knows", iss.rsa.Token(tokentest.Object{"alg": "XX256"}, nil)},
		{"an algorithm that is a number", iss.rsa.Token(tokentest.Object{"alg": 256}, nil)},
		{"algorithms in a list", iss.rsa.Token(tokentest.Object{"alg": []string{"RS256"}}, nil)},
		{"no algorithm", iss.rsa.Token(tokentest.Object{"alg": nil}, nil)},
		{"RS256 that says PS256", iss.rsa.Token(tokentest.Object{"alg": "PS256"}, nil)},
		{"PS256 that says RS256", iss.pss.Token(tokentest.Object{"alg": "RS256"}, nil)},
		{"EdDSA by the name of its curve", iss.ed.Token(tokentest.Object{"alg": "Ed25519"}, nil)},

		{"none in another spelling of JSON", tokentest.Join([]byte(`{"\u0061lg":"\u006eone"}`), tokentest.Text(tokentest.Claims(nil)), unsigned)},

		{"an unknown kid", iss.ed.Token(tokentest.Object{"kid": "edd"}, nil)},
		{"the kid of another key of ours", iss.ed.Token(tokentest.Object{"kid": "ec"}, nil)},
		{"a kid that is a number", iss.ed.Token(tokentest.Object{"kid": 1}, nil)},
		{"a kid that is a path", iss.ed.Token(tokentest.Object{"kid": "../../../dev/null"}, nil)},
		{"a kid that is a statement", iss.ed.Token(tokentest.Object{"kid": "' or 1=1 --"}, nil)},
		{"a kid without end", iss.ed.Token(tokentest.Object{"kid": strings.Repeat("k", 4000)}, nil)},
		{"a key of mallory's", mallory.Token(tokentest.Object{"kid": "ed"}, nil)},
		{"a key of mallory's, without a kid", mallory.Token(tokentest.Object{"kid": nil}, nil)},
		{"a key that came along", mallory.Token(tokentest.Object{"kid": nil, "jwk": mallory.JWK()}, nil)},
		{"a key that came along, under a kid of ours", mallory.Token(tokentest.Object{"kid": "ed", "jwk": mallory.JWK()}, nil)},
		{"our own key came along", iss.ed.Token(tokentest.Object{"jwk": iss.ed.JWK()}, nil)},
		{"keys at an address", mallory.Token(tokentest.Object{"jku": elsewhere.URL + "/jku"}, nil)},
		{"our own key and an address", iss.ed.Token(tokentest.Object{"jku": elsewhere.URL + "/jku"}, nil)},
		{"a certificate at an address", iss.ed.Token(tokentest.Object{"x5u": elsewhere.URL + "/x5u"}, nil)},
		{"a certificate that came along", iss.ed.Token(tokentest.Object{"x5c": []string{"MIIB"}}, nil)},
		{"an extension to be understood", iss.ed.Token(tokentest.Object{"crit": []string{"exp"}, "exp": now + 600}, nil)},
		{"no extension to be understood", iss.ed.Token(tokentest.Object{"crit": []string{}}, nil)},
		{"claims that are not encoded", iss.ed.Token(tokentest.Object{"b64": false, "crit": []string{"b64"}}, nil)},
		{"a token in the token", iss.ed.Token(tokentest.Object{"cty": "JWT"}, nil)},
		{"compressed claims", iss.ed.Token(tokentest.Object{"zip": "DEF"}, nil)},
		{"a token for logging out", iss.ed.Token(tokentest.Object{"typ": "logout+jwt"}, nil)},
		{"a proof of possession", iss.ed.Token(tokentest.Object{"typ": "dpop+jwt"}, nil)},
		{"a typ that is a number", iss.ed.Token(tokentest.Object{"typ": 1}, nil)},

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
		{"the signature of another token", header + "." + body + "." + strings.Split(iss.ed.Token(nil, tokentest.Object{"sub": "bob"}), ".")[2]},
		{"the claims of another token", header + "." + strings.Split(iss.ed.Token(nil, tokentest.Object{"sub": "bob"}), ".")[1] + "." + signature},
		{"the header of another token", strings.Split(iss.ec.Token(nil, nil), ".")[0] + "." + body + "." + signature},
		{"half a signature", good[:len(good)-40]},
		{"a signature and a half", good + signature[:40]},
		{"a signature of zeros", header + "." + body + "." + tokentest.B64(make([]byte, 64))},
		{"ES256 with a signature of zeros", tokentest.Join(tokentest.Text(tokentest.Object{"alg": "ES256", "kid": "ec"}), tokentest.Text(tokentest.Claims(nil)), func([]byte) []byte { return make([]byte, 64) })},
		{"ES256 with a signature in DER", tokentest.Join(tokentest.Text(tokentest.Object{"alg": "ES256", "kid": "ec"}), tokentest.Text(tokentest.Claims(nil)), func(input []byte) []byte {
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
		{"a header that is no JSON", tokentest.Join([]byte("alg=EdDSA"), tokentest.Text(tokentest.Claims(nil)), iss.ed.Sign)},
		{"a header in a list", tokentest.Join([]byte(`[{"alg":"EdDSA","kid":"ed"}]`), tokentest.Text(tokentest.Claims(nil)), iss.ed.Sign)},
		{"an algorithm said twice", tokentest.Join([]byte(`{"alg":"EdDSA","kid":"ed","alg":"none"}`), tokentest.Text(tokentest.Claims(nil)), iss.ed.Sign)},
		{"a header that is no UTF-8", tokentest.Join([]byte("{\"alg\":\"EdDSA\",\"kid\":\"ed\",\"x\":\"\xff\"}"), tokentest.Text(tokentest.Claims(nil)), iss.ed.Sign)},
		{"a header without a bottom", tokentest.Join([]byte(`{"alg":"EdDSA","kid":"ed","x":`+strings.Repeat("[", 2000)+strings.Repeat("]", 2000)+`}`), tokentest.Text(tokentest.Claims(nil)), iss.ed.Sign)},
		{"claims that are no JSON", tokentest.Join(tokentest.Text(tokentest.Object{"alg": "EdDSA", "kid": "ed"}), []byte("sub=ada"), iss.ed.Sign)},
		{"claims in a list", tokentest.Join(tokentest.Text(tokentest.Object{"alg": "EdDSA", "kid": "ed"}), tokentest.Text([]any{tokentest.Claims(nil)}), iss.ed.Sign)},
		{"claims that are null", tokentest.Join(tokentest.Text(tokentest.Object{"alg": "EdDSA", "kid": "ed"}), []byte("null"), iss.ed.Sign)},
		{"a claim said twice", tokentest.Join(tokentest.Text(tokentest.Object{"alg": "EdDSA", "kid": "ed"}), []byte(`{"iss":"https://issuer.example","aud":"shop","sub":"ada","sub":"root","exp":4000000000}`), iss.ed.Sign)},
		{"claims without a bottom", tokentest.Join(tokentest.Text(tokentest.Object{"alg": "EdDSA", "kid": "ed"}), []byte(`{"iss":"https://issuer.example","aud":"shop","sub":"ada","exp":4000000000,"x":`+strings.Repeat("[", 2000)+strings.Repeat("]", 2000)+`}`), iss.ed.Sign)},
		{"a byte over the cap, and otherwise good", padded(iss.ed, 8<<10+1)},
		{"64 KiB, and otherwise good", padded(iss.ed, 64<<10)},
		{"64 KiB of nothing", strings.Repeat("A", 64<<10)},
		{"64 KiB of dots", strings.Repeat(".", 64<<10)},
	}
	for _, alg := range []string{"none", "None", "NONE", "nOnE", "none ", " none", "\u006eone", ""} {
		cases = append(cases, []struct{ name, token string }{
			{fmt.Sprintf("alg %q, unsigned", alg), tokentest.Join(tokentest.Text(tokentest.Object{"alg": alg}), tokentest.Text(tokentest.Claims(nil)), unsigned)},
			{fmt.Sprintf("alg %q, with a kid of ours", alg), tokentest.Join(tokentest.Text(tokentest.Object{"alg": alg, "kid": "ed"}), tokentest.Text(tokentest.Claims(nil)), unsigned)},
			{fmt.Sprintf("alg %q, with a signature", alg), iss.ed.Token(tokentest.Object{"alg": alg}, nil)},
			{fmt.Sprintf("alg %q, with a byte for a signature", alg), tokentest.Join(tokentest.Text(tokentest.Object{"alg": alg}), tokentest.Text(tokentest.Claims(nil)), func([]byte) []byte { return []byte{0} })},
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
func padded(s tokentest.Signer, size int) string {
	for n := size/4*3 - 300; ; n++ {
		token := s.Token(nil, tokentest.Object{"pad": strings.Repeat("x", n)})
		if len(token) >= size {
			return token
		}
	}
}

func TestLongestToken(t *testing.T) {
	iss := newIssuer(t)
	url, _ := run(t, notes(t), gateway.Options{Config: iss.config})
	long := iss.ed.Token(nil, tokentest.Object{"pad": strings.Repeat("x", 5700)})
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
