package client

import (
	"context"
	"encoding/json"

	"github.com/frondhost/frond/envelope"
	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/kiterror"
)

// list requests a list in the form in which this host answers lists. The form is remembered;
// where the answer shows another form that needs another query, the list is requested once
// more.
//
//	before     answer                       after     once more
//	unknown    a list result                page      no
//	unknown    an array, fewer than asked   bare      no: these are all rows
//	unknown    an array, as many as asked   bare      yes: one row more shows whether there are others
//	bare       a list result                page      yes: a row too many was requested
//	bare       refused as invalid           bounded   yes: without the row more
func (h *host) list(ctx context.Context, p *pending, query json.RawMessage) (*facade.Result, *kiterror.Error) {
	key := envelope.MethodKey(p.call.Entity, p.call.Operation)
	paged := p.pageNumber() > 0
	for again := true; ; again = false {
		known := h.known.listForm(key)
		probe := known == listBare && !paged // pages of another length would be other pages
		placed, err := p.place(query, probe)
		if err != nil {
			return nil, err
		}
		p.list.bare.Store(false)
		p.list.full.Store(false)
		p.list.pages.Store(false)
		result, err := h.run(ctx, p, placed)
		was := known
		switch {
		case err != nil && probe && (err.Code == kiterror.ValidationFailed || err.Code == kiterror.BadRequest):
			known = listBounded
		case err != nil:
			return nil, err
		case p.list.pages.Load():
			known = listPage
		case p.list.bare.Load() && known != listBounded:
			known = listBare
		}
		if known != was {
			h.known.setListForm(key, known)
		}
		// Once more only if the query requested a row too many, or too few.
		if !again || paged || known == was || known == listBare && !p.list.full.Load() || known == listPage && was != listBare {
			return result, err
		}
	}
}

// run makes a call with a query, once or for many keys.
func (h *host) run(ctx context.Context, p *pending, query json.RawMessage) (*facade.Result, *kiterror.Error) {
	if p.call.Each != nil {
		return h.each(ctx, p, query)
	}
	return h.single(ctx, p, p.name(&h.known, p.call.Operation), p.call.Invocation.Params, query)
}

// fetch makes a call, with the query that this host accepts.
func (h *host) fetch(ctx context.Context, p *pending) (*facade.Result, *kiterror.Error) {
	query, err := p.hostQuery(p.call.Invocation.Query)
	if err != nil {
		return nil, err
	}
	if p.isList() {
		return h.list(ctx, p, query)
	}
	return h.run(ctx, p, query)
}
