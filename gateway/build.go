package gateway

import (
	"errors"
	"io"
	"net/http"

	"github.com/frondhost/frond/facade"
)

// build opens the store and compiles the project over it.
func (g *Gateway) build(project *facade.Project, opts *Options) (io.Closer, error) {
	return nil, errors.New("not yet")
}

// mountable builds the surfaces.
func (g *Gateway) mountable(session Session) ([]surface, error) {
	return []surface{
		{"/livez", http.HandlerFunc(live)},
		{"/readyz", http.HandlerFunc(g.ready)},
	}, nil
}
