package signing

import (
	"crypto/ed25519"
	"crypto/rand"
	"encoding/json"
	"strconv"
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
	}
	if jsontext.Check(callerState) != nil || jsontext.KindOf(callerState) != jsontext.Object {
		return nil, nil, kiterror.Errorf(kiterror.BadRequest, "the caller's state is not a JSON object, or too deep")
	}
	before = append([]byte(`{"iss":`), s.name...)
	before = jsontext.AppendString(append(before, `,"aud":`...), frond)
	after = append([]byte(`,"call":"`), digest...)
	after = append(append(after, `","state":`...), jsontext.Trim(callerState)...)
	return before, append(after, '}'), nil
}

// appendToken appends a token that is signed at a time, with a jti.
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
