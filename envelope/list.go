package envelope

import (
	"context"
	"encoding/json"

	"github.com/frondhost/frond/facade"
)

// listing is what is known of how a host answers a list.
type listing uint8

const (
	unlisted listing = iota // it was not asked yet
	paged                   // a list result (spec 2.7)
	bareList                // a bare array: one row more than the limit tells whether there are more
	bareCut                 // a bare array, and the host refuses a higher limit
)

// list asks for a list in the way that this host answers. What it turns out to answer
// is remembered; where that changes what has to be asked, it is asked again.
func (r *Remote) list(ctx context.Context, q *question, query json.RawMessage) (*facade.Result, *facade.Error) {
	key := methodKey(q.call.Entity, q.call.Operation)
	for again := true; ; again = false {
		known := r.peer.listing(key)
		placed, err := q.place(query, known == bareList)
		if err != nil {
			return nil, err
		}
		q.bare.Store(false)
		q.full.Store(false)
		q.pages.Store(false)
		result, err := r.one(ctx, q, placed)
		was := known
		switch {
		case err != nil && known == bareList && (err.Code == facade.ValidationFailed || err.Code == facade.BadRequest):
			known = bareCut
		case err != nil:
			return nil, err
		case q.pages.Load():
			known = paged
		case q.bare.Load() && known != bareCut:
			known = bareList
		}
		if known != was {
			r.peer.lists(key, known)
		}
		// A row too many was asked for, or too few.
		if !again || known == was || known == bareList && !q.full.Load() || known == paged && was != bareList {
			return result, err
		}
	}
}
