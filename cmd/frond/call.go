package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/frondhost/frond/envelope"
	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/access"
	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/gateway"
	"github.com/frondhost/frond/schema/jsontext"
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
	cmd.Flags().BoolVar(&c.words.Rehearse, "rehearse", false, "make the command and undo it: print its changes, and a token to approve them")
	cmd.Flags().StringVar(&c.words.Approve, "approve", "", "the token of a rehearsal: write if the changes are still the same")
	cmd.MarkFlagsMutuallyExclusive("rehearse", "approve")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		prepared, target, err := c.prepare(cmd.Context(), s, args)
		if err != nil {
			return err
		}
		// prepare has closed it after a failure.
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

// callSettings are the keys of the settings of commands that make one call. A call passes no
// surface, so the settings of surfaces are left out.
var callSettings = []string{"store", "remotes", "vendor", "limits.list.default", "limits.list.max", "log.level"}

// pendingCall holds the flags of a command that makes one call. explain has neither url nor
// headers: a call inside another host cannot be explained from here.
type pendingCall struct {
	settings         *settings
	url, state, body string
	headers          []string
	words            catalog.Words
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
// Arguments, state and body are read before anything is opened, so that a mistake in them costs
// no start. The target is nil after an error.
func (c *pendingCall) prepare(ctx context.Context, s *shell, args []string) (*facade.Call, *target, error) {
	entity, operation, ok := strings.Cut(args[0], ".")
	if !ok || entity == "" || operation == "" {
		return nil, nil, fmt.Errorf("%q names no operation; write ENTITY.OPERATION, such as product.list", args[0])
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
	for _, m := range c.words.Members() {
		prepared.Invocation.Query = jsontext.With(prepared.Invocation.Query, m.Name, m.Value)
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
		return nil, errors.New("--header is for a host at --url; a local call takes --state")
	}
	project, config, err := c.settings.load() //nolint:contextcheck // compiling a project does not wait
	if err != nil {
		return nil, err
	}
	// --state may claim to be anyone, so open doors need no warning.
	host, err := gateway.Open(ctx, project, &gateway.Options{Config: *config, Logger: s.logger(config), Undecided: true})
	if err != nil {
		return nil, err
	}
	return localTarget(host), nil
}

// values are the values that a call's arguments give, as a tree in the order in which they were
// written. The zero value is empty. An argument is written as in HTTPie:
//
//	name=text        a string
//	name:=json       any JSON: a number, true, null, a list, an object
//	name=@file       the file's text, as a string
//	name:=@file      the file's JSON
//
// Dots in a name go down: filter.price.gte:=10 is {"filter":{"price":{"gte":10}}}.
type values struct {
	names []string
	below map[string]*node
}

// node is a value, or the values below a name.
type node struct {
	text json.RawMessage // nil where there are values below
	values
}

// parseValues parses arguments, and reads the files that they name. The error says what
// to write instead.
func parseValues(args []string) (*values, error) {
	v := &values{}
	for _, arg := range args {
		path, text, err := parseValue(arg)
		if err != nil {
			return nil, err
		}
		if err := v.put(path, text); err != nil {
			return nil, err
		}
	}
	return v, nil
}

// parseValue parses one argument into the path of its name and its JSON.
//
//	id=p1                  [id], "p1"
//	filter.price.gte:=10   [filter price gte], 10
//	note=a=b               [note], "a=b": the first = counts
func parseValue(arg string) (path []string, text json.RawMessage, err error) {
	name, rest, found := strings.Cut(arg, "=")
	name, raw := strings.CutSuffix(name, ":")
	if !found || name == "" {
		return nil, nil, fmt.Errorf("%q gives no value; write name=text or name:=json", arg)
	}
	path = strings.Split(name, ".")
	if slices.Contains(path, "") {
		return nil, nil, fmt.Errorf("%q has an empty name between its dots; write such as filter.price.gte:=10", name)
	}
	text = json.RawMessage(rest)
	if file, ok := strings.CutPrefix(rest, "@"); ok {
		if text, err = os.ReadFile(file); err != nil {
			return nil, nil, fmt.Errorf("%s: the file cannot be read (%w); name one that can be", name, err)
		}
	}
	if !utf8.ValidString(name) || !raw && !utf8.Valid(text) {
		return nil, nil, fmt.Errorf("%q is not UTF-8; write it as UTF-8", name)
	}
	if !raw {
		return path, jsontext.Quote(string(text)), nil
	}
	if err := jsontext.Check(text); err != nil {
		return nil, nil, fmt.Errorf("%s is not JSON: %w; write %s=%s for a string, or quote it: '%s:=[\"a\"]'", name, err, name, rest, name)
	}
	return path, jsontext.Trim(text), nil
}

// put adds a value at a path. A value below a value is refused: a=1 with a.b=2 has no JSON.
func (v *values) put(path []string, text json.RawMessage) error {
	for i, word := range path {
		last := i == len(path)-1
		n := v.below[word]
		if n != nil && (last || n.text != nil) {
			return fmt.Errorf("%s is given twice; write it once", strings.Join(path[:i+1], "."))
		}
		if n == nil {
			n = &node{}
			if v.below == nil {
				v.below = map[string]*node{}
			}
			v.below[word] = n
			v.names = append(v.names, word)
		}
		if last {
			n.text = text
		}
		v = &n.values
	}
	return nil
}

// appendJSON appends the values for which keep is true as an object; a nil keep is true
// for all.
func (v *values) appendJSON(dst []byte, keep func(name string) bool) []byte {
	dst = append(dst, '{')
	first := true
	for _, name := range v.names {
		if keep != nil && !keep(name) {
			continue
		}
		if !first {
			dst = append(dst, ',')
		}
		first = false
		dst = v.appendValue(jsontext.AppendName(dst, name), name)
	}
	return append(dst, '}')
}

// appendValue appends the value of a name that is there.
func (v *values) appendValue(dst []byte, name string) []byte {
	n := v.below[name]
	if n.text != nil {
		return append(dst, n.text...)
	}
	return n.appendJSON(dst, nil)
}

// readBody reads the argument of --body: @file, - for stdin, or the JSON itself.
func readBody(arg string, stdin io.Reader) (json.RawMessage, error) {
	var text []byte
	var err error
	switch file, ok := strings.CutPrefix(arg, "@"); {
	case ok:
		text, err = os.ReadFile(file)
	case arg == "-":
		text, err = io.ReadAll(stdin)
	default:
		text = []byte(arg)
	}
	if err != nil {
		return nil, fmt.Errorf("--body: the file cannot be read (%w); write --body @FILE, or --body -", err)
	}
	if err := jsontext.Check(text); err != nil {
		return nil, fmt.Errorf("--body is not JSON: %w; write --body @FILE, --body - or the JSON itself", err)
	}
	return text, nil
}

// readState parses --state, a JSON object; "" is nil, an anonymous caller. A null is an error,
// since "" means that already.
func readState(text string) (access.State, error) {
	if text == "" {
		return nil, nil
	}
	var state access.State
	if jsontext.Check([]byte(text)) != nil || json.Unmarshal([]byte(text), &state) != nil || state == nil {
		return nil, fmt.Errorf(`--state is not a JSON object; write such as '{"user":{"id":"ada"}}'`)
	}
	return state, nil
}

// readHeaders parses --header flags: "Name: value". A name may be given twice. Control
// characters are refused: they could end the header.
func readHeaders(flags []string) (http.Header, error) {
	headers := http.Header{}
	for _, flag := range flags {
		name, value, ok := strings.Cut(flag, ":")
		if !ok || !headerName.MatchString(name) || strings.ContainsFunc(value, unicode.IsControl) {
			// The flag is not shown: there may be a credential in it.
			return nil, errors.New(`a --header is not a header; write a name, a colon and a value: --header "Authorization: Bearer …"`)
		}
		headers.Add(name, strings.TrimSpace(value))
	}
	return headers, nil
}

var headerName = regexp.MustCompile("^[A-Za-z0-9!#$%&'*+.^_`|~-]+$") // RFC 9110, section 5.1
