package places

import (
	"crypto/ed25519"
	"crypto/x509"
	"encoding/pem"
	"os"
	"path/filepath"
	"testing"

	"github.com/frondhost/frond/gateway"
)

// Keys makes a key that every process of a place signs with and believes.
func Keys(t testing.TB) gateway.Signing {
	t.Helper()
	dir := t.TempDir()
	public, private, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	write := func(name, kind string, der []byte, err error) string {
		path := filepath.Join(dir, name)
		if err == nil {
			err = os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
		return path
	}
	der, err := x509.MarshalPKCS8PrivateKey(private)
	key := write("key.pem", "PRIVATE KEY", der, err)
	der, err = x509.MarshalPKIXPublicKey(public)
	return gateway.Signing{Key: key, Keys: []string{write("pub.pem", "PUBLIC KEY", der, err)}}
}
