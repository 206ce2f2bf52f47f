package publish

import (
	"context"
	"errors"
	"net/url"
	"strings"

	"github.com/frondhost/frond/facts/delivery"
	"github.com/frondhost/frond/schema"
)

// Broker publishes facts to NATS, for a program that links it.
type Broker interface {
	// Plan checks the settings of NATS, which have their defaults. facts are the published ones as FROND.FACT, nil for all;
	// faults are about their names. No connection: this process has no part in it.
	Plan(n *NATS, facts []string, faults schema.Faults, o *Options) (Connection, schema.Faults)
}

// Connection publishes the events of a consumer.
type Connection interface {
	Run(ctx context.Context, c *delivery.Consumer) error
	// Problem says why no event can be published now; "": there is no problem.
	Problem() string
}

// The defaults of [NATS].
const (
	DefaultStream = "FROND_FACTS"
	DefaultPrefix = "frond"
	DefaultListen = "127.0.0.1:4222" // of the embedded server
	DefaultFolder = ".frond/nats"
)

// EmbeddedURL is the value of NATS.URL for a server in this process.
const EmbeddedURL = "embedded"

// CheckNATSURL reports a text other than a list of servers. The error does not repeat it.
func CheckNATSURL(text string) error {
	for one := range strings.SplitSeq(text, ",") {
		u, err := url.Parse(strings.TrimSpace(one))
		if err != nil || u.Hostname() == "" || u.Scheme != "nats" && u.Scheme != "tls" || strings.Trim(u.Path, "/") != "" || u.RawQuery != "" || u.Fragment != "" {
			return errors.New("write nats://HOST:4222 or tls://HOST:4222, with commas between the servers of a cluster")
		}
	}
	return nil
}

// checkNatsStream reports a text that cannot name a stream.
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
			return errors.New("write words and dots, such as frond or acme.frond, without * and >")
		}
	}
	return nil
}
