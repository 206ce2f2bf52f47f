package identity

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/frondhost/frond/gateway/setting"
	"github.com/frondhost/frond/schema"
)

// Config is how callers are identified. The zero value makes every caller anonymous. Issuer,
// Audience, Algorithms and one of Keys and JWKS belong together: with them callers are
// identified by a Bearer token.
type Config struct {
	// Dev believes the header X-Frond-User (a JSON object). Every caller can then claim to
	// be anyone, so it is allowed on loopback only, and not together with tokens.
	Dev bool

	// The three below say which tokens count. A token without iss, aud or exp is refused
	// (docs/decisions/identity.md).
	Issuer     string   // the exact claim iss
	Audience   []string // one of these has to be in the claim aud
	Algorithms []string // that a token may be signed with; never none
	// Keys are files with PEM blocks, a JWK or a JWKS, by paths below the project's folder
	// or absolute ones; or public JWKs, as JSON.
	Keys []string
	JWKS string // the URL of the issuer's keys: https, or http on this machine

	Refresh time.Duration // between fetches of JWKS; 0 means 5 minutes
	// Reasons says in the answer why a token is refused; the gateway sets it in development.
	Reasons   bool
	ClockSkew time.Duration // by which clocks may differ; 0 means a minute, less than 0 none
	Claims    Claims
}

// Claims are where the members of state.user are in a token. Each is a list of paths, of
// which the first that leads to a value counts. A path is the name of a claim, names with
// dots between them (realm_access.roles), or an RFC 6901 pointer if it begins with a slash.
// A path with :// is one name, dots or not.
type Claims struct {
	ID     []string // a string; nil means sub. A token without one is refused
	Roles  []string // strings, or one; nil means roles
	Scopes []string // strings, or one with spaces between the scopes; nil means scope, then scp
	Tenant []string // a string; nil means tenant
}

// The defaults and bounds of the settings. Tokens live on for the skew after they expire, so it
// is bounded.
const (
	defaultRefresh = 5 * time.Minute
	// A misconfigured gateway asks the issuer at most this often.
	leastRefresh = 10 * time.Second
	defaultSkew  = time.Minute
	mostSkew     = 10 * time.Minute
)

// Settings are the rows of identity. Each row reads its text into the field of id that it is
// bound to.
func (id *Config) Settings() []setting.Setting {
	return []setting.Setting{
		setting.New("identity.dev", "false", "trust the header X-Frond-User, on loopback only", setting.Bool, &id.Dev),
		setting.New("identity.issuer", "", "the issuer of callers' tokens: their claim iss", setting.Text, &id.Issuer),
		setting.New("identity.audience", "[]", "accepted audiences: a token's claim aud has to contain one of them", setting.List, &id.Audience),
		setting.New("identity.algorithms", "[]", "the algorithms a token may be signed with, such as [RS256, ES256]", readAlgorithms, &id.Algorithms),
		setting.New("identity.keys", "[]", "files with the issuer's keys (PEM, JWK or JWKS), or JWKs", readKeys, &id.Keys),
		setting.New("identity.jwks", "", "the URL the issuer publishes its keys at", readJWKSURL, &id.JWKS),
		setting.New("identity.refresh", "5m", "the interval at which that URL is fetched", readRefresh, &id.Refresh),
		setting.New("identity.clockSkew", "60s", "the accepted difference to the issuer's clock", readSkew, &id.ClockSkew),
		setting.New("identity.claims.id", "[sub]", "the claim that becomes user.id; of several, the first one present", readClaimPaths, &id.Claims.ID),
		setting.New("identity.claims.roles", "[roles]", "the claim that becomes user.roles", readClaimPaths, &id.Claims.Roles),
		setting.New("identity.claims.scopes", "[scope, scp]", "the claim that becomes user.scopes", readClaimPaths, &id.Claims.Scopes),
		setting.New("identity.claims.tenant", "[tenant]", "the claim that becomes user.tenant", readClaimPaths, &id.Claims.Tenant),
	}
}

// WithDefaults is id with every empty setting filled in. A skew below 0 stays: it means no
// skew.
func (id Config) WithDefaults() Config {
	or := func(paths []string, names ...string) []string {
		if len(paths) == 0 {
			return names
		}
		return paths
	}
	id.Refresh = cmp.Or(id.Refresh, defaultRefresh)
	id.ClockSkew = cmp.Or(id.ClockSkew, defaultSkew)
	id.Claims.ID = or(id.Claims.ID, "sub")
	id.Claims.Roles = or(id.Claims.Roles, "roles")
	id.Claims.Scopes = or(id.Claims.Scopes, "scope", "scp")
	id.Claims.Tenant = or(id.Claims.Tenant, "tenant")
	return id
}

