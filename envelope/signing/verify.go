package signing

import (
	"cmp"
	"crypto/ed25519"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/frondhost/frond/facade/access"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/schema/jsontext"
)

// Key is a public key whose signatures are accepted.
type Key struct {
	Public ed25519.PublicKey
	// Sender is the name it signs under; "": the name in its tokens.
	Sender string
}

// Options of a Verifier. A nil *Options is fine.
type Options struct {
	// ClockSkew is how far clocks may be apart; 0: 30 s. Less than 0: not at all.
	ClockSkew time.Duration
	// OpenDiscovery accepts an unsigned rpc.discover if it is the whole post.
	OpenDiscovery bool
	// Remember is how many tokens are remembered at once, so that each is accepted only once;
	// 0: 2^20, which take about 25 MB. Each is remembered for its lifetime and the skew; more
	// than Remember in that time are refused.
	Remember int
}

// Verifier verifies the posts for one Frond. It may be used from many goroutines. Its
// memory of accepted tokens is its own: two processes for one Frond can each accept a
// token once, unless they share a memory for [Call.Nonce].
type Verifier struct {
	frond   string
	keys    map[string]Key // by their ids
	skew    int64          // seconds
	open    bool
	seen    seen
	now     func() time.Time
	started int64 // seconds
}

// NewVerifier returns a verifier of posts for a Frond, signed with one of the keys; "" is any
// Frond, and [Call.Frond] says which. It is an
// error to give no key, or one key under two names. Tokens issued before the verifier was made
// are refused, since an earlier process may have accepted them. One key may be given twice
// under one name.
func NewVerifier(frond string, keys []Key, opts *Options) (*Verifier, error) {
	if opts == nil {
		opts = &Options{}
	}
	v := &Verifier{
		frond: frond, keys: map[string]Key{}, open: opts.OpenDiscovery, now: time.Now,
		skew: int64(max(cmp.Or(opts.ClockSkew, 30*time.Second), 0) / time.Second),
		seen: seen{most: cmp.Or(max(opts.Remember, 0), 1<<20)},
	}
	for _, k := range keys {
		id := KeyID(k.Public)
		if other, twice := v.keys[id]; twice && other.Sender != k.Sender {
			return nil, fmt.Errorf("the key %s is under two names, %q and %q", id, other.Sender, k.Sender)
		}
		v.keys[id] = k
	}
	if len(v.keys) == 0 {
		return nil, errors.New("no key is configured to verify calls with")
	}
	v.started = v.now().Unix()
	return v, nil
}

// KeyIDs returns the ids of the accepted keys, sorted.
func (v *Verifier) KeyIDs() []string { return slices.Sorted(maps.Keys(v.keys)) }

// Call is the content of a valid token of a post.
type Call struct {
	Caller string       // the sender's name; "": no signature was required
	Frond  string       // whose operations or facts it was signed for
	State  access.State // the caller's state, as it was signed; not nil where the post is signed

	// Nonce identifies the token, and Until is the end of its life at every receiver: for a
	// memory of tokens that several processes share.
	Nonce [16]byte
	Until time.Time
}

// Replayed is the refusal of a known token.
func Replayed() *kiterror.Error {
	return refuse("the token has been used; every call has one of its own")
}

// Verify returns the content of the token of a post of checked JSON (jsontext.Check). A refused
// post is UNAUTHORIZED with [Challenge], or SERVICE_UNAVAILABLE if too many tokens are
// remembered. It takes the steps of docs/signed-calls.md in their order: the signature is
// verified before the claims are read, and a token is remembered only if all else holds.
//
//	no token                    refused, but for open discovery
//	a token in another frame    refused: one token covers the batch
//	unseal                      three parts, header, known key, signature
//	readClaims, judge           sender, Frond, time
//	digest                      the post is the signed one
//	seen                        the token is new
func (v *Verifier) Verify(post json.RawMessage) (*Call, *kiterror.Error) {
	first, other := tokens(post)
	switch {
	case first == nil && other == nil:
		if v.open && isDiscovery(post) {
			return &Call{}, nil
		}
		return nil, refuse("the call is not signed, and %s answers signed calls alone", cmp.Or(v.frond, "this host"))
	case first == nil, other != nil:
		return nil, refuse("the token of a batch has to be in its first frame, and in no other")
	case jsontext.KindOf(first) != jsontext.String:
		return nil, refuse("identity is not a token; send the text of a JWS")
	}
	return v.verify(jsontext.Unquote(jsontext.Trim(first)), func() (string, error) { return digest(post) })
}

