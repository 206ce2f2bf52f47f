package gateway

import (
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/frondhost/frond/gateway/extra/all"
	"github.com/frondhost/frond/gateway/telemetry"
	"github.com/frondhost/frond/resolvers"
	"github.com/frondhost/frond/schema"
)

func TestLoadConfig(t *testing.T) {
	const whole = `
vendor: acme
listen: 127.0.0.1:9000
store: memory
limits: {body: 2MiB, list: {default: 20, max: 100}}
identity: {dev: true}
log: {level: debug, format: json}
shutdown: {delay: 1s, timeout: 1m}
mode: development
graphql:
  introspection: false
  console: off
  coalesce: off
  persisted: false
  documents: {folder: queries, mode: enforce}
  limits: {document: 8KiB, tokens: 1, depth: 2, aliases: 3, roots: 4, fields: 5, expanded: 9, execution: 6s, response: 7MiB}
`
	all := Config{
		Vendor: "acme", Listen: "127.0.0.1:9000", Store: "memory",
		Limits:   Limits{Body: 2 << 20, List: ListLimits{Default: 20, Max: 100}},
		Identity: Identity{Dev: true},
		Log:      telemetry.Log{Level: slog.LevelDebug, Format: "json"},
		Shutdown: Shutdown{Delay: time.Second, Timeout: time.Minute},
		Mode:     Development,
		GraphQL: GraphQL{
			Introspection: new(false), Console: new(false), NoCoalesce: true, NoPersisted: true,
			Documents: Documents{Folder: "queries", Mode: DocumentsEnforce},
			Limits:    resolvers.Limits{Document: 8 << 10, Tokens: 1, Depth: 2, Aliases: 3, Roots: 4, Fields: 5, Expanded: 9, Execution: 6 * time.Second, Response: 7 << 20},
		},
	}
	with := func(change func(*Config)) Config {
		c := all
		change(&c)
		return c
	}
	for _, c := range []struct {
		name    string
		file    string
		environ []string
		want    Config
	}{
		{name: "no file sets nothing", want: Config{}},
		{name: "an empty file sets nothing", file: "# nothing yet\n", want: Config{}},
		{name: "a key without a value sets nothing", file: "listen:\nlimits:\n", want: Config{}},
		{name: "every key", file: whole, want: all},
		{
			name: "the environment wins over the file", file: whole,
			environ: []string{"FROND_LISTEN=127.0.0.1:1", "FROND_LIMITS_LIST_MAX=7", "FROND_IDENTITY_DEV=false", "FROND_LOG_LEVEL=warn"},
			want: with(func(c *Config) {
				c.Listen, c.Limits.List.Max, c.Identity.Dev, c.Log.Level = "127.0.0.1:1", 7, false, slog.LevelWarn
			}),
		},
		{name: "an empty variable sets nothing", file: whole, environ: []string{"FROND_LISTEN="}, want: all},
		{name: "what an orchestrator sets for a service called frond is let be", environ: []string{"FROND_PORT=tcp://10.0.0.1:80", "FROND_SERVICE_HOST=10.0.0.1"}, want: Config{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			if c.file != "" {
				write(t, filepath.Join(dir, ConfigFile), c.file)
			}
			got, err := LoadConfig(dir, "", c.environ)
			if err != nil {
				t.Fatal(err)
			}
			c.want.Dir = dir
			if diff := cmp.Diff(&c.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestLoadConfigFaults(t *testing.T) {
	for _, c := range []struct {
		name, file string
		environ    []string
		want       []string // file#pointer and words of the fault, one a fault
	}{
		{"an unknown key names the known ones", "lisen: :80\n", nil, []string{"gateway.yaml#/lisen: there is no setting lisen; did you mean listen? write one of vendor, title, description, listen, hosts, tls, store"}},
		{"an unknown key further down", "limits: {list: {maximum: 3}}\n", nil, []string{"gateway.yaml#/limits/list/maximum: there is no setting limits.list.maximum; write one of default, max"}},
		{"an unknown map", "peers: {billing: http://x}\n", nil, []string{"gateway.yaml#/peers: there is no setting peers; write one of vendor"}},
		{"a remote without an address", "remotes: {billing: {timeout: 3s}}\n", nil, []string{"gateway.yaml#/remotes: remotes cannot be this; billing: write the address of a host"}},
		{"a remote's unknown word", "remotes: {billing: {url: http://x, waits: 3s}}\n", nil, []string{"remotes cannot be this; billing: waits is not known; a remote has url, connect, attempt, timeout, retries, strict, coalesce"}},
		{"two remotes that serve one Frond", "remotes: {billing: http://x, Billing: http://y}\n", nil, []string{"remotes cannot be this; billing is served by two remotes, http://x and http://y; write one address, or a balancer's"}},
		{"remotes that are a list", "remotes: [http://x]\n", nil, []string{"remotes cannot be this; write an address for each Frond"}},
		{"a value where a map stands", "limits: 3\n", nil, []string{"gateway.yaml#/limits: limits takes a map; write a map with body, list"}},
		{"a map where a value stands", "listen: {port: 80}\n", nil, []string{"gateway.yaml#/listen: listen takes one value; write listen: 127.0.0.1:8080"}},
		{"a list where a value stands", "store: [memory]\n", nil, []string{"gateway.yaml#/store: store takes one value; write store: sqlite:.frond/frond.db"}},
		{"a list for a file", "- listen\n", nil, []string{"gateway.yaml: is not a map of settings"}},
		{"not YAML", "listen: [\n", nil, []string{"gateway.yaml: this is not YAML"}},
		{"a key said twice", "listen: 127.0.0.1:1\nlisten: 127.0.0.1:2\n", nil, []string{"gateway.yaml: this is not YAML"}},
		{"a port that is none", "listen: 127.0.0.1:http\n", nil, []string{"gateway.yaml#/listen: listen cannot be 127.0.0.1:http; write host:port"}},
		{"a port alone", "listen: 8080\n", nil, []string{"write host:port"}},
		{"a store's URL at fault, whose password is not repeated", "store: postgres://shop:hunter2@db:x/shop\n", []string{"FROND_STORE=postgresq://shop:hunter2@db/shop"}, []string{"gateway.yaml#/store: store cannot be this; the store's URL cannot be read", "FROND_STORE: cannot be this; write sqlite:PATH"}},
		{"a replica's list at fault", "", []string{`FROND_STORE_REPLICAS=["postgres://shop:hunter2@db/shop", 3]`}, []string{"FROND_STORE_REPLICAS: cannot be this; write a list"}},
		{"a replica that is no server", "store: {url: postgres://db/shop, replicas: ['postgres://db2/shop', 'sqlite:hunter2']}\n", nil, []string{"gateway.yaml#/store/replicas: store.replicas cannot be this; number 2 is no URL of a PostgreSQL server: write a list of URLs"}},
		{"a replica's URL at fault", "store: {url: postgres://db/shop, replicas: ['postgres://shop:hunter2@db2/shop?pol=1']}\n", nil, []string{`store.replicas cannot be this; number 1: the store's URL has the parameter "pol"`}},
		{"a store of an unknown kind", "store: mysql://x\n", nil, []string{"write sqlite:PATH"}},
		{"a size in words", "limits: {body: big}\n", nil, []string{"write a number of bytes"}},
		{"a limit of nothing", "limits: {list: {max: 0}}\n", nil, []string{"write a whole number of at least 1"}},
		{"a mode that is none", "mode: prod\n", nil, []string{"gateway.yaml#/mode: mode cannot be prod; write production or development"}},
		{"a mode of documents that is none", "graphql: {documents: {mode: strict}}\n", nil, []string{"write off, log or enforce"}},
		{"an execution longer than the server waits", "graphql: {limits: {execution: 2m}}\n", nil, []string{"of at most 50s"}},
		{"no limit at all", "graphql: {limits: {depth: 0}}\n", nil, []string{"write a whole number of at least 1"}},
		{"a boolean in words", "identity: {dev: sure}\n", nil, []string{"write true or false"}},
		{"an unknown level", "log: {level: loud}\n", nil, []string{"write debug, info, warn or error"}},
		{"an unknown format", "log: {format: xml}\n", nil, []string{"write auto, text or json"}},
		{"a duration without a unit", "shutdown: {timeout: 15}\n", nil, []string{"write a duration"}},
		{"a variable that does not hold", "", []string{"FROND_LISTEN=here"}, []string{`FROND_LISTEN: cannot be "here"; write host:port`}},
		{
			"all at once", "lisen: x\nstore: x\n",
			[]string{"FROND_LOG_LEVEL=x"},
			[]string{"gateway.yaml#/lisen", "gateway.yaml#/store", "FROND_LOG_LEVEL"},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			if c.file != "" {
				write(t, filepath.Join(dir, ConfigFile), c.file)
			}
			_, err := LoadConfig(dir, "", c.environ, all.Extras()...)
			faults, ok := err.(schema.Faults) //nolint:errorlint // the contract is the type itself
			if !ok || len(faults) != len(c.want) {
				t.Fatalf("got %d faults (%v), want %d", len(faults), err, len(c.want))
			}
			for i, want := range c.want {
				if !strings.Contains(faults[i].Error(), want) {
					t.Errorf("got  %s\nwant %s", faults[i].Error(), want)
				}
				if strings.Contains(faults[i].Error(), "hunter2") {
					t.Errorf("the password is repeated: %s", faults[i].Error())
				}
				if faults[i].Remedy == "" {
					t.Errorf("%s has no remedy", faults[i].Error())
				}
			}
		})
	}
}

func TestNamedConfigHasToExist(t *testing.T) {
	_, err := LoadConfig(t.TempDir(), "elsewhere.yaml", nil)
	if err == nil || !strings.Contains(err.Error(), "elsewhere.yaml: cannot be read: no such file") {
		t.Errorf("got %v", err)
	}
}

func TestConfigCheck(t *testing.T) {
	for _, c := range []struct {
		name   string
		config Config
		want   string
	}{
		{"the defaults hold", Config{}, ""},
		{"dev identity on loopback", Config{Listen: "127.0.0.1:0", Identity: Identity{Dev: true}}, ""},
		{"dev identity on localhost", Config{Listen: "localhost:80", Identity: Identity{Dev: true}}, ""},
		{"dev identity on the other loopback", Config{Listen: "[::1]:80", Identity: Identity{Dev: true}}, ""},
		{"dev identity everywhere", Config{Listen: ":8080", Identity: Identity{Dev: true}}, "#/identity/dev"},
		{"dev identity on a network", Config{Listen: "10.0.0.1:8080", Identity: Identity{Dev: true}}, "#/identity/dev"},
		{"documents are enforced and there are none", Config{GraphQL: GraphQL{Documents: Documents{Mode: DocumentsEnforce}}}, "#/graphql/documents/mode"},
		{"a folder of documents that nothing is made of", Config{GraphQL: GraphQL{Documents: Documents{Folder: "queries"}}}, ""},
		{"replicas of a server", Config{Store: "postgres://db/shop", Replicas: Replicas{URLs: []string{"postgres://db2/shop"}}}, ""},
		{"replicas of a file", Config{Store: "sqlite:a.db", Replicas: Replicas{URLs: []string{"postgres://db2/shop"}}}, "#/store/replicas"},
		{"a default above the maximum", Config{Limits: Limits{List: ListLimits{Default: 60, Max: 50}}}, "#/limits/list/default"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := c.config.withDefaults().check()
			c.config.KeepInMemory() // a run without the project's rows finds the same
			if again := c.config.withDefaults().check(); (got == nil) != (again == nil) {
				t.Errorf("%v, and in memory %v", got, again)
			}
			switch {
			case c.want == "" && got != nil:
				t.Error(got)
			case c.want != "" && (len(got) != 1 || !strings.Contains(got.Error(), c.want)):
				t.Errorf("got %v, want one fault at %s", got, c.want)
			}
		})
	}
}

// What the table says is the default has to be what withDefaults makes of nothing.
func TestSettingsSayTheDefaults(t *testing.T) {
	var said Config
	for _, s := range Settings() {
		if s.Key == "vendor" { // the project's own default, in facade
			continue
		}
		if err := said.Set(s.Key, s.Default); err != nil {
			t.Errorf("%s cannot be its own default: %v", s.Key, err)
		}
	}
	if diff := cmp.Diff(Config{}.withDefaults(), said); diff != "" {
		t.Error(diff)
	}
}

func TestUnknownVariables(t *testing.T) {
	got := UnknownVariables([]string{"FROND_LISEN=x", "FROND_LISTEN=x", "FROND_CONFIG=x", "FROND_PORT=tcp://x", "FROND_SERVICE_HOST=x", "HOME=x"})
	if diff := cmp.Diff([]string{"FROND_LISEN"}, got); diff != "" {
		t.Error(diff)
	}
}

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestOneAddressIsCalledInOneWay(t *testing.T) {
	c := Config{Remotes: map[string]Remote{"a": {URL: "http://x", Timeout: 3 * time.Second}, "b": {URL: "http://x/"}, "c": {URL: "http://y"}}}
	want := "gateway.yaml#/remotes/b: a and b run at one address and are called differently; write the same timeouts, retries, limits, strict and coalesce for both"
	if err := c.withDefaults().check().Err(); err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}
