package gateway

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/frondhost/frond/facts"
	"github.com/frondhost/frond/gateway/extra"
	"github.com/frondhost/frond/gateway/files"
	"github.com/frondhost/frond/gateway/graphqlhttp"
	"github.com/frondhost/frond/gateway/guard"
	"github.com/frondhost/frond/gateway/identity"
	"github.com/frondhost/frond/gateway/publish"
	"github.com/frondhost/frond/gateway/setting"
	"github.com/frondhost/frond/gateway/subscriptions"
	"github.com/frondhost/frond/gateway/telemetry"
	"github.com/frondhost/frond/gateway/topology"
	"github.com/frondhost/frond/schema"
)

// Config is the settings of a gateway: what gateway.yaml, the FROND_ variables and the
// flags set. The zero value is the careful choice: it listens on loopback, keeps its store
// under .frond/, and every caller is anonymous. [Settings] lists the keys.
type Config struct {
	// Extras are the parts that the program links beside the core: postgres.Stores, nats.Facts, s3.Files,
	// otlp.Traces, prometheus.Metrics. A setting that needs another one is a fault of the start.
	Extras []extra.Extra

	// Dir is the project's folder: a relative path of the store begins there.
	// Empty means the working directory.
	Dir string

	// Mode is Production, which is also "", or Development. In development mistakes in a
	// document are answered with suggestions, which disclose names of the schema;
	// introspection and the console are on unless GraphQL says otherwise; and doors are
	// served that have no collector and are not declared open.
	Mode string

	Vendor string // x-kit-vendor; "" leaves it to the project
	// Title is the name of the API, one line of at most 80 characters: on the page at /, in
	// /docs and in the API documents. "" means the vendor.
	Title string
	// Description is the purpose of the API, in the same places; "" leaves it out.
	Description string
	Listen      string // host:port; "" means 127.0.0.1:8080, port 0 any free one
	// Hosts are further names, besides localhost, that a listener on loopback answers to, for
	// example the names of a proxy in front.
	Hosts []string
	TLS   TLS
	// Store is sqlite:PATH, postgres://…, memory, or env:NAME for a variable that holds one of
	// them; "" means sqlite:.frond/frond.db.
	Store string
	// Files is where the bytes of files are.
	Files files.Config
	// Migrate is MigrateAuto, which is also "", or MigrateOff: whether a start changes the
	// store's schema, as far as it loses no values.
	Migrate string
	// Replicas are copies of a store on PostgreSQL.
	Replicas Replicas
	Limits   Limits
	Identity Identity
	CORS     CORS
	GraphQL  GraphQL
	// Remotes are where the remote Fronds run, by their names (spec 1.6).
	Remotes map[string]Remote
	// Signing is how calls of remotes are signed, and how a receiver verifies them.
	Signing Signing
	// Audiences are the paths in front of the surfaces of audiences, by their names; the
	// default is /{audience}.
	Audiences map[string]string
	// NoDocuments leaves out the API documents: /openapi.json, /openrpc.json, /asyncapi.json.
	NoDocuments bool
	// NoCompression sends every answer without a content coding.
	NoCompression bool
	// Facts is how events are kept.
	Facts Facts
	// Publish is what facts are sent to without being asked: webhooks and NATS.
	Publish  Publish
	Admin    Admin
	Log      Log
	Shutdown Shutdown
}

// Replicas are copies of the store, by streaming replication, that reads may go to.
type Replicas struct {
	URLs   []string      // as Config.Store; empty: there are none
	LateBy time.Duration // how far one may be behind to be read; 0 means 10 s
}

// Limits bound what one request may ask for, and what all of them may hold.
type Limits struct {
	Body int64 // bytes of a request's body; 0 means 1 MiB (spec 8)
	List ListLimits
	// Statement is how long one statement of the store may run for a caller; 0 means 2 s.
	Statement time.Duration
	// Transaction is how long a command's transaction may last from its first call of the
	// store on; 0 means 2 s.
	Transaction time.Duration
	// Work is how long the statements of one request, and what else it does, may take
	// together; 0 means 5 s, less than 0 any time.
	Work time.Duration
	Rate Rate
	// Memory is how many bytes all requests together may hold for rows and answers; 0
	// means a quarter of the memory of the process, less than 0 any number.
	Memory int64
	// Executions is how many requests may execute at once; 0 means 256 for each
	// processor, less than 0 any number.
	Executions int
	// Write is how long a client may take to read 64 KiB of an answer; 0 means 10 s,
	// less than 0 as long as an answer may take as a whole.
	Write time.Duration
	// Subscriptions bounds how many GraphQL subscriptions there are at once.
	Subscriptions subscriptions.Limits
}

// ListLimits bound the rows of one list.
type ListLimits struct {
	Default int // rows where the caller names no limit; 0 means 50
	Max     int // what a greater limit is clamped to; 0 means 500
}

