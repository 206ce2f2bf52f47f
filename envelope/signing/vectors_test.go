package signing_test

import (
	"bytes"
	"crypto"
	"crypto/ed25519"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/google/go-cmp/cmp"

	"github.com/frondhost/frond/envelope/signing"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/schema/jsontext"
)

var update = flag.Bool("update", false, "write the vectors of envelope/testdata/signing anew")

// The vectors are for other languages (docs/signed-calls.md). e2e.TestVectors has
// them verified by programs that share nothing with this package.
var vectorsDir = filepath.Join("..", "testdata", "signing")

// vector is a post that holds. Texts are exact.
type vector struct {
	About     string `json:"about"`
	Post      string `json:"post"`   // to be signed
	Sender    string `json:"sender"` // iss
	Frond     string `json:"frond"`  // aud
	State     string `json:"state"`
	Now       int64  `json:"now"` // iat, and when it is verified
	ID        string `json:"jti"`
	Canonical string `json:"canonical"` // what the digest is over
	Digest    string `json:"digest"`
	Header    string `json:"header"` // as text, before base64url
	Claims    string `json:"claims"` // likewise
	Input     string `json:"signingInput"`
	Signature string `json:"signature"`
	Signed    string `json:"signed"` // what is sent
}

// refusedVector is a post that does not hold at its time.
type refusedVector struct {
	About   string `json:"about"`
	Frond   string `json:"frond"`
	Now     int64  `json:"now"`
	Signed  string `json:"signed"`
	Message string `json:"message"` // of this implementation; others may say it in other words
}

func accepted() []vector {
	vectors := []vector{
		{About: "a frame of a user", Post: frame, State: ada},
		{About: "nobody is calling, and the body is null", Post: `{"jsonrpc":"2.0","id":"a","method":"invoice.create","params":{"params":{},"query":{},"body":null}}`, State: `{}`},
		{About: "what is absent, null and empty are three things", Post: `{"jsonrpc":"2.0","id":null,"method":"invoice.create","params":{"query":null,"body":{"a":"","b":[],"c":{},"d":null}}}`, State: `{"user":null}`},
		{About: "discovery, whose params are there for the token alone", Post: `{"jsonrpc":"2.0","id":1,"method":"rpc.discover"}`, State: `{}`},
		{About: "a batch: one token, in the first frame, over all of it; the second has a state, which does not count; the third is a notification", Post: `[{"jsonrpc":"2.0","id":1,"method":"invoice.findById","params":{"params":{"id":"i1"}}},{"jsonrpc":"2.0","id":2,"method":"invoice.findById","params":{"params":{"id":"i2"},"state":{"user":{"id":"root"}}}},{"jsonrpc":"2.0","method":"invoice.remind"}]`, State: ada},
		{About: "names in the order of UTF-16, escapes, and no normalization", Post: `{"jsonrpc":"2.0","id":1,"method":"a.b","params":{"body":{"\u20ac":"Euro","\r":"return","\ufb33":"dalet","1":"one","\ud83d\ude00":"smile 😀","\u0080":"control","\u00f6":"o\u0308 is not ö","quoted":"\"\\\/\b\f\n\r\t\u0001\u001f\u007f\u2028"}}}`, State: `{"user":{"id":"Zoë","name":"\u5c71\u7530"}}`},
		{About: "numbers of one value are one text", Post: `{"jsonrpc":"2.0","id":1,"method":"a.b","params":{"body":[0,-0,0.0,1.0,1e2,1.50e1,10e-1,-3.0,0.1,4.50,2e-3,0.000001,0.0000001,333333333.33333329,123456.789e-3,1E30,1e21,5e-324,1.7976931348623157e308]}}`, State: `{"limit":1.0}`},
		{About: "whole numbers below 10^21 keep all their digits, where RFC 8785 would round", Post: `{"jsonrpc":"2.0","id":9007199254740993,"method":"a.b","params":{"params":{"id":9007199254740993},"body":[9007199254740991,-9223372036854775808,18446744073709551615,9.007199254740993e15,999999999999999999999,1000000000000000000001]}}`, State: `{"tenant":9007199254740993}`},
		{About: "nested, and members called as those that are left out", Post: `{"jsonrpc":"2.0","id":1,"method":"a.b","params":{"body":{"state":{"z":[{"b":1,"a":[[],[{}]]}]},"identity":"mine"},"query":{"filter":{"or":[{"state":{"eq":"open"}},{"total":{"gte":10.0}}]}},"trace":"00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"}}`, State: `{"user":{"id":"ada","roles":["staff"],"claims":{"deep":[[[1]]]}},"locale":"de"}`},
	}
	for i := range vectors {
		v := &vectors[i]
		v.Sender, v.Frond, v.Now, v.ID = "shop", "billing", noon.Unix(), "vector-"+string(rune('a'+i))
	}
	return vectors
}

