package publish

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/frondhost/frond/gateway/setting"
)

// Config is the settings of webhooks and of NATS. The zero value sends no events.
type Config struct {
	Webhooks []Webhook
	NATS     NATS
}

// NATS is where facts are published to.
type NATS struct {
	// URL is nats://…, tls://…, env:NAME for a variable that holds one, or embedded for a server
	// in this process; "": facts are not published to NATS.
	URL string
	// Facts are FACT or FROND.FACT; empty: all.
	Facts            []string
	Stream           string // "": FROND_FACTS
	Prefix           string // "": frond
	Replicas         int    // of a stream that is made; 0: 1
	Credentials      string // a file, below the project's folder, as the next three
	CA               string
	Certificate, Key string
	Token            string // env:NAME, or the token; "": none
	Listen           string // of the embedded server; "": 127.0.0.1:4222
	Folder           string // of the embedded server; "": .frond/nats
	Actor            bool   // who caused an event is sent
}

// natsForm is the form of facts.nats in the file: its value, or a map with more.
const natsForm = `{"type":["string","object"],"properties":{` +
	`"url":{"type":"string"},"facts":{"type":["array","string"],"items":{"type":"string"}},"stream":{"type":"string"},"prefix":{"type":"string"},"replicas":{"type":"integer"},` +
	`"credentials":{"type":"string"},"ca":{"type":"string"},"certificate":{"type":"string"},"key":{"type":"string"},"token":{"type":"string"},"listen":{"type":"string"},"folder":{"type":"string"},"actor":{"type":"boolean"}` +
	`},"required":["url"],"additionalProperties":false}`

// Settings are the rows of webhooks and facts.nats.
func (c *Config) Settings() []setting.Setting {
	n := &c.NATS
	return []setting.Setting{
		setting.New("webhooks", "[]", "URLs that facts are sent to, such as [{name: billing, url: https://billing.example/hooks, facts: [orderPlaced], secret: env:BILLING_SECRET}]", readWebhooks, &c.Webhooks).As(webhooksForm()).Secret(),
		setting.New("facts.nats", "", "where facts are published: nats://…, tls://…, env:NAME, or embedded for a server in this process", readNATS, &n.URL).As(natsForm).Secret(),
		setting.New("facts.nats.facts", "[]", "the facts that are published there; empty: all", setting.List, &n.Facts),
		setting.New("facts.nats.stream", DefaultStream, "the stream, which is made if it is missing", read(checkNatsStream), &n.Stream),
		setting.New("facts.nats.prefix", DefaultPrefix, "the first part of the subjects PREFIX.FROND.FACT", read(checkNatsPrefix), &n.Prefix),
		setting.New("facts.nats.replicas", "1", "how many servers keep a stream that is made: 1 to 5", readReplicas, &n.Replicas),
		setting.New("facts.nats.credentials", "", "a file with NATS credentials (.creds)", setting.Text, &n.Credentials),
		setting.New("facts.nats.ca", "", "a file with the certificates that the servers' are signed with; empty: the system's", setting.Text, &n.CA),
		setting.New("facts.nats.certificate", "", "a file with a client certificate", setting.Text, &n.Certificate),
		setting.New("facts.nats.key", "", "the file with its key", setting.Text, &n.Key),
		setting.New("facts.nats.token", "", "a token for the servers, or that consumers of the embedded one have to know: env:NAME", setting.Text, &n.Token).Secret(),
		setting.New("facts.nats.listen", DefaultListen, "the address of the embedded server", setting.Address, &n.Listen),
		setting.New("facts.nats.folder", DefaultFolder, "the folder of the embedded server's files", setting.Text, &n.Folder),
		setting.New("facts.nats.actor", "false", "whether a message says who caused the event", setting.Bool, &n.Actor),
	}
}

// WithDefaults is c with every empty setting filled in.
func (c Config) WithDefaults() Config {
	n := &c.NATS
	n.Stream, n.Prefix, n.Replicas = cmp.Or(n.Stream, DefaultStream), cmp.Or(n.Prefix, DefaultPrefix), cmp.Or(n.Replicas, 1)
	n.Listen, n.Folder = cmp.Or(n.Listen, DefaultListen), cmp.Or(n.Folder, DefaultFolder)
	return c
}

// read is a reader of text that check accepts.
func read(check func(string) error) func(string) (string, error) {
	return func(text string) (string, error) { return text, check(text) }
}

// readNATS reads where facts are published.
func readNATS(text string) (string, error) {
	if text == "" || text == EmbeddedURL || isVariable(text) {
		return text, nil
	}
	if CheckNATSURL(text) != nil {
		return "", errors.New("write nats://HOST:4222 or tls://HOST:4222, with commas between the servers of a cluster, env:NAME for a variable that holds it, or embedded")
	}
	return text, nil
}

func readReplicas(text string) (int, error) {
	n, err := setting.Count(text)
	if err != nil || n > 5 {
		return 0, errors.New("write a number of 1 to 5; 3 survives the loss of a server")
	}
	return n, nil
}

// isVariable reports whether a text is env:NAME.
func isVariable(text string) bool {
	name, ok := strings.CutPrefix(text, "env:")
	return ok && name != ""
}

// Resolved is a text, or the value of the variable that it names. The error repeats the variable's
// name alone.
func Resolved(text string) (string, error) {
	if !isVariable(text) {
		return text, nil
	}
	name := strings.TrimPrefix(text, "env:")
	value := os.Getenv(name)
	if value == "" {
		return "", fmt.Errorf("the variable %s is not set", name)
	}
	return value, nil
}
