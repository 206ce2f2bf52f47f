package gateway_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"testing"

	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/gateway"
	"github.com/frondhost/frond/gateway/extra/all"
)

func TestLeave(t *testing.T) {
	gone := &net.OpError{Op: "dial", Err: errors.New("refused")}
	for _, c := range []struct {
		err    error
		code   int
		stderr string
	}{
		{nil, gateway.ExitOK, ""},
		{errors.New("no such flag"), 2, "p: no such flag\n"},
		{errors.Join(errors.New("one"), errors.New("two")), 2, "p: this cannot start:\none\ntwo\n"},
		{fmt.Errorf("faults: %w", gateway.ErrReported), 2, ""},
		{gateway.Broken(errors.New("the listener failed")), 1, "p: the listener failed\n"},
		{kiterror.Errorf(kiterror.NotFound, "no row"), 1, `{"code":"NOT_FOUND","message":"no row"}` + "\n"},
		{kiterror.Errorf(kiterror.ServiceUnavailable, "no host: %w", gone), 3, `{"code":"SERVICE_UNAVAILABLE","message":"no host: dial: refused"}` + "\n"},
	} {
		var stderr bytes.Buffer
		if code := gateway.ExitCode("p", &stderr, c.err); code != c.code || stderr.String() != c.stderr {
			t.Errorf("%v: %d %q, want %d %q", c.err, code, stderr.String(), c.code, c.stderr)
		}
	}
}

// service is one that ends with an error.
type service struct{ err error }

func (s service) Run(context.Context) error { return s.err }

// TestServe: only an address that cannot be listened on is a failure to start.
func TestServe(t *testing.T) {
	for _, c := range []struct {
		err  error
		code int
	}{
		{nil, gateway.ExitOK},
		{fmt.Errorf("%w on :80", gateway.ErrListen), 2},
		{errors.New("cut off"), 1},
	} {
		code := gateway.Main("p", &bytes.Buffer{}, func(ctx context.Context) error { return gateway.Serve(ctx, service{c.err}) })
		if code != c.code {
			t.Errorf("%v: %d, want %d", c.err, code, c.code)
		}
	}
}

// TestFlagsAtFault: a fault repeats what a flag said, but nothing that may hold a password.
func TestFlagsAtFault(t *testing.T) {
	settings := gateway.Flags{Extras: all.Extras()}
	for _, flag := range settings.All("store", "mode") {
		switch flag.Name {
		case "store":
			flag.Set("postgres://shop:hunter2@db:x/shop")
		case "mode":
			flag.Set("prod")
		}
	}
	_, problems := settings.Read(t.TempDir(), nil, &bytes.Buffer{})
	text := fmt.Sprint(errors.Join(problems...))
	if !strings.Contains(text, "--store: cannot be this; the store's URL") || !strings.Contains(text, `--mode: cannot be "prod"; write`) || strings.Contains(text, "hunter2") {
		t.Error(text)
	}
}
