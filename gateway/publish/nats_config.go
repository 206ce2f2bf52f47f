package publish

import (
	"cmp"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"log/slog"
	"net/url"
	"os"
	"strings"
	"time"

	client "github.com/nats-io/nats.go"

	"github.com/frondhost/frond/facts/delivery"
)

// natsConfig says which servers are published to.
type natsConfig struct {
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
	// Credentials is a file of NATS credentials (.creds); "": none.
	Credentials string
	// CA is a file of certificates that the servers' are signed with; "": the system's.
	CA string
	// Certificate and Key are files of a client's certificate; "": none.
	Certificate, Key string
	// Token is sent to servers that want one; "": none. It is never printed.
	Token string
}

// natsOptions are the host's parts of a publisher; each may be the zero value.
type natsOptions struct {
	Writer delivery.CloudEvents
	// InProcess connects to a server of this process in place of Config.URL.
	InProcess client.InProcessConnProvider
	Log       *slog.Logger
}

// The defaults of a Config.
const (
	defaultNatsStream = "FROND_FACTS"
	defaultNatsPrefix = "frond"
	defaultRetention  = 7 * 24 * time.Hour
)

func (c natsConfig) withDefaults() natsConfig {
	c.Stream, c.Prefix = cmp.Or(c.Stream, defaultNatsStream), cmp.Or(c.Prefix, defaultNatsPrefix)
	c.Replicas, c.Retention = cmp.Or(c.Replicas, 1), cmp.Or(c.Retention, defaultRetention)
	return c
}

// checkNatsURL reports a text that is not a list of servers. The error does not repeat it.
func checkNatsURL(text string) error {
	for one := range strings.SplitSeq(text, ",") {
		u, err := url.Parse(strings.TrimSpace(one))
		if err != nil || u.Hostname() == "" || u.Scheme != "nats" && u.Scheme != "tls" || strings.Trim(u.Path, "/") != "" || u.RawQuery != "" || u.Fragment != "" {
			return errors.New("write nats://HOST:4222 or tls://HOST:4222, with commas between the servers of a cluster")
		}
	}
	return nil
}

// checkNatsStream reports a text that is not the name of a stream.
func checkNatsStream(text string) error {
	if text == "" || len(text) > 255 || strings.ContainsFunc(text, func(r rune) bool { return r <= ' ' || r == 0x7f || strings.ContainsRune(`.*>/\`, r) }) {
		return errors.New(`write a name such as frond, without spaces and any of . * > / \`)
	}
	return nil
}

// checkNatsPrefix reports a text that no subject can begin with.
func checkNatsPrefix(text string) error {
	for token := range strings.SplitSeq(text, ".") {
		if token == "" || token[0] == '$' || token[0] == '_' || strings.ContainsFunc(token, func(r rune) bool { return r <= ' ' || r == 0x7f || r == '*' || r == '>' }) {
			return errors.New("write words with dots between them, such as frond or acme.frond, without * and >")
		}
	}
	return nil
}

// connection returns the options of the client's connection: it reconnects for ever, and does
// not buffer unsent messages. The outbox is the buffer. The error names the file at fault and
// no secret.
func (c *natsConfig) connection(opts *natsOptions) ([]client.Option, error) {
	options := []client.Option{
		client.Name("frond"), client.Timeout(natsConnectTime), client.RetryOnFailedConnect(true), client.MaxReconnects(-1),
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

// natsServerOptions of [startNatsServer].
type natsServerOptions struct {
	// Dir is the folder of the streams' files. One process at a time uses it.
	Dir string
	// Listen is the address for consumers, host:port; port 0 takes any free one. "": only
	// this process connects.
	Listen string
	// Token is what every client has to know; "": none.
	Token string
	Log   *slog.Logger
}