// tokens reports whether callers are identified by tokens. One of the settings is enough:
// then it is a fault that the others are missing, and callers are not anonymous.
func (id *Config) tokens() bool {
	return id.Issuer != "" || len(id.Audience) > 0 || len(id.Algorithms) > 0 || len(id.Keys) > 0 || id.JWKS != ""
}

// Check reports faults between settings that are each valid. listen is the address that the
// gateway listens on.
//
//	Dev on another address than loopback    /identity/dev
//	Dev with a setting of tokens            /identity/dev
//	a setting of tokens, others missing     /identity/issuer, audience, algorithms or keys
//	an unknown algorithm, path or address   /identity/algorithms, claims or jwks
//
// The keys themselves are read and checked by [Config.LoadKeys].
func (id *Config) Check(listen string) (faults schema.Faults) {
	fault := func(key, message, remedy string) {
		faults = append(faults, schema.Fault{File: setting.File, Pointer: "/identity/" + key, Message: message, Remedy: remedy})
	}
	if id.Dev && !setting.Loopback(listen) {
		fault("dev", "dev identity believes every caller and may not listen on "+listen, "set identity.dev to false, or listen on 127.0.0.1")
	}
	if !id.tokens() {
		return faults
	}
	if id.Dev {
		fault("dev", "dev identity believes every caller, with any token", "set identity.dev to false, or leave the rest of identity out")
	}
	for _, part := range []struct {
		key     string
		missing bool
		remedy  string
	}{
		{"issuer", id.Issuer == "", "write the issuer as the claim iss of its tokens has it"},
		{"audience", len(id.Audience) == 0, "write what the claim aud of tokens for this gateway has in it"},
		{"algorithms", len(id.Algorithms) == 0, "write the algorithms the issuer signs with, such as [RS256]"},
		{"keys", len(id.Keys) == 0 && id.JWKS == "", "name the files with the issuer's keys, or write " + setting.Line("identity.jwks", "https://…")},
	} {
		if part.missing {
			fault(part.key, "tokens cannot be checked without identity."+part.key, part.remedy)
		}
	}
	// The readers refuse these in a file; a Config may come from Go, past the readers.
	for _, name := range id.Algorithms {
		if err := knownAlgorithm(name); err != nil {
			fault("algorithms", fmt.Sprintf("there is no algorithm %q here", name), err.Error())
		}
	}
	if _, err := id.Claims.users(); err != nil {
		fault("claims", "a path leads nowhere", err.Error())
	}
	if _, err := readJWKSURL(id.JWKS); err != nil {
		fault("jwks", "the keys cannot be fetched from there", err.Error())
	}
	return faults
}

// readAlgorithms reads the names of algorithms. [RS256, ES256] is two; "none" fails as an
// unknown name does.
func readAlgorithms(text string) ([]string, error) {
	names, err := setting.List(text)
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		if err := knownAlgorithm(name); err != nil {
			return nil, err
		}
	}
	return names, nil
}

// knownAlgorithm reports a name that is no algorithm.
func knownAlgorithm(name string) error {
	if algorithms[name] == nil {
		return fmt.Errorf("write some of %s; a token without a signature is never taken", strings.Join(algorithmNames(), ", "))
	}
	return nil
}

// readKeys reads files and public JWKs. Its error does not repeat the text, which may hold a
// private key.
func readKeys(text string) ([]string, error) { return setting.Keys(text, "[keys/issuer.pem]") }

// readJWKSURL reads where the issuer publishes its keys. An attacker that changes the answer on its
// way can sign tokens, so it has to come over TLS, or from this machine. The empty text is no
// address and no error.
func readJWKSURL(text string) (string, error) {
	if text == "" {
		return "", nil
	}
	u, err := url.Parse(text)
	secure := err == nil && (u.Scheme == "https" || u.Scheme == "http" && setting.Loopback(u.Hostname()))
	if !secure || u.Hostname() == "" || u.User != nil || u.Fragment != "" {
		return "", errors.New("write an address such as https://login.example/keys; http is for this machine alone")
	}
	return text, nil
}

// readRefresh reads how often the keys are fetched, at most every ten seconds.
func readRefresh(text string) (time.Duration, error) {
	d, err := setting.Duration(text)
	if err == nil && d < leastRefresh {
		err = fmt.Errorf("write at least %s, such as 5m", leastRefresh)
	}
	return d, err
}

// readSkew reads a duration; 0s is -1, since 0 means the default. "60s" is a minute, "11m" is
// an error.
func readSkew(text string) (time.Duration, error) {
	return setting.AtMost(text, mostSkew, "60s: tokens live on for that long")
}

// algorithmNames are the names of the algorithms, sorted.
func algorithmNames() []string { return slices.Sorted(maps.Keys(algorithms)) }
