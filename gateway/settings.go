package gateway

import (
	"encoding/json"
	"slices"

	"github.com/frondhost/frond/gateway/guard"
	"github.com/frondhost/frond/gateway/setting"
)

// Setting is one value that can be set: in gateway.yaml under its Key, in the environment
// as its Variable, on the command line as its Flag.
type Setting = setting.Setting

// Settings lists what can be set, in the order it is documented. [Config.Set] sets one.
func Settings() []Setting { return new(Config).settings() }

// Set sets what stands under key in gateway.yaml from its text. The error says
// what to write instead.
func (c *Config) Set(key, text string) error { return c.settings().Set(key, text) }

// UnknownVariables are the FROND_ variables of environ that set nothing, for a
// warning: they are no faults.
func UnknownVariables(environ []string) []string { return new(Config).settings().Unknown(environ) }

// ConfigSchema is the JSON Schema of a gateway.yaml, for editors. It is made of the
// settings and their readers.
func ConfigSchema() json.RawMessage {
	return new(Config).settings().Schema("gateway.yaml: how a gateway runs; every key has a default")
}

// settings are the one table behind the file, the variables and the flags, over the
// fields of c.
func (c *Config) settings() setting.Table {
	return slices.Concat(
		[]setting.Setting{
			setting.New("vendor", "frondhost", "x-kit-vendor of every card that names none", setting.Text, &c.Vendor),
			setting.New("listen", defaultListen, "the address to listen on", setting.Address, &c.Listen),
			setting.New("hosts", "[]", "the names beside localhost that a listener on loopback answers to, such as [shop.test]", guard.ReadHosts, &c.Hosts),
		},
		c.TLS.settings(),
		[]setting.Setting{
			setting.New("store", defaultStore, "where rows are kept: sqlite:PATH or memory", readStore, &c.Store),
			setting.Choice("mode", Production, "production, or development: mistakes are answered with suggestions, introspection and the console are on, and doors that nobody closed are served", &c.Mode, Production, Development),
			setting.New("limits.body", "1MiB", "the greatest body of a request", setting.Size, &c.Limits.Body),
			setting.New("limits.list.default", "50", "rows of a list where the caller names no limit", setting.Count, &c.Limits.List.Default),
			setting.New("limits.list.max", "500", "what a greater limit is clamped to", setting.Count, &c.Limits.List.Max),
			setting.New("limits.statement", "2s", "how long one statement of the store may run", readStatement, &c.Limits.Statement),
		},
		c.Limits.Rate.Settings(),
		[]setting.Setting{
			setting.New("compression", "true", "compress answers from 1 KiB for those who take zstd or gzip", setting.Not, &c.NoCompression),
			setting.New("limits.memory", "25%", "bytes that all requests together may hold: a size, a share of what the process may use, or off", guard.ReadMemory, &c.Limits.Memory).As(`{"type":["string","integer"],"pattern":"^(off|[0-9]+ *(%|[KMG]iB)?)$"}`),
			setting.New("limits.executions", "auto", "requests that may execute at once: a number, auto (256 for each processor) or off", guard.ReadExecutions, &c.Limits.Executions).As(`{"type":["string","integer"],"pattern":"^(auto|off|[0-9]+)$"}`),
			setting.New("limits.write", "10s", "how long a client may take to read 64 KiB of an answer, or off", guard.ReadWrite, &c.Limits.Write).As(`{"type":["string","integer"],"pattern":"^(off|0|([0-9]+(\\.[0-9]+)?(ns|us|µs|ms|s|m|h))+)$"}`),
		},
		c.GraphQL.settings(), c.Identity.settings(), c.CORS.Settings(),
		[]setting.Setting{
			setting.New("audiences", "{}", "the paths that the surfaces of audiences stand under, such as {partner: /b2b}; /{audience} where none is set", readAudiences, &c.Audiences),
			setting.New("remotes", "{}", "the Fronds that run elsewhere, such as {billing: http://10.0.0.7:4100}", readRemotes, &c.Remotes).As(remotesForm()),
		},
		c.Signing.settings(), c.Admin.settings(), c.Log.settings(),
		[]setting.Setting{
			setting.New("shutdown.delay", "0s", "how long to go on serving with /readyz at 503", setting.Duration, &c.Shutdown.Delay),
			setting.New("shutdown.timeout", "15s", "how long requests in flight may take to finish", setting.Duration, &c.Shutdown.Timeout),
		},
	)
}
