package identity_test

import (
	"bytes"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"log/slog"
	"math/big"
	"net/http/httptest"
	"path/filepath"
	"testing"
	"time"

	"github.com/frondhost/frond/gateway/identity"
	"github.com/frondhost/frond/gateway/identity/tokentest"
)

// Keys come as PEM, as certificates, as a JWK or a set, in files or as they are.
func TestKeyFiles(t *testing.T) {
	dir := t.TempDir()
	rs, ec, ed, mac := tokentest.RS256("r"), tokentest.ES256("e"), tokentest.EdDSA("d"), tokentest.HS256("m", bytes.Repeat([]byte("s"), 40))
	cert := tokentest.Must(x509.CreateCertificate(rand.Reader, &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour)},
		&x509.Certificate{SerialNumber: big.NewInt(1)}, &tokentest.RSAKey().PublicKey, tokentest.RSAKey()))
	tokentest.Write(dir, "rsa.pem", rs.PEM())
	tokentest.Write(dir, "old.pem", pem.EncodeToMemory(&pem.Block{Type: "RSA PUBLIC KEY", Bytes: x509.MarshalPKCS1PublicKey(&tokentest.RSAKey().PublicKey)}))
	tokentest.Write(dir, "cert.pem", pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: cert}))
	tokentest.Write(dir, "both.pem", append(append([]byte("two keys\n"), ec.PEM()...), ed.PEM()...))
	tokentest.Write(dir, "ed.jwk", tokentest.Text(ed.JWK()))
	tokentest.Write(dir, "all.jwks", tokentest.JWKS(rs, ec, ed))
	tokentest.Write(dir, "mac.json", tokentest.Text(mac.JWK()))
	for _, c := range []struct {
		name, key string
		signers   []tokentest.Signer
	}{
		{"PEM", "rsa.pem", []tokentest.Signer{rs}},
		{"PEM as it was once written", "old.pem", []tokentest.Signer{rs}},
		{"a certificate", "cert.pem", []tokentest.Signer{rs}},
		{"two in one", "both.pem", []tokentest.Signer{ec, ed}},
		{"a JWK", "ed.jwk", []tokentest.Signer{ed}},
		{"a JWKS", "all.jwks", []tokentest.Signer{rs, ec, ed}},
		{"a secret", "mac.json", []tokentest.Signer{mac}},
		{"an absolute path", filepath.Join(dir, "rsa.pem"), []tokentest.Signer{rs}},
		{"a JWK as it is", string(tokentest.Text(ec.JWK())), []tokentest.Signer{ec}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var algorithms []string
			for _, s := range c.signers {
				algorithms = append(algorithms, s.Alg)
			}
			session, shut, err := identity.SessionOf(identity.Config{
				Issuer: tokentest.Issuer, Audience: []string{tokentest.Audience}, Algorithms: algorithms, Keys: []string{c.key},
			}, dir, nil, slog.New(slog.DiscardHandler))
			if err != nil {
				t.Fatal(err)
			}
			defer shut()
			for _, s := range c.signers {
				r := httptest.NewRequest("GET", "/", nil)
				r.Header.Set("Authorization", "Bearer "+s.Token(nil, nil))
				if state, err := session(r); err != nil || state.User()["id"] != "ada" {
					t.Errorf("%s: %v, %v", s.Alg, state, err)
				}
			}
		})
	}
}
