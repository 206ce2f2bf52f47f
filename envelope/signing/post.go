package signing

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"

	"github.com/frondhost/frond/schema/jsontext"
)

// The members of an invocation that are not under the digest: the token itself, and
// the state, which counts as the token has it.
const (
	identity = "identity"
	state    = "state"
)

// b64 is base64url without padding (RFC 7515, section 2), and with no bits to spare:
// no two texts stand for the same bytes.
var b64 = base64.RawURLEncoding.Strict()

// Digest is the digest of checked JSON that is posted, as the claim call has it:
// SHA-256 over the canonical text of all of it, without identity and state in the
// params of any frame.
func Digest(post json.RawMessage) (string, error) {
	text, err := Bare(make([]byte, 0, len(post)), post)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(text)
	return b64.EncodeToString(sum[:]), nil
}

// Bare appends the canonical text that the digest is over.
func Bare(dst []byte, post json.RawMessage) ([]byte, error) {
	if jsontext.KindOf(post) == jsontext.Array {
		return appendArray(dst, post, bareFrame)
	}
	return bareFrame(dst, post)
}

func bareFrame(dst []byte, frame json.RawMessage) ([]byte, error) {
	if jsontext.KindOf(frame) != jsontext.Object {
		return Canonical(dst, frame)
	}
	return appendObject(dst, frame, func(dst, name []byte, v json.RawMessage) ([]byte, error) {
		if string(name) != "params" || jsontext.KindOf(v) != jsontext.Object {
			return Canonical(dst, v)
		}
		return appendObject(dst, v, func(dst, _ []byte, v json.RawMessage) ([]byte, error) { return Canonical(dst, v) }, identity, state)
	})
}

// tokens are the identities of a post's first frame and of the others, nil where
// there is none.
func tokens(post json.RawMessage) (first, other json.RawMessage) {
	if jsontext.KindOf(post) != jsontext.Array {
		return identityOf(post), nil
	}
	for i, frame := range jsontext.Elements(post) {
		switch token := identityOf(frame); {
		case i == 0:
			first = token
		case token != nil:
			other = token
		}
	}
	return first, other
}

func identityOf(frame json.RawMessage) json.RawMessage {
	if jsontext.KindOf(frame) != jsontext.Object {
		return nil
	}
	params := jsontext.Get(frame, "params")
	if jsontext.KindOf(params) != jsontext.Object {
		return nil
	}
	return jsontext.Get(params, identity)
}

// isDiscovery says whether a post is one frame that requests what is served.
func isDiscovery(post json.RawMessage) bool {
	return jsontext.KindOf(post) == jsontext.Object && jsontext.Unquote(jsontext.Trim(jsontext.Get(post, "method"))) == "rpc.discover"
}
