package e2e_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestTheListener is what curl meets at the program: TLS, compression, names that are
// not this machine's, forms of other sites, and a line in the log for each.
func TestTheListener(t *testing.T) {
	t.Parallel()
	need(t, "curl")
	cert, key := writeCertificate(t)
	p := startGateway(t, shopDir, "--tls-cert", cert, "--tls-key", key, "--hosts", "shop.test", "--limits-rate-per-minute", "30", "--log-format", "json")
	if !strings.HasPrefix(p.URL, "https://127.0.0.1:") {
		t.Fatalf("it listens on %s", p.URL)
	}
	curl := func(args ...string) string {
		t.Helper()
		out, err := exec.Command("curl", append([]string{"-sS", "--max-time", "20", "--cacert", cert, "-o", filepath.Join(t.TempDir(), "body"), "-w", "%{http_code} %{size_download} %header{content-encoding} %header{retry-after}"}, args...)...).CombinedOutput()
		if err != nil {
			t.Fatalf("curl %s: %v\n%s", strings.Join(args, " "), err, out)
		}
		return strings.TrimSpace(string(out))
	}
	query := []string{p.URL + "/graphql", "-H", "content-type: application/json", "-d", `{"query":"query Shelf { products(first: 50) { items { id name description } } }"}`}
	plain := strings.Fields(curl(query...))
	packed := strings.Fields(curl(append(query, "--compressed", "-H", "accept-encoding: gzip")...))
	if plain[0] != "200" || len(plain) != 2 || packed[0] != "200" || len(packed) != 3 || packed[2] != "gzip" || len(packed[1]) >= len(plain[1]) && packed[1] >= plain[1] {
		t.Errorf("plain %q, packed %q", plain, packed)
	}
	for name, c := range map[string]struct {
		args []string
		want string
	}{
		"a name of this machine": {[]string{p.URL + "/livez", "-H", "host: localhost"}, "200"},
		"a name that is set":     {[]string{p.URL + "/livez", "-H", "host: SHOP.test:443"}, "200"},
		"another name":           {[]string{p.URL + "/api/catalog/products", "-H", "host: evil.example"}, "421"},
		"a form":                 {[]string{p.URL + "/api/catalog/products", "-d", "", "-H", "sec-fetch-site: cross-site", "-H", "origin: https://evil.example"}, "403"},
		"a form of old":          {[]string{p.URL + "/api/catalog/products", "-d", ""}, "415"},
	} {
		if got := curl(c.args...); !strings.HasPrefix(got, c.want) {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
	// 30 at once, and not many more come in the time that takes.
	all := strings.Split(curl("--parallel", p.URL+"/api/catalog/products?limit=[1-200]", "-w", "\n%{http_code} %header{retry-after}"), "\n")
	if !slices.Contains(all, "429 1") && !slices.Contains(all, "429 2") {
		t.Errorf("it does not say when to come again: %q", all)
	}
	if out, err := exec.Command(binary(t), "health", p.URL).CombinedOutput(); err != nil {
		t.Errorf("frond health: %v\n%s", err, out)
	}
	for _, line := range []string{`"operation":"Shelf","status":200`, `"status":421`, `"status":403`, `"status":415`, `"status":429`} {
		if !strings.Contains(p.stderr(), line) {
			t.Errorf("no line says %s:\n%s", line, p.stderr())
		}
	}
}

// writeCertificate makes a certificate for 127.0.0.1 and its key.
func writeCertificate(t *testing.T) (cert, key string) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "frond"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &private.PublicKey, private)
	if err != nil {
		t.Fatal(err)
	}
	text, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	cert, key = filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	for name, block := range map[string]*pem.Block{cert: {Type: "CERTIFICATE", Bytes: der}, key: {Type: "PRIVATE KEY", Bytes: text}} {
		if err := os.WriteFile(name, pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return cert, key
}
