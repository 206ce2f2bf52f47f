package identity

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-jose/go-jose/v4"

	"github.com/frondhost/frond/facade/access"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/schema/jsontext"
)

// tokens identifies callers by Bearer tokens (RFC 6750), which are JWTs (RFC 7519) of one
// issuer. Its methods may be called from many goroutines. Its fields do not change after New.
type tokens struct {
	issuer     string
	audience   []string
	algorithms []string
	skew       time.Duration
	users      users
	keys       *keyring
	log        *slog.Logger
	reasons    bool // the answer says why a token is refused
}

// maxToken is how long a token may be, in bytes: it is read before the caller is known, so
// its cost is bounded here.
const maxToken = 8 << 10

// session is a [Session]. A token passes these steps (docs/decisions/identity.md):
//
//	bearer   it is the one value of the one Authorization header
//	open     it has three parts, and a header without extensions that must be understood
//	verify   one of the keys, of the kind that its algorithm uses, has signed it
//	judge    issuer, audience and time are right
//	user     its claims become state.user
//
// Why a token fails is logged at debug. The answer is the same for every reason, except in development.
func (t *tokens) session(r *http.Request) (access.State, error) {
	text, err := bearer(r.Header)
	if text == "" && err == nil {
		return nil, nil // no credential: anonymous
	}
	var h tokenHeader
	var user map[string]any
	if err == nil {
		h, user, err = t.read(r.Context(), text)
	}
	if err == nil {
		return access.State{"user": user}, nil
	}
	t.log.LogAttrs(r.Context(), slog.LevelDebug, "token refused", slog.Any("reason", err),
		slog.String("alg", h.alg), slog.String("kid", h.kid), slog.String("from", r.RemoteAddr))
	// Without keys the gateway is at fault, and the token may be right: SERVICE_UNAVAILABLE.
	// With UNAUTHORIZED clients would drop a good token.
	switch {
	case errors.Is(err, errNoKeys):
		return nil, kiterror.Errorf(kiterror.ServiceUnavailable, "callers cannot be identified at the moment; send the request again later")
	case errors.Is(err, errScheme):
		return nil, kiterror.Errorf(kiterror.Unauthorized, "only Bearer tokens are read here; send Authorization: Bearer and a token")
	}
	var why refusal
	if t.reasons && errors.As(err, &why) {
		return nil, kiterror.Errorf(kiterror.Unauthorized, "%w", invalidToken{why.Error()})
	}
	return nil, kiterror.Errorf(kiterror.Unauthorized, "%w", invalidToken{})
}

// invalidToken is the answer to every refused token; with the reason in development.
type invalidToken struct{ reason string }

// Error is the message for the caller.
func (e invalidToken) Error() string {
	if e.reason != "" {
		return "the token does not hold: " + e.reason + " (development alone says why)"
	}
	return "the token does not hold; get a new one, and send it as Authorization: Bearer"
}

// Challenge is RFC 6750, section 3.
func (invalidToken) Challenge() string { return `Bearer error="invalid_token"` }

var (
	errNoKeys = errors.New("the issuer's keys have not been fetched yet")
	errScheme = errors.New("the scheme is not Bearer")
)

// refuse is a reason for the log, and for the answer in development. It must not repeat any of the token.
func refuse(format string, args ...any) error { return refusal{fmt.Errorf(format, args...)} }

// refusal is an error of refuse.
type refusal struct{ error }

// bearer is the token of a request; "" without an error: there is no credential. The scheme is
// compared without regard to case (RFC 9110, section 11.1).
func bearer(h http.Header) (string, error) {
	sent := h.Values("Authorization")
	switch {
	case len(sent) == 0:
		return "", nil
	// A proxy may check the one header and this gateway read the other.
	case len(sent) > 1:
		return "", refuse("there are %d Authorization headers", len(sent))
	}
	scheme, text, _ := strings.Cut(sent[0], " ")
	text = strings.Trim(text, " ")
	switch {
	case !strings.EqualFold(scheme, "Bearer"):
		return "", errScheme
	case text == "":
		return "", refuse("there is no token")
	case len(text) > maxToken:
		return "", refuse("it is longer than %d bytes", maxToken)
	}
	return text, nil
}

// read takes a token from its text to the user. The header is returned with an error too, for
// the log.
func (t *tokens) read(ctx context.Context, text string) (h tokenHeader, user map[string]any, err error) {
	if h, err = openToken(text); err != nil {
		return h, nil, err
	}
	// Before any key is looked at: the list of the settings decides, never the token (RFC
	// 8725, section 3.1).
	if !slices.Contains(t.algorithms, h.alg) {
		return h, nil, refuse("its algorithm is not allowed")
	}
	claims, err := t.verify(ctx, text, h)
	if err != nil {
		return h, nil, err
	}
	if err := t.judge(claims); err != nil {
		return h, nil, err
	}
	user, err = t.users.of(claims)
	return h, user, err
}

// maxKid is how long a kid may be, in bytes: it goes into the log.
const maxKid = 256

// tokenHeader is the members of a token's header that the gateway reads.
type tokenHeader struct {
	alg string
	kid string // "" where it names none
}

