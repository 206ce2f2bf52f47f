package gateway_test

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"io"
	"log/slog"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/frondhost/frond/gateway"
)

// writePair writes a certificate of a number for 127.0.0.1, and its key.
func writePair(t *testing.T, dir string, number int64) *x509.Certificate {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(number), Subject: pkix.Name{CommonName: "frond"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	for name, block := range map[string]*pem.Block{"cert.pem": {Type: "CERTIFICATE", Bytes: der}, "key.pem": {Type: "PRIVATE KEY", Bytes: private}} {
		replace(t, filepath.Join(dir, name), pem.EncodeToMemory(block))
	}
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	return cert
}

// replace puts a file in the place of another, as what renews certificates does.
func replace(t *testing.T, name string, text []byte) {
	t.Helper()
	if err := os.WriteFile(name+".new", text, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(name+".new", name); err != nil {
		t.Fatal(err)
	}
}

// lines is a log that is read while it is written.
type lines struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *lines) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(b)
}

func (l *lines) count(what string) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Count(l.text.String(), what)
}

// TestTLS: the listener speaks TLS and HTTP/2, takes over a renewed certificate at the
// next handshake, and keeps the one it has where the new one cannot be used.
func TestTLS(t *testing.T) {
	dir := t.TempDir()
	roots := x509.NewCertPool()
	roots.AddCert(writePair(t, dir, 1))
	log, urls, ended := &lines{}, make(chan string, 1), make(chan error, 1)
	gw, err := gateway.New(notes(t), &gateway.Options{
		Undecided: true,
		Config: gateway.Config{
			Dir: dir, Listen: "127.0.0.1:0", Store: "memory", TLS: gateway.TLS{Cert: "cert.pem", Key: "key.pem"},
		},
		Logger:    slog.New(slog.NewTextHandler(log, nil)),
		Listening: func(url string) { urls <- url },
	})
	if err != nil {
		t.Fatal(err)
	}
	ctx := t.Context()
	go func() { ended <- gw.Run(ctx) }()
	t.Cleanup(func() {
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	var url string
	select {
	case url = <-urls:
	case <-time.After(2 * time.Minute):
		t.Fatal("it did not start")
	}
	if !strings.HasPrefix(url, "https://127.0.0.1:") {
		t.Errorf("it says %s", url)
	}
	serial := func() int64 {
		conn, err := tls.Dial("tcp", strings.TrimPrefix(url, "https://"), &tls.Config{RootCAs: roots})
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		return conn.ConnectionState().PeerCertificates[0].SerialNumber.Int64()
	}
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots}, ForceAttemptHTTP2: true}}
	defer client.CloseIdleConnections()
	for path, want := range map[string]int{"/livez": 200, "/api/app/notes": 200} {
		resp, err := client.Get(url + path)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.Copy(io.Discard, resp.Body)
		_ = resp.Body.Close()
		if resp.StatusCode != want || resp.ProtoMajor != 2 {
			t.Errorf("%s: %s %s", path, resp.Proto, resp.Status)
		}
	}
	if conn, err := tls.Dial("tcp", strings.TrimPrefix(url, "https://"), &tls.Config{RootCAs: roots, MaxVersion: tls.VersionTLS11}); err == nil { //nolint:gosec // that it is refused is the point
		_ = conn.Close()
		t.Error("TLS 1.1 is taken")
	}

	roots.AddCert(writePair(t, dir, 2))
	if got := serial(); got != 2 || log.count("has been taken over") != 1 {
		t.Errorf("after the renewal it shows %d", got)
	}
	replace(t, filepath.Join(dir, "key.pem"), []byte("nonsense"))
	for range 3 {
		if got := serial(); got != 2 {
			t.Errorf("beside a bad key it shows %d", got)
		}
	}
	if n := log.count("level=ERROR"); n != 1 {
		t.Errorf("it said %d times that the key is bad: %s", n, &log.text)
	}
	if err := os.Remove(filepath.Join(dir, "cert.pem")); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if got := serial(); got != 2 {
			t.Errorf("without a certificate it shows %d", got)
		}
	}
	if n := log.count("level=ERROR"); n != 2 {
		t.Errorf("it said %d times that files are bad: %s", n, &log.text)
	}
	roots.AddCert(writePair(t, dir, 3))
	if got := serial(); got != 3 {
		t.Errorf("mended, it shows %d", got)
	}
}

func TestTLSThatCannotStart(t *testing.T) {
	dir := t.TempDir()
	writePair(t, dir, 1)
	if err := os.WriteFile(filepath.Join(dir, "nonsense.pem"), []byte("nonsense"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		tls  gateway.TLS
		want string
	}{
		"no key":         {gateway.TLS{Cert: "cert.pem"}, "gateway.yaml#/tls/key"},
		"no certificate": {gateway.TLS{Key: "key.pem"}, "gateway.yaml#/tls/cert"},
		"no such file":   {gateway.TLS{Cert: "none.pem", Key: "key.pem"}, "none.pem"},
		"nonsense":       {gateway.TLS{Cert: "cert.pem", Key: "nonsense.pem"}, "gateway.yaml#/tls:"},
	} {
		_, err := gateway.New(notes(t), quiet(gateway.Options{Config: gateway.Config{Dir: dir, TLS: c.tls}}))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", name, err, c.want)
		}
	}
}
