package gateway

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/frondhost/frond/gateway/graphqlhttp"
	"github.com/frondhost/frond/gateway/guard"
	"github.com/frondhost/frond/gateway/setting"
	"github.com/frondhost/frond/gateway/topology"
	"github.com/frondhost/frond/schema"
)

// storeForm is the form of store in the file: its URL, or a map with it.
const storeForm = `{"type":["string","object"],"properties":{"url":{"type":"string"},"replicas":{"type":["array","string"],"items":{"type":"string"}},"lateBy":` + setting.DurationForm + `},"required":["url"],"additionalProperties":false}`

// Setting is one value that can be set: in gateway.yaml under its Key, in the environment
// as its Variable, on the command line as its Flag.
type Setting = setting.Setting

// Settings lists the settings, in the order of their documentation. [Config.Set] sets one.
func Settings() []Setting { return new(Config).settings() }

// Set sets the value of key in gateway.yaml from its text. The error says
// which text to write instead.
func (c *Config) Set(key, text string) error { return c.settings().Set(key, text) }

// UnknownVariables are the FROND_ variables of environ without a setting. They are worth a
// warning and no faults.
func UnknownVariables(environ []string) []string { return new(Config).settings().Unknown(environ) }

// ConfigSchema is the JSON Schema of a gateway.yaml, for editors. It is derived from the
// settings and their readers.
func ConfigSchema() json.RawMessage {
	return new(Config).settings().Schema("gateway.yaml: how a gateway runs; every key has a default")
}

// settings is the one table of the file, the variables, the flags and the schema, over the
// fields of c. The documentation has its order.
func (c *Config) settings() setting.Table {
	return slices.Concat(
		[]setting.Setting{
			setting.New("vendor", "frondhost", "the x-kit-vendor of cards without one", setting.Text, &c.Vendor),
			setting.New("title", "", "the name of the API on the page at /, in /docs and in the API documents; the default is the vendor", readTitle, &c.Title),
			setting.New("description", "", "the purpose of the API, in the same places", setting.Text, &c.Description),
			setting.New("listen", defaultListen, "the address to listen on", setting.Address, &c.Listen),
			setting.New("hosts", "[]", "the host names, beside localhost, that a listener on loopback answers to, such as [shop.test]", guard.ReadHosts, &c.Hosts),
		},
		c.TLS.Settings(),
		[]setting.Setting{
			setting.New("store", defaultStore, "where rows are stored: sqlite:PATH, postgres://…, env:NAME or memory", c.readStore, &c.Store).As(storeForm).Secret(),
			setting.New("store.replicas", "[]", "copies of a store on PostgreSQL that reads may go to, such as [\"postgres://copy/shop\"]", c.readReplicas, &c.Replicas.URLs).Secret(),
			setting.New("store.lateBy", "10s", "how far a replica may be behind to be read", setting.Duration, &c.Replicas.LateBy),
			setting.Choice("migrate", MigrateAuto, "auto or off: whether a start makes the changes to the store's tables that lose nothing (docs/migrations.md)", &c.Migrate, MigrateAuto, MigrateOff),
			setting.Choice("mode", Production, "production or development; development adds suggestions to error messages, turns on introspection and the console, and serves doors without rules", &c.Mode, Production, Development),
			setting.New("limits.body", "1MiB", "the maximum size of a request body", setting.Size, &c.Limits.Body),
			setting.New("limits.list.default", "50", "rows of a list without a limit", setting.Count, &c.Limits.List.Default),
			setting.New("limits.list.max", "500", "the maximum number of rows of a list; a greater limit is clamped", setting.Count, &c.Limits.List.Max),
			setting.New("limits.statement", "2s", "the maximum duration of one statement of the store", readStatement, &c.Limits.Statement),
			setting.New("limits.transaction", "2s", "the maximum duration of a command's transaction", readStatement, &c.Limits.Transaction),
			setting.New("limits.work", "5s", "the time that all statements of one request, and what else it does, may take together, or off", readWork, &c.Limits.Work).As(setting.OffOrDuration),
		},
		c.Limits.Rate.Settings(),
		[]setting.Setting{
			setting.New("describe", "true", "serve /openapi.json, /openrpc.json, /asyncapi.json and /docs, which show what rpc.discover does", setting.Not, &c.NoDocuments),
			setting.New("compression", "true", "compress answers from 1 KiB for clients that accept zstd or gzip", setting.Not, &c.NoCompression),
			setting.New("limits.memory", "25%", "bytes that all requests together may hold: a size, a share of the process's memory limit, or off", guard.ReadMemory, &c.Limits.Memory).As(`{"type":["string","integer"],"pattern":"^(off|[0-9]+ *(%|[KMG]iB)?)$"}`),
			setting.New("limits.executions", "auto", "requests that may execute at once: a number, auto (256 per processor) or off", guard.ReadExecutions, &c.Limits.Executions).As(`{"type":["string","integer"],"pattern":"^(auto|off|[0-9]+)$"}`),
			setting.New("limits.write", "10s", "the maximum time in which a client reads 64 KiB of an answer, or off", guard.ReadWrite, &c.Limits.Write).As(setting.OffOrDuration),
		},
		c.Limits.Subscriptions.Settings(), c.GraphQL.Settings(), c.Identity.Settings(), c.CORS.Settings(),
		[]setting.Setting{
			setting.New("audiences", "{}", "the paths of the audiences' surfaces, such as {partner: /b2b}; the default is /{audience}", readAudiences, &c.Audiences),
			setting.New("remotes", "{}", "the addresses of remote Fronds, such as {billing: http://10.0.0.7:4100}", topology.ReadRemotes, &c.Remotes).As(topology.Form()),
		},
		c.Files.Settings(), c.Signing.Settings(), c.Facts.settings(), c.Publish.Settings(), c.Admin.settings(), c.Log.Settings(),
		[]setting.Setting{
			setting.New("shutdown.delay", "", "how long to keep serving with /readyz at 503 before the listener closes; the default is 5s in production on an address that other machines reach, and else 0s", readDelay, &c.Shutdown.Delay),
			setting.New("shutdown.timeout", "15s", "the time that requests in flight have to finish", setting.Duration, &c.Shutdown.Timeout),
		},
	)
}

