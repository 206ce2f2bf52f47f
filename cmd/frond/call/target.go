package call

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"strings"
	"time"

	"github.com/frondhost/frond/envelope"
	"github.com/frondhost/frond/envelope/client"
	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/schema"
)

// Discover is the name of the operation that returns the catalog of a host (spec 2.5).
const Discover = envelope.Discover

// Target answers calls: a project in this process, or another host.
type Target struct {
	facade.Caller
	// Discover answers the discovery document.
	Discover func(context.Context) (json.RawMessage, error)
	// Places returns the places of an operation's values. An unknown operation is not an
	// error: the failure of the call names the known ones.
	Places func(ctx context.Context, entity, operation string) (*Places, error)
	// Card returns the card of the rows of an entity in this process; nil: there is none.
	Card func(entity string) *schema.Entity
	// Close releases the resources that the calls used.
	Close func()
}

// Host is a project that is open in this process.
type Host interface {
	Caller() facade.Caller
	Catalog() *catalog.Catalog
	Discovery() json.RawMessage
	Close() error
}

// Local is a project in this process. Close closes host.
func Local(host Host) *Target {
	return &Target{
		Caller:   host.Caller(),
		Close:    func() { _ = host.Close() }, // every written row is durable already
		Discover: func(context.Context) (json.RawMessage, error) { return host.Discovery(), nil },
		Card: func(entity string) *schema.Entity {
			if door := host.Catalog().Door(entity); door != nil {
				return door.Entity
			}
			return nil
		},
		Places: func(_ context.Context, entity, operation string) (*Places, error) {
			if door := host.Catalog().Door(entity); door != nil {
				if op := door.Operation(operation); op != nil {
					return placesOf(op), nil
				}
			}
			return &Places{}, nil
		},
	}
}

// Remote is the host at a URL, called with these headers too. Its discovery document says
// where values belong. The error is an address that is none; whether the host is there shows
// with the first call.
func Remote(url string, headers http.Header) (*Target, error) {
	if !strings.HasPrefix(url, "http://") && !strings.HasPrefix(url, "https://") {
		return nil, fmt.Errorf("--url cannot be %q; write an address such as http://127.0.0.1:8080", url)
	}
	host := client.New(url, &client.Options{
		Retries: -1, Attempt: 10 * time.Second, // the user of a shell calls again
		Transport: http.DefaultTransport, Header: func(_ context.Context, h http.Header) { maps.Copy(h, headers) },
	})
	return &Target{
		Caller: host, Discover: host.Discover, Close: func() {},
		Places: func(ctx context.Context, entity, operation string) (*Places, error) {
			text, err := host.Discover(ctx)
			if err != nil {
				return nil, err
			}
			return placesIn(text, entity, operation)
		},
	}, nil
}
