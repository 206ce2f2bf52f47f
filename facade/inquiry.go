package facade

import (
	"context"
	"sync"

	"github.com/frondhost/frond/facade/kiterror"
)

// inquiry is what other hosts answered for a transaction. No host is called within it: other writers would wait for the answer,
// and the host may read rows here before it answers. A try with a pending call ends without an effect, and the next try
// finds the answer:
//
//	try 1   which products are active?   rolled back, and catalog is asked
//	try 2   p1 and p7                    the lines of p1 and p7 are written
//
// Once code of the author has run in a try, no other try follows: hosts are called at once. So they are in the last try, which
// ends a transaction with many calls, or with one that is another in each try, as by a rule that goes by the time.
type inquiry struct {
	mu      sync.Mutex
	answers map[string]answered
	open    map[string]func() answered
	tries   int
	last    bool // no other try may follow this one
}

// maxInquiries is how many tries of a transaction end with a pending call.
const maxInquiries = 16

type answered struct {
	value any
	err   error
}

// errAskFirst ends a try with a pending call.
var errAskFirst = kiterror.Errorf(kiterror.ServiceUnavailable, "another host is asked before the transaction; send the request again")

// askElsewhere returns the answer of another host. text names the call and its arguments.
func askElsewhere[T any](ctx context.Context, x *viewer, text string, ask func(ctx context.Context, x *viewer) (T, error)) (T, error) {
	t := x.transaction
	if t == nil || t.inquiry == nil {
		return ask(ctx, x)
	}
	known, now := t.inquiry.answer(text, func() answered {
		own := *x
		own.transaction = nil
		value, err := ask(t.base, &own)
		return answered{value, err}
	})
	if now {
		return ask(ctx, x)
	}
	value, _ := known.value.(T)
	return value, known.err
}

// answer returns the known answer to a call; now says that the call is made at once.
func (q *inquiry) answer(text string, ask func() answered) (known answered, now bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	known, is := q.answers[text]
	switch {
	case is:
		return known, false
	case q.last:
		return answered{}, true
	case q.open == nil:
		q.open = map[string]func() answered{}
	}
	q.open[text] = ask
	return answered{err: errAskFirst}, false
}

// authors notes that code of the author runs in the transaction.
func (t *transaction) authors() {
	if t != nil && t.inquiry != nil {
		t.inquiry.mu.Lock()
		t.inquiry.last = true
		t.inquiry.mu.Unlock()
	}
}

// try begins a try, and returns its error: [errAskFirst] if calls are pending.
func (q *inquiry) try(do func() error) error {
	q.mu.Lock()
	q.last = q.tries >= maxInquiries
	q.mu.Unlock()
	err := do()
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.open) > 0 {
		return errAskFirst
	}
	return err
}

// settle makes the pending calls of the last try, and reports whether there was one.
func (q *inquiry) settle(ctx context.Context) bool {
	if len(q.open) == 0 || ctx.Err() != nil {
		return false
	}
	if q.answers == nil {
		q.answers = map[string]answered{}
	}
	for text, ask := range q.open {
		q.answers[text] = ask()
	}
	q.open = nil
	q.tries++
	return true
}

// transact runs fn as a transaction of the store, or as a part of outer.
func (h *host) transact(ctx context.Context, outer *transaction, q *inquiry, fn func(ctx context.Context) error) error {
	if outer != nil || q == nil {
		return retryRaces(ctx, outer, h.transactor, fn)
	}
	for {
		err := retryRaces(ctx, nil, h.transactor, func(ctx context.Context) error { return q.try(func() error { return fn(ctx) }) })
		if !q.settle(ctx) {
			return err
		}
	}
}
