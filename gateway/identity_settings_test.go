package gateway

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/frondhost/frond/gateway/guard"
)

// identityYAML is a gateway.yaml with everything that identity and cors take.
const identityYAML = `
identity:
  issuer: https://issuer.example
  audience: shop
  algorithms: [RS256, EdDSA]
  keys:
    - keys/issuer.pem
    - {kty: OKP, crv: Ed25519, kid: k1, x: abc}
  jwks: https://issuer.example/keys
  refresh: 10m
  clockSkew: 0s
  claims:
    id: [sub, client_id]
    roles: realm_access.roles
    scopes: scp
    tenant: https://shop.example/tenant
cors:
  origins: [https://shop.example, "http://localhost:3000"]
  headers: [Authorization, X-Trace]
  credentials: true
  maxAge: 1h
`

func wholeIdentity() Config {
	return Config{
		Identity: Identity{
			Issuer: "https://issuer.example", Audience: []string{"shop"}, Algorithms: []string{"RS256", "EdDSA"},
			Keys: []string{"keys/issuer.pem", `{"kty":"OKP","crv":"Ed25519","kid":"k1","x":"abc"}`},
			JWKS: "https://issuer.example/keys", Refresh: 10 * time.Minute, ClockSkew: -1,
			Claims: Claims{
				ID: []string{"sub", "client_id"}, Roles: []string{"realm_access.roles"}, Scopes: []string{"scp"},
				Tenant: []string{"https://shop.example/tenant"},
			},
		},
		CORS: guard.CORS{
			Origins: []string{"https://shop.example", "http://localhost:3000"}, Headers: []string{"Authorization", "X-Trace"},
			Credentials: true, MaxAge: time.Hour,
		},
	}
}

func TestIdentitySettings(t *testing.T) {
	var fromFile, fromEnviron Config
	if faults := fromFile.settings().ReadFile("gateway.yaml", []byte(identityYAML)); faults != nil {
		t.Fatal(faults)
	}
	if diff := cmp.Diff(wholeIdentity(), fromFile); diff != "" {
		t.Errorf("the file (-want +got):\n%s", diff)
	}
	faults := fromEnviron.settings().ReadEnviron([]string{
		"FROND_IDENTITY_ISSUER=https://issuer.example", "FROND_IDENTITY_AUDIENCE=shop", "FROND_IDENTITY_ALGORITHMS=RS256, EdDSA",
		`FROND_IDENTITY_KEYS=["keys/issuer.pem",{"kty":"OKP","crv":"Ed25519","kid":"k1","x":"abc"}]`, "FROND_IDENTITY_JWKS=https://issuer.example/keys",
		"FROND_IDENTITY_REFRESH=10m", "FROND_IDENTITY_CLOCK_SKEW=0s", "FROND_IDENTITY_CLAIMS_ID=sub,client_id",
		"FROND_IDENTITY_CLAIMS_ROLES=realm_access.roles", "FROND_IDENTITY_CLAIMS_SCOPES=scp", "FROND_IDENTITY_CLAIMS_TENANT=https://shop.example/tenant",
		"FROND_CORS_ORIGINS=https://shop.example,http://localhost:3000", "FROND_CORS_HEADERS=Authorization,X-Trace", "FROND_CORS_CREDENTIALS=true", "FROND_CORS_MAX_AGE=1h",
	})
	if faults != nil {
		t.Fatal(faults)
	}
	if diff := cmp.Diff(wholeIdentity(), fromEnviron); diff != "" {
		t.Errorf("the environment (-want +got):\n%s", diff)
	}
	one := Config{}
	if err := one.Set("identity.keys", `{"kty":"OKP","x":"a, b"}`); err != nil || len(one.Identity.Keys) != 1 {
		t.Errorf("a single JWK: %v, %q", err, one.Identity.Keys)
	}
}

