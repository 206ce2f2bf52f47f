package facade_test

import (
	"errors"
	"testing"

	"github.com/frondhost/frond/facade"
)

// refused is a cause that knows how to say who is calling.
type refused struct{ error }

func (refused) Challenge() string { return `Bearer error="invalid_token"` }

func TestChallenge(t *testing.T) {
	knows := refused{errors.New("the token does not hold")}
	for _, c := range []struct {
		name string
		err  *facade.Error
		want string
	}{
		{"none", nil, ""},
		{"nobody is calling", facade.Errorf(facade.Unauthorized, "who is it"), "Bearer"},
		{"another cause", facade.Errorf(facade.Unauthorized, "%w", errors.New("x")), "Bearer"},
		{"a cause that knows better", facade.Errorf(facade.Unauthorized, "%w", knows), `Bearer error="invalid_token"`},
		{"with a place", facade.Errorf(facade.Unauthorized, "%w", knows).At("post", "list"), `Bearer error="invalid_token"`},
		{"of another code", facade.Errorf(facade.Forbidden, "%w", knows), ""},
	} {
		if got := c.err.Challenge(); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}
