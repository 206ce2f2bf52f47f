package access_test

import (
	"testing"
	"testing/fstest"
	"time"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/access"
	"github.com/frondhost/frond/facade/compile"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/facade/project"
	"github.com/frondhost/frond/schema/jsontext"
)

func TestWhen(t *testing.T) {
	for _, c := range []struct {
		when  string
		state access.State
		want  bool
	}{
		{`user == nil`, nil, true},
		{`user == nil`, access.State{"user": map[string]any{}}, false},
		{`user == nil`, access.State{"user": "ada"}, true}, // what is no object is nobody
		{`user.role == "admin"`, nil, false},
		{`user.a.b.c == nil`, nil, true},
		{`user.claims["x"].y == 1`, access.State{"user": map[string]any{"claims": map[string]any{"x": map[string]any{"y": 1.0}}}}, true},
		{`"admin" in user.roles`, access.State{"user": map[string]any{"roles": []any{"admin"}}}, true},
		{`"admin" in user.roles`, access.State{"user": map[string]any{"roles": []string{"admin"}}}, true},
		{`"admin" in user.roles`, access.State{"user": map[string]any{}}, false},
		{`"admin" in user.roles`, nil, false},
		{`user.role in ["a", "b"]`, nil, false},
		{`user.role in ["a", "b"]`, access.State{"user": map[string]any{"role": 3}}, false},
		{`user.level in [1, 2]`, access.State{"user": map[string]any{"level": 2.0}}, true},
		{`user.admin`, access.State{"user": map[string]any{"admin": true}}, true},
		{`user.admin`, nil, false},
		{`state.locale == "de"`, access.State{"locale": "de"}, true},
		{`any(user.roles ?? [], # startsWith "ops:")`, access.State{"user": map[string]any{"roles": []any{"ops:eu"}}}, true},
		{`true`, nil, true},
	} {
		fronds, err := project.Read(fstest.MapFS{
			"entities/customer.yaml": {Data: []byte("type: object\nproperties:\n  id: {type: string, x-kit: {role: {primary: true}}}\n")},
			"frond.yaml":             {Data: append([]byte("collectors:\n  customer:\n    - when: "), jsontext.Quote(c.when)...)},
		})
		if err != nil {
			t.Fatal(err)
		}
		p, err := compile.Project(&facade.Project{Fronds: fronds}, nil)
		if err != nil {
			t.Fatal(err)
		}
		door := p.Catalog.Door("customer")
		_, err = access.ScopeOf(t.Context(), p.Collectors[door], time.Now, c.state, door, door.Operation("list"))
		if (err == nil) != c.want || kiterror.CodeOf(err) == kiterror.InternalError {
			t.Errorf("%s for %v: %v, want %v", c.when, c.state, err, c.want)
		}
	}
}
