package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/frondhost/frond/envelope/client"
	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/gateway"
	"github.com/frondhost/frond/schema"
)

// places says which names an operation's cards know in each part of the
// invocation. nil: the operation names no card there, and takes nothing.
type places struct {
	params, query, body []string
	open                facade.Kind // nobody tells what it takes, and this is its kind; "": somebody does
}

// openly puts values where they go without a card: id into params, others into the
// body of a command and the query of a query. What is called params, query or body
// and has names below it is that part.
func (p *places) openly(inv *facade.Invocation, given *values) error {
	parts := map[string]*json.RawMessage{"params": &inv.Params, "query": &inv.Query, "body": &inv.Body}
	whole := func(name string) bool { return parts[name] != nil && given.below[name].text == nil }
	goes := func(name string) string {
		switch {
		case whole(name):
			return name
		case name == "id":
			return "params"
		case p.open == facade.Query:
			return "query"
		}
		return "body"
	}
	for name, part := range parts {
		var o *values
		for _, n := range given.names {
			if goes(n) != name {
				continue
			}
			if o == nil {
				o = &values{below: map[string]*node{}}
			}
			from := &values{names: []string{n}, below: given.below}
			if whole(n) {
				from = &given.below[n].values
			}
			for _, m := range from.names {
				if o.below[m] != nil {
					return fmt.Errorf("%s is given twice in %s; write it once", m, name)
				}
				o.below[m] = from.below[m]
				o.names = append(o.names, m)
			}
		}
		if o == nil {
			continue
		}
		if *part != nil {
			return errors.New("values belong to the body, which --body gives already; write them there")
		}
		*part = o.appendJSON(nil, nil)
	}
	return nil
}

// fill puts each value where a card knows its name: params first, then query,
// then body. A name that no card knows goes where most go, for the façade to
// refuse it in its own words. A part that nothing belongs to stays absent.
func (p *places) fill(inv *facade.Invocation, given *values) error {
	if p.open != "" {
		return p.openly(inv, given)
	}
	type part struct {
		knows []string
		text  *json.RawMessage
		names []string
	}
	params, query, body := part{knows: p.params, text: &inv.Params}, part{knows: p.query, text: &inv.Query}, part{knows: p.body, text: &inv.Body}
	parts := []*part{&params, &query, &body}
	other := &params
	switch {
	case p.body != nil && inv.Body == nil:
		other = &body
	case p.query != nil && len(p.params) == 0:
		other = &query
	}
	for _, name := range given.names {
		to := other
		for _, part := range parts {
			if slices.Contains(part.knows, name) {
				to = part
				break
			}
		}
		to.names = append(to.names, name)
	}
	if inv.Body != nil && len(body.names) > 0 {
		return fmt.Errorf("%s belongs to the body, which --body gives already; write it there", strings.Join(body.names, ", "))
	}
	for _, part := range parts {
		if len(part.names) > 0 {
			*part.text = given.appendJSON(nil, func(name string) bool { return slices.Contains(part.names, name) })
		}
	}
	return nil
}

// near calls in this process.
func near(host *gateway.Host) *callee {
	return &callee{
		caller:   host.Caller(),
		close:    func() { _ = host.Close() }, // nothing is left to write: every answered row is durable
		discover: func(context.Context) (json.RawMessage, error) { return host.Discovery(), nil },
		places: func(_ context.Context, entity, operation string) (*places, error) {
			if door := host.Catalog().Door(entity); door != nil {
				if op := door.Operation(operation); op != nil {
					if op.Open {
						return &places{open: op.Kind}, nil
					}
					return &places{params: fieldsOf(op.Params), query: fieldsOf(op.Query), body: fieldsOf(op.Input)}, nil
				}
			}
			return &places{}, nil // the call itself says what there is instead
		},
	}
}

// fieldsOf are the names of a card's fields, without those that no caller ever sends.
func fieldsOf(e *schema.Entity) []string {
	if e == nil {
		return nil
	}
	names := []string{}
	for _, f := range e.Fields {
		names = append(names, f.Name)
	}
	return names
}