// openToken splits a token (RFC 7515, section 7.1) and reads its header. It refuses what
// this use of tokens never needs: an extension that must be understood, a key in the
// header, a nested token.
func openToken(text string) (h tokenHeader, err error) {
	parts := strings.Split(text, ".")
	if len(parts) != 3 {
		return h, refuse("it has %d parts in place of 3", len(parts))
	}
	var header []byte
	for i, part := range parts {
		// Even the strict decoder ignores line ends.
		decoded, err := base64.RawURLEncoding.Strict().DecodeString(part)
		if err != nil || part == "" || strings.ContainsAny(part, "\r\n") {
			return h, refuse("part %d is not base64url", i+1)
		}
		if i == 0 {
			header = decoded
		}
	}
	if jsontext.Check(header) != nil || jsontext.KindOf(header) != jsontext.Object {
		return h, refuse("its header is no JSON object")
	}
	for name, value := range jsontext.Members(header) {
		text, isText := jsontext.Text(value)
		switch name {
		case "alg":
			h.alg = text
		case "kid":
			if !isText {
				return h, refuse("its kid is no text")
			}
			if len(text) > maxKid {
				return h, refuse("its kid is longer than %d bytes", maxKid)
			}
			h.kid = text
		case "typ":
			if !isText || !slices.Contains(tokenTypes, strings.ToLower(text)) {
				return h, refuse("its typ is that of something else")
			}
		// RFC 7515, section 4.1.11: an unknown extension makes a token invalid.
		case "crit", "b64", "zip", "enc", "cty":
			return h, refuse("it wants %s to be understood", name)
		// A key that comes with the token is no proof: anybody can sign with it.
		case "jwk", "jku", "x5u", "x5c":
			return h, refuse("it brings its own key, as %s", name)
		}
	}
	if h.alg == "" {
		return h, refuse("it names no algorithm")
	}
	return h, nil
}

// tokenTypes are the accepted values of typ: a JWT (RFC 7519) or an access token (RFC 9068).
// A logout token and a proof of possession are neither.
var tokenTypes = []string{"jwt", "at+jwt", "application/jwt", "application/at+jwt"}

// verify returns the claims if one of the keys has signed them. For an unknown kid it has the
// issuer's keys fetched once. The loop runs at most twice.
func (t *tokens) verify(ctx context.Context, text string, h tokenHeader) (json.RawMessage, error) {
	// go-jose gets the one algorithm of the header, which has been found allowed.
	jws, err := jose.ParseSignedCompact(text, []jose.SignatureAlgorithm{jose.SignatureAlgorithm(h.alg)})
	if err != nil {
		return nil, refuse("it cannot be read: %w", err)
	}
	for asked := false; ; asked = true {
		set := t.keys.now()
		for _, k := range t.keys.match(set, h.alg, h.kid) {
			if claims, err := jws.Verify(k.public); err == nil {
				return claims, nil
			}
		}
		switch {
		case !asked && t.keys.ask(ctx, set, h.kid): // look at the new set
		case t.keys.wanting(set):
			return nil, errNoKeys
		default:
			return nil, refuse("no key of the issuer has signed it")
		}
	}
}

// judge checks the registered claims (RFC 7519, section 4.1). iss has to be equal as text, and
// aud has to contain one of the audiences; a token without either is refused (docs/decisions/identity.md).
func (t *tokens) judge(claims json.RawMessage) error {
	if jsontext.Check(claims) != nil || jsontext.KindOf(claims) != jsontext.Object {
		return refuse("its claims are no JSON object")
	}
	if issuer, ok := jsontext.Text(jsontext.Get(claims, "iss")); !ok || issuer != t.issuer {
		return refuse("another issuer made it")
	}
	audience, ok := textsOf(jsontext.Get(claims, "aud"))
	if !ok || !slices.ContainsFunc(audience, func(a string) bool { return slices.Contains(t.audience, a) }) {
		return refuse("it is for another audience")
	}
	return t.judgeTimes(claims)
}

// judgeTimes requires exp, and that now is between nbf, iat and exp, within the skew. nbf and
// iat may be absent. A skew below 0 counts as 0.
func (t *tokens) judgeTimes(claims json.RawMessage) error {
	now, skew := float64(time.Now().UnixMilli())/1000, max(t.skew, 0).Seconds()
	for _, name := range []string{"exp", "nbf", "iat"} {
		value := jsontext.Get(claims, name)
		if value == nil && name != "exp" {
			continue
		}
		// Seconds since 1970, maybe with a fraction: as numbers, times of any size compare.
		at, err := strconv.ParseFloat(string(jsontext.Trim(value)), 64)
		switch {
		case err != nil: // a text among others: the number is not unquoted
			return refuse("its %s is no number", name)
		case name == "exp" && now >= at+skew:
			return refuse("it has expired")
		case name != "exp" && now < at-skew:
			return refuse("it is not valid yet: %s lies ahead", name)
		}
	}
	return nil
}

// textsOf are the strings of a JSON array, or a lone string. "a" and ["a"] are the same (RFC
// 7519, section 4.1.3); an array with other values is refused.
func textsOf(v json.RawMessage) ([]string, bool) {
	if text, ok := jsontext.Text(v); ok {
		return []string{text}, true
	}
	if jsontext.KindOf(v) != jsontext.Array {
		return nil, false
	}
	var texts []string
	for _, item := range jsontext.Elements(v) {
		text, ok := jsontext.Text(item)
		if !ok {
			return nil, false
		}
		texts = append(texts, text)
	}
	return texts, true
}
