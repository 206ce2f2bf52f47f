package conform

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"

	"github.com/frondhost/frond/envelope/signing"
	"github.com/frondhost/frond/facade/kiterror"
)

// areas are the clauses, in the order in which they are tried. The clauses of doors are tried for each door.
var areas = [][]clause{discovery, frames, reads, errorsOf, writes, paths}

// Options of [Run].
type Options struct {
	URL    string // the base address of the host
	Door   string // the only door to try; "": all
	Write  bool   // rows are created, updated and deleted
	Header http.Header
	Signer *signing.Signer // nil: calls are not signed
	Frond  string          // that signatures are for
	State  json.RawMessage // of the caller that the frames name; nil: none
}

// Run tries the clauses. It returns an error if the host cannot be reached.
func Run(ctx context.Context, o *Options) ([]Result, error) {
	h := &host{base: strings.TrimRight(o.URL, "/"), header: o.Header, signer: o.Signer, frond: o.Frond, state: o.State, client: &http.Client{
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
	if _, err := h.post(ctx, discover); err != nil {
		return nil, kiterror.Errorf(kiterror.ServiceUnavailable, "the host does not answer: %w", err)
	}
	s := &suite{host: h, only: o.Door, writes: o.Write}
	for _, area := range areas {
		for i := range area {
			s.try(ctx, &area[i])
		}
	}
	return s.results, nil
}
