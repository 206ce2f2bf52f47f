package facade

import (
	"context"
	"fmt"
	"testing"
)

// once is a store's transactor that runs a transaction once.
type once struct{}

func (once) Transact(ctx context.Context, fn func(context.Context) error) error { return fn(ctx) }

// TestInquiryEnds: a transaction whose call is another one in each try ends, and makes the call within its last try.
func TestInquiryEnds(t *testing.T) {
	h, tries, within := &host{transactor: once{}}, 0, false
	q := &inquiry{}
	err := h.transact(t.Context(), nil, q, func(ctx context.Context) error {
		tries++
		x := &viewer{host: h, transaction: &transaction{host: h, base: t.Context(), inquiry: q}}
		_, err := askElsewhere(ctx, x, fmt.Sprint(tries), func(_ context.Context, x *viewer) (bool, error) {
			within = x.transaction != nil
			return true, nil
		})
		return err
	})
	if err != nil || tries != maxInquiries+1 || !within {
		t.Errorf("%v after %d tries, called within the last one: %t", err, tries, within)
	}
}

// TestInquiryOfTheAuthor: a call behind code of the author is made at once, and the code runs once.
func TestInquiryOfTheAuthor(t *testing.T) {
	h, tries := &host{transactor: once{}}, 0
	q := &inquiry{}
	err := h.transact(t.Context(), nil, q, func(ctx context.Context) error {
		tries++
		x := &viewer{host: h, transaction: &transaction{host: h, base: t.Context(), inquiry: q}}
		x.transaction.authors()
		_, err := askElsewhere(ctx, x, "which", func(context.Context, *viewer) (bool, error) { return true, nil })
		return err
	})
	if err != nil || tries != 1 {
		t.Errorf("%v after %d tries", err, tries)
	}
}
