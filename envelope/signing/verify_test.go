package signing_test

import (
	"bytes"
	"crypto/ed25519"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/frondhost/frond/envelope/signing"
	"github.com/frondhost/frond/facade/access"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/schema/jsontext"
)

var (
	b64   = base64.RawURLEncoding
	noon  = time.Unix(1790000000, 0)
	mine  = keyOf("mine")
	other = keyOf("other")
)

// keyOf is a key that is the same in every run.
func keyOf(name string) ed25519.PrivateKey {
	seed := sha256.Sum256([]byte(name))
	return ed25519.NewKeyFromSeed(seed[:])
}

func public(key ed25519.PrivateKey) ed25519.PublicKey { return key.Public().(ed25519.PublicKey) }

const (
	frame = `{"jsonrpc":"2.0","id":1,"method":"invoice.pay","params":{"params":{"id":"i1"},"body":{"amount":12.5},"state":{"user":{"id":"ada"}}}}`
	batch = `[` + frame + `,{"jsonrpc":"2.0","id":2,"method":"invoice.findById","params":{"params":{"id":"i2"}}}]`
	ada   = `{"user":{"id":"ada"}}`
)

// verifier is the billing Frond's at noon, which knows my key.
func verifier(t testing.TB, keys ...signing.Key) *signing.Verifier {
	t.Helper()
	if keys == nil {
		keys = []signing.Key{{Public: public(mine)}}
	}
	v, err := signing.NewVerifier("billing", keys, nil)
	if err != nil {
		t.Fatal(err)
	}
	return v.At(noon)
}

// seal is a post as I sign it at noon.
func seal(t testing.TB, post, state string) *signing.Sealed {
	t.Helper()
	sealed, err := signing.NewSigner(mine, "shop").Seal([]byte(post), "billing", json.RawMessage(state))
	if err != nil {
		t.Fatal(err)
	}
	return sealed
}

func signed(t testing.TB, post, state string) string {
	t.Helper()
	return string(seal(t, post, state).PostAt(noon, "j1"))
}

// tampered is a post with a token of any header and claims, and any signature of the two.
func tampered(t testing.TB, post string, header, claims map[string]any, sign func(input []byte) []byte) string {
	t.Helper()
	h, c := marshal(t, header), marshal(t, claims)
	return carry(t, post, token(h, c, sign))
}

func token(header, claims string, sign func([]byte) []byte) string {
	input := b64.EncodeToString([]byte(header)) + "." + b64.EncodeToString([]byte(claims))
	return input + "." + b64.EncodeToString(sign([]byte(input)))
}

// carry puts a text where the token of a post goes.
func carry(t testing.TB, post, token string) string {
	t.Helper()
	whole := signed(t, post, ada)
	was := tokenOf(t, whole)
	return strings.Replace(whole, was, token, 1)
}

// tokenOf is the token of a post's first frame.
func tokenOf(t testing.TB, post string) string {
	t.Helper()
	first := json.RawMessage(post)
	for _, f := range jsontext.Elements(first) {
		first = f
		break
	}
	text := jsontext.Unquote(jsontext.Get(jsontext.Get(first, "params"), "identity"))
	if text == "" {
		t.Fatalf("there is no token in %s", post)
	}
	return text
}

