package signing

import (
	"cmp"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/sha256"
	"encoding/json"
	"strconv"
	"strings"
	"time"

	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/schema/jsontext"
)

// A token is made in two steps: the claims that stay the same however often a request is
// sent, and each time iat, exp and jti, and the signature.

// claims returns the text before and after iat, exp and jti in the payload of the tokens for a
// Frond over a digest. callerState is a JSON object; nil: anonymous. The error is BAD_REQUEST.
func (s *Signer) claims(frond, digest string, callerState json.RawMessage) (before, after []byte, _ *kiterror.Error) {
	if callerState == nil {
		callerState = json.RawMessage("{}")
	} else if jsontext.Check(callerState) != nil || jsontext.KindOf(callerState) != jsontext.Object {
		return nil, nil, kiterror.Errorf(kiterror.BadRequest, "the caller's state is not a JSON object, or too deep")
	}
	before = append(append(make([]byte, 0, 96), `{"iss":`...), s.name...)
	before = jsontext.AppendString(append(before, `,"aud":`...), frond)
	after = append(append(make([]byte, 0, 96+len(callerState)), `,"call":"`...), digest...)
	after = append(append(after, `","state":`...), jsontext.Trim(callerState)...)
	return before, append(after, '}'), nil
}

// appendToken appends a token, signed at a time, with a jti.
func (s *Signer) appendToken(dst, before, after []byte, now time.Time, id string) []byte {
	claims := make([]byte, 0, len(before)+len(after)+96)
	claims = append(claims, before...)
	claims = strconv.AppendInt(append(claims, `,"iat":`...), now.Unix(), 10)
	claims = strconv.AppendInt(append(claims, `,"exp":`...), now.Add(lifetime).Unix(), 10)
	claims = jsontext.AppendString(append(claims, `,"jti":`...), id)
	claims = append(claims, after...)

	from := len(dst)
	dst = b64.AppendEncode(append(dst, s.header...), claims)
	signature := ed25519.Sign(s.key, dst[from:])
	return b64.AppendEncode(append(dst, '.'), signature)
}

// newID is a jti that no other token has.
func newID() string {
	var id [16]byte
	_, _ = rand.Read(id[:]) // never fails
	return b64.EncodeToString(id[:])
}

// Request is a request that is no post: its token is in a header, and the digest is over these parts.
//
//	Authorization: Kit-Call eyJhbGciOi…
//
//	{"method":"GET","path":"/_kit/facts","query":"after=5&limit=100"}
type Request struct {
	Method string
	// Path is the one after the base address, so that a proxy may serve the host below a prefix.
	Path string
	// Query is the text after the question mark as it is sent, "" without one.
	Query string
	// SHA256 is the hash of the file in the body, in hexadecimal digits: a second token has it, behind
	// the file. "": no member of the digest.
	SHA256 string
}

// digest returns the claim call: SHA-256 over the canonical text above, in base64url.
func (r *Request) digest() string {
	text := jsontext.AppendString([]byte(`{"method":`), r.Method)
	text = jsontext.AppendString(append(text, `,"path":`...), r.Path)
	text = jsontext.AppendString(append(text, `,"query":`...), r.Query)
	if r.SHA256 != "" {
		text = jsontext.AppendString(append(text, `,"sha256":`...), r.SHA256)
	}
	text = append(text, '}')
	// AppendString may escape what canonical text has as it is.
	bare, err := canonical(make([]byte, 0, len(text)), text)
	if err != nil {
		bare = text // no checked text comes here: a query is ASCII
	}
	sum := sha256.Sum256(bare)
	return b64.EncodeToString(sum[:])
}

// Authorize returns the header Authorization of a request for a Frond, signed now. Each request
// needs another one, since a receiver accepts each once. callerState is a JSON object; nil:
// anonymous. The error is BAD_REQUEST.
func (s *Signer) Authorize(r Request, frond string, callerState json.RawMessage) (string, *kiterror.Error) {
	return s.authorize(r, frond, callerState, time.Now(), newID())
}

func (s *Signer) authorize(r Request, frond string, callerState json.RawMessage, now time.Time, id string) (string, *kiterror.Error) {
	before, after, err := s.claims(frond, r.digest(), callerState)
	if err != nil {
		return "", err
	}
	return string(s.appendToken([]byte(Challenge+" "), before, after, now, id)), nil
}

// VerifyRequest returns the content of a request's token; authorization is its header Authorization. It
// refuses as [Verifier.Verify] does.
func (v *Verifier) VerifyRequest(r Request, authorization string) (*Call, *kiterror.Error) {
	scheme, token, _ := strings.Cut(authorization, " ")
	if authorization == "" || !strings.EqualFold(scheme, Challenge) || token == "" {
		return nil, refuse("the request is not signed, and %s answers signed ones alone", cmp.Or(v.frond, "this host"))
	}
	return v.verify(token, func() (string, error) { return r.digest(), nil })
}
