package signing

import (
	"encoding/json"
	"time"

	"github.com/frondhost/frond/facade/kiterror"
)

// PostAt is Post at a time and with a jti of one's own.
func (p *Sealed) PostAt(now time.Time, id string) []byte { return p.post(now, id) }

// At has a verifier live at a time, as if it had started the hour before.
func (v *Verifier) At(now time.Time) *Verifier {
	v.now = func() time.Time { return now }
	v.started = now.Unix() - 3600
	return v
}

// StartedAt says since when a verifier remembers.
func (v *Verifier) StartedAt(at time.Time) *Verifier {
	v.started = at.Unix()
	return v
}

// Remembered is how many tokens a verifier knows to have counted.
func (v *Verifier) Remembered() int { return v.seen.count }

// CompareUTF16 is compareUTF16.
func CompareUTF16(a, b string) int { return compareUTF16(a, b) }

// AuthorizeAt is Authorize at a time and with a jti of one's own.
func (s *Signer) AuthorizeAt(r Request, frond string, state json.RawMessage, now time.Time, id string) (string, *kiterror.Error) {
	return s.authorize(r, frond, state, now, id)
}

// RequestDigest is the digest of a request.
func RequestDigest(r Request) string { return r.digest() }

// Type is the typ of a token's header.
const Type = tokenType

// The digests that a token claims, and the text below them.
var (
	Bare      = bare
	Canonical = canonical
	Digest    = digest
)