func marshal(t testing.TB, v any) string {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func byMe(input []byte) []byte { return ed25519.Sign(mine, input) }

func header() map[string]any {
	return map[string]any{"alg": "EdDSA", "kid": signing.KeyID(public(mine)), "typ": "kit-call+jwt"}
}

func claims(t testing.TB) map[string]any {
	t.Helper()
	digest, err := signing.Digest([]byte(frame))
	if err != nil {
		t.Fatal(err)
	}
	return map[string]any{
		"iss": "shop", "aud": "billing", "iat": noon.Unix(), "exp": noon.Unix() + 60, "jti": "j1", "call": digest,
		"state": map[string]any{"user": map[string]any{"id": "ada"}},
	}
}

// with is a map with one member set, or left out where it is nil.
func with(m map[string]any, name string, value any) map[string]any {
	if value == nil {
		delete(m, name)
	} else {
		m[name] = value
	}
	return m
}

// TestAnAudienceIsNeeded: a host of several Fronds, whose verifier knows no Frond, takes no token without the name of one.
func TestAnAudienceIsNeeded(t *testing.T) {
	every, err := signing.NewVerifier("", []signing.Key{{Public: public(mine)}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	v := every.At(noon)
	for text, says := range map[string]string{
		`null`: "aud is not a text", `["billing"]`: "aud is not a text", `{"frond":"billing"}`: "aud is not a text", `7`: "aud is not a text",
		`""`: "aud does not name the Frond", ``: "aud does not name the Frond", `"` + strings.Repeat("x", 257) + `"`: "aud does not name the Frond",
	} {
		all := claims(t)
		if delete(all, "aud"); text != "" {
			all["aud"] = json.RawMessage(text)
		}
		_, err := v.Verify([]byte(tampered(t, frame, header(), all, byMe)))
		if err == nil || err.Code != kiterror.Unauthorized || !strings.Contains(err.Message, says) {
			t.Errorf("aud %.40s: %v, want UNAUTHORIZED with %q", text, err, says)
		}
	}
	if call, err := v.Verify([]byte(tampered(t, frame, header(), claims(t), byMe))); err != nil || call.Frond != "billing" {
		t.Errorf("a token for billing: %v, %v", call, err)
	}
}

func TestSignedCallsHold(t *testing.T) {
	cases := []struct {
		name, post, state string
		want              access.State
	}{
		{"a frame", frame, ada, access.State{"user": map[string]any{"id": "ada"}}},
		{"a batch", batch, ada, access.State{"user": map[string]any{"id": "ada"}}},
		{"nobody is calling", frame, "", access.State{}},
		{"a state with nothing in it", frame, "{}", access.State{}},
		{"discovery, which has no params", `{"jsonrpc":"2.0","id":7,"method":"rpc.discover"}`, "", access.State{}},
		{"a batch whose first frame has white space around it", "[ \n" + frame + " , " + frame + " ]", ada, access.State{"user": map[string]any{"id": "ada"}}},
		{"params in front of the method", `{"params":{"body":null},"method":"a.b","jsonrpc":"2.0","id":"x"}`, ada, access.State{"user": map[string]any{"id": "ada"}}},
		{"ids of 64 bits", `{"jsonrpc":"2.0","id":1,"method":"a.b","params":{"params":{"id":9007199254740993}}}`, `{"tenant":9007199254740993}`, access.State{"tenant": float64(9007199254740992)}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			var state json.RawMessage
			if c.state != "" {
				state = json.RawMessage(c.state)
			}
			sealed, err := signing.NewSigner(mine, "shop").Seal([]byte(c.post), "billing", state)
			if err != nil {
				t.Fatal(err)
			}
			post := sealed.PostAt(noon, "j1")
			if err := jsontext.Check(post); err != nil {
				t.Fatalf("%v in %s", err, post)
			}
			got, err := verifier(t).Verify(post)
			if err != nil {
				t.Fatal(err)
			}
			if lived := got.Until.Sub(noon); got.Nonce == [16]byte{} || lived != 90*time.Second {
				t.Errorf("nonce %x, forgotten after %s", got.Nonce, lived)
			}
			got.Nonce, got.Until = [16]byte{}, time.Time{}
			if diff := cmp.Diff(&signing.Call{Caller: "shop", Frond: "billing", State: c.want}, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestEquivalentTextsVerify: whoever reads a post and writes it anew, as
// frameworks and proxies do, changes nothing that is signed.
func TestEquivalentTextsVerify(t *testing.T) {
	post := signed(t, `{"jsonrpc":"2.0","id":1,"method":"a.b","params":{"body":{"é":"\u00e9\/","n":1.50e1,"z":[1.0,-0]}}}`, ada)
	otherwise := strings.NewReplacer(`"\u00e9\/"`, `"é/"`, "1.50e1", "15", "1.0", "1", "-0", "0", `"é":`, ` "\u00E9" : `).Replace(post)
	if otherwise == post {
		t.Fatal("nothing was written otherwise")
	}
	if _, err := verifier(t).Verify([]byte(otherwise)); err != nil {
		t.Error(err)
	}
}

func TestStateIsTheSignedOne(t *testing.T) {
	for _, sent := range []string{`"state":{"user":{"id":"root"}},`, `"state":null,`, ``} {
		post := strings.Replace(signed(t, frame, ada), `"state":{"user":{"id":"ada"}},`, sent, 1)
		got, err := verifier(t).Verify([]byte(post))
		if err != nil {
			t.Fatal(err)
		}
		if id := got.State.User()["id"]; id != "ada" {
			t.Errorf("with %s it is %v", sent, id)
		}
	}
}

func TestRefusals(t *testing.T) {
	whole := signed(t, frame, ada)
	text := tokenOf(t, whole)
	sign := func(h, c map[string]any) string { return tampered(t, frame, h, c, byMe) }
	claim := func(name string, value any) string { return sign(header(), with(claims(t), name, value)) }
	head := func(name string, value any) string { return sign(with(header(), name, value), claims(t)) }
	cases := []struct {
		name, post, says string
	}{
		{"not signed", frame, "is not signed"},
		{"a batch that is not signed", batch, "is not signed"},
		{"discovery that is not signed", `{"jsonrpc":"2.0","id":1,"method":"rpc.discover"}`, "is not signed"},
		{"no frame", `7`, "is not signed"},
		{"an empty batch", `[]`, "is not signed"},
		{"params by position", `{"jsonrpc":"2.0","id":1,"method":"a.b","params":[{"identity":"x"}]}`, "is not signed"},
		{"identity beside params", `{"jsonrpc":"2.0","id":1,"method":"a.b","identity":"` + text + `"}`, "is not signed"},
		{"the token in the second frame", `[{"jsonrpc":"2.0","id":1,"method":"a.b"},` + whole + `]`, "in its first frame"},
		{"a token in each frame", `[` + whole + `,` + whole + `]`, "in its first frame"},
		{"identity is no text", carryRaw(t, `{"a":1}`), "identity is not a token"},
		{"identity is null", carryRaw(t, `null`), "identity is not a token"},

		{"the body is another", strings.Replace(whole, "12.5", "1250", 1), "not the one that was signed"},
		{"the method is another", strings.Replace(whole, "invoice.pay", "invoice.cancel", 1), "not the one that was signed"},
		{"the id is another", strings.Replace(whole, `"id":1`, `"id":2`, 1), "not the one that was signed"},
		{"an id that a double does not tell from the next", strings.Replace(
			signed(t, `{"jsonrpc":"2.0","id":1,"method":"a.b","params":{"params":{"id":9007199254740993}}}`, ada), "9007199254740993", "9007199254740992", 1), "not the one that was signed"},
		{"likewise with an exponent", strings.Replace(
			signed(t, `{"jsonrpc":"2.0","id":1,"method":"a.b","params":{"params":{"id":9.007199254740993e15}}}`, ada), "9.007199254740993e15", "9.007199254740992e15", 1), "not the one that was signed"},
		{"null where there was nothing", strings.Replace(whole, `"body"`, `"query":null,"body"`, 1), "not the one that was signed"},
		{"a member more in the frame", strings.Replace(whole, `"jsonrpc"`, `"more":1,"jsonrpc"`, 1), "not the one that was signed"},
		{"a frame out of a batch", part(t, signed(t, batch, ada)), "not the one that was signed"},
		{"a batch with one frame changed", strings.Replace(signed(t, batch, ada), `"i2"`, `"i3"`, 1), "not the one that was signed"},
		{"a batch in another order", `[` + part(t, signed(t, batch, ada)) + `,` + frame + `]`, "not the one that was signed"},
		{"a frame that was none", `[` + whole + `]`, "not the one that was signed"},
		{"half a character", strings.Replace(whole, `"i1"`, `"\ud800"`, 1), "not the one that was signed"},
		{"a number beyond doubles", strings.Replace(whole, `12.5`, `1e999`, 1), "not the one that was signed"},

		{"another Frond's", claim("aud", "catalog"), "for another Frond"},
		{"for several Fronds", claim("aud", []string{"billing"}), "aud is not a text"},
		{"an iss of another type", claim("iss", map[string]any{"name": "shop"}), "iss is not a text"},
		{"no aud", claim("aud", nil), "aud does not name the Frond"},
		{"no name", claim("iss", nil), "iss is not a name"},
		{"an empty name", claim("iss", ""), "iss is not a name"},
		{"a name without end", claim("iss", strings.Repeat("x", 300)), "iss is not a name"},
		{"no jti", claim("jti", nil), "jti is not a text"},
		{"a jti without end", claim("jti", strings.Repeat("x", 300)), "jti is not a text"},
		{"no digest", claim("call", nil), "not the one that was signed"},
		{"no state", claim("state", nil), "state is not an object"},
		{"a state that is none", claim("state", "ada"), "state is not an object"},
		{"no exp", claim("exp", nil), "exp is not within"},
		{"no iat", claim("iat", nil), "exp is not within"},
		{"an hour long", claim("exp", noon.Unix()+3600), "exp is not within 60 seconds"},
		{"over before it began", claim("exp", noon.Unix()), "exp is not within"},
		{"a time that is a text", claim("iat", "1790000000"), "not in whole seconds"},
		{"a time with a fraction", claim("iat", json.RawMessage("1790000000.5")), "not in whole seconds"},
		{"a time before 1970", claim("exp", -1), "not in whole seconds"},
		{"expired", sign(header(), with(with(claims(t), "iat", noon.Unix()-90), "exp", noon.Unix()-30)), "has expired"},
		{"from the future", sign(header(), with(with(claims(t), "iat", noon.Unix()+31), "exp", noon.Unix()+60)), "from the future"},

		{"none", tampered(t, frame, with(header(), "alg", "none"), claims(t), func([]byte) []byte { return nil }), "alg is not EdDSA"},
		{"none, signed", head("alg", "none"), "alg is not EdDSA"},
		{"HS256 with the public key as its secret", tampered(t, frame, with(header(), "alg", "HS256"), claims(t), hs256(public(mine))), "alg is not EdDSA"},
		{"EdDSA by name, HS256 with the public key in truth", tampered(t, frame, header(), claims(t), hs256(public(mine))), "signature does not hold"},
		{"Ed25519 by its newer name", head("alg", "Ed25519"), "alg is not EdDSA"},
		{"eddsa in small letters", head("alg", "eddsa"), "alg is not EdDSA"},
		{"no alg", head("alg", nil), "alg is not EdDSA"},
		{"another token of the same key", head("typ", "JWT"), "typ is not kit-call+jwt"},
		{"no typ", head("typ", nil), "typ is not kit-call+jwt"},
		{"an unknown key", tampered(t, frame, with(header(), "kid", signing.KeyID(public(other))), claims(t), func(in []byte) []byte { return ed25519.Sign(other, in) }), "not known here"},
		{"no kid", head("kid", nil), "not known here"},
		{"a kid that is no text", head("kid", 1), "each a text"},
		{"a key that came along", head("jwk", "x"), "and no others"},
		{"an extension", head("crit", "x"), "and no others"},
		{"signed with another key than it says", tampered(t, frame, header(), claims(t), func(in []byte) []byte { return ed25519.Sign(other, in) }), "signature does not hold"},
		{"no signature", tampered(t, frame, header(), claims(t), func([]byte) []byte { return nil }), "signature does not hold"},
		{"half a signature", tampered(t, frame, header(), claims(t), func(in []byte) []byte { return byMe(in)[:32] }), "signature does not hold"},
		{"a claim that was changed after", resigned(t, frame, `"shop"`, `"root"`), "signature does not hold"},

		{"two parts", carry(t, frame, text[:strings.LastIndex(text, ".")]), "three parts"},
		{"four parts", carry(t, frame, text+".x"), "three parts"},
		{"no part", carry(t, frame, ""), "three parts"},
		{"padding", carry(t, frame, text+"=="), "not base64url"},
		{"the other alphabet", carry(t, frame, "+/"+text[2:]), "not base64url"},
		{"a line end", carry(t, frame, strings.Replace(text, ".", `\n.`, 1)), "not base64url"},
		{"bits to spare", carry(t, frame, spare(text)), "not base64url"},
		{"a header twice", carry(t, frame, token(`{"alg":"EdDSA","alg":"EdDSA"}`, marshal(t, claims(t)), byMe)), "header is not a JSON object"},
		{"a claim twice", carry(t, frame, token(marshal(t, header()), `{"iss":"shop","iss":"root"}`, byMe)), "claims are not a JSON object"},
		{"claims that are none", carry(t, frame, token(marshal(t, header()), `[]`, byMe)), "claims are not a JSON object"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			v := verifier(t)
			_, err := v.Verify([]byte(c.post))
			if err == nil || err.Code != kiterror.Unauthorized || !strings.Contains(err.Message, c.says) {
				t.Fatalf("it is %v, want UNAUTHORIZED with %q", err, c.says)
			}
			if v.Remembered() != 0 {
				t.Error("a token that was refused has counted")
			}
			if _, err := v.Verify([]byte(whole)); err != nil {
				t.Errorf("and then the true one is refused: %v", err)
			}
		})
	}
}

func carryRaw(t testing.TB, value string) string {
	t.Helper()
	whole := signed(t, frame, ada)
	return strings.Replace(whole, `"`+tokenOf(t, whole)+`"`, value, 1)
}

// part is the first frame of a batch.
func part(t testing.TB, post string) string {
	t.Helper()
	for _, f := range jsontext.Elements([]byte(post)) {
		return string(f)
	}
	t.Fatal("there is no frame")
	return ""
}

func hs256(secret []byte) func([]byte) []byte {
	return func(input []byte) []byte {
		h := hmac.New(sha256.New, secret)
		h.Write(input)
		return h.Sum(nil)
	}
}

// resigned is a post whose claims were changed under an old signature.
func resigned(t testing.TB, post, old, now string) string {
	t.Helper()
	whole := signed(t, post, ada)
	parts := strings.Split(tokenOf(t, whole), ".")
	claims, err := b64.DecodeString(parts[1])
	if err != nil || !bytes.Contains(claims, []byte(old)) {
		t.Fatalf("%v in %s", err, claims)
	}
	parts[1] = b64.EncodeToString(bytes.Replace(claims, []byte(old), []byte(now), 1))
	return carry(t, post, strings.Join(parts, "."))
}

// spare is a token whose signature is written with bits that mean nothing set: the
// last letter of 86 stands for two bits of the signature and four to spare.
func spare(token string) string {
	const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
	last := strings.IndexByte(letters, token[len(token)-1])
	return token[:len(token)-1] + string(letters[last|1])
}

func TestTokenIsAcceptedOnce(t *testing.T) {
	v := verifier(t)
	post := []byte(signed(t, frame, ada))
	for i, want := range []string{"", "has been used", "has been used"} {
		_, err := v.Verify(post)
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Message, want) {
			t.Errorf("the %d. time it is %v, want %q", i+1, err, want)
		}
	}
	// To the last second that the token would hold, and one further.
	sealed := seal(t, frame, ada)
	for at, want := range map[int]string{1: "has been used", 60: "has been used", 89: "has been used", 90: "has expired"} {
		v := verifier(t)
		if _, err := v.Verify(sealed.PostAt(noon, "j2")); err != nil {
			t.Fatal(err)
		}
		_, err := v.At(noon.Add(time.Duration(at) * time.Second)).Verify(sealed.PostAt(noon, "j2"))
		if err == nil || !strings.Contains(err.Message, want) {
			t.Errorf("after %d s it is %v, want %q", at, err, want)
		}
	}
	// The same jti of another key is another token; of the same key it is none.
	keys := []signing.Key{{Public: public(mine)}, {Public: public(other)}}
	two := verifier(t, keys...)
	for i, c := range []struct {
		key  ed25519.PrivateKey
		at   time.Time
		want string
	}{{mine, noon, ""}, {other, noon, ""}, {mine, noon.Add(20 * time.Second), "has been used"}} {
		sealed, err := signing.NewSigner(c.key, "shop").Seal([]byte(frame), "billing", nil)
		if err != nil {
			t.Fatal(err)
		}
		_, err = two.Verify(sealed.PostAt(c.at, "same"))
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Message, c.want) {
			t.Errorf("%d: %v, want %q", i, err, c.want)
		}
	}
}

func TestMemoryIsBounded(t *testing.T) {
	v, err := signing.NewVerifier("billing", []signing.Key{{Public: public(mine)}}, &signing.Options{Remember: 3})
	if err != nil {
		t.Fatal(err)
	}
	v.At(noon)
	sealed := seal(t, frame, ada)
	for i := range 5 {
		_, err := v.Verify(sealed.PostAt(noon, fmt.Sprint("j", i)))
		if full := err != nil && err.Code == kiterror.ServiceUnavailable; full != (i >= 3) || err != nil && !full {
			t.Errorf("the %d. is %v", i, err)
		}
	}
	if _, err := v.Verify(sealed.PostAt(noon, "j0")); err == nil || !strings.Contains(err.Message, "has been used") {
		t.Errorf("a full memory forgot: %v", err)
	}
	later := noon.Add(120 * time.Second)
	if _, err := v.At(later).Verify(sealed.PostAt(later, "j9")); err != nil {
		t.Error(err)
	}
	if n := v.Remembered(); n != 1 {
		t.Errorf("%d tokens are remembered, want the one of now", n)
	}
}

func TestClocksMayBeApart(t *testing.T) {
	for skew, cases := range map[time.Duration]map[int]bool{
		0:                {-90: false, -89: true, -60: true, 0: true, 30: true, 31: false},
		-1:               {-60: false, -59: true, 0: true, 1: false},
		10 * time.Second: {-70: false, -69: true, 10: true, 11: false},
	} {
		for apart, want := range cases {
			v, err := signing.NewVerifier("billing", []signing.Key{{Public: public(mine)}}, &signing.Options{ClockSkew: skew})
			if err != nil {
				t.Fatal(err)
			}
			_, fail := v.At(noon).Verify(seal(t, frame, ada).PostAt(noon.Add(time.Duration(apart)*time.Second), "j"))
			if (fail == nil) != want {
				t.Errorf("skew %v, signed %d s from now: %v", skew, apart, fail)
			}
		}
	}
}

// TestTokensBeforeTheProcessAreRefused: it has not seen what counted then.
func TestTokensBeforeTheProcessAreRefused(t *testing.T) {
	v := verifier(t).StartedAt(noon)
	_, err := v.Verify(seal(t, frame, ada).PostAt(noon.Add(-time.Second), "j1"))
	if err == nil || !strings.Contains(err.Message, "older than this process") {
		t.Errorf("it is %v", err)
	}
	if _, err := v.Verify(seal(t, frame, ada).PostAt(noon, "j2")); err != nil {
		t.Error(err)
	}
}

func TestNamesOfSenders(t *testing.T) {
	v := verifier(t, signing.Key{Public: public(mine), Sender: "shop"}, signing.Key{Public: public(other), Sender: "press"})
	for i, c := range []struct {
		key  ed25519.PrivateKey
		name string
		want string
	}{{mine, "shop", ""}, {other, "press", ""}, {other, "shop", "key of another sender"}} {
		sealed, err := signing.NewSigner(c.key, c.name).Seal([]byte(frame), "billing", nil)
		if err != nil {
			t.Fatal(err)
		}
		got, fail := v.Verify(sealed.PostAt(noon, fmt.Sprint("j", i)))
		switch {
		case c.want == "" && (fail != nil || got.Caller != c.name):
			t.Errorf("%s: %v, %v", c.name, got, fail)
		case c.want != "" && (fail == nil || !strings.Contains(fail.Message, c.want)):
			t.Errorf("%s: %v, want %q", c.name, fail, c.want)
		}
	}
	if _, err := signing.NewVerifier("billing", []signing.Key{{Public: public(mine), Sender: "a"}, {Public: public(mine), Sender: "b"}}, nil); err == nil {
		t.Error("one key under two names is taken")
	}
	if _, err := signing.NewVerifier("billing", nil, nil); err == nil {
		t.Error("no key is taken")
	}
}

func TestDiscoveryMayBeOpen(t *testing.T) {
	v, err := signing.NewVerifier("billing", []signing.Key{{Public: public(mine)}}, &signing.Options{OpenDiscovery: true})
	if err != nil {
		t.Fatal(err)
	}
	const discover = `{"jsonrpc":"2.0","id":1,"method":"rpc.discover","params":{"state":{"user":{"id":"root"}}}}`
	for post, open := range map[string]bool{discover: true, `[` + discover + `]`: false, `[` + discover + `,` + frame + `]`: false, frame: false} {
		got, err := v.Verify([]byte(post))
		if (err == nil) != open {
			t.Errorf("%s: %v", post, err)
		}
		if open && (got.Caller != "" || got.State != nil) {
			t.Errorf("somebody asks who did not sign: %+v", got)
		}
	}
}

// TestSealRefuses is what has no canonical text, and what is no JSON.
func TestSealRefuses(t *testing.T) {
	for _, post := range []string{`7`, `[]`, `[7]`, `{"params":[]}`, `{"a":"\ud800"}`, `{"a":"\udc00\ud800"}`, `{"\ud800":1}`, `{"a":1e999}`, `{"a":1,"a":1}`, `{`, ``} {
		if _, err := signing.NewSigner(mine, "shop").Seal([]byte(post), "billing", nil); err == nil || err.Code != kiterror.BadRequest {
			t.Errorf("%s: %v", post, err)
		}
	}
}

// TestSealRefusesStates that a verifier could not read.
func TestSealRefusesStates(t *testing.T) {
	for _, state := range []string{`[]`, `null`, `{`, ``, `{"a":1,"a":2}`, `{"a":` + strings.Repeat("[", 100) + strings.Repeat("]", 100) + `}`} {
		if _, err := signing.NewSigner(mine, "shop").Seal([]byte(frame), "billing", json.RawMessage(state)); err == nil || err.Code != kiterror.BadRequest {
			t.Errorf("%.20s: %v", state, err)
		}
	}
}

// TestEveryAttemptHasATokenOfItsOwn: a query that is sent again is no replay.
func TestEveryAttemptHasATokenOfItsOwn(t *testing.T) {
	v, err := signing.NewVerifier("billing", []signing.Key{{Public: public(mine)}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	sealed := seal(t, batch, ada)
	for range 3 {
		if _, err := v.Verify(sealed.Post()); err != nil {
			t.Error(err)
		}
	}
}
