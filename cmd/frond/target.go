package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/frondhost/frond/envelope/client"
	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/gateway"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// target answers calls: a project in this process, or another host.
type target struct {
	facade.Caller
	// discover answers the discovery document.
	discover func(context.Context) (json.RawMessage, error)
	// places returns the places of an operation's values. An unknown operation is not an
	// error: the failure of the call names the known ones.
	places func(ctx context.Context, entity, operation string) (*places, error)
	// card returns the card of the rows of an entity in this process, or nil.
	card func(entity string) *schema.Entity
	// close releases the resources that the calls used.
	close func()
}

// localTarget is a project in this process. close closes host.
func localTarget(host *gateway.Host) *target {
	return &target{
		Caller:   host.Caller(),
		close:    func() { _ = host.Close() }, // every written row is durable already
		discover: func(context.Context) (json.RawMessage, error) { return host.Discovery(), nil },
		card: func(entity string) *schema.Entity {
			if door := host.Catalog().Door(entity); door != nil {
				return door.Entity
			}
			return nil
		},
		places: func(_ context.Context, entity, operation string) (*places, error) {
			if door := host.Catalog().Door(entity); door != nil {
				if op := door.Operation(operation); op != nil {
					return placesOf(op), nil
				}
			}
			return &places{}, nil
		},
	}
}

// remoteTarget is the host at a URL, called with these headers too. Its discovery document says
// where values belong. The error is an invalid address; whether the host is there shows with
// the first call.
func remoteTarget(url string, headers http.Header) (*target, error) {
	if !strings.HasPrefix(url, "http://") && !strings.HasPrefix(url, "https://") {
		return nil, fmt.Errorf("--url cannot be %q; write an address such as http://127.0.0.1:8080", url)
	}
	host := client.New(url, &client.Options{
		Retries: -1, Attempt: 10 * time.Second, // the user of a shell calls again
		Transport: http.DefaultTransport, Header: func(_ context.Context, h http.Header) { maps.Copy(h, headers) },
	})
	return &target{
		Caller: host, discover: host.Discover, close: func() {},
		places: func(ctx context.Context, entity, operation string) (*places, error) {
			text, err := host.Discover(ctx)
			if err != nil {
				return nil, err
			}
			return placesIn(text, entity, operation)
		},
	}, nil
}

// restDoor sends requests to the paths of one door of a host.
type restDoor struct {
	client  *http.Client
	url     string // of the door
	headers http.Header
}

// restDoorOf returns the door of an entity at a host. The error is BAD_GATEWAY, or NOT_FOUND for an entity
// that the host does not have.
func restDoorOf(ctx context.Context, host *target, base string, headers http.Header, entity string) (*restDoor, error) {
	document, err := host.discover(ctx)
	if err != nil {
		return nil, err
	}
	frond, door, _, err := doorIn(document, entity, "")
	switch {
	case err != nil:
		return nil, err
	case door == nil:
		return nil, kiterror.Errorf(kiterror.NotFound, "the host has no door called %s; frond call rpc.discover --url lists its doors", schema.Quoted(entity))
	}
	plural := cmp.Or(door.Plural, schema.Plural(door.Name))
	return &restDoor{client: &http.Client{}, headers: headers, url: strings.TrimSuffix(base, "/") + "/api/" + url.PathEscape(frond) + "/" + url.PathEscape(plural)}, nil
}

// send sends a request below the door, and returns the answer of a success; the caller closes it. A
// failure of the host is its error.
func (r *restDoor) send(ctx context.Context, method, below string, query url.Values, accept, mediaType string, body io.Reader) (io.ReadCloser, error) {
	at := r.url + below
	if len(query) > 0 {
		at += "?" + query.Encode()
	}
	request, err := http.NewRequestWithContext(ctx, method, at, body)
	if err != nil {
		return nil, err
	}
	maps.Copy(request.Header, r.headers)
	request.Header.Set("Accept", accept)
	if mediaType != "" {
		request.Header.Set("Content-Type", mediaType)
	}
	answer, err := r.client.Do(request)
	if err != nil {
		return nil, kiterror.Errorf(kiterror.ServiceUnavailable, "the host cannot be reached: %w", err)
	}
	if answer.StatusCode < 300 {
		return answer.Body, nil
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(io.LimitReader(answer.Body, 1<<20))
	var failed kiterror.Error
	if err == nil && jsontext.Check(text) == nil && json.Unmarshal(jsontext.Get(text, "data"), &failed) == nil && failed.Code != "" {
		return nil, &failed
	}
	return nil, kiterror.Errorf(kiterror.BadGateway, "the host answered %s without a problem document; --url takes a gateway with REST", answer.Status)
}

// queryValues returns the query of a call as parameters of a URL.
func queryValues(query json.RawMessage) url.Values {
	values := url.Values{}
	for name, value := range jsontext.Members(query) {
		switch jsontext.KindOf(value) {
		case jsontext.String:
			values.Set(name, jsontext.Unquote(value))
		case jsontext.Array:
			var words []string
			for _, item := range jsontext.Elements(value) {
				words = append(words, jsontext.Unquote(item))
			}
			values.Set(name, strings.Join(words, ","))
		default:
			values.Set(name, string(value))
		}
	}
	return values
}
