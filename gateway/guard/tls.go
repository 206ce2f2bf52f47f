package guard

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"time"

	"github.com/frondhost/frond/gateway/setting"
	"github.com/frondhost/frond/schema"
)

// TLS names the PEM files of the listener's certificate, intermediates included, and of its
// key: paths below the project's folder, or absolute ones. The zero value is plain HTTP.
type TLS struct {
	Cert, Key string
}

// Settings are the rows of tls.
func (t *TLS) Settings() []setting.Setting {
	return []setting.Setting{
		setting.New("tls.cert", "", "the PEM file with the listener's certificate; plain HTTP without one", setting.Text, &t.Cert),
		setting.New("tls.key", "", "the PEM file with the certificate's key", setting.Text, &t.Key),
	}
}

// Check reports that one of the two files is missing.
func (t *TLS) Check() (faults schema.Faults) {
	if (t.Cert == "") != (t.Key == "") {
		missing := map[bool]string{true: "cert", false: "key"}[t.Cert == ""]
		faults = append(faults, schema.Fault{
			File: setting.File, Pointer: "/tls/" + missing, Message: "TLS needs a certificate and its key",
			Remedy: fmt.Sprintf("name the file of the other half in tls.%s, or leave out both", missing),
		})
	}
	return faults
}

// Certificate is the certificate of a listener. Each handshake checks whether the files have
// changed, so that renewing them needs no restart. A pair that cannot be used is logged
// once, and the last one stays.
type Certificate struct {
	files [2]string // certificate, key
	Log   *slog.Logger

	mu      sync.Mutex
	seen    [2]os.FileInfo
	current *tls.Certificate
}

// Load reads the pair; nil if the settings name no pair.
func (t *TLS) Load(dir string, log *slog.Logger) (*Certificate, schema.Faults) {
	if t.Cert == "" || t.Key == "" {
		return nil, nil
	}
	c := &Certificate{Log: log}
	for i, file := range []string{t.Cert, t.Key} {
		c.files[i] = setting.Below(dir, file)
	}
	if _, err := c.renew(); err != nil {
		return nil, schema.Faults{{
			File: setting.File, Pointer: "/tls", Message: "the certificate cannot be used: " + err.Error(),
			Remedy: "name a PEM file with the certificate in tls.cert, and one with its key, not encrypted, in tls.key",
		}}
	}
	return c, nil
}

// Config is the TLS configuration of the listener. net/http adds HTTP/2.
func (c *Certificate) Config() *tls.Config {
	return &tls.Config{
		MinVersion: tls.VersionTLS12,
		GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) {
			return c.get(), nil
		},
	}
}

// get is the pair to present now. It checks the files at each handshake, which is rarer than
// requests, and holds the lock while it does.
func (c *Certificate) get() *tls.Certificate {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch changed, err := c.renew(); {
	case err != nil:
		c.Log.Error("the new certificate cannot be used; the one before stays", "cert", c.files[0], "key", c.files[1], "error", err)
	case changed:
		c.Log.Info("the certificate has been taken over", "cert", c.files[0], "until", c.current.Leaf.NotAfter.Format(time.RFC3339))
	}
	return c.current
}

// renew reads the files if they have changed since they were last read.
func (c *Certificate) renew() (changed bool, err error) {
	var now [2]os.FileInfo
	for i, file := range c.files {
		info, err := os.Stat(file)
		if err != nil {
			if c.current != nil && c.seen[i] == nil {
				return false, nil // still missing, and logged already
			}
			c.seen[i] = nil
			return false, err
		}
		now[i] = info
	}
	if same(now[0], c.seen[0]) && same(now[1], c.seen[1]) {
		return false, nil
	}
	c.seen = now
	pair, err := tls.LoadX509KeyPair(c.files[0], c.files[1])
	if err != nil {
		return false, err
	}
	if pair.Leaf == nil { // with GODEBUG=x509keypairleaf=0
		if pair.Leaf, err = x509.ParseCertificate(pair.Certificate[0]); err != nil {
			return false, err
		}
	}
	c.current = &pair
	return true, nil
}

// same reports whether a file has not changed: a replaced one is another file, and a
// rewritten one has another time.
func same(now, before os.FileInfo) bool {
	return before != nil && os.SameFile(now, before) && now.ModTime().Equal(before.ModTime()) && now.Size() == before.Size()
}
