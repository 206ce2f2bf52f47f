package kiterror_test

import (
	"errors"
	"testing"

	"github.com/frondhost/frond/facade/kiterror"
)

// refused is a cause that knows how to say who is calling.
type refused struct{ error }

func (refused) Challenge() string { return `Bearer error="invalid_token"` }

func TestChallenge(t *testing.T) {
	knows := refused{errors.New("the token does not hold")}
	for _, c := range []struct {
		name string
		err  *kiterror.Error
		want string
	}{
		{"none", nil, ""},
		{"nobody is calling", kiterror.Errorf(kiterror.Unauthorized, "who is it"), "Bearer"},
		{"another cause", kiterror.Errorf(kiterror.Unauthorized, "%w", errors.New("x")), "Bearer"},
		{"a cause that knows better", kiterror.Errorf(kiterror.Unauthorized, "%w", knows), `Bearer error="invalid_token"`},
		{"with a place", kiterror.Errorf(kiterror.Unauthorized, "%w", knows).At("post", "list"), `Bearer error="invalid_token"`},
		{"of another code", kiterror.Errorf(kiterror.Forbidden, "%w", knows), ""},
	} {
		if got := c.err.Challenge(); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}
