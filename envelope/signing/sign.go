package signing

import (
	"bytes"
	"crypto/ed25519"
	"encoding/json"
	"slices"
	"time"

	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/schema/jsontext"
)

// lifetime is how long a token is valid: the claim exp is iat plus lifetime.
const lifetime = 60 * time.Second

// tokenType is the typ of a token's header, so that a token made for another purpose is
// refused (RFC 8725, section 3.11).
const tokenType = "kit-call+jwt"

// Signer signs posts. It may be used from many goroutines.
type Signer struct {
	key    ed25519.PrivateKey
	header []byte // of every token, in base64url, with its dot
	name   []byte // the claim iss, as JSON
}

// NewSigner returns a signer with a private key under a sender's name, which receivers see as
// state.caller. It encodes the common part of all tokens' headers once.
func NewSigner(key ed25519.PrivateKey, name string) *Signer {
	header := []byte(`{"alg":"EdDSA","kid":`)
	header = jsontext.AppendString(header, KeyID(key.Public().(ed25519.PublicKey)))
	header = append(jsontext.AppendString(append(header, `,"typ":`...), tokenType), '}')
	return &Signer{key: key, header: append(b64.AppendEncode(nil, header), '.'), name: jsontext.Quote(name)}
}

// Sealed is a post that is ready to be signed, once for every time it is sent. It may be used
// from many goroutines.
//
// The payload of its tokens; iat, exp and jti differ each time:
//
//	{"iss":"shop","aud":"billing","iat":…,"exp":…,"jti":"…","call":"DIGEST","state":{…}}
type Sealed struct {
	signer     *Signer
	head, tail []byte // the post, before and after the token
	before     []byte // the claims that are the same each time, an object's beginning
	after      []byte
}

// Seal prepares a post of one frame or several for a Frond. callerState is a JSON object; nil:
// anonymous. The error is BAD_REQUEST: the post is not a frame, or it has no canonical text
// ([canonical]). Seal copies the post, which may be reused.
func (s *Signer) Seal(post []byte, frond string, callerState json.RawMessage) (*Sealed, *kiterror.Error) {
	if err := jsontext.Check(post); err != nil {
		return nil, kiterror.Errorf(kiterror.BadRequest, "the call cannot be written as JSON: %w", err)
	}
	head, tail, ok := open(post)
	if !ok {
		return nil, kiterror.Errorf(kiterror.BadRequest, "the body is not a frame")
	}
	// The token is in a member that the digest leaves out, so any value will do for it.
	digest, err := digest(slices.Concat(head, []byte("null"), tail))
	if err != nil {
		return nil, kiterror.Errorf(kiterror.BadRequest, "the call cannot be signed: %w", err)
	}
	before, after, refused := s.claims(frond, digest, callerState)
	if refused != nil {
		return nil, refused
	}
	return &Sealed{s, head, tail, before, after}, nil
}

// Post returns the body to send: the post with a new token, signed now. Each call has
// another jti, since a receiver accepts each one once.
func (p *Sealed) Post() []byte {
	return p.post(time.Now(), newID())
}

// post is Post at a given time and with a given jti, for test vectors.
func (p *Sealed) post(now time.Time, id string) []byte {
	size := len(p.signer.header) + b64.EncodedLen(len(p.before)+len(p.after)+96) + 1 + b64.EncodedLen(ed25519.SignatureSize)
	text := make([]byte, 0, len(p.head)+len(p.tail)+size+2)
	text = append(append(text, p.head...), '"')
	text = p.signer.appendToken(text, p.before, p.after, now, id)
	return append(append(text, '"'), p.tail...)
}

// open splits a checked post at the place for the token: after the members of the first frame's
// params, which are added if absent. It drops an earlier identity.
//
//	{"id":1,"params":{"query":{}},"method":"post.list"}
//	{"id":1,"method":"post.list","params":{"query":{},"identity":    and    }}
//
// params moves to the end, without effect: the digest is over canonical text.
func open(post []byte) (head, tail []byte, ok bool) {
	from, to := 0, len(post)
	if jsontext.KindOf(post) == jsontext.Array {
		from = bytes.IndexByte(post, '[') + 1
		to = jsontext.Skip(post, from+len(post[from:])-len(bytes.TrimLeft(post[from:], " \t\r\n")))
	}
	first := post[from:to]
	if jsontext.KindOf(first) != jsontext.Object {
		return nil, nil, false
	}
	head = append(make([]byte, 0, to+32), post[:from]...)
	head, params := appendBut(append(head, '{'), first, "params")
	if params != nil && jsontext.KindOf(params) != jsontext.Object {
		return nil, nil, false
	}
	head, _ = appendBut(append(head, `"params":{`...), params, identity)
	head = append(head, `"identity":`...)
	return head, append([]byte("}}"), post[to:]...), true
}

// appendBut appends the members of an object unchanged except one, each followed by a comma. It
// returns the value of that one, or nil.
func appendBut(dst []byte, object json.RawMessage, but string) (_ []byte, without json.RawMessage) {
	for quoted, value := range jsontext.RawMembers(object) {
		if string(nameOf(quoted)) == but {
			without = value
			continue
		}
		dst = append(append(append(append(dst, quoted...), ':'), value...), ',')
	}
	return dst, without
}
