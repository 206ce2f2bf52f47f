package identity

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/frondhost/frond/gateway/setting"
	"github.com/frondhost/frond/schema/jsontext"
)

// users makes state.user of the claims of a token:
//
//	id      a string; a token without one is refused
//	roles   a list of strings, empty for a token without roles
//	scopes  as roles
//	tenant  a string, or absent
//	claims  all claims, unchanged
//
// A claim of another type refuses the token: a rule about roles that met something else
// could have the opposite effect.
type users struct {
	id, roles, scopes, tenant []claimPath
}

// claimPath is the names that lead to a claim, outermost first.
type claimPath []string

var errClaimPath = errors.New("write a claim such as roles, realm_access.roles or the pointer /realm_access/roles")

// readClaimPath reads a path as [Claims] describes it.
//
//	sub                        [sub]
//	realm_access.roles         [realm_access roles]
//	/realm.access/roles        [realm.access roles]
//	https://login.example/id   one name: namespaced claims are addresses
func readClaimPath(text string) (claimPath, error) {
	var path claimPath
	switch {
	case strings.HasPrefix(text, "/"):
		for token := range strings.SplitSeq(text[1:], "/") {
			path = append(path, strings.NewReplacer("~1", "/", "~0", "~").Replace(token))
		}
	case strings.Contains(text, "://"):
		path = claimPath{text}
	default:
		path = strings.Split(text, ".")
	}
	if slices.Contains(path, "") {
		return nil, errClaimPath
	}
	return path, nil
}

// readClaimPaths reads the paths of one member of state.user. They stay texts in the settings,
// which are printed; [Claims.users] compiles them.
func readClaimPaths(text string) ([]string, error) {
	paths, err := setting.List(text)
	if err != nil {
		return nil, errClaimPath
	}
	for _, path := range paths {
		if _, err := readClaimPath(path); err != nil {
			return nil, err
		}
	}
	return paths, nil
}

// users compiles the paths of c. The error names the path that leads nowhere.
func (c *Claims) users() (u users, err error) {
	for _, part := range []struct {
		texts []string
		paths *[]claimPath
	}{{c.ID, &u.id}, {c.Roles, &u.roles}, {c.Scopes, &u.scopes}, {c.Tenant, &u.tenant}} {
		for _, text := range part.texts {
			path, err := readClaimPath(text)
			if err != nil {
				return users{}, fmt.Errorf("%q is no claim; %w", text, err)
			}
			*part.paths = append(*part.paths, path)
		}
	}
	return u, nil
}

// find is the claim at the first path that leads to something other than null, or nil. A null
// is skipped, as if the claim were absent.
func find(claims json.RawMessage, paths []claimPath) json.RawMessage {
	for _, path := range paths {
		v := claims
		for _, name := range path {
			v = jsontext.Get(v, name) // nil if v is no object
		}
		if v != nil && !jsontext.IsNull(v) {
			return v
		}
	}
	return nil
}

// Members are the members of state.user of a token's bearer.
func Members() []string { return []string{"id", "roles", "scopes", "tenant", "claims"} }

// of is state.user by verified claims. Every error refuses the token, without a value of the
// token in its text.
func (u *users) of(claims json.RawMessage) (map[string]any, error) {
	all, err := decodeClaims(claims)
	if err != nil {
		return nil, refuse("its claims hold a number that is out of range")
	}
	id, ok := jsontext.Text(find(claims, u.id))
	if !ok || id == "" {
		return nil, refuse("it does not say who the caller is")
	}
	user := map[string]any{"id": id, "roles": []any{}, "scopes": []any{}, "claims": all}
	for _, part := range []struct {
		name  string
		paths []claimPath
	}{{"roles", u.roles}, {"scopes", u.scopes}} {
		v := find(claims, part.paths)
		if v == nil {
			continue
		}
		texts, ok := textsOf(v)
		if !ok {
			return nil, refuse("its %s are not a list of texts", part.name)
		}
		if part.name == "scopes" && jsontext.KindOf(v) == jsontext.String {
			texts = strings.Fields(texts[0]) // RFC 8693, section 4.2
		}
		list := make([]any, len(texts))
		for i, text := range texts {
			list[i] = text
		}
		user[part.name] = list
	}
	if v := find(claims, u.tenant); v != nil {
		tenant, ok := jsontext.Text(v)
		if !ok || tenant == "" {
			return nil, refuse("its tenant is no text")
		}
		user["tenant"] = tenant
	}
	return user, nil
}

// decodeClaims decodes claims as Go values for the state. Integers stay exact: an account
// 9007199254740993 must not become 9007199254740992.
func decodeClaims(claims json.RawMessage) (any, error) {
	dec := json.NewDecoder(bytes.NewReader(claims))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		return nil, err
	}
	return plainNumbers(v)
}

// plainNumbers replaces each json.Number in a decoded value: an integer by int64, another by
// float64. It changes maps and lists in place. The error is a number beyond float64, such as
// 1e999.
func plainNumbers(v any) (any, error) {
	var err error
	switch v := v.(type) {
	case json.Number:
		if n, err := v.Int64(); err == nil {
			return n, nil
		}
		return v.Float64()
	case map[string]any:
		for name := range v {
			if v[name], err = plainNumbers(v[name]); err != nil {
				return nil, err
			}
		}
	case []any:
		for i := range v {
			if v[i], err = plainNumbers(v[i]); err != nil {
				return nil, err
			}
		}
	}
	return v, nil
}