func TestIdentitySettingsFaults(t *testing.T) {
	for _, c := range []struct{ name, file, want string }{
		{"an unknown key", "identity: {secret: x}", "#/identity/secret: there is no setting identity.secret; write one of dev, issuer, audience, algorithms, keys, jwks"},
		{"an unknown claim", "identity: {claims: {email: x}}", "write one of id, roles, scopes, tenant"},
		{"no signature", "identity: {algorithms: [none]}", "a token without a signature is never taken"},
		{"no signature, among others", "identity: {algorithms: [RS256, None]}", "a token without a signature is never taken"},
		{"an algorithm in small letters", "identity: {algorithms: [rs256]}", "write some of ES256"},
		{"an algorithm nobody knows", "identity: {algorithms: RS257}", "write some of ES256"},
		{"algorithms in a map", "identity: {algorithms: {RS256: true}}", "identity.algorithms cannot be this; write a list"},
		{"a list of numbers", "identity: {audience: [1]}", "write a list of words"},
		{"an empty word", `identity: {audience: ["", a]}`, "write a list of words"},
		{"keys in a list of lists", "identity: {keys: [[a]]}", "write a list of files"},
		{"keys without encryption", "identity: {jwks: http://issuer.example/keys}", "http is for this machine alone"},
		{"keys in a file", "identity: {jwks: file:///etc/keys}", "write an address such as https://"},
		{"keys from nowhere", "identity: {jwks: https://}", "write an address such as https://"},
		{"keys with a password", "identity: {jwks: 'https://a:b@issuer.example'}", "write an address such as https://"},
		{"keys that are no address", "identity: {jwks: keys.json}", "write an address such as https://"},
		{"asking without a pause", "identity: {refresh: 1s}", "write at least 10s"},
		{"a clock that is a day off", "identity: {clockSkew: 24h}", "write at most 10m0s"},
		{"a skew without a unit", "identity: {clockSkew: 60}", "write a duration"},
		{"a skew to the other side", "identity: {clockSkew: -5s}", "write a duration"},
		{"a path with a hole", "identity: {claims: {roles: a..b}}", "write a claim such as roles"},
		{"a pointer to nothing", "identity: {claims: {roles: /}}", "write a claim such as roles"},
		{"every origin under a name", "cors: {origins: ['https://*.example']}", "write origins such as"},
		{"an origin with a slash", "cors: {origins: ['https://shop.example/']}", "write origins such as"},
		{"an origin with a path", "cors: {origins: ['https://shop.example/a']}", "write origins such as"},
		{"an origin without a scheme", "cors: {origins: [shop.example]}", "write origins such as"},
		{"an origin in capitals", "cors: {origins: ['https://Shop.example']}", "write origins such as"},
		{"an origin with the port browsers leave out", "cors: {origins: ['https://shop.example:443']}", "write origins such as"},
		{"an origin with the port of plain HTTP", "cors: {origins: ['http://shop.example:80']}", "write origins such as"},
		{"an origin that files have too", "cors: {origins: ['null']}", "write origins such as"},
		{"every header", "cors: {headers: ['*']}", "write the names of headers"},
		{"a header that is none", "cors: {headers: ['a b']}", "write the names of headers"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var config Config
			faults := config.settings().ReadFile("gateway.yaml", []byte(c.file))
			if len(faults) != 1 || !strings.Contains(faults[0].Error(), c.want) || faults[0].Remedy == "" {
				t.Errorf("got %v, want one fault: %s", faults, c.want)
			}
		})
	}
}

// TestOriginsOnOtherPorts: the default port of one scheme is a port like any other for the
// other scheme.
func TestOriginsOnOtherPorts(t *testing.T) {
	var config Config
	if faults := config.settings().ReadFile("gateway.yaml", []byte("cors: {origins: ['https://shop.example:80', 'http://shop.example:443']}")); faults != nil {
		t.Error(faults)
	}
}

// A private key that someone pastes into gateway.yaml is not printed on the way out.
func TestFaultsDoNotRepeatKeys(t *testing.T) {
	var config Config
	faults := config.settings().ReadFile("gateway.yaml", []byte("identity: {keys: [{kty: oct, k: hunter2}, [x]]}"))
	if len(faults) != 1 || strings.Contains(faults.Error(), "hunter2") {
		t.Errorf("%v", faults)
	}
}

