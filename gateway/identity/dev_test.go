package identity

import (
	"log/slog"
	"net/http/httptest"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/frondhost/frond/facade/access"
	"github.com/frondhost/frond/facade/kiterror"
)

// TestTokensWithoutAnIssuer: a bearer token is an invalid credential where nothing can check it.
func TestTokensWithoutAnIssuer(t *testing.T) {
	for name, config := range map[string]*Config{"no identity": {}, "dev identity": {Dev: true}} {
		t.Run(name, func(t *testing.T) {
			auth, err := New(config, Keys{}, slog.New(slog.DiscardHandler))
			if err != nil {
				t.Fatal(err)
			}
			r := httptest.NewRequest("GET", "/", nil)
			if state, err := auth.Session(r); state != nil || err != nil {
				t.Errorf("without a credential the caller is %v, %v; want anonymous", state, err)
			}
			r.Header.Set("Authorization", "bearer abc")
			if _, err := auth.Session(r); kiterror.CodeOf(err) != kiterror.Unauthorized {
				t.Errorf("a bearer token answers %v; want UNAUTHORIZED", err)
			}
			r.Header.Set("Authorization", "Basic abc") // a proxy in front may use other schemes
			if _, err := auth.Session(r); err != nil {
				t.Errorf("another scheme answers %v; want anonymous", err)
			}
		})
	}
}

func TestDevSession(t *testing.T) {
	for _, c := range []struct {
		name   string
		from   string
		header []string
		want   access.State
		code   kiterror.Code
	}{
		{"no header is nobody", "127.0.0.1:5", nil, nil, ""},
		{"a user", "127.0.0.1:5", []string{`{"id":"ada","roles":["admin"]}`}, access.State{"user": map[string]any{"id": "ada", "roles": []any{"admin"}}}, ""},
		{"a user over the other loopback", "[::1]:5", []string{`{"id":"ada"}`}, access.State{"user": map[string]any{"id": "ada"}}, ""},
		{"nobody from a network", "10.0.0.1:5", nil, nil, ""},
		{"a user from a network", "10.0.0.1:5", []string{`{"id":"ada"}`}, nil, kiterror.Unauthorized},
		{"an empty header", "127.0.0.1:5", []string{""}, nil, kiterror.Unauthorized},
		{"no object", "127.0.0.1:5", []string{`"ada"`}, nil, kiterror.Unauthorized},
		{"null", "127.0.0.1:5", []string{`null`}, nil, kiterror.Unauthorized},
		{"a key twice", "127.0.0.1:5", []string{`{"id":"ada","id":"bob"}`}, nil, kiterror.Unauthorized},
		{"roles as a text", "127.0.0.1:5", []string{`{"id":"ada","roles":"staff"}`}, nil, kiterror.BadRequest},
		{"scopes of numbers", "127.0.0.1:5", []string{`{"id":"ada","scopes":[1]}`}, nil, kiterror.BadRequest},
		{"no roles", "127.0.0.1:5", []string{`{"id":"ada","roles":null}`}, access.State{"user": map[string]any{"id": "ada", "roles": nil}}, ""},
		{"two headers", "127.0.0.1:5", []string{`{"id":"ada"}`, `{"id":"bob"}`}, nil, kiterror.Unauthorized},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := httptest.NewRequest("GET", "/", nil)
			r.RemoteAddr = c.from
			r.Header[DevHeader] = c.header
			got, err := devSession(r)
			if kiterror.CodeOf(err) != c.code {
				t.Errorf("code %q (%v), want %q", kiterror.CodeOf(err), err, c.code)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}
