package gateway

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/gateway/setting"
	"github.com/frondhost/frond/gateway/telemetry"
	"github.com/frondhost/frond/schema/jsontext"
)

// Session tells a request's caller. A nil state is an anonymous caller; an error
// refuses the request and ought to be an [facade.Error], UNAUTHORIZED for a
// credential that does not hold. Never turn one into an anonymous caller.
type Session func(*http.Request) (facade.State, error)

// anonymous is the session of a gateway that was given no identity.
func anonymous(*http.Request) (facade.State, error) { return nil, nil }

// newSession is what Config.Identity asks for, and what has to be closed after it.
func newSession(id *Identity, keys []key, log *slog.Logger) (Session, *keyring, error) {
	switch {
	case id.Dev:
		return devSession, nil, nil
	case !id.tokens():
		return anonymous, nil, nil
	}
	users, err := id.Claims.users()
	if err != nil {
		return nil, nil, err
	}
	ring := newKeyring(keys, id, log)
	t := &tokens{
		issuer: id.Issuer, audience: id.Audience, algorithms: id.Algorithms, skew: id.ClockSkew,
		users: users, keys: ring, log: log,
	}
	return t.session, ring, nil
}

// identified is a session of which the log tells who called, and that counts how often.
// What identifies nobody counts for the address it comes from, before that is told:
// guessing has a price.
func (g *Gateway) identified(session Session) Session {
	return func(r *http.Request) (facade.State, error) {
		state, err := session(r)
		caller := callerID(state)
		telemetry.Called(r.Context(), "", caller)
		if often := g.limiter.Refuse(r, caller); often != nil {
			return nil, often
		}
		return state, err
	}
}

// callerID is state.user.id as a text; "": the caller is anonymous.
func callerID(state facade.State) string {
	user, _ := state["user"].(map[string]any)
	switch id := user["id"].(type) {
	case nil:
		return ""
	case string:
		return id
	default:
		return fmt.Sprint(id)
	}
}

// DevHeader carries the user of dev identity.
const DevHeader = "X-Frond-User"

// devSession believes DevHeader, from this machine alone. Config.check keeps the
// gateway's own listener to loopback; the second look here is for a handler that
// someone serves by other means.
func devSession(r *http.Request) (facade.State, error) {
	sent := r.Header.Values(DevHeader)
	if len(sent) == 0 {
		return nil, nil
	}
	if !setting.Loopback(r.RemoteAddr) {
		return nil, facade.Errorf(facade.Unauthorized, "dev identity is believed on loopback only; leave out %s", DevHeader)
	}
	var user map[string]any
	text := []byte(sent[0])
	if len(sent) > 1 || jsontext.Check(text) != nil || json.Unmarshal(text, &user) != nil || user == nil {
		return nil, facade.Errorf(facade.Unauthorized, `%s takes one JSON object; send such as {"id": "ada", "roles": ["admin"]}`, DevHeader)
	}
	return facade.State{"user": user}, nil
}
