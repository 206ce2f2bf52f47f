package gateway_test

import (
	"maps"
	"os"
	"path/filepath"
	"testing"

	"github.com/frondhost/frond/gateway/identity/tokentest"
)

// The names of tokentest, short.

const (
	mintIssuer   = tokentest.Issuer
	mintAudience = tokentest.Audience
)

type (
	object = tokentest.Object
	signer = tokentest.Signer
)

var (
	text   = tokentest.Text
	join   = tokentest.Join
	claims = tokentest.Claims
	jwks   = tokentest.JWKS
	b64    = tokentest.B64
	rsaKey = tokentest.RSAKey
	rs256  = tokentest.RS256
	rs512  = tokentest.RS512
	ps256  = tokentest.PS256
	es256  = tokentest.ES256
	es384  = tokentest.ES384
	eddsa  = tokentest.EdDSA
	hs256  = tokentest.HS256
)

// user is who a gateway made of a token, without its claims.
func user(t *testing.T, u map[string]any) object {
	t.Helper()
	if u == nil {
		return nil
	}
	rest := maps.Clone(u)
	delete(rest, "claims")
	return rest
}

func write(t testing.TB, dir, name string, content []byte) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), content, 0o600); err != nil {
		t.Fatal(err)
	}
}

func must(b []byte, err error) []byte {
	if err != nil {
		panic(err)
	}
	return b
}
