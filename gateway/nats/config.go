package nats

import (
	"cmp"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"log/slog"
	"os"
	"time"

	client "github.com/nats-io/nats.go"

	"github.com/frondhost/frond/facts/delivery"
	"github.com/frondhost/frond/gateway/publish"
)

// clientConfig says which servers are published to.
type clientConfig struct {
	// URL is nats://HOST:PORT or tls://…, several servers of one cluster with commas between
	// them. It may hold a user and a password and is never printed.
	URL string
	// Stream is the name of the stream; "": FROND_FACTS.
	Stream string
	// Prefix is the first part of every subject; "": frond.
	Prefix string
	// Replicas is how many servers keep the stream that is made; 0: 1.
	Replicas int
	// Retention is how long the stream that is made keeps events; 0: 7 days.
	Retention time.Duration
	// Credentials is a file of NATS credentials (.creds), or "".
	Credentials string
	// CA is a file of certificates that the servers' are signed with; "": the system's.
	CA string
	// Certificate and Key are files of a client's certificate, or "".
	Certificate, Key string
	// Token is sent to servers that want one; it may be "". It is never printed.
	Token string
}

// publisherOptions are the host's parts of a publisher; each may be the zero value.
type publisherOptions struct {
	Writer delivery.CloudEvents
	// InProcess connects to a server of this process in place of Config.URL.
	InProcess client.InProcessConnProvider
	Log       *slog.Logger
}

// defaultRetention is the retention of a stream by default.
const defaultRetention = 7 * 24 * time.Hour

func (c clientConfig) withDefaults() clientConfig {
	c.Stream, c.Prefix = cmp.Or(c.Stream, publish.DefaultStream), cmp.Or(c.Prefix, publish.DefaultPrefix)
	c.Replicas, c.Retention = cmp.Or(c.Replicas, 1), cmp.Or(c.Retention, defaultRetention)
	return c
}

// connection returns the options of the client's connection: it reconnects for ever, and does
// not buffer unsent messages. The outbox is the buffer. The error names the file at fault and
// no secret.
func (c *clientConfig) connection(opts *publisherOptions) ([]client.Option, error) {
	options := []client.Option{
		client.Name("frond"), client.Timeout(connectTime), client.RetryOnFailedConnect(true), client.MaxReconnects(-1),
		client.ReconnectWait(reconnectWait), client.ReconnectJitter(reconnectWait, reconnectWait), client.ReconnectBufSize(-1),
		client.PingInterval(20 * time.Second), client.MaxPingsOutstanding(2),
		client.IgnoreAuthErrorAbort(), // credentials may be mended at the server, while they are rotated
	}
	if opts.InProcess != nil {
		options = append(options, client.InProcessServer(opts.InProcess))
	}
	if c.Token != "" {
		options = append(options, client.Token(c.Token))
	}
	if c.Credentials != "" {
		if _, err := os.Stat(c.Credentials); err != nil {
			return nil, &fileError{"credentials", c.Credentials, err}
		}
		options = append(options, client.UserCredentials(c.Credentials))
	}
	if c.CA == "" && c.Certificate == "" {
		return options, nil
	}
	secure := &tls.Config{MinVersion: tls.VersionTLS12}
	if c.CA != "" {
		text, err := os.ReadFile(c.CA)
		if err == nil {
			secure.RootCAs = x509.NewCertPool()
			if !secure.RootCAs.AppendCertsFromPEM(text) {
				err = errors.New("it contains no certificate")
			}
		}
		if err != nil {
			return nil, &fileError{"ca", c.CA, err}
		}
	}
	if c.Certificate != "" {
		pair, err := tls.LoadX509KeyPair(c.Certificate, c.Key)
		if err != nil {
			return nil, &fileError{"certificate", c.Certificate, err}
		}
		secure.Certificates = []tls.Certificate{pair}
	}
	return append(options, client.Secure(secure)), nil
}

// fileError is a file of a Config that cannot be used.
type fileError struct {
	Key, File string // Key is its last word in gateway.yaml
	Err       error
}

// Error names the file.
func (e *fileError) Error() string { return e.File + " cannot be used: " + e.Err.Error() }

// Unwrap is the cause.
func (e *fileError) Unwrap() error { return e.Err }

// embeddedOptions of [startEmbedded].
type embeddedOptions struct {
	// Dir is the folder of the streams' files. One process at a time uses it.
	Dir string
	// Listen is the address for consumers, host:port; port 0 takes any free one. "": only
	// this process connects.
	Listen string
	// Token is the token that every client has to send; "": clients need no token.
	Token string
	Log   *slog.Logger
}
