package frond

import (
	"context"
	"slices"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/access"
	"github.com/frondhost/frond/gateway"
)

// State is a session's result about a caller; state.user is the user, and is absent for an
// anonymous one. Collectors read it, and remote Fronds are sent it, so it holds values that
// JSON has and no secrets.
type State = access.State

// SignedIn is the state of a user, for a [App.Session].
func SignedIn(id string, roles ...string) State {
	user := map[string]any{"id": id}
	if len(roles) > 0 {
		list := make([]any, len(roles)) // as JSON has it: a state may come over the wire
		for i, role := range roles {
			list[i] = role
		}
		user["roles"] = list
	}
	return State{"user": user}
}

// Identity is the user of a state: id, roles, scopes, tenant and claims, as far as they are
// known. Its methods take nil, which is an anonymous caller.
type Identity map[string]any

// User is the user whose call ctx belongs to, or nil.
func User(ctx context.Context) Identity { return Identity(facade.StateFrom(ctx).User()) }

// ID is the id of the user, or "".
func (u Identity) ID() string {
	id, _ := u["id"].(string)
	return id
}

// Is reports whether the user has a role.
func (u Identity) Is(role string) bool {
	switch roles := u["roles"].(type) {
	case []any:
		return slices.Contains(roles, any(role))
	case []string:
		return slices.Contains(roles, role)
	}
	return false
}

// As is ctx for a caller with this state: [From] and [Call] have that caller's rights. It
// takes the context of [Test], [App.Open] or a function of the program.
func As(ctx context.Context, state State) context.Context {
	s := &scene{state: state, as: true}
	if outer := sceneOf(ctx); outer != nil {
		s.app, s.host = outer.app, outer.host
	}
	return withScene(facade.WithState(ctx, state), s)
}

// scene is the content of a context of this package: the program, and the caller if it differs
// from the call's own.
type scene struct {
	app   *App          // nil: the context is none of this package's
	host  *gateway.Host // of Test and App.Open; else nil
	state State
	as    bool // state takes the place of the call's
}

type sceneKey struct{}

func withScene(ctx context.Context, s *scene) context.Context {
	return context.WithValue(ctx, sceneKey{}, s)
}

func sceneOf(ctx context.Context) *scene {
	s, _ := ctx.Value(sceneKey{}).(*scene)
	return s
}
