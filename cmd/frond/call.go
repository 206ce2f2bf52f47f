package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/frondhost/frond/envelope/wire"
	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/gateway"
	"github.com/frondhost/frond/schema/jsontext"
)

func newCall(s *shell) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "call ENTITY.OP [NAME=TEXT | NAME:=JSON | NAME=@FILE]...",
		Short: "Call an operation, here or at an address",
		Long: `Call one operation of the project in --dir, or of the host at --url. What it
answers is on stdout as JSON; a failure is on stderr, the whole KitError as JSON.

name=text is a string, name:=json anything else; with @ the value is in a file.
Dots go down: filter.price.gte:=10. Each value is put where the operation's
cards say it belongs: params, query or body.

rpc.discover is an operation too: it answers what is served.`,
		Example: "  frond call product.list limit:=3 --dir examples/shop\n" +
			"  frond call product.findById id=p1 --url http://127.0.0.1:8080\n" +
			"  frond call product.create --body @product.json --dir examples/shop",
		Args: arguments(1, -1, "an operation and its values"),
	}
	var opts callOptions
	flags := cmd.Flags()
	flags.StringVar(&opts.dir, "dir", ".", "the project's folder, to call in this process")
	flags.StringVar(&opts.url, "url", "", "the address of a host, to call over JSON-RPC instead")
	flags.StringVar(&opts.state, "state", "", `the caller's state as JSON, such as {"user":{"id":"ada"}}; a gateway at --url takes no state and asks for a header`)
	flags.StringArrayVar(&opts.headers, "header", nil, `a header for the host at --url, such as "Authorization: Bearer …"`)
	flags.StringVar(&opts.body, "body", "", "the whole body: @FILE, - for what is piped in, or JSON")
	settings := addSettings(cmd, "store", "remotes", "vendor", "limits.list.default", "limits.list.max", "log.level")
	cmd.MarkFlagsMutuallyExclusive("dir", "url")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		return s.call(cmd.Context(), settings, &opts, args)
	}
	return cmd
}

type callOptions struct {
	dir, url, state, body string
	headers               []string
}

func (s *shell) call(ctx context.Context, settings *settings, opts *callOptions, args []string) error {
	call, host, err := s.prepare(ctx, settings, opts, args)
	if err != nil {
		return err
	}
	defer host.close()
	if args[0] == wire.Discover {
		text, err := host.discover(ctx)
		if err != nil {
			return err
		}
		return s.write(text)
	}
	result, err := host.caller.Call(ctx, call)
	if err != nil {
		return facade.AsError(err)
	}
	return s.write(result.AppendJSON(nil))
}

// prepare reads the arguments of a call and opens what answers it; whoever called
// closes that.
func (s *shell) prepare(ctx context.Context, settings *settings, opts *callOptions, args []string) (*facade.Call, *callee, error) {
	entity, operation, ok := strings.Cut(args[0], ".")
	if !ok || entity == "" || operation == "" {
		return nil, nil, fmt.Errorf("%q names no operation; write an entity, a dot and an operation, such as product.list", args[0])
	}
	given, err := parseValues(args[1:])
	if err != nil {
		return nil, nil, err
	}
	call := &facade.Call{Entity: entity, Operation: operation}
	if call.Invocation.State, err = readState(opts.state); err != nil {
		return nil, nil, err
	}
	if opts.body != "" {
		if call.Invocation.Body, err = readBody(opts.body, s.in); err != nil {
			return nil, nil, err
		}
	}
	host, err := s.open(ctx, settings, opts)
	if err != nil || args[0] == wire.Discover {
		return call, host, err
	}
	where, err := host.places(ctx, entity, operation)
	if err == nil {
		err = where.fill(&call.Invocation, given)
	}
	if err != nil {
		host.close()
		return nil, nil, err
	}
	return call, host, nil
}

func readState(text string) (facade.State, error) {
	if text == "" {
		return nil, nil
	}
	var state facade.State
	if jsontext.Check([]byte(text)) != nil || json.Unmarshal([]byte(text), &state) != nil || state == nil {
		return nil, fmt.Errorf(`--state is not a JSON object; write such as '{"user":{"id":"ada"}}'`)
	}
	return state, nil
}

// callee is what answers the calls of one `frond call`.
type callee struct {
	caller   facade.Caller
	discover func(context.Context) (json.RawMessage, error)
	places   func(ctx context.Context, entity, operation string) (*places, error)
	close    func()
}

func (s *shell) open(ctx context.Context, settings *settings, opts *callOptions) (*callee, error) {
	if opts.url != "" {
		headers, err := readHeaders(opts.headers)
		if err != nil {
			return nil, err
		}
		return far(opts.url, headers)
	}
	if len(opts.headers) > 0 {
		return nil, errors.New("--header is for a host at --url; here, say who calls with --state")
	}
	project, config, err := settings.load(s, opts.dir)
	if err != nil {
		return nil, err
	}
	// Who types this may say to be anyone: what is open to everybody is no news here.
	host, err := gateway.Open(ctx, project, &gateway.Options{Config: *config, Logger: s.quiet(config), Undecided: true})
	if err != nil {
		return nil, err
	}
	return near(host), nil
}
