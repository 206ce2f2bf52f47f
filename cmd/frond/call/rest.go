package call

import (
	"context"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// REST sends requests to the paths of one door of a host.
type REST struct {
	client  *http.Client
	url     string // of the door
	headers http.Header
}

// RESTOf returns the door of an entity at a host. The error is BAD_GATEWAY, or NOT_FOUND for an entity
// that the host does not have.
func RESTOf(ctx context.Context, host *Target, base string, headers http.Header, entity string) (*REST, error) {
	document, err := host.Discover(ctx)
	if err != nil {
		return nil, err
	}
	read, err := schema.ReadDiscovery(document)
	if err != nil {
		return nil, kiterror.Errorf(kiterror.BadGateway, "the host's discovery document cannot be read: %w", err)
	}
	is := func(name string) bool { return schema.EntityKey(name) == schema.EntityKey(entity) }
	for _, frond := range read.Fronds {
		for _, door := range frond.Doors {
			if !is(door.Name) && !slices.ContainsFunc(door.Aliases, func(a schema.DiscoveredAlias) bool { return is(a.Name) }) {
				continue
			}
			plural := door.Plural
			if plural == "" {
				plural = schema.Plural(door.Name)
			}
			// Rows arrive as long as they may: the host ends what takes too long.
			return &REST{client: &http.Client{}, headers: headers, url: strings.TrimSuffix(base, "/") + "/api/" + url.PathEscape(frond.Name) + "/" + url.PathEscape(plural)}, nil
		}
	}
	return nil, kiterror.Errorf(kiterror.NotFound, "the host has no door called %s; frond call rpc.discover --url lists its doors", schema.Quoted(entity))
}

// Send sends a request below the door, and returns the answer of a success; the caller closes it. A
// failure of the host is its error.
func (r *REST) Send(ctx context.Context, method, below string, query url.Values, accept, mediaType string, body io.Reader) (io.ReadCloser, error) {
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
	return nil, kiterror.Errorf(kiterror.BadGateway, "the host answered %s without a problem document; --url is the address of a gateway with REST below /api", answer.Status)
}

// Query returns the query of a call as parameters of a URL.
func Query(query json.RawMessage) url.Values {
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