// far calls over the envelope; what goes where it learns from rpc.discover.
func far(url string, headers http.Header) (*callee, error) {
	if !strings.HasPrefix(url, "http://") && !strings.HasPrefix(url, "https://") {
		return nil, fmt.Errorf("--url cannot be %q; write an address such as http://127.0.0.1:8080", url)
	}
	// Who waits at a shell asks again.
	client := client.New(url, &client.Options{Retries: -1, Attempt: 10 * time.Second, Transport: sending(headers)})
	return &callee{
		caller:   client,
		close:    func() {},
		discover: client.Discover,
		places: func(ctx context.Context, entity, operation string) (*places, error) {
			text, err := client.Discover(ctx)
			if err != nil {
				return nil, err
			}
			return discovered(text, entity, operation)
		},
	}, nil
}

// sending is http.DefaultTransport for requests with more headers.
type sending http.Header

func (s sending) RoundTrip(r *http.Request) (*http.Response, error) {
	if len(s) > 0 {
		r = r.Clone(r.Context())
		for name, values := range s {
			r.Header[name] = values
		}
	}
	return http.DefaultTransport.RoundTrip(r)
}

// readHeaders reads --header flags: "Name: value".
func readHeaders(flags []string) (http.Header, error) {
	headers := http.Header{}
	for _, flag := range flags {
		name, value, ok := strings.Cut(flag, ":")
		if !ok || !headerName.MatchString(name) || strings.ContainsFunc(value, unicode.IsControl) {
			// The flag is not shown: there may be a credential in it.
			return nil, errors.New(`a --header is no header; write a name, a colon and a value: --header "Authorization: Bearer …"`)
		}
		headers.Add(name, strings.TrimSpace(value))
	}
	return headers, nil
}

var headerName = regexp.MustCompile("^[A-Za-z0-9!#$%&'*+.^_`|~-]+$") // RFC 9110, section 5.1

// discovered finds an operation's cards in a discovery document (spec 2.5).
func discovered(text json.RawMessage, entity, operation string) (*places, error) {
	type card struct {
		Properties map[string]json.RawMessage
	}
	var doc struct {
		Fronds []struct {
			Doors []struct {
				Name   string
				Schema *card // nil: the door stores nothing
				Ops    []struct {
					Name                 string
					Kind                 facade.Kind
					Params, Query, Input *card
				}
			}
		}
	}
	if err := json.Unmarshal(text, &doc); err != nil {
		return nil, facade.Errorf(facade.BadGateway, "the host's discovery document cannot be read: %w", err)
	}
	names := func(c *card) []string {
		if c == nil {
			return nil
		}
		return sortedKeys(c.Properties)
	}
	for _, frond := range doc.Fronds {
		for _, door := range frond.Doors {
			if schema.EntityKey(door.Name) != schema.EntityKey(entity) {
				continue
			}
			for _, op := range door.Ops {
				if op.Name != operation {
					continue
				}
				builtin := door.Schema != nil && slices.Contains(builtins, op.Name)
				if op.Params == nil && op.Query == nil && op.Input == nil && !builtin {
					return &places{open: cmp.Or(op.Kind, facade.KindOf(op.Name))}, nil
				}
				p := &places{params: names(op.Params), query: names(op.Query), body: names(op.Input)}
				switch { // as everywhere, where no card says it
				case builtin && op.Name == "create" && p.body == nil:
					p.body = names(door.Schema)
				case builtin && op.Name == "update" && p.body == nil:
					p.params, p.body = []string{"id"}, names(door.Schema)
				}
				// The input of a stored door's own queries is their query (DESIGN 5).
				if door.Schema != nil && (op.Name == "list" || op.Name == "findByIds") {
					p.query, p.body = append(p.query, p.body...), nil
				}
				return p, nil
			}
		}
	}
	return &places{}, nil
}

// builtins are the operations whose params the specification has no card for.
var builtins = []string{"list", "findById", "findByIds", "create", "update", "delete"}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