func TestIdentityCheck(t *testing.T) {
	good := Identity{Issuer: "i", Audience: []string{"a"}, Algorithms: []string{"RS256"}, JWKS: "https://issuer.example"}
	with := func(change func(*Config)) Config {
		c := Config{Identity: good}
		change(&c)
		return c
	}
	for _, c := range []struct {
		name   string
		config Config
		want   []string
	}{
		{"all that is needed", Config{Identity: good}, nil},
		{"none of it", Config{}, nil},
		{"an issuer alone", Config{Identity: Identity{Issuer: "i"}}, []string{"/identity/audience: ", "/identity/algorithms: ", "/identity/keys: "}},
		{"keys alone", Config{Identity: Identity{Keys: []string{"k.pem"}}}, []string{"/identity/issuer: ", "/identity/audience: ", "/identity/algorithms: "}},
		{"algorithms alone", Config{Identity: Identity{Algorithms: []string{"RS256"}}}, []string{"/identity/issuer: ", "/identity/audience: ", "/identity/keys: "}},
		{"beside dev identity", with(func(c *Config) { c.Identity.Dev = true }), []string{"/identity/dev: dev identity believes every caller, with any token"}},
		{"no signature, from Go", with(func(c *Config) { c.Identity.Algorithms = []string{"none"} }), []string{`/identity/algorithms: there is no algorithm "none"`}},
		{"no encryption, from Go", with(func(c *Config) { c.Identity.JWKS = "http://issuer.example" }), []string{"/identity/jwks: the keys cannot be fetched"}},
		{"a path with a hole, from Go", with(func(c *Config) { c.Identity.Claims.ID = []string{"a..b"} }), []string{"/identity/claims: a path leads nowhere"}},
		{"cookies for everyone", Config{CORS: guard.CORS{Origins: []string{"*"}, Credentials: true}}, []string{"/cors/credentials: with cookies, the page of any site would call"}},
		{"everyone and somebody", Config{CORS: guard.CORS{Origins: []string{"*", "https://a.example"}}}, []string{"/cors/origins: the origin * is all of them"}},
		{"cookies for nobody", Config{CORS: guard.CORS{Credentials: true}}, []string{"/cors/credentials: there is no origin"}},
		{"a pattern, from Go", Config{CORS: guard.CORS{Origins: []string{"https://*.example"}}}, []string{`/cors/origins: "https://*.example" is no origin`}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := c.config.withDefaults().check()
			if len(got) != len(c.want) {
				t.Fatalf("got %v, want %d faults", got, len(c.want))
			}
			for i, want := range c.want {
				if !strings.Contains(got[i].Error(), want) || got[i].Remedy == "" {
					t.Errorf("got %s, want %s", got[i], want)
				}
			}
		})
	}
}

// What docs/identity.md shows to write can be written.
func TestIdentityPage(t *testing.T) {
	page, err := os.ReadFile("../docs/identity.md")
	if err != nil {
		t.Fatal(err)
	}
	blocks := strings.Split(string(page), "```yaml\n")[1:]
	if len(blocks) != 3 {
		t.Errorf("the page shows %d files, want 3", len(blocks))
	}
	for i, block := range blocks {
		var config Config
		text, _, _ := strings.Cut(block, "```")
		if faults := config.settings().ReadFile("gateway.yaml", []byte(text)); faults != nil {
			t.Errorf("block %d: %v", i, faults)
		}
		if faults := config.withDefaults().check(); i != 1 && faults != nil { // the second goes into the first
			t.Errorf("block %d: %v", i, faults)
		}
	}
	for _, s := range Settings() {
		word := s.Key[strings.LastIndex(s.Key, ".")+1:]
		if strings.HasPrefix(s.Key, "identity.") || strings.HasPrefix(s.Key, "cors.") {
			if !strings.Contains(string(page), word) {
				t.Errorf("the page does not tell of %s", s.Key)
			}
		}
	}
}
