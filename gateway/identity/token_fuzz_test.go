package identity_test

import (
	"bytes"
	"crypto/ed25519"
	"log/slog"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/gateway/identity"
	"github.com/frondhost/frond/gateway/identity/tokentest"
)

// FuzzToken: whatever comes under Authorization, the answer is a user only for what
// an issuer signed, to the letter; nobody at all only for nothing; else UNAUTHORIZED.
func FuzzToken(f *testing.F) {
	// The keys are the same in every run, so that what was found once is found again.
	private := ed25519.NewKeyFromSeed(bytes.Repeat([]byte{7}, ed25519.SeedSize))
	ed := tokentest.Signer{Alg: "EdDSA", Kid: "ed", Public: private.Public().(ed25519.PublicKey), Sign: func(input []byte) []byte { return ed25519.Sign(private, input) }}
	mac := tokentest.HS256("mac", bytes.Repeat([]byte{9}, 32))
	dir := f.TempDir()
	tokentest.Write(dir, "mac.json", tokentest.Text(mac.JWK()))
	session, shut, err := identity.SessionOf(identity.Config{
		Issuer: tokentest.Issuer, Audience: []string{tokentest.Audience}, Algorithms: []string{"EdDSA", "HS256"},
		Keys: []string{"mac.json", string(tokentest.Text(ed.JWK()))},
	}, dir, nil, slog.New(slog.DiscardHandler))
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(shut)
	signed := map[string]bool{}
	for _, s := range []tokentest.Signer{ed, mac} {
		for _, header := range []tokentest.Object{nil, {"kid": nil}, {"typ": "at+jwt"}, {"alg": "none"}, {"jwk": ed.JWK()}, {"crit": []string{"x"}}, {"alg": "HS256"}} {
			for _, body := range []tokentest.Object{{"iat": nil, "exp": 4000000000}, {"iat": nil, "exp": 1}, {"iat": nil, "exp": 4000000000, "aud": []string{tokentest.Audience}, "roles": []string{"a"}}} {
				token := s.Token(header, body)
				signed[token] = true
				f.Add("Bearer " + token)
			}
		}
	}
	for _, seed := range []string{"", "Bearer", "Bearer ..", "bearer a.b.c", "Basic x", "Bearer e30.e30.e30", "Bearer eyJhbGciOiJub25lIn0.e30."} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, authorization string) {
		r := httptest.NewRequest("GET", "/", nil)
		r.Header["Authorization"] = []string{authorization}
		state, err := session(r)
		if (err == nil) == (state.User() == nil) {
			t.Fatalf("%q: %v, %v", authorization, state, err)
		}
		if err != nil {
			if kiterror.CodeOf(err) != kiterror.Unauthorized {
				t.Errorf("%q: %v", authorization, err)
			}
			return
		}
		_, token, _ := strings.Cut(authorization, " ")
		if !signed[strings.Trim(token, " ")] {
			t.Errorf("%q passes for a token that nobody signed", authorization)
		}
		if id, ok := state.User()["id"].(string); !ok || id == "" {
			t.Errorf("%q: %v", authorization, state)
		}
	})
}
