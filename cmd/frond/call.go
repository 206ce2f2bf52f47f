package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/frondhost/frond/envelope"
	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/gateway"
)

// newCall is frond call. The exit code is 1 if the operation fails, 3 if a host cannot be
// reached (docs/gateway.md).
//
//	stdout   the result as JSON
//	stderr   a failure: the whole KitError as JSON
//	0        the operation answered
//	1        it failed, here or at the host
//	2        wrong arguments, or a project at fault
//	3        no host answered
func newCall(s *shell) *cobra.Command {
	cmd := newCommand("call", 1, -1, "an operation and its values")
	c := addTarget(s, cmd)
	cmd.Flags().StringVar(&c.body, "body", "", "the whole body: @FILE, - for stdin, or JSON")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		prepared, target, err := c.prepare(cmd.Context(), s, args)
		if err != nil {
			return err
		}
		// prepare has closed it where it failed.
		defer target.close()
		// The document is not a result of a façade, so it is written unchanged.
		if args[0] == envelope.Discover {
			text, err := target.discover(cmd.Context())
			if err != nil {
				return err
			}
			return s.write(text)
		}
		result, err := target.Call(cmd.Context(), prepared)
		if err != nil {
			// A *facade.Error is what gateway.Main writes as a KitError, with exit code 1 or 3.
			return kiterror.AsError(err)
		}
		return s.write(result.AppendJSON(nil))
	}
	return cmd
}

// callSettings are the keys of the settings of commands that make one call. Those of surfaces
// are not among them: a call passes none.
var callSettings = []string{"store", "remotes", "vendor", "limits.list.default", "limits.list.max", "log.level"}

// pendingCall holds the flags of a command that makes one call. explain has neither url nor
// headers: a call inside another host cannot be explained from here.
type pendingCall struct {
	settings         *settings
	url, state, body string
	headers          []string
}

// addTarget adds the flags that say what answers the calls of a command, and for whom.
func addTarget(s *shell, cmd *cobra.Command) *pendingCall {
	c := &pendingCall{settings: addSettings(s, cmd, callSettings...)}
	flags := cmd.Flags()
	flags.StringVar(&c.settings.dir, "dir", ".", "the project's folder, to call in this process")
	flags.StringVar(&c.url, "url", "", "the address of a host, to call over HTTP instead")
	flags.StringVar(&c.state, "state", "", `the caller's state as JSON, such as {"user":{"id":"ada"}}; a gateway at --url takes no state and asks for a header`)
	flags.StringArrayVar(&c.headers, "header", nil, `a header for the host at --url, such as "Authorization: Bearer …"`)
	cmd.MarkFlagsMutuallyExclusive("dir", "url")
	return c
}

// prepare reads the arguments of a call and opens what answers it; the caller closes that.
//
// Arguments, state and body are read before anything is opened, so that a mistake in them
// costs no start. The target is nil where there is an error.
func (c *pendingCall) prepare(ctx context.Context, s *shell, args []string) (*facade.Call, *target, error) {
	entity, operation, ok := strings.Cut(args[0], ".")
	if !ok || entity == "" || operation == "" {
		return nil, nil, fmt.Errorf("%q names no operation; write an entity, a dot and an operation, such as product.list", args[0])
	}
	given, err := parseValues(args[1:])
	if err != nil {
		return nil, nil, err
	}
	prepared := &facade.Call{Entity: entity, Operation: operation}
	if prepared.Invocation.State, err = readState(c.state); err != nil {
		return nil, nil, err
	}
	if c.body != "" {
		if prepared.Invocation.Body, err = readBody(c.body, s.in); err != nil {
			return nil, nil, err
		}
	}
	target, err := c.open(ctx, s)
	// rpc.discover is not an operation of a door and has no places.
	if err != nil || args[0] == envelope.Discover {
		return prepared, target, err
	}
	places, err := target.places(ctx, entity, operation)
	if err == nil {
		err = places.fill(&prepared.Invocation, given)
	}
	if err != nil {
		target.close()
		return nil, nil, err
	}
	return prepared, target, nil
}

// open opens the host at --url, or the project in --dir. A project is opened without surfaces
// and listens nowhere.
func (c *pendingCall) open(ctx context.Context, s *shell) (*target, error) {
	if c.url != "" {
		headers, err := readHeaders(c.headers)
		if err != nil {
			return nil, err
		}
		return remoteTarget(c.url, headers)
	}
	// A call in this process has no headers; ignoring them would hide that the call is
	// anonymous.
	if len(c.headers) > 0 {
		return nil, errors.New("--header is for a host at --url; name the caller of a local call with --state")
	}
	project, config, err := c.settings.load() //nolint:contextcheck // compiling a project does not wait
	if err != nil {
		return nil, err
	}
	// --state may claim to be anyone, so doors that are open to everybody need no warning.
	host, err := gateway.Open(ctx, project, &gateway.Options{Config: *config, Logger: s.logger(config), Undecided: true})
	if err != nil {
		return nil, err
	}
	return localTarget(host), nil
}