// verify holds a token to everything that [Verifier.Verify] lists from unseal on; digestOf is
// the digest of the request it came with.
func (v *Verifier) verify(token string, digestOf func() (string, error)) (*Call, *kiterror.Error) {
	kid, payload, err := v.unseal(token)
	if err != nil {
		return nil, err
	}
	c, err := readClaims(payload)
	if err != nil {
		return nil, err
	}
	if err := v.judge(kid, c); err != nil {
		return nil, err
	}
	// Last of the checks that need no memory, since it reads the whole post.
	digest, fail := digestOf()
	if fail != nil || subtle.ConstantTimeCompare([]byte(digest), []byte(c.call)) == 0 {
		return nil, refuse("the call is not the one that was signed")
	}
	call := &Call{Caller: c.iss, Frond: c.aud, Nonce: nonceOf(kid, c.jti), Until: time.Unix(c.exp+v.skew, 0)}
	if json.Unmarshal(c.state, &call.State) != nil {
		return nil, refuse("the token's state holds numbers that no double can hold")
	}
	switch v.seen.take(call.Nonce, c.exp+v.skew, v.now().Unix()) {
	case replayed:
		return nil, Replayed()
	case memoryFull:
		return nil, kiterror.Errorf(kiterror.ServiceUnavailable, "too many calls came in a minute; send the call again later")
	}
	return call, nil
}

// Challenge is the WWW-Authenticate of a refusal (RFC 9110, section 11.6.1). It shows a
// sender that the host refuses the sender's signature, and not the caller.
const Challenge = "Kit-Call"

// refuse is UNAUTHORIZED with the challenge of this package.
func refuse(format string, args ...any) *kiterror.Error {
	return kiterror.Errorf(kiterror.Unauthorized, "%w", refusal(fmt.Sprintf(format, args...)))
}

// refusal is the cause of a refusal: its text, and the challenge that the HTTP answer
// carries.
type refusal string

// Error is the reason; a facade.Error with this cause sends Challenge as WWW-Authenticate.
func (r refusal) Error() string   { return string(r) }
func (refusal) Challenge() string { return Challenge }

// unseal returns the claims of a token, and the id of the key that signed it.
func (v *Verifier) unseal(token string) (kid string, payload []byte, _ *kiterror.Error) {
	signed, last, _ := strings.Cut(token, ".")
	claims, last, three := strings.Cut(last, ".")
	if !three || strings.Contains(last, ".") {
		return "", nil, refuse("the token has not the three parts of a JWS")
	}
	header, err := decode(signed)
	if err == nil {
		payload, err = decode(claims)
	}
	var signature []byte
	if err == nil {
		signature, err = decode(last)
	}
	if err != nil {
		return "", nil, refuse("a part of the token is not base64url without padding")
	}
	kid, fail := readHeader(header)
	if fail != nil {
		return "", nil, fail
	}
	key, known := v.keys[kid]
	if !known {
		return "", nil, refuse("the token is signed with a key that is not known here")
	}
	if len(signature) != ed25519.SignatureSize || !ed25519.Verify(key.Public, []byte(token[:len(token)-len(last)-1]), signature) {
		return "", nil, refuse("the token's signature does not hold")
	}
	return kid, payload, nil
}

// decode decodes a part of a token. Go's decoder ignores line ends, which base64url does not
// have.
func decode(part string) ([]byte, error) {
	if strings.ContainsAny(part, "\r\n") {
		return nil, errors.New("a line end")
	}
	return b64.DecodeString(part)
}

// readHeader returns the kid of a header that has alg EdDSA, our typ, and no other
// member. The token does not choose the algorithm (RFC 8725, section 3.1), and members such
// as jwk or crit are refused instead of ignored.
func readHeader(text []byte) (kid string, _ *kiterror.Error) {
	if jsontext.Check(text) != nil || jsontext.KindOf(text) != jsontext.Object {
		return "", refuse("the token's header is not a JSON object")
	}
	var alg, typ string
	texts := map[string]*string{"alg": &alg, "kid": &kid, "typ": &typ}
	for name, value := range jsontext.Members(text) {
		if jsontext.KindOf(value) != jsontext.String {
			return "", refuse("the members of the token's header are alg, kid and typ, each a text")
		}
		into := texts[name]
		if into == nil {
			return "", refuse("the members of the token's header are alg, kid and typ, and no others")
		}
		*into = jsontext.Unquote(value)
	}
	switch {
	case alg != "EdDSA":
		return "", refuse("the token's alg is not EdDSA")
	case typ != tokenType:
		return "", refuse("the token's typ is not %s", tokenType)
	}
	return kid, nil
}

// claims are the claims of a token that are read; others are ignored.
type claims struct {
	iss, aud, jti, call string
	iat, exp            int64
	state               json.RawMessage
}