// Shutdown says how a gateway stops.
type Shutdown struct {
	// Delay is how long it still serves with /readyz at 503, for a load balancer
	// to notice; 0 means 5 s on an address that other machines reach, and else no time, less than 0
	// no time.
	Delay time.Duration
	// Timeout is how long requests in flight may take to finish; 0 means 15 s.
	Timeout time.Duration
}

// The parts of a [Config] that belong to packages of their own.
type (
	// Identity is how callers are identified.
	Identity = identity.Config
	// Claims says where a token says who its bearer is.
	Claims = identity.Claims
	// Session identifies the caller of a request, in place of Identity.
	Session = identity.Session

	// GraphQL says how documents are answered.
	GraphQL = graphqlhttp.Config
	// Documents says which documents are trusted.
	Documents = graphqlhttp.Documents
	// GraphQLOptions are the options of [NewGraphQL] and [RegisterGraphQL].
	GraphQLOptions = graphqlhttp.Options

	// Remote is where a remote Frond runs.
	Remote = topology.Remote
	// Signing is how calls between processes are signed.
	Signing = topology.Signing
	// RemoteState is the known state of a remote.
	RemoteState = topology.State

	// CORS says which sites' pages may read answers.
	CORS = guard.CORS
	// TLS names the files of the listener's certificate.
	TLS = guard.TLS
	// Rate is how often a caller may call.
	Rate = guard.Rate
	// Publish is the webhooks and the NATS server that facts are sent to.
	Publish = publish.Config
	// Webhook is one of them.
	Webhook = publish.Webhook
	// NATS is where facts are published to.
	NATS = publish.NATS

	// Log has the level and the form of the gateway's log.
	Log = telemetry.Log
)

// The modes of [Documents].
const (
	DocumentsOff     = graphqlhttp.DocumentsOff
	DocumentsLog     = graphqlhttp.DocumentsLog
	DocumentsEnforce = graphqlhttp.DocumentsEnforce
)

// ConfigFile is the name of the host's file in a project's folder.
const ConfigFile = setting.File

// The values of Config.Mode.
const (
	Production  = "production"
	Development = "development"
)

// The values of Config.Migrate.
const (
	MigrateAuto = "auto"
	MigrateOff  = "off"
)

const (
	defaultListen = "127.0.0.1:8080"
	defaultStore  = "sqlite:.frond/frond.db"
	memoryStore   = "memory"
)

// withDefaults is c with every empty setting filled in.
func (c Config) withDefaults() Config {
	c.Mode = cmp.Or(c.Mode, Production)
	c.Listen = cmp.Or(c.Listen, defaultListen)
	c.Store = cmp.Or(c.Store, defaultStore)
	c.Migrate = cmp.Or(c.Migrate, MigrateAuto)
	c.Replicas.LateBy = cmp.Or(c.Replicas.LateBy, 10*time.Second)
	c.Limits.Body = cmp.Or(c.Limits.Body, 1<<20)
	c.Limits.List.Default = cmp.Or(c.Limits.List.Default, 50)
	c.Limits.List.Max = cmp.Or(c.Limits.List.Max, 500)
	c.Limits.Statement = cmp.Or(c.Limits.Statement, 2*time.Second)
	c.Log.Slow = cmp.Or(c.Log.Slow, 200*time.Millisecond)
	c.Limits.Work = cmp.Or(c.Limits.Work, 5*time.Second)
	c.Limits.Transaction = cmp.Or(c.Limits.Transaction, 2*time.Second)
	if c.Limits.Memory == 0 {
		c.Limits.Memory = guard.DefaultMemory()
	}
	c.Limits.Executions = cmp.Or(c.Limits.Executions, guard.DefaultExecutions())
	c.Limits.Write = cmp.Or(c.Limits.Write, 10*time.Second)
	c.Limits.Subscriptions = c.Limits.Subscriptions.WithDefaults()
	c.Identity = c.Identity.WithDefaults()
	c.CORS = c.CORS.WithDefaults()
	c.GraphQL = c.GraphQL.WithDefaults(c.Mode == Development)
	c.Signing = c.Signing.WithDefaults()
	c.Publish = c.Publish.WithDefaults()
	c.Facts.Retention = cmp.Or(c.Facts.Retention, facts.DefaultRetention)
	c.Files = c.Files.WithDefaults()
	c.Log.Format = cmp.Or(c.Log.Format, "auto")
	c.Shutdown.Timeout = cmp.Or(c.Shutdown.Timeout, 15*time.Second)
	if c.Shutdown.Delay == 0 && c.Mode == Production && !setting.Loopback(c.Listen) {
		c.Shutdown.Delay = 5 * time.Second
	}
	return c
}

// LoadConfig reads a project's gateway.yaml, if there is one, and then the FROND_ variables
// of environ, as [os.Environ] gives them. file names another file than DIR/gateway.yaml,
// which then has to exist. extras is [Config.Extras]. The error is schema.Faults: everything wrong at once.
func LoadConfig(dir, file string, environ []string, extras ...extra.Extra) (*Config, error) {
	c := &Config{Dir: dir, Extras: extras}
	return c, c.Load(file, environ)
}

