package signing_test

import (
	"strings"
	"testing"

	"github.com/frondhost/frond/envelope/signing"
	"github.com/frondhost/frond/facade/kiterror"
)

const (
	factsPath = "/_kit/facts"
	someQuery = "after=17&names=orderPlaced%2CorderShipped"
)

// authorized is the header of a GET of facts as I sign it at noon.
func authorized(t *testing.T, path, query, frond string) string {
	t.Helper()
	header, err := signing.NewSigner(mine, "shop").AuthorizeAt(signing.Request{Method: "GET", Path: path, Query: query}, frond, nil, noon, "j1")
	if err != nil {
		t.Fatal(err)
	}
	return header
}

// TestGet: the token of a GET holds for its path and query, for its Frond, once.
func TestGet(t *testing.T) {
	v := verifier(t)
	header := authorized(t, factsPath, someQuery, "billing")
	call, err := v.VerifyRequest(signing.Request{Method: "GET", Path: factsPath, Query: someQuery}, header)
	if err != nil {
		t.Fatal(err)
	}
	if call.Caller != "shop" || call.State == nil || call.State.User() != nil {
		t.Errorf("the token says %+v", call)
	}
	if _, err := v.VerifyRequest(signing.Request{Method: "GET", Path: factsPath, Query: someQuery}, header); err == nil || !strings.Contains(err.Message, "has been used") {
		t.Errorf("a second time: %v", err)
	}
	if _, err := verifier(t).VerifyRequest(signing.Request{Method: "GET", Path: factsPath, Query: someQuery}, "kit-call "+strings.TrimPrefix(header, "Kit-Call ")); err != nil {
		t.Errorf("a scheme is compared without regard to case: %v", err)
	}
}

func TestRefusedGet(t *testing.T) {
	post := tokenOf(t, signed(t, `{"jsonrpc":"2.0","id":1,"method":"rpc.discover"}`, `{}`))
	get := authorized(t, factsPath, someQuery, "billing")
	for _, c := range []struct{ name, path, query, header, message string }{
		{"no header", factsPath, someQuery, "", "is not signed"},
		{"another scheme", factsPath, someQuery, "Bearer abc", "is not signed"},
		{"a scheme alone", factsPath, someQuery, "Kit-Call", "is not signed"},
		{"another query", factsPath, "after=16", get, "not the one that was signed"},
		{"a parameter more", factsPath, someQuery + "&limit=1", get, "not the one that was signed"},
		{"another path", "/_kit/call", someQuery, get, "not the one that was signed"},
		{"the token of a post", factsPath, someQuery, "Kit-Call " + post, "not the one that was signed"},
		{"another Frond", factsPath, someQuery, authorized(t, factsPath, someQuery, "catalog"), "for another Frond"},
		{"no token", factsPath, someQuery, "Kit-Call x", "three parts"},
	} {
		_, err := verifier(t).VerifyRequest(signing.Request{Method: "GET", Path: c.path, Query: c.query}, c.header)
		if err == nil || err.Code != kiterror.Unauthorized || !strings.Contains(err.Message, c.message) || err.Challenge() != signing.Challenge {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	if _, err := verifier(t).Verify([]byte(carry(t, `{"jsonrpc":"2.0","id":1,"method":"rpc.discover"}`, strings.TrimPrefix(get, "Kit-Call ")))); err == nil {
		t.Error("the token of a GET holds for a post")
	}
}

// TestGetDigest: the vector of docs/signed-calls.md.
func TestGetDigest(t *testing.T) {
	const want = "r381pkSvM5mGQZyGcEgUOnvHpek98-6kDR7PpY4CvnM"
	if got := signing.RequestDigest(signing.Request{Method: "GET", Path: factsPath, Query: "after=17&limit=100"}); got != want {
		t.Errorf("the digest is %s, want %s", got, want)
	}
}