// Facts are the settings of facts.
type Facts struct {
	Retention time.Duration // how long events are kept; 0 means seven days
}

// settings are the rows of facts.
func (f *Facts) settings() []setting.Setting {
	return []setting.Setting{
		setting.New("facts.retention", "168h", "how long events of facts are kept; a reader that comes back later misses some", readRetention, &f.Retention),
	}
}

// readRetention reads how long events are kept: long enough to come back after an outage, and
// not for ever.
func readRetention(text string) (time.Duration, error) {
	d, err := setting.Duration(text)
	if err != nil || d < time.Second || d > 366*24*time.Hour {
		return 0, errors.New("write a duration such as 168h, of at least 1s and at most 8784h")
	}
	return d, nil
}

// Admin is the listener for the operator: /metrics, and health (docs/decisions/telemetry.md).
type Admin struct {
	Listen string // host:port; "": there is none, and there are no metrics
	Public bool   // other machines may reach it
	Pprof  bool   // it serves the profiles of net/http/pprof, which show source paths and allocations
}

// settings are the rows of admin.
func (a *Admin) settings() []setting.Setting {
	return []setting.Setting{
		setting.New("admin.listen", "", "the address of /metrics and health checks, such as 127.0.0.1:9464; empty turns both the listener and the metrics off", readAdminAddress, &a.Listen),
		setting.New("admin.pprof", "false", "serve Go's profiles at /debug/pprof/ on the admin listener", setting.Bool, &a.Pprof),
		setting.New("admin.public", "false", "allow an address that other machines can reach", setting.Bool, &a.Public),
	}
}

// check reports an address that other machines reach without Public.
func (a *Admin) check() (faults schema.Faults) {
	if a.Listen != "" && !a.Public && !setting.Loopback(a.Listen) {
		faults = append(faults, schema.Fault{
			File: setting.File, Pointer: "/admin/listen",
			Message: fmt.Sprintf("%s can be reached from other machines, and shows them the names and rates of calls", a.Listen),
			Remedy:  "write 127.0.0.1 before the port; or where only your own can reach it, " + setting.Line("admin.public", "true"),
		})
	}
	return faults
}

// readAdminAddress reads an address, or "" for no listener.
func readAdminAddress(text string) (string, error) {
	if text == "" {
		return "", nil
	}
	return setting.Address(text)
}

// Promises are the settings that callers depend on: a change of one may refuse a request that
// passed, or move it. `frond diff` compares them.
type Promises struct {
	List ListLimits
	// Audiences are the paths in front of the surfaces of audiences that the settings name.
	Audiences map[string]string
	// Documents are the texts of the trusted documents, by each of their ids. Enforced says
	// that all others are refused.
	Documents map[string]string
	Enforced  bool
	// Limits are the bounds of one request, by their keys: limits.body in bytes,
	// graphql.limits.depth.
	Limits map[string]int64
	// Remotes are the names of the Fronds that run elsewhere.
	Remotes []string
}

// Promises returns them, defaults filled in. The error comes from the folder of trusted
// documents, as schema.Faults.
func (c Config) Promises() (*Promises, error) {
	c = c.withDefaults()
	folder, err := graphqlhttp.ReadFolder(c.Dir, c.GraphQL.Documents)
	if err != nil {
		return nil, err
	}
	l := c.GraphQL.Limits
	return &Promises{
		List: c.Limits.List, Audiences: c.Audiences, Remotes: slices.Sorted(maps.Keys(c.Moved())),
		Documents: folder.Texts(), Enforced: c.GraphQL.Documents.Mode == DocumentsEnforce,
		Limits: map[string]int64{
			"limits.body":             c.Limits.Body,
			"graphql.limits.document": int64(l.Document), "graphql.limits.tokens": int64(l.Tokens), "graphql.limits.depth": int64(l.Depth),
			"graphql.limits.aliases": int64(l.Aliases), "graphql.limits.roots": int64(l.Roots), "graphql.limits.fields": int64(l.Fields),
			"graphql.limits.expanded": int64(l.Expanded),
		},
	}, nil
}

// readDelay reads the setting shutdown.delay: 0s is -1, an empty text 0, the default.
func readDelay(text string) (time.Duration, error) {
	if text == "" {
		return 0, nil
	}
	d, err := setting.Duration(text)
	if err == nil && d == 0 {
		d = -1
	}
	return d, err
}
