package signing_test

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/frondhost/frond/envelope/signing"
	"github.com/frondhost/frond/schema/jsontext"
)

// FuzzVerify changes posts that were signed: whatever is done to one, it is refused
// or says still what was signed.
func FuzzVerify(f *testing.F) {
	digests := map[string]bool{}
	for _, post := range []string{
		frame, batch, `{"jsonrpc":"2.0","id":7,"method":"rpc.discover"}`,
		`{"jsonrpc":"2.0","id":"é","method":"a.b","params":{"body":{"n":[1.50,9007199254740993,1e21],"s":"\u00e9\ud83d\ude00"},"query":{}}}`,
	} {
		whole := []byte(signed(f, post, ada))
		digest, err := signing.Digest(whole)
		if err != nil {
			f.Fatal(err)
		}
		digests[digest] = true
		f.Add(whole)
	}
	f.Fuzz(func(t *testing.T, post []byte) {
		if jsontext.Check(post) != nil {
			return
		}
		call, fail := verifier(t).Verify(post)
		if fail != nil {
			return
		}
		digest, err := signing.Digest(post)
		if err != nil || !digests[digest] {
			t.Errorf("%s holds, and nobody has signed it (%v)", post, err)
		}
		if call.Caller != "shop" || call.State.User()["id"] != "ada" || len(call.State) != 1 {
			t.Errorf("%s says %+v", post, call)
		}
	})
}

// FuzzToken signs any header and claims, and holds what is taken against the table
// of docs/signed-calls.md, read another way.
func FuzzToken(f *testing.F) {
	f.Add(marshal(f, header()), marshal(f, claims(f)))
	f.Add(`{"alg":"none"}`, `{}`)
	f.Add(marshal(f, with(header(), "crit", []string{"exp"})), marshal(f, with(claims(f), "exp", 1e12)))
	f.Add(marshal(f, header()), strings.Replace(marshal(f, claims(f)), `"iat"`, `"nbf":1,"iat"`, 1))
	f.Add(strings.Replace(marshal(f, header()), `"alg"`, `"\u0061lg"`, 1), strings.Replace(marshal(f, claims(f)), "1790000000", "1790000000.0", 1))
	whole := signed(f, frame, ada)
	was := tokenOf(f, whole)
	digest := claims(f)["call"]
	f.Fuzz(func(t *testing.T, head, body string) {
		post := strings.Replace(whole, was, token(head, body, byMe), 1)
		call, fail := verifier(t).Verify([]byte(post))
		var h map[string]string
		var c map[string]any
		if fail != nil {
			return
		}
		if json.Unmarshal([]byte(head), &h) != nil || len(h) != 3 || h["alg"] != "EdDSA" || h["typ"] != signing.Type || h["kid"] != signing.KeyID(public(mine)) {
			t.Errorf("the header %s is taken", head)
		}
		if err := json.Unmarshal([]byte(body), &c); err != nil {
			t.Fatalf("the claims %s are taken: %v", body, err)
		}
		iss, _ := c["iss"].(string)
		jti, _ := c["jti"].(string)
		iat, _ := c["iat"].(float64)
		exp, _ := c["exp"].(float64)
		state, _ := c["state"].(map[string]any)
		now := float64(noon.Unix())
		if iat != math.Trunc(iat) || exp != math.Trunc(exp) || exp <= iat || exp > iat+60 || iat > now+30 || exp+30 <= now ||
			iss == "" || c["aud"] != "billing" || jti == "" || c["call"] != digest || state == nil || call.Caller != iss {
			t.Errorf("the claims %s are taken", body)
		}
	})
}
