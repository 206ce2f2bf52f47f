package signing

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"

	"github.com/frondhost/frond/schema/jsontext"
)

// The members of an invocation that the digest leaves out: the token itself, and the
// state, for which the token's own claim counts.
const (
	identity = "identity"
	state    = "state"
)

// b64 is base64url without padding (RFC 7515, section 2). Strict: unused bits have to be zero,
// so that no two texts decode to the same bytes.
var b64 = base64.RawURLEncoding.Strict()

// digest returns the claim call of a post of checked JSON: SHA-256 over [bare], in base64url.
// The error comes from [canonical].
func digest(post json.RawMessage) (string, error) {
	buf := jsontext.TakeBuffer()
	defer buf.Release()
	var err error
	if buf.Text, err = bare(buf.Text, post); err != nil {
		return "", err
	}
	sum := sha256.Sum256(buf.Text)
	return b64.EncodeToString(sum[:]), nil
}

// bare appends the text that the digest covers: the canonical text of the whole post, without
// identity and state in the params of any frame. The error comes from [canonical].
//
//	{"id":1,"method":"post.list","params":{"identity":"eyJ…","query":{},"state":{}}}
//	{"id":1,"method":"post.list","params":{"query":{}}}
func bare(dst []byte, post json.RawMessage) ([]byte, error) {
	if jsontext.KindOf(post) == jsontext.Array {
		return appendArray(dst, post, bareFrame)
	}
	return bareFrame(dst, post)
}

// bareFrame is bare for one frame. Any other text is canonical as a whole.
func bareFrame(dst []byte, frame json.RawMessage) ([]byte, error) {
	if jsontext.KindOf(frame) != jsontext.Object {
		return canonical(dst, frame)
	}
	return appendObject(dst, frame, func(dst, name []byte, v json.RawMessage) ([]byte, error) {
		if string(name) != "params" || jsontext.KindOf(v) != jsontext.Object {
			return canonical(dst, v)
		}
		return appendObject(dst, v, func(dst, _ []byte, v json.RawMessage) ([]byte, error) { return canonical(dst, v) }, identity, state)
	})
}

// IsSigned reports whether a post of checked JSON has a token, which need not be valid.
func IsSigned(post json.RawMessage) bool {
	first, other := tokens(post)
	return first != nil || other != nil
}

// tokens returns the identity of a post's first frame, and the last identity of the other
// frames, which is forbidden. Each may be nil.
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

// identityOf is the identity in a frame's params, or nil.
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

// isDiscovery says whether a post is one frame that requests the catalog. A batch with such a
// frame is not: the other frames would be unsigned.
func isDiscovery(post json.RawMessage) bool {
	return jsontext.KindOf(post) == jsontext.Object && jsontext.Unquote(jsontext.Trim(jsontext.Get(post, "method"))) == "rpc.discover"
}
