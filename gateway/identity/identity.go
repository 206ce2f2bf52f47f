package identity

import (
	"encoding/json"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/frondhost/frond/facade/access"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/gateway/setting"
	"github.com/frondhost/frond/schema/jsontext"
)

// Session identifies the caller of a request: the state that collectors and handlers
// see, with the caller under user. A nil state is an anonymous caller. An error refuses
// the request and ought to be a [kiterror.Error], UNAUTHORIZED for an invalid credential,
// which must never become an anonymous caller. It is called from many goroutines.
type Session func(*http.Request) (access.State, error)

// anonymous is the session of a gateway without any identity setting. It refuses a bearer
// token, which it cannot check.
func anonymous(r *http.Request) (access.State, error) { return nil, refuseToken(r) }

// refuseToken returns UNAUTHORIZED for a request with a bearer token. Its sender expects to be
// known, and would otherwise become an anonymous caller.
func refuseToken(r *http.Request) error {
	for _, sent := range r.Header.Values("Authorization") {
		if scheme, _, _ := strings.Cut(sent, " "); strings.EqualFold(scheme, "Bearer") {
			return kiterror.Errorf(kiterror.Unauthorized, "this gateway has no issuer and accepts no tokens; leave out the Authorization header")
		}
	}
	return nil
}

// Anonymous reports whether these settings make every caller anonymous.
func (id *Config) Anonymous() bool { return !id.Dev && !id.tokens() }

// Authenticator identifies callers as a Config says. Its methods may be called from many
// goroutines, and on nil.
type Authenticator struct {
	session Session
	keys    *keyring // nil: callers are not known by tokens
	skew    time.Duration
}

// New makes the Authenticator of settings with their defaults, which [Config.Check] has found
// valid, and of the keys that [Config.LoadKeys] has read. The first fetch comes with
// [Authenticator.Start] or the first token. log takes why tokens are refused.
//
//	c.Dev                the header X-Frond-User
//	no setting of tokens every caller is anonymous, and a Bearer token is refused
//	else                 Bearer tokens; the only error is a path of c.Claims that leads nowhere
func New(c *Config, keys Keys, log *slog.Logger) (*Authenticator, error) {
	switch {
	case c.Dev:
		return &Authenticator{session: devSession}, nil
	case !c.tokens():
		return &Authenticator{session: anonymous}, nil
	}
	users, err := c.Claims.users()
	if err != nil {
		return nil, err
	}
	ring := newKeyring(keys, c, log)
	t := &tokens{
		issuer: c.Issuer, audience: c.Audience, algorithms: c.Algorithms, skew: c.ClockSkew,
		users: users, keys: ring, log: log, reasons: c.Reasons,
	}
	return &Authenticator{session: t.session, keys: ring, skew: max(c.ClockSkew, 0)}, nil
}

// Session is who sent a request; see [Session] the type. Its errors are UNAUTHORIZED, or
// SERVICE_UNAVAILABLE while no key of the issuer has been fetched.
func (i *Authenticator) Session(r *http.Request) (access.State, error) { return i.session(r) }

// Expires is when the token of a caller stops to hold, as its claim exp says; the zero time: the
// caller is not known by a token. It is for connections that outlive a request.
func (i *Authenticator) Expires(state access.State) time.Time {
	if i == nil || i.keys == nil {
		return time.Time{}
	}
	claims, _ := state.User()["claims"].(map[string]any)
	var at float64
	switch exp := claims["exp"].(type) { // as decodeClaims has numbers
	case int64:
		at = float64(exp)
	case float64:
		at = exp
	default:
		return time.Time{}
	}
	return time.UnixMilli(int64(min(at, 1<<40) * 1000)).Add(i.skew)
}

// Start begins to fetch the issuer's keys, and goes on until [Authenticator.Close].
func (i *Authenticator) Start() {
	if i != nil && i.keys != nil {
		i.keys.start()
	}
}

// Close ends fetching and waits for running fetches. Closing twice is fine.
func (i *Authenticator) Close() {
	if i != nil && i.keys != nil {
		i.keys.close()
	}
}

// DevHeader is the header that carries the user of dev identity, as a JSON object.
const DevHeader = "X-Frond-User"

// devSession believes DevHeader, from this machine alone. [Config.Check] keeps the gateway's
// own listener to loopback; the check here is for a handler under another server.
func devSession(r *http.Request) (access.State, error) {
	sent := r.Header.Values(DevHeader)
	if len(sent) == 0 {
		return nil, refuseToken(r)
	}
	if !setting.Loopback(r.RemoteAddr) {
		return nil, kiterror.Errorf(kiterror.Unauthorized, "dev identity is believed on loopback only; leave out %s", DevHeader)
	}
	var user map[string]any
	text := []byte(sent[0])
	// Two headers are refused: which of them counts would depend on the proxy in front. A null
	// is no user.
	if len(sent) > 1 || jsontext.Check(text) != nil || json.Unmarshal(text, &user) != nil || user == nil {
		return nil, kiterror.Errorf(kiterror.Unauthorized, `%s takes one JSON object; send such as {"id": "ada", "roles": ["admin"]}`, DevHeader)
	}
	for _, name := range []string{"roles", "scopes"} {
		if list, is := user[name]; is && list != nil && !isTexts(list) {
			return nil, kiterror.Errorf(kiterror.BadRequest, `%s: %s is no list of texts; send such as {"id": "ada", "%[2]s": ["staff"]}`, DevHeader, name)
		}
	}
	return access.State{"user": user}, nil
}

// isTexts reports whether a decoded value is a list of texts.
func isTexts(v any) bool {
	list, ok := v.([]any)
	return ok && !slices.ContainsFunc(list, func(item any) bool { _, text := item.(string); return !text })
}
