package facade

import "context"

// surface is a façade that shows one view of its catalog.
type surface struct {
	host *host
	view *Catalog
}

type surfaceKey struct{}

// Call implements [Caller] for what the surface shows. Middleware stands behind this
// check, so that a middleware which answers calls by itself answers none that are not
// shown.
func (s *surface) Call(ctx context.Context, c *Call) (*Result, error) {
	c, err := s.view.named(c)
	if err != nil {
		return nil, err
	}
	if _, op := s.view.find(c.Entity, c.Operation); op == nil {
		return nil, s.host.missing(ctx, s.view, c, false).At(c.Entity, c.Operation)
	}
	return s.host.Call(context.WithValue(ctx, surfaceKey{}, s), c)
}

// shownTo is what a call may reach, by the surface it came in by. The path learns it once:
// the context that goes on is one without a surface, so that the author's code calls in
// process.
func (h *host) viewOf(ctx context.Context) (*Catalog, context.Context) {
	s, _ := ctx.Value(surfaceKey{}).(*surface)
	if s == nil || s.host != h {
		return h.catalog, ctx
	}
	return s.view, context.WithValue(ctx, surfaceKey{}, (*surface)(nil))
}