func (v *vector) fill(t *testing.T) {
	t.Helper()
	sealed, err := signing.NewSigner(mine, v.Sender).Seal([]byte(v.Post), v.Frond, json.RawMessage(v.State))
	if err != nil {
		t.Fatal(err)
	}
	v.Signed = string(sealed.PostAt(time.Unix(v.Now, 0), v.ID))
	text := tokenOf(t, v.Signed)
	parts := strings.Split(text, ".")
	v.Input, v.Signature = parts[0]+"."+parts[1], parts[2]
	for i, into := range []*string{&v.Header, &v.Claims} {
		part, err := b64.DecodeString(parts[i])
		if err != nil {
			t.Fatal(err)
		}
		*into = string(part)
	}
	bare, fail := signing.Bare(nil, []byte(v.Signed))
	if fail != nil {
		t.Fatal(fail)
	}
	v.Canonical = string(bare)
	if v.Digest, fail = signing.Digest([]byte(v.Signed)); fail != nil {
		t.Fatal(fail)
	}
}

func refused(t *testing.T) []refusedVector {
	whole := signed(t, frame, ada)
	two := signed(t, batch, ada)
	sign := func(name string, value any) string {
		return tampered(t, frame, header(), with(claims(t), name, value), byMe)
	}
	vectors := []refusedVector{
		{About: "no token", Signed: frame},
		{About: "the body is another than was signed", Signed: strings.Replace(whole, "12.5", "1250", 1)},
		{About: "the method is another", Signed: strings.Replace(whole, "invoice.pay", "invoice.cancel", 1)},
		{About: "the id is another", Signed: strings.Replace(whole, `"id":1`, `"id":2`, 1)},
		{About: "an id of 64 bits is another, which a double does not tell", Signed: strings.Replace(
			signed(t, `{"jsonrpc":"2.0","id":1,"method":"a.b","params":{"params":{"id":9007199254740993}}}`, ada), "9007199254740993", "9007199254740992", 1)},
		{About: "the first frame of a batch by itself", Signed: part(t, two)},
		{About: "one frame of a batch is another", Signed: strings.Replace(two, `"i2"`, `"i3"`, 1)},
		{About: "the token stands in the second frame", Signed: `[` + frame + `,` + whole + `]`},
		{About: "for another Frond", Frond: "catalog", Signed: whole},
		{About: "expired, with the clocks 30 seconds apart", Now: noon.Unix() + 90, Signed: whole},
		{About: "from the future, with the clocks 30 seconds apart", Now: noon.Unix() - 31, Signed: whole},
		{About: "a lifetime of more than 60 seconds", Signed: sign("exp", noon.Unix()+61)},
		{About: "no state", Signed: sign("state", nil)},
		{About: "no jti", Signed: sign("jti", nil)},
		{About: "alg none, without a signature", Signed: tampered(t, frame, with(header(), "alg", "none"), claims(t), func([]byte) []byte { return nil })},
		{About: "alg HS256, with the public key as the secret", Signed: tampered(t, frame, with(header(), "alg", "HS256"), claims(t), hs256(public(mine)))},
		{About: "typ JWT: a token for something else", Signed: tampered(t, frame, with(header(), "typ", "JWT"), claims(t), byMe)},
		{About: "a kid nobody knows", Signed: tampered(t, frame, with(header(), "kid", signing.KeyID(public(other))), claims(t), func(in []byte) []byte { return ed25519.Sign(other, in) })},
		{About: "signed with another key than kid says", Signed: tampered(t, frame, header(), claims(t), func(in []byte) []byte { return ed25519.Sign(other, in) })},
		{About: "a claim that was changed behind the signature", Signed: resigned(t, frame, `"shop"`, `"root"`)},
		{About: "padding behind the signature", Signed: carry(t, frame, tokenOf(t, whole)+"==")},
		{About: "a claim that stands twice", Signed: carry(t, frame, token(marshal(t, header()), `{"iss":"shop",`+marshal(t, claims(t))[1:], byMe))},
	}
	for i := range vectors {
		v := &vectors[i]
		if v.Frond == "" {
			v.Frond = "billing"
		}
		if v.Now == 0 {
			v.Now = noon.Unix()
		}
		_, err := verifierAt(t, v.Frond, v.Now).Verify([]byte(v.Signed))
		if err == nil || err.Code != kiterror.Unauthorized {
			t.Fatalf("%s: %v", v.About, err)
		}
		v.Message = err.Message
	}
	return vectors
}

