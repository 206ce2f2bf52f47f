package gateway_test

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/frondhost/frond/facade/access"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/gateway"
	"github.com/frondhost/frond/gateway/identity/tokentest"
)

func TestKeyFaults(t *testing.T) {
	dir := t.TempDir()
	ed, ec := tokentest.EdDSA("ed"), tokentest.ES256("ec")
	small, err := rsa.GenerateKey(rand.Reader, 1024)
	if err != nil {
		t.Fatal(err)
	}
	p224, err := ecdsa.GenerateKey(elliptic.P224(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	private := ed.JWK()
	private["d"] = tokentest.B64(make([]byte, 32))
	encrypts := ed.JWK()
	encrypts["use"] = "enc"
	unknown := ed.JWK()
	unknown["alg"] = "XX"
	block := func(kind string, der []byte) []byte { return pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}) }
	for name, content := range map[string][]byte{
		"empty.pem":     nil,
		"text.pem":      []byte("hunter2"),
		"private.pem":   block("PRIVATE KEY", tokentest.Must(x509.MarshalPKCS8PrivateKey(tokentest.RSAKey()))),
		"rsa.pem":       block("RSA PRIVATE KEY", x509.MarshalPKCS1PrivateKey(tokentest.RSAKey())),
		"both.pem":      append(ed.PEM(), block("EC PRIVATE KEY", []byte("x"))...),
		"broken.pem":    block("PUBLIC KEY", []byte("x")),
		"request.pem":   block("CERTIFICATE REQUEST", []byte("x")),
		"small.pem":     block("PUBLIC KEY", tokentest.Must(x509.MarshalPKIXPublicKey(&small.PublicKey))),
		"p224.pem":      block("PUBLIC KEY", tokentest.Must(x509.MarshalPKIXPublicKey(&p224.PublicKey))),
		"ec.pem":        ec.PEM(),
		"private.jwk":   tokentest.Text(private),
		"enc.jwk":       tokentest.Text(encrypts),
		"alg.jwk":       tokentest.Text(unknown),
		"short.jwk":     tokentest.Text(tokentest.Object{"kty": "oct", "k": tokentest.B64([]byte("hunter2"))}),
		"secret.jwk":    tokentest.Text(tokentest.Object{"kty": "oct", "k": tokentest.B64(bytes.Repeat([]byte("k"), 32))}),
		"broken.jwk":    []byte(`{"kty":"OKP"`),
		"array.jwk":     []byte(`{"keys":7}`),
		"none.jwks":     []byte(`{"keys":[]}`),
		"one-of-2.jwks": tokentest.Text(tokentest.Object{"keys": []any{ed.JWK(), private}}),
	} {
		tokentest.Write(dir, name, content)
	}
	for _, c := range []struct{ key, want string }{
		{"missing.pem", "missing.pem cannot be used; no such file or directory; name a file that can be read"},
		{".", "cannot be used"},
		{"empty.pem", "it contains no key; write PEM blocks, a JWK or a JWKS"},
		{"text.pem", "it contains no key"},
		{"private.pem", "there is a private key in it; name the public half alone"},
		{"rsa.pem", "there is a private key in it"},
		{"both.pem", "there is a private key in it"},
		{"broken.pem", "a block PUBLIC KEY cannot be read"},
		{"request.pem", "a block CERTIFICATE REQUEST is no key"},
		{"small.pem", "an RSA key of 1024 bits is too weak"},
		{"p224.pem", "none of identity.algorithms (EdDSA) takes a key of this kind"},
		{"ec.pem", "none of identity.algorithms (EdDSA) takes a key of this kind"},
		{"private.jwk", "there is a private key in it"},
		{"enc.jwk", `its use is "enc"; take a key whose use is sig`},
		{"alg.jwk", `its alg is "XX"; use one of ES256`},
		{"short.jwk", "the secret is too short; use at least 32 random bytes"},
		{"secret.jwk", "none of identity.algorithms (EdDSA) takes a key of this kind"},
		{"broken.jwk", "line 1"},
		{"array.jwk", "it is no JWKS"},
		{"none.jwks", "none of identity.algorithms"},
		{"one-of-2.jwks", "key 1: there is a private key in it"},
		{`{"kty":"oct","k":"` + tokentest.B64(bytes.Repeat([]byte("k"), 32)) + `"}`, "this JWK cannot be used; a secret has no place here; put it into a file"},
		{`{"kty":"OKP","crv":"Ed448","x":"AA"}`, "this JWK cannot be used; it is no JWK that can be used"},
	} {
		t.Run(c.key, func(t *testing.T) {
			id := gateway.Identity{Issuer: tokentest.Issuer, Audience: []string{tokentest.Audience}, Algorithms: []string{"EdDSA"}, Keys: []string{c.key}}
			_, err := gateway.New(notes(t), quiet(gateway.Options{Config: gateway.Config{Dir: dir, Identity: id}}))
			if err == nil || !strings.Contains(err.Error(), "gateway.yaml#/identity/keys/0: ") || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got  %v\nwant %s", err, c.want)
			}
			if err != nil && strings.Contains(err.Error(), "hunter2") {
				t.Errorf("it has what is in the file: %v", err)
			}
		})
	}
	for name, id := range map[string]gateway.Identity{
		"an algorithm without a key":          {Algorithms: []string{"EdDSA", "RS256"}, Keys: []string{string(tokentest.Text(ed.JWK()))}},
		"an algorithm whose key is too short": {Algorithms: []string{"HS512"}, Keys: []string{"secret.jwk"}},
		"a secret that is to be fetched":      {Algorithms: []string{"HS256"}, JWKS: "https://issuer.example/keys"},
	} {
		id.Issuer, id.Audience = tokentest.Issuer, []string{tokentest.Audience}
		_, err := gateway.New(notes(t), quiet(gateway.Options{Config: gateway.Config{Dir: dir, Identity: id}}))
		if err == nil || !strings.Contains(err.Error(), "there is no key for ") && !strings.Contains(err.Error(), "none of identity.algorithms (HS512)") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Faults of keys and of cards are reported together.
func TestKeyFaultsAreReportedWithOthers(t *testing.T) {
	project := notes(t, "entities/broken.yaml", "type: object\nproperties:\n  id: {type: strin}\n")
	id := gateway.Identity{Issuer: tokentest.Issuer, Audience: []string{tokentest.Audience}, Algorithms: []string{"EdDSA"}, Keys: []string{"a.pem", "b.pem"}}
	_, err := gateway.New(project, quiet(gateway.Options{Config: gateway.Config{Dir: t.TempDir(), Identity: id}}))
	for _, want := range []string{"/identity/keys/0", "/identity/keys/1", "entities/broken.yaml#/properties/id/type"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("the error does not tell of %s: %v", want, err)
		}
	}
}

// A hook of the author's own takes the place of tokens, keys and all.
func TestSessionInPlaceOfTokens(t *testing.T) {
	id := gateway.Identity{Issuer: tokentest.Issuer, Audience: []string{tokentest.Audience}, Algorithms: []string{"EdDSA"}, Keys: []string{"nowhere.pem"}}
	opts := quiet(gateway.Options{Config: gateway.Config{Identity: id}, Session: func(*http.Request) (access.State, error) {
		return nil, kiterror.Errorf(kiterror.Unauthorized, "by a hook")
	}})
	gw, err := gateway.New(notes(t), opts)
	if err != nil {
		t.Fatal(err)
	}
	defer gw.Close()
	w := httptest.NewRecorder()
	gw.Handler().ServeHTTP(w, httptest.NewRequest("GET", "/api/app/notes", nil))
	if w.Code != 401 || !strings.Contains(w.Body.String(), "by a hook") {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}
