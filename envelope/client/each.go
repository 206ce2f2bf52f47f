package client

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/schema/jsontext"
)

// each answers a call for many keys (docs/remotes.md): by findByIds where the door has it, else
// by a JSON-RPC batch of single calls, else by single calls in parallel. The first
// failure is the failure of the whole.
//
// A list for many keys is one list for each of them: limit, total and cursor are those
// of one parent, and a list over all parents does not return them (docs/decisions/remotes.md).
func (h *host) each(ctx context.Context, p *pending, query json.RawMessage) (*facade.Result, *kiterror.Error) {
	list := p.call.Operation == "list"
	if !list && p.call.Operation != "findById" {
		return nil, kiterror.Errorf(kiterror.BadRequest, "%s.%s is not batched; only findById, list and aggregate are", p.call.Entity, p.call.Operation)
	}
	c := newEachCall(h, p, query)
	if accepts, said := p.queryKeys(); list && len(c.keys.keys) > 0 && said && !slices.Contains(accepts, "filter") {
		return nil, kiterror.Errorf(kiterror.NotImplemented, "remote %s.list does not support filter, so rows cannot be found by %s", p.call.Entity, p.call.Each.Field)
	}
	if err := c.run(ctx); err != nil {
		return nil, err
	}
	form := facade.FormRow
	if list {
		form = facade.FormPage
	}
	query = p.call.Invocation.Query
	counted := jsontext.KindOf(jsontext.Get(query, "total")) != jsontext.False && jsontext.KindOf(jsontext.Get(query, "count")) != jsontext.False
	return c.keys.gather(&h.results, form, counted)
}

// run requests the keys in the best way that the host turns out to serve.
//
//	findByIds   one post for 500 keys, where the door has it
//	batch       one post for envelope.MaxBatch keys, where the host takes batches
//	single      one post for each key, 16 at once
//
// An unknown findByIds and a refused batch are remembered for five minutes (knowledge), so
// the next call begins with the next way.
func (c *eachCall) run(ctx context.Context) *kiterror.Error {
	// Every key was null or of a kind that no row can have.
	if len(c.keys.keys) == 0 {
		return nil
	}
	if method := c.findByIDs(); method != "" {
		done, err := c.byIDs(ctx, method)
		if done || err != nil {
			return err
		}
	}
	if try, sure := c.host.known.batches(); try && len(c.keys.keys) > 1 {
		done, err := c.byBatch(ctx, sure)
		if done || err != nil {
			return err
		}
		if err := c.bySingle(ctx); err != nil {
			return err
		}
		c.host.known.batchRefused() // single calls work, and batches do not
		return nil
	}
	return c.bySingle(ctx)
}

// bySingle makes one call for every key.
func (c *eachCall) bySingle(ctx context.Context) *kiterror.Error {
	return parallel(ctx, len(c.keys.keys), parallelSingle, func(ctx context.Context, i int) *kiterror.Error {
		params, query := c.forKey(c.keys.keys[i])
		result, err := c.host.single(ctx, c.p, c.method, params, query)
		if err == nil {
			c.keys.found[i] = foundIn(result)
		}
		return err
	})
}