func verifierAt(t testing.TB, frond string, now int64) *signing.Verifier {
	t.Helper()
	v, err := signing.NewVerifier(frond, []signing.Key{{Public: public(mine)}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return v.At(time.Unix(now, 0))
}

// TestVectors holds the files against the code, byte for byte: Ed25519 signs the
// same text the same way each time.
func TestVectors(t *testing.T) {
	vectors := accepted()
	for i := range vectors {
		vectors[i].fill(t)
		v := &vectors[i]
		call, err := verifierAt(t, v.Frond, v.Now).Verify([]byte(v.Signed))
		if err != nil || call.Caller != v.Sender {
			t.Errorf("%s: %v", v.About, err)
		}
	}
	key := map[string]any{
		"about":   "the key of the vectors; it signs nothing else",
		"private": map[string]any{"kty": "OKP", "crv": "Ed25519", "x": b64.EncodeToString(public(mine)), "d": b64.EncodeToString(mine.Seed())},
		"public":  signing.PublicJWK(public(mine)),
	}
	for file, want := range map[string]any{"key.json": key, "accepted.json": vectors, "refused.json": refused(t)} {
		var text bytes.Buffer
		enc := json.NewEncoder(&text)
		enc.SetEscapeHTML(false)
		enc.SetIndent("", "  ")
		if err := enc.Encode(want); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(vectorsDir, file)
		if *update {
			if err := os.WriteFile(path, text.Bytes(), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		got, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(got), text.String()); diff != "" {
			t.Errorf("%s (-file +code; -update writes it):\n%s", file, diff)
		}
	}
}

// TestAnotherLibrary has the tokens of the vectors verified by a library for JWS,
// and takes tokens that it made.
func TestAnotherLibrary(t *testing.T) {
	vectors := accepted()
	for i := range vectors {
		v := &vectors[i]
		v.fill(t)
		jws, err := jose.ParseSignedCompact(tokenOf(t, v.Signed), []jose.SignatureAlgorithm{jose.EdDSA})
		if err != nil {
			t.Fatal(err)
		}
		claims, err := jws.Verify(public(mine))
		if err != nil || string(claims) != v.Claims {
			t.Errorf("%s: %s, %v", v.About, claims, err)
		}
	}
	opts := (&jose.SignerOptions{}).WithType(signing.Type)
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: jose.EdDSA, Key: jose.JSONWebKey{Key: mine, KeyID: signing.KeyID(public(mine))}}, opts)
	if err != nil {
		t.Fatal(err)
	}
	jws, err := signer.Sign([]byte(marshal(t, claims(t))))
	if err != nil {
		t.Fatal(err)
	}
	text, err := jws.CompactSerialize()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := verifier(t).Verify([]byte(carry(t, frame, text))); err != nil {
		t.Error(err)
	}
}

func TestKeys(t *testing.T) {
	private, publicPEM, key, err := signing.NewKey()
	if err != nil {
		t.Fatal(err)
	}
	read, err := signing.ReadPrivate(private)
	if err != nil || !read.Public().(ed25519.PublicKey).Equal(key) {
		t.Fatalf("the private half does not come back: %v", err)
	}
	jwk := signing.PublicJWK(key)
	var other jose.JSONWebKey
	if err := other.UnmarshalJSON(jwk); err != nil {
		t.Fatal(err)
	}
	thumb, err := other.Thumbprint(crypto.SHA256)
	if err != nil || b64.EncodeToString(thumb) != signing.KeyID(key) {
		t.Errorf("the thumbprint is %s, another library says %s (%v)", signing.KeyID(key), b64.EncodeToString(thumb), err)
	}
	privateJWK, err := json.Marshal(jose.JSONWebKey{Key: read})
	if err != nil {
		t.Fatal(err)
	}
	if again, err := signing.ReadPrivate(privateJWK); err != nil || !again.Equal(read) {
		t.Errorf("a private JWK does not come back: %v", err)
	}
	for name, text := range map[string]string{
		"PEM": string(publicPEM), "two PEMs": string(publicPEM) + string(publicPEM), "a JWK": string(jwk), "a set": `{"keys":[` + string(jwk) + `]}`,
		"a JWK of nothing but its key": `{"kty":"OKP","crv":"Ed25519","x":"` + b64.EncodeToString(key) + `"}`,
	} {
		keys, err := signing.ReadPublic([]byte(text))
		if err != nil || len(keys) == 0 || !keys[0].Equal(key) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, text := range map[string]string{
		"nothing": "", "words": "key", "a private PEM": string(private), "a private JWK": string(privateJWK), "an empty set": `{"keys":[]}`,
		"text behind it": string(publicPEM) + "x", "another kid": strings.Replace(string(jwk), `"kid":"`, `"kid":"x`, 1), "another use": strings.Replace(string(jwk), `"sig"`, `"enc"`, 1),
		"a short key": `{"kty":"OKP","crv":"Ed25519","x":"AAAA"}`, "another curve": `{"kty":"OKP","crv":"X25519","x":"` + b64.EncodeToString(key) + `"}`, "RSA": `{"kty":"RSA","n":"AQAB","e":"AQAB"}`,
	} {
		if keys, err := signing.ReadPublic([]byte(text)); err == nil {
			t.Errorf("%s is %d keys", name, len(keys))
		} else if d := jsontext.Unquote(jsontext.Get(privateJWK, "d")); strings.Contains(err.Error(), d) {
			t.Errorf("%s: the error repeats the key", name)
		}
	}
	for name, text := range map[string]string{"a public PEM": string(publicPEM), "a public JWK": string(jwk), "two": string(private) + string(private), "halves of two": strings.Replace(string(privateJWK), b64.EncodeToString(key), b64.EncodeToString(public(mine)), 1)} {
		if _, err := signing.ReadPrivate([]byte(text)); err == nil {
			t.Errorf("%s is a private key", name)
		}
	}
}

// BenchmarkPost signs and verifies one frame, and a batch of a hundred.
func BenchmarkPost(b *testing.B) {
	for name, post := range map[string]string{"1 frame": frame, "100 frames": "[" + frame + strings.Repeat(","+frame, 99) + "]"} {
		b.Run("sign/"+name, func(b *testing.B) {
			for b.Loop() {
				_ = seal(b, post, ada).Post()
			}
		})
		b.Run("verify/"+name, func(b *testing.B) {
			v, err := signing.NewVerifier("billing", []signing.Key{{Public: public(mine)}}, nil)
			if err != nil {
				b.Fatal(err)
			}
			sealed := seal(b, post, ada)
			for b.Loop() {
				b.StopTimer()
				text := sealed.Post()
				b.StartTimer()
				if _, err := v.Verify(text); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
