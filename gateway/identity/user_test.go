package identity_test

import (
	"log/slog"
	"net/http/httptest"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/frondhost/frond/facade/access"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/gateway/identity"
	"github.com/frondhost/frond/gateway/identity/tokentest"
)

func TestUsers(t *testing.T) {
	ed := tokentest.EdDSA("ed")
	for _, c := range []struct {
		name   string
		claims identity.Claims
		token  string           // JSON of the claims beside iss, aud and exp
		want   tokentest.Object // nil: refused
	}{
		{"sub alone", identity.Claims{}, `"sub":"ada"`, tokentest.Object{"id": "ada", "roles": []any{}, "scopes": []any{}}},
		{
			"the usual ones",
			identity.Claims{},
			`"sub":"ada","roles":["a","b"],"scope":"r w","tenant":"north"`,
			tokentest.Object{"id": "ada", "roles": []any{"a", "b"}, "scopes": []any{"r", "w"}, "tenant": "north"},
		},
		{"one role", identity.Claims{}, `"sub":"ada","roles":"Global Admin"`, tokentest.Object{"id": "ada", "roles": []any{"Global Admin"}, "scopes": []any{}}},
		{"scopes in a list", identity.Claims{}, `"sub":"ada","scp":["r","w x"]`, tokentest.Object{"id": "ada", "roles": []any{}, "scopes": []any{"r", "w x"}}},
		{"scp in a text", identity.Claims{}, `"sub":"ada","scp":"r w"`, tokentest.Object{"id": "ada", "roles": []any{}, "scopes": []any{"r", "w"}}},
		{"scope comes before scp", identity.Claims{}, `"sub":"ada","scp":["b"],"scope":"a"`, tokentest.Object{"id": "ada", "roles": []any{}, "scopes": []any{"a"}}},
		{"no scope at all is none", identity.Claims{}, `"sub":"ada","scope":"  "`, tokentest.Object{"id": "ada", "roles": []any{}, "scopes": []any{}}},
		{"null is not there", identity.Claims{}, `"sub":"ada","roles":null,"tenant":null,"scope":null,"scp":["a"]`, tokentest.Object{"id": "ada", "roles": []any{}, "scopes": []any{"a"}}},
		{
			"further in",
			identity.Claims{Roles: []string{"realm_access.roles"}, Tenant: []string{"/org/0", "/org/id"}},
			`"sub":"ada","realm_access":{"roles":["a"]},"org":{"id":"n"}`,
			tokentest.Object{"id": "ada", "roles": []any{"a"}, "scopes": []any{}, "tenant": "n"},
		},
		{
			"a name with dots and slashes",
			identity.Claims{Roles: []string{"https://shop.example/roles"}, Tenant: []string{"/a~1b~0.c"}},
			`"sub":"ada","https://shop.example/roles":["a"],"a/b~.c":"n"`,
			tokentest.Object{"id": "ada", "roles": []any{"a"}, "scopes": []any{}, "tenant": "n"},
		},
		{"a name with dots is not the path", identity.Claims{Roles: []string{"a.b"}}, `"sub":"ada","a.b":["admin"]`, tokentest.Object{"id": "ada", "roles": []any{}, "scopes": []any{}}},
		{"a path through no object", identity.Claims{Roles: []string{"a.b"}}, `"sub":"ada","a":["b"]`, tokentest.Object{"id": "ada", "roles": []any{}, "scopes": []any{}}},
		{"the first of several", identity.Claims{ID: []string{"client_id", "sub"}}, `"sub":"ada","client_id":"robot"`, tokentest.Object{"id": "robot", "roles": []any{}, "scopes": []any{}}},
		{"the second, without the first", identity.Claims{ID: []string{"client_id", "sub"}}, `"sub":"ada"`, tokentest.Object{"id": "ada", "roles": []any{}, "scopes": []any{}}},

		{"nobody", identity.Claims{}, `"roles":["admin"]`, nil},
		{"nobody by that name", identity.Claims{ID: []string{"email"}}, `"sub":"ada"`, nil},
		{"a number for a name", identity.Claims{}, `"sub":7`, nil},
		{"a number, and a name behind it", identity.Claims{ID: []string{"uid", "sub"}}, `"sub":"ada","uid":7`, nil},
		{"an empty name", identity.Claims{}, `"sub":""`, nil},
		{"roles in a map", identity.Claims{}, `"sub":"ada","roles":{"admin":true}`, nil},
		{"roles that are true", identity.Claims{}, `"sub":"ada","roles":true`, nil},
		{"roles within roles", identity.Claims{}, `"sub":"ada","roles":[["admin"]]`, nil},
		{"roles with a null", identity.Claims{}, `"sub":"ada","roles":["admin",null]`, nil},
		{"scopes by number", identity.Claims{}, `"sub":"ada","scope":1`, nil},
		{"a tenant by number", identity.Claims{}, `"sub":"ada","tenant":1`, nil},
		{"an empty tenant", identity.Claims{}, `"sub":"ada","tenant":""`, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			state, err := call(t, ed, c.claims, c.token)
			if c.want == nil {
				wantCode(t, err, kiterror.Unauthorized, c.token)
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, tokentest.User(state.User())); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if len(state) != 1 {
				t.Errorf("the state holds %v", state)
			}
		})
	}
}

// All claims come along as they are, and no number becomes another.
func TestClaimsComeAlong(t *testing.T) {
	state, err := call(t, tokentest.EdDSA("ed"), identity.Claims{}, `"sub":"ada","account":9007199254740993,"deep":[{"level":-3,"rate":0.5,"big":1e30}],"on":true,"off":null`)
	if err != nil {
		t.Fatal(err)
	}
	want := tokentest.Object{
		"iss": tokentest.Issuer, "aud": tokentest.Audience, "exp": int64(4000000000), "sub": "ada", "account": int64(9007199254740993),
		"deep": []any{tokentest.Object{"level": int64(-3), "rate": 0.5, "big": 1e30}}, "on": true, "off": nil,
	}
	if diff := cmp.Diff(want, state.User()["claims"]); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// call is who a session makes of a token with these claims.
func call(t *testing.T, s tokentest.Signer, claims identity.Claims, body string) (access.State, error) {
	t.Helper()
	session, shut, err := identity.SessionOf(identity.Config{
		Issuer: tokentest.Issuer, Audience: []string{tokentest.Audience}, Algorithms: []string{s.Alg}, Keys: []string{string(tokentest.Text(s.JWK()))}, Claims: claims,
	}, "", nil, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	defer shut()
	r := httptest.NewRequest("GET", "/", nil)
	r.Header.Set("Authorization", "Bearer "+tokentest.Join(tokentest.Text(tokentest.Object{"alg": s.Alg, "kid": s.Kid}), []byte(`{"iss":"`+tokentest.Issuer+`","aud":"`+tokentest.Audience+`","exp":4000000000,`+body+`}`), s.Sign))
	return session(r)
}