// Both are kept or logged, so both are bounded.
const (
	maxName = 256 // bytes of iss
	maxID   = 128 // bytes of jti
)

// readClaims reads the payload of a token. A claim of another type is refused, so that no reader takes it for absent.
func readClaims(text []byte) (c claims, _ *kiterror.Error) {
	if jsontext.Check(text) != nil || jsontext.KindOf(text) != jsontext.Object {
		return c, refuse("the token's claims are not a JSON object")
	}
	texts := map[string]*string{"iss": &c.iss, "aud": &c.aud, "jti": &c.jti, "call": &c.call}
	times := map[string]*int64{"iat": &c.iat, "exp": &c.exp}
	for name, value := range jsontext.Members(text) {
		if into := texts[name]; into != nil {
			if jsontext.KindOf(value) != jsontext.String {
				return c, refuse("the token's %s is not a text", name)
			}
			*into = jsontext.Unquote(value)
		}
		if into := times[name]; into != nil {
			n, err := strconv.ParseUint(string(value), 10, 40)
			if err != nil {
				return c, refuse("the token's %s is not in whole seconds", name)
			}
			*into = int64(n)
		}
		if name == state && jsontext.KindOf(value) == jsontext.Object {
			c.state = value
		}
	}
	switch {
	case c.iss == "" || len(c.iss) > maxName:
		return c, refuse("the token's iss is not a name of at most %d bytes", maxName)
	case c.aud == "" || len(c.aud) > maxName:
		return c, refuse("the token's aud does not name the Frond that is called")
	case c.jti == "" || len(c.jti) > maxID:
		return c, refuse("the token's jti is not a text of at most %d bytes", maxID)
	case c.state == nil:
		return c, refuse("the token's state is not an object")
	}
	return c, nil
}

// judge checks that a token is of its key's sender, for this Frond, and valid now. The skew
// counts on both sides: a token may come from a clock ahead, and lives on after exp.
func (v *Verifier) judge(kid string, c claims) *kiterror.Error {
	now := v.now().Unix()
	switch sender := v.keys[kid].Sender; {
	case sender != "" && c.iss != sender:
		return refuse("the token is signed with the key of another sender than its iss")
	case v.frond != "" && c.aud != v.frond:
		return refuse("the token is for another Frond; this is %s", v.frond)
	case c.exp <= c.iat || c.exp-c.iat > int64(lifetime/time.Second):
		return refuse("the token's exp is not within %d seconds after its iat", lifetime/time.Second)
	case c.iat > now+v.skew:
		return refuse("the token is from the future: the clocks are too far apart")
	case c.exp+v.skew <= now:
		return refuse("the token has expired")
	case c.iat < v.started:
		return refuse("the token is older than this process, which cannot know whether it was used; sign the call again")
	}
	return nil
}

// seen remembers which tokens were accepted, until they have expired. It may be used from
// many goroutines.
type seen struct {
	most int

	mu      sync.Mutex
	count   int
	buckets map[int64]map[[16]byte]struct{} // by the time they are forgotten, in steps
}

// step is the seconds of expiry that share a bucket. A bucket is dropped as a whole, so that
// dropping has no cost per token.
const step = 8

// verdict is whether a token is accepted.
type verdict uint8

const (
	fresh      verdict = iota
	replayed           // it was accepted before
	memoryFull         // the memory of tokens is full
)

// take accepts a token that it has not accepted before. until and now are seconds. A full
// memory refuses every token: forgetting another token would let that one be replayed. The cost
// is a look into each bucket. There are few of them: a lifetime and twice the skew, divided by
// step.
func (s *seen) take(id [16]byte, until, now int64) verdict {
	s.mu.Lock()
	defer s.mu.Unlock()
	for at, bucket := range s.buckets {
		if at*step+step <= now {
			s.count -= len(bucket)
			delete(s.buckets, at)
		} else if _, there := bucket[id]; there {
			return replayed
		}
	}
	if s.count >= s.most {
		return memoryFull
	}
	at := until / step
	if s.buckets == nil {
		s.buckets = map[int64]map[[16]byte]struct{}{}
	}
	if s.buckets[at] == nil {
		s.buckets[at] = map[[16]byte]struct{}{}
	}
	s.buckets[at][id] = struct{}{}
	s.count++
	return fresh
}

// nonceOf identifies a token. Half of the hash is enough: a collision only refuses a valid
// token.
func nonceOf(kid, jti string) [16]byte {
	sum := sha256.Sum256([]byte(kid + "." + jti)) // no kid has a dot
	return [16]byte(sum[:16])
}
