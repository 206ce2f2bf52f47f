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
)

// Keys come as PEM, as certificates, as a JWK or a set, in files or as they are.
func TestKeyFiles(t *testing.T) {
	dir := t.TempDir()
	rs, ec, ed, mac := rs256("r"), es256("e"), eddsa("d"), hs256("m", bytes.Repeat([]byte("s"), 40))
	cert := must(x509.CreateCertificate(rand.Reader, &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour)},
		&x509.Certificate{SerialNumber: big.NewInt(1)}, &rsaKey().PublicKey, rsaKey()))
	write(t, dir, "rsa.pem", rs.PEM())
	write(t, dir, "old.pem", pem.EncodeToMemory(&pem.Block{Type: "RSA PUBLIC KEY", Bytes: x509.MarshalPKCS1PublicKey(&rsaKey().PublicKey)}))
	write(t, dir, "cert.pem", pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: cert}))
	write(t, dir, "both.pem", append(append([]byte("two keys\n"), ec.PEM()...), ed.PEM()...))
	write(t, dir, "ed.jwk", text(ed.JWK()))
	write(t, dir, "all.jwks", jwks(rs, ec, ed))
	write(t, dir, "mac.json", text(mac.JWK()))
	for _, c := range []struct {
		name, key string
		signers   []signer
	}{
		{"PEM", "rsa.pem", []signer{rs}},
		{"PEM as it was once written", "old.pem", []signer{rs}},
		{"a certificate", "cert.pem", []signer{rs}},
		{"two in one", "both.pem", []signer{ec, ed}},
		{"a JWK", "ed.jwk", []signer{ed}},
		{"a JWKS", "all.jwks", []signer{rs, ec, ed}},
		{"a secret", "mac.json", []signer{mac}},
		{"an absolute path", filepath.Join(dir, "rsa.pem"), []signer{rs}},
		{"a JWK as it is", string(text(ec.JWK())), []signer{ec}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var algorithms []string
			for _, s := range c.signers {
				algorithms = append(algorithms, s.Alg)
			}
			session, shut, err := identity.SessionOf(identity.Config{
				Issuer: mintIssuer, Audience: []string{mintAudience}, Algorithms: algorithms, Keys: []string{c.key},
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
