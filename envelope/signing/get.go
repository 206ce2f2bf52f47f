package signing

import (
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"strings"
	"time"

	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/schema/jsontext"
)

// A GET has no body for a token and a digest. Its token is in a header, and its digest is over
// the parts of the GET:
//
//	Authorization: Kit-Call eyJhbGciOi…
//
//	{"method":"GET","path":"/_kit/facts","query":"after=5&limit=100"}
//
// path is the one after the base address, so that a proxy may serve the host below a prefix.
// query is the text after the question mark as it is sent, "" without one.

// getDigest returns the claim call of a GET: SHA-256 over the canonical text above, in
// base64url.
func getDigest(path, query string) string {
	text := jsontext.AppendString([]byte(`{"method":"GET","path":`), path)
	text = append(jsontext.AppendString(append(text, `,"query":`...), query), '}')
	// AppendString may escape what canonical text has as it is.
	bare, err := canonical(make([]byte, 0, len(text)), text)
	if err != nil {
		bare = text // no checked text comes here: a query is ASCII
	}
	sum := sha256.Sum256(bare)
	return b64.EncodeToString(sum[:])
}

// AuthorizeGet returns the header Authorization of a GET for a Frond, signed now. Each request
// needs another one, since a receiver accepts each once. callerState is a JSON object; nil:
// anonymous. The error is BAD_REQUEST.
func (s *Signer) AuthorizeGet(path, query, frond string, callerState json.RawMessage) (string, *kiterror.Error) {
	return s.authorizeGet(path, query, frond, callerState, time.Now(), newID())
}

func (s *Signer) authorizeGet(path, query, frond string, callerState json.RawMessage, now time.Time, id string) (string, *kiterror.Error) {
	before, after, err := s.claims(frond, getDigest(path, query), callerState)
	if err != nil {
		return "", err
	}
	return string(s.appendToken([]byte(Challenge+" "), before, after, now, id)), nil
}

// VerifyGet returns the content of a GET's token; authorization is its header Authorization. It
// refuses as [Verifier.Verify] does.
func (v *Verifier) VerifyGet(path, query, authorization string) (*Call, *kiterror.Error) {
	scheme, token, _ := strings.Cut(authorization, " ")
	if authorization == "" || !strings.EqualFold(scheme, Challenge) || token == "" {
		return nil, refuse("the request is not signed, and %s answers signed ones alone", cmp.Or(v.frond, "this host"))
	}
	return v.verify(token, func() (string, error) { return getDigest(path, query), nil })
}