// ReadText lays the text of a gateway.yaml over c. name is for the faults.
func (c *Config) ReadText(name string, text []byte) error {
	return c.settings().ReadFile(name, text).Err()
}

// Load lays gateway.yaml of c.Dir and the variables over c, as [LoadConfig] does over the
// defaults.
func (c *Config) Load(file string, environ []string) error {
	table := c.settings()
	var faults schema.Faults
	name := cmp.Or(file, filepath.Join(c.Dir, setting.File))
	switch text, err := os.ReadFile(name); {
	case err == nil:
		faults = append(faults, table.ReadFile(filepath.ToSlash(name), text)...)
	case file == "" && errors.Is(err, os.ErrNotExist): // every key has a default
	default:
		faults = append(faults, schema.Fault{File: name, Message: "cannot be read: " + setting.Reason(err), Remedy: "name a file that can be, or leave it out"})
	}
	faults = append(faults, table.ReadEnviron(environ)...)
	return faults.Err()
}

// KeepInMemory replaces the store that c names, its replicas and its files by memory: for a run that leaves
// the rows of the project alone. Replicas of a store that cannot have any stay, and are a fault.
func (c *Config) KeepInMemory() {
	if c.mayHaveReplicas() {
		c.Replicas.URLs = nil
	}
	if c.Files.Store == "" && isPostgres(c.Store) && c.Mode != Development {
		c.Files.Store = noPlace
	} else if c.Files.Store != noPlace {
		c.Files.Store = "mem://"
	}
	c.Store = memoryStore
}

// mayHaveReplicas says whether the store is, or may turn out to be, on a PostgreSQL server.
func (c *Config) mayHaveReplicas() bool {
	return isPostgres(c.Store) || strings.HasPrefix(c.Store, "env:")
}

// check reports faults between settings that are each valid.
func (c Config) check() schema.Faults {
	faults := append(append(c.Identity.Check(c.Listen), c.CORS.Check()...), c.GraphQL.Check()...)
	faults = append(faults, topology.Check(c.Remotes)...)
	faults = append(faults, c.Admin.check()...)
	faults = append(faults, c.Limits.Rate.Check()...)
	faults = append(faults, c.TLS.Check()...)
	if len(c.Replicas.URLs) > 0 && !c.mayHaveReplicas() {
		faults = append(faults, schema.Fault{
			File: setting.File, Pointer: "/store/replicas", Message: "only a store on PostgreSQL has replicas",
			Remedy: "leave store.replicas out, or write the primary's URL, postgres://…, as store.url",
		})
	}
	if c.Limits.List.Default > c.Limits.List.Max {
		faults = append(faults, schema.Fault{
			File: setting.File, Pointer: "/limits/list/default",
			Message: fmt.Sprintf("the default of %d rows is more than the maximum of %d", c.Limits.List.Default, c.Limits.List.Max),
			Remedy:  "lower limits.list.default or raise limits.list.max",
		})
	}
	return faults
}

// readTitle reads the name of the API.
func readTitle(text string) (string, error) {
	if utf8.RuneCountInString(text) > 80 || strings.ContainsFunc(text, unicode.IsControl) {
		return "", errors.New("write one line of at most 80 characters, such as Bookshop")
	}
	return text, nil
}

// readStatement reads the time limit of a statement or a transaction, which is below the limit
// of a remote call.
func readStatement(text string) (time.Duration, error) {
	d, err := setting.Duration(text)
	if err != nil || d < time.Millisecond || d > 10*time.Second {
		return 0, errors.New("write a duration such as 500ms or 2s, of at most 10s")
	}
	return d, nil
}

// readWork reads the limit of a request's work; off is -1.
func readWork(text string) (time.Duration, error) {
	if text == "off" || text == "0" {
		return -1, nil
	}
	d, err := setting.Duration(text)
	if err != nil || d < 10*time.Millisecond {
		return 0, errors.New("write a duration of at least 10ms, such as 5s, or off")
	}
	return d, nil
}

// NewLogger writes log lines to w: text on a terminal, one JSON object a line otherwise,
// unless c.Format says which.
func NewLogger(w io.Writer, c Log) *slog.Logger { return telemetry.NewLogger(w, c) }

// Moved returns the remotes whose Fronds run at their hosts: those without a shadow.
func (c *Config) Moved() map[string]Remote {
	moved, _ := topology.Split(c.Remotes)
	return moved
}

// AddRemote adds or replaces one remote: NAME=URL.
func (c *Config) AddRemote(pair string) error {
	one, err := topology.ReadRemotes(pair)
	if err != nil || len(one) != 1 {
		return errors.New("write NAME=URL such as billing=http://10.0.0.7:4100")
	}
	all := maps.Clone(c.Remotes)
	if all == nil {
		all = map[string]Remote{}
	}
	maps.Copy(all, one)
	c.Remotes = all
	return nil
}
