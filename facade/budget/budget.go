package budget

import (
	"context"
	"math/rand/v2"
	"sync/atomic"
	"time"

	"github.com/frondhost/frond/facade/kiterror"
)

// Budget bounds the resources of all requests of a process at once: the bytes of their rows and
// answers, and how many of them execute. It refuses at once the work that does not fit. A nil
// Budget has no bounds. It may be used from many goroutines.
type Budget struct {
	bytes, executions int64   // 0: no bound
	parent            *Budget // this is a part of it; nil: of none

	used, running             atomic.Int64
	refusedBytes, refusedRuns atomic.Int64
	high                      atomic.Bool // more than half was in use since Subsided said so
}

const (
	// chunk is how many bytes an account takes of its budget at a time, the first at its
	// beginning: an everyday answer needs no more.
	chunk = 64 << 10
	// reserve is the part of a budget (one in so many) that first chunks alone
	// may take: large answers cannot keep small ones out.
	reserve = 8
)

// New is a budget of bytes and of executions under way. A number of 0 or less means no bound.
func New(bytes int64, executions int) *Budget {
	return &Budget{bytes: max(bytes, 0), executions: max(int64(executions), 0)}
}

// Usage is how much of a budget is in use.
type Usage struct {
	Bytes, Used         int64 // Bytes is 0 where nothing bounds them
	Executions, Running int64 // likewise
	RefusedBytes        int64 // how often an account was refused bytes
	RefusedExecutions   int64 // how often an execution did not begin
}

// State is how much of the budget is in use now.
func (b *Budget) State() Usage {
	if b == nil {
		return Usage{}
	}
	return Usage{b.bytes, b.used.Load(), b.executions, b.running.Load(), b.refusedBytes.Load(), b.refusedRuns.Load()}
}

// Part returns a budget of one part in n of b's bytes. Bytes taken of it are taken of b as well,
// and leave the reserve of b for its requests. The part of nil is nil.
func (b *Budget) Part(n int64) *Budget {
	if b == nil {
		return nil
	}
	return &Budget{bytes: b.bytes / n, parent: b}
}

// Take takes n bytes for as long as something stays open, until Give gives them back. One part in
// four is kept for accounts, so that open streams can also be answered. The error is
// SERVICE_UNAVAILABLE.
func (b *Budget) Take(n int) error {
	if b == nil || b.claim(int64(n), b.bytes-b.bytes/4) {
		return nil
	}
	b.refusedBytes.Add(1)
	return crowded()
}

// Most returns how many bytes Take could give to an otherwise idle process; 0: any number.
func (b *Budget) Most() int64 {
	if b == nil || b.bytes == 0 {
		return 0
	}
	most := b.bytes - b.bytes/4
	for w := b.parent; w != nil && w.bytes > 0; w = w.parent {
		most = min(most, w.bytes-w.bytes/reserve)
	}
	return most
}

// Add is Take for bytes that are held already, whether there are so many or not.
func (b *Budget) Add(n int) {
	if b != nil {
		b.release(-int64(n))
	}
}

// Give gives back bytes of Take and Add.
func (b *Budget) Give(n int) {
	if b != nil {
		b.release(int64(n))
	}
}

// claim takes n bytes below limit; 0 is no limit. Of a part, both it and the whole have to have
// them.
func (b *Budget) claim(n, limit int64) bool {
	taken, w := take(&b.used, n, limit), b.parent
	if taken && w != nil && !w.claim(n, w.bytes-w.bytes/reserve) {
		b.used.Add(-n)
		taken = false
	}
	if !taken {
		if w != nil {
			w.refusedBytes.Add(1)
		}
		return false
	}
	if b.bytes > 0 && b.used.Load() > b.bytes/2 {
		b.high.Store(true)
	}
	return true
}

// release gives n bytes back, or with a negative number takes them whether there are so many or
// not.
func (b *Budget) release(n int64) {
	for ; b != nil; b = b.parent {
		b.used.Add(-n)
	}
}

// take takes n from the rest below limit; 0 is no limit.
func take(of *atomic.Int64, n, limit int64) bool {
	for {
		had := of.Load()
		if limit > 0 && had+n > limit {
			return false
		}
		if of.CompareAndSwap(had, had+n) {
			return true
		}
	}
}

// Subsided says, once for each time, that more than half of the bytes were in use and
// hardly any are now: what held them can be given back to the system.
func (b *Budget) Subsided() bool {
	return b != nil && b.used.Load() <= b.bytes/reserve && b.high.Swap(false)
}

// Open opens the account of one piece of work: a request, or work that several
// requests wait for. Stores and remotes find it in the context that it answers. The
// error is SERVICE_UNAVAILABLE, with the time after which to try again.
func (b *Budget) Open(ctx context.Context) (context.Context, *Account, error) {
	if b == nil {
		return ctx, nil, nil
	}
	if !b.claim(chunk, b.bytes) {
		b.refusedBytes.Add(1)
		return ctx, nil, crowded()
	}
	a := &Account{Context: ctx, budget: b, held: chunk, rows: -1}
	return a, a, nil
}

// Hold is Open for one function alone: a context does not lead to the account, and it goes back
// with [Account.Return].
func (b *Budget) Hold() (*Account, error) {
	if b == nil {
		return nil, nil
	}
	if !b.claim(chunk, b.bytes) {
		b.refusedBytes.Add(1)
		return nil, crowded()
	}
	a := accounts.Get().(*Account)
	*a = Account{budget: b, held: chunk, rows: -1}
	return a, nil
}

// chunks is n rounded up to whole chunks.
func chunks(n int64) int64 { return (n + chunk - 1) / chunk * chunk }

// again is after how long to try again: a second or a few, for those who were refused
// together are not to come back together.
func again() time.Duration { return time.Duration(1+rand.IntN(3)) * time.Second }

func crowded() *kiterror.Error {
	return kiterror.Errorf(kiterror.ServiceUnavailable, "too much is being answered at once; try again in a moment").After(again())
}

func tooMuch(most int64) *kiterror.Error {
	e := kiterror.Errorf(kiterror.PayloadTooLarge, "the answer takes more than %d bytes; ask for less at a time%w", most, oversize{})
	e.Details = map[string]any{"limit": most}
	return e
}

// oversize is the cause of a refusal that asking again does not help.
type oversize struct{}

func (oversize) Error() string { return "" }

// ErrOversize is the cause of the error of an answer that is too large by itself, also without
// other answers at the same time.
var ErrOversize error = oversize{}

// GroupSize is about the bytes of a group of rows on its way, with its key and its cursor.
const GroupSize = 192
