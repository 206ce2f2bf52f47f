package gateway

import (
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// Setting is one thing that can be set: in gateway.yaml under Key, in the
// environment as Variable, on the command line as Flag.
type Setting struct {
	Key     string // dotted: limits.list.max
	Default string // in brackets for a setting that takes a list
	About   string

	set func(c *Config, text string) error
}

// Variable is the name of the setting in the environment: FROND_LIMITS_LIST_MAX.
func (s *Setting) Variable() string { return "FROND_" + strings.ToUpper(s.joined('_')) }

// Flag is the name of the setting on the command line, without its dashes:
// limits-list-max.
func (s *Setting) Flag() string { return s.joined('-') }

// joined is the key with its words put together otherwise: clockSkew is two.
func (s *Setting) joined(by rune) string {
	var b strings.Builder
	for _, r := range s.Key {
		switch {
		case r == '.':
			b.WriteRune(by)
		case unicode.IsUpper(r):
			b.WriteRune(by)
			b.WriteRune(unicode.ToLower(r))
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// list says whether the setting takes a list: in the file as one, elsewhere with
// commas or as JSON.
func (s *Setting) list() bool { return strings.HasPrefix(s.Default, "[") }

// to makes a setting's set from the reader of its text and the place it goes.
func to[T any](read func(string) (T, error), place func(*Config) *T) func(*Config, string) error {
	return func(c *Config, text string) error {
		v, err := read(text)
		if err == nil {
			*place(c) = v
		}
		return err
	}
}

// settings is the one table behind the file, the variables and the flags.
var settings = []Setting{
	{"vendor", "frondhost", "x-kit-vendor of every card that names none", func(c *Config, text string) error { c.Vendor = text; return nil }},
	{"listen", defaultListen, "the address to listen on", to(readAddress, func(c *Config) *string { return &c.Listen })},
	{"hosts", "[]", "the names beside localhost that a listener on loopback answers to, such as [shop.test]", to(readHosts, func(c *Config) *[]string { return &c.Hosts })},
	{"tls.cert", "", "the PEM file with the listener's certificate; without one it is plain HTTP", to(readText, func(c *Config) *string { return &c.TLS.Cert })},
	{"tls.key", "", "the PEM file with the certificate's key", to(readText, func(c *Config) *string { return &c.TLS.Key })},
	{"store", defaultStore, "where rows are kept: sqlite:PATH or memory", to(readStore, func(c *Config) *string { return &c.Store })},
	{"mode", Production, "production, or development: mistakes are answered with suggestions, introspection and the console are on, and doors that nobody closed are served", to(readMode, func(c *Config) *string { return &c.Mode })},
	{"limits.body", "1MiB", "the greatest body of a request", to(readSize, func(c *Config) *int64 { return &c.Limits.Body })},
	{"limits.list.default", "50", "rows of a list where the caller names no limit", to(readCount, func(c *Config) *int { return &c.Limits.List.Default })},
	{"limits.list.max", "500", "what a greater limit is clamped to", to(readCount, func(c *Config) *int { return &c.Limits.List.Max })},
	{"limits.statement", "2s", "how long one statement of the store may run", to(readStatement, func(c *Config) *time.Duration { return &c.Limits.Statement })},
	{"limits.rate.perMinute", "0", "requests that one caller may make in a minute, by the user's id or else by the address; 0 is any number", to(readRate, func(c *Config) *int { return &c.Limits.Rate.PerMinute })},
	{"limits.rate.burst", "0", "how many of them at once; 0 is as many as in a minute", to(readRate, func(c *Config) *int { return &c.Limits.Rate.Burst })},
	{"limits.rate.trustedProxies", "[]", "networks of proxies whose X-Forwarded-For is believed, such as [10.0.0.0/8]", to(readNetworks, func(c *Config) *[]string { return &c.Limits.Rate.TrustedProxies })},
	{"compression", "true", "compress answers from 1 KiB for those who take zstd or gzip", to(not(readBool), func(c *Config) *bool { return &c.NoCompression })},
	{"limits.memory", "25%", "bytes that all requests together may hold: a size, a share of what the process may use, or off", to(readMemory, func(c *Config) *int64 { return &c.Limits.Memory })},
	{"limits.executions", "auto", "requests that may execute at once: a number, auto (256 for each processor) or off", to(readExecutions, func(c *Config) *int { return &c.Limits.Executions })},
	{"limits.write", "10s", "how long a client may take to read 64 KiB of an answer, or off", to(readWrite, func(c *Config) *time.Duration { return &c.Limits.Write })},
	{"graphql.introspection", "false", "answer __schema and __type; in development true where it is left out", to(pointed(readBool), func(c *Config) **bool { return &c.GraphQL.Introspection })},
	{"graphql.console", "false", "show a browser the console; in development true where it is left out", to(pointed(readBool), func(c *Config) **bool { return &c.GraphQL.Console })},
	{"graphql.coalesce", "true", "answer equal queries that come at once together", to(not(readBool), func(c *Config) *bool { return &c.GraphQL.NoCoalesce })},
	{"graphql.persisted", "true", "remember documents by their hash (automatic persisted queries)", to(not(readBool), func(c *Config) *bool { return &c.GraphQL.NoPersisted })},
	{"graphql.documents.folder", "", "the folder of the trusted documents", to(readText, func(c *Config) *string { return &c.GraphQL.Documents.Folder })},
	{"graphql.documents.mode", DocumentsOff, "what becomes of other documents: off runs them, log tells of them, enforce refuses them", to(readDocumentsMode, func(c *Config) *string { return &c.GraphQL.Documents.Mode })},
	{"graphql.limits.document", "64KiB", "the longest document", to(readBytes, func(c *Config) *int { return &c.GraphQL.Limits.Document })},
	{"graphql.limits.tokens", "5000", "tokens of a document", to(readCount, func(c *Config) *int { return &c.GraphQL.Limits.Tokens })},
	{"graphql.limits.depth", "15", "fields standing in each other; introspection counts by itself, up to twice that", to(readCount, func(c *Config) *int { return &c.GraphQL.Limits.Depth })},
	{"graphql.limits.aliases", "30", "aliases of a document", to(readCount, func(c *Config) *int { return &c.GraphQL.Limits.Aliases })},
	{"graphql.limits.roots", "20", "root fields of an operation", to(readCount, func(c *Config) *int { return &c.GraphQL.Limits.Roots })},
	{"graphql.limits.fields", "3500", "fields of a document, those of fragments wherever they are spread", to(readCount, func(c *Config) *int { return &c.GraphQL.Limits.Fields })},
	{"graphql.limits.expanded", "10000", "what those come to with their arguments, values, directives and spreads", to(readCount, func(c *Config) *int { return &c.GraphQL.Limits.Expanded })},
	{"graphql.limits.execution", "15s", "how long an operation may take", to(readExecution, func(c *Config) *time.Duration { return &c.GraphQL.Limits.Execution })},
	{"graphql.limits.response", "64MiB", "the longest answer", to(readBytes, func(c *Config) *int { return &c.GraphQL.Limits.Response })},
	{"identity.dev", "false", "believe the header X-Frond-User, on loopback only", to(readBool, func(c *Config) *bool { return &c.Identity.Dev })},
	{"identity.issuer", "", "who signs the tokens of callers: their claim iss", to(readText, func(c *Config) *string { return &c.Identity.Issuer })},
	{"identity.audience", "[]", "whom tokens are for: one of these has to be in their claim aud", to(readList, func(c *Config) *[]string { return &c.Identity.Audience })},
	{"identity.algorithms", "[]", "the algorithms a token may be signed with, such as [RS256, ES256]", to(readAlgorithms, func(c *Config) *[]string { return &c.Identity.Algorithms })},
	{"identity.keys", "[]", "files with the issuer's keys (PEM, JWK or JWKS), or JWKs", to(readKeys, func(c *Config) *[]string { return &c.Identity.Keys })},
	{"identity.jwks", "", "the URL the issuer publishes its keys at", to(readJWKSURL, func(c *Config) *string { return &c.Identity.JWKS })},
	{"identity.refresh", "5m", "how often that URL is asked", to(readRefresh, func(c *Config) *time.Duration { return &c.Identity.Refresh })},
	{"identity.clockSkew", "60s", "how far the issuer's clock may be off", to(readSkew, func(c *Config) *time.Duration { return &c.Identity.ClockSkew })},
	{"identity.claims.id", "[sub]", "the claim that is user.id; of several the first that is there", to(readClaimPaths, func(c *Config) *[]string { return &c.Identity.Claims.ID })},
	{"identity.claims.roles", "[roles]", "the claim that is user.roles", to(readClaimPaths, func(c *Config) *[]string { return &c.Identity.Claims.Roles })},
	{"identity.claims.scopes", "[scope, scp]", "the claim that is user.scopes", to(readClaimPaths, func(c *Config) *[]string { return &c.Identity.Claims.Scopes })},
	{"identity.claims.tenant", "[tenant]", "the claim that is user.tenant", to(readClaimPaths, func(c *Config) *[]string { return &c.Identity.Claims.Tenant })},
	{"cors.origins", "[]", "whose pages may read the answers, such as [https://shop.example]; [*] is everyone's", to(readOrigins, func(c *Config) *[]string { return &c.CORS.Origins })},
	{"cors.headers", "[Authorization, Content-Type, If-Match, If-None-Match, Prefer, traceparent, tracestate]", "the headers such a page may send", to(readHeaders, func(c *Config) *[]string { return &c.CORS.Headers })},
	{"cors.credentials", "false", "let such a page's browser send cookies", to(readBool, func(c *Config) *bool { return &c.CORS.Credentials })},
	{"cors.maxAge", "10m", "how long a browser may remember what it was allowed", to(readMaxAge, func(c *Config) *time.Duration { return &c.CORS.MaxAge })},
	{"audiences", "{}", "the paths that the surfaces of audiences stand under, such as {partner: /b2b}; /{audience} where none is set", to(readAudiences, func(c *Config) *map[string]string { return &c.Audiences })},
	{"remotes", "{}", "the Fronds that run elsewhere, such as {billing: http://10.0.0.7:4100}", to(readRemotes, func(c *Config) *map[string]Remote { return &c.Remotes })},
	{"signing.key", "", "the file with the private key that calls of remotes are signed with", to(readText, func(c *Config) *string { return &c.Signing.Key })},
	{"signing.name", defaultSender, "the name they are signed under", to(readSender, func(c *Config) *string { return &c.Signing.Name })},
	{"signing.keys", "[]", "files with the public keys that frond serve verifies calls with, or NAME=FILE for the keys of one sender", to(readSigningKeys, func(c *Config) *[]string { return &c.Signing.Keys })},
	{"signing.clockSkew", "30s", "how far the sender's clock may be off", to(readSigningSkew, func(c *Config) *time.Duration { return &c.Signing.ClockSkew })},
	{"signing.openDiscovery", "false", "answer rpc.discover to callers who do not sign, too", to(readBool, func(c *Config) *bool { return &c.Signing.OpenDiscovery })},
	{"admin.listen", "", "the address of /metrics and of health for the operator, such as 127.0.0.1:9464; there is none, and nothing is counted, where it is empty", to(readAdminAddress, func(c *Config) *string { return &c.Admin.Listen })},
	{"admin.public", "false", "let that address be one that other machines can reach", to(readBool, func(c *Config) *bool { return &c.Admin.Public })},
	{"log.level", "info", "debug, info, warn or error", to(readLevel, func(c *Config) *slog.Level { return &c.Log.Level })},
	{"log.format", "auto", "text, json or auto: text on a terminal, else json", to(readFormat, func(c *Config) *string { return &c.Log.Format })},
	{"log.access", "true", "a line for each request", to(not(readBool), func(c *Config) *bool { return &c.Log.NoAccess })},
	{"shutdown.delay", "0s", "how long to go on serving with /readyz at 503", to(readDuration, func(c *Config) *time.Duration { return &c.Shutdown.Delay })},
	{"shutdown.timeout", "15s", "how long requests in flight may take to finish", to(readDuration, func(c *Config) *time.Duration { return &c.Shutdown.Timeout })},
}

// Settings lists what can be set, in the order it is documented.
func Settings() []Setting { return slices.Clone(settings) }

// Set sets what stands under key in gateway.yaml from its text. The error says
// what to write instead.
func (c *Config) Set(key, text string) error {
	for i := range settings {
		if settings[i].Key == key {
			return settings[i].set(c, text)
		}
	}
	return fmt.Errorf("there is no setting %s; write one of %s", key, strings.Join(keysBelow(""), ", "))
}

// readFile sets everything that gateway.yaml says; name is for the faults.
func (c *Config) readFile(name string, text []byte) schema.Faults {
	doc, err := schema.ToJSON(name, text)
	var faults schema.Faults
	switch {
	case errors.As(err, &faults):
		return faults
	case err != nil:
		return schema.Faults{{File: name, Message: err.Error(), Remedy: "correct it at the place that is shown"}}
	case jsontext.KindOf(doc) == jsontext.Object:
		return c.readMap(name, "", doc)
	case jsontext.IsNull(doc): // an empty file
		return nil
	}
	return schema.Faults{{File: name, Message: "is not a map of settings", Remedy: "write lines such as listen: 127.0.0.1:8080"}}
}

// readMap sets what stands in the map at prefix: "" or a key with its dot.
func (c *Config) readMap(file, prefix string, m json.RawMessage) (faults schema.Faults) {
	for name, value := range jsontext.Members(m) {
		key := prefix + name
		i := slices.IndexFunc(settings, func(s Setting) bool { return s.Key == key })
		below := keysBelow(key + ".")
		kind := jsontext.KindOf(value)
		var message, remedy string
		switch {
		case i < 0 && below == nil:
			message = fmt.Sprintf("there is no setting %s", key)
			remedy = "write one of " + strings.Join(keysBelow(prefix), ", ")
		case kind == jsontext.Null: // a key and nothing behind it: the default holds
		case below != nil && kind == jsontext.Object:
			faults = append(faults, c.readMap(file, key+".", value)...)
		case below != nil:
			message = fmt.Sprintf("%s takes a map", key)
			remedy = "write a map with " + strings.Join(below, ", ")
		case (settings[i].list() || settings[i].Default == "{}") && (kind == jsontext.Object || kind == jsontext.Array):
			if err := settings[i].set(c, string(value)); err != nil { // not repeated: it may hold a key
				message = fmt.Sprintf("%s cannot be this", key)
				remedy = err.Error()
			}
		case kind == jsontext.Object || kind == jsontext.Array:
			message = fmt.Sprintf("%s takes one value", key)
			remedy = fmt.Sprintf("write %s: %s", key, settings[i].Default)
		default:
			text := string(jsontext.Trim(value))
			if kind == jsontext.String {
				text = jsontext.Unquote(value)
			}
			if err := settings[i].set(c, text); err != nil {
				message = fmt.Sprintf("%s cannot be %s", key, text)
				remedy = err.Error()
			}
		}
		if message != "" {
			pointer := "/" + strings.ReplaceAll(jsontext.Token(key), ".", "/")
			faults = append(faults, schema.Fault{File: file, Pointer: pointer, Message: message, Remedy: remedy})
		}
	}
	return faults
}

// keysBelow are the keys of settings under prefix, which ends in a dot or is
// empty; at the top, the first word of each. nil: there are none.
func keysBelow(prefix string) []string {
	var keys []string
	for i := range settings {
		if rest, ok := strings.CutPrefix(settings[i].Key, prefix); ok {
			word, _, _ := strings.Cut(rest, ".")
			if !slices.Contains(keys, word) {
				keys = append(keys, word)
			}
		}
	}
	return keys
}

// readEnviron sets what FROND_ variables say. Variables it does not know are
// left to [UnknownVariables]: an orchestrator puts some of its own there.
func (c *Config) readEnviron(environ []string) (faults schema.Faults) {
	for _, pair := range environ {
		name, value, _ := strings.Cut(pair, "=")
		for i := range settings {
			if s := &settings[i]; s.Variable() == name && value != "" {
				if err := s.set(c, value); err != nil {
					faults = append(faults, schema.Fault{File: name, Message: fmt.Sprintf("cannot be %q", value), Remedy: err.Error()})
				}
			}
		}
	}
	return faults
}

// UnknownVariables are the FROND_ variables of environ that set nothing, for a
// warning. They are no faults: Kubernetes sets FROND_PORT and FROND_SERVICE_HOST
// for a service called frond, which is why those never count and never set anything.
func UnknownVariables(environ []string) []string {
	var unknown []string
	for _, pair := range environ {
		name, _, _ := strings.Cut(pair, "=")
		known := name == "FROND_CONFIG" || strings.HasPrefix(name, "FROND_PORT") || strings.HasPrefix(name, "FROND_SERVICE_") ||
			slices.ContainsFunc(settings, func(s Setting) bool { return s.Variable() == name })
		if strings.HasPrefix(name, "FROND_") && !known {
			unknown = append(unknown, name)
		}
	}
	return unknown
}
