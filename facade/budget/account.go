package budget

import (
	"context"
	"sync"

	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/facade/rows"
)

// Account counts the bytes that one piece of work holds of a [Budget]. It is the context it was
// opened with as well. The methods of a nil Account have no effect.
type Account struct {
	context.Context
	budget *Budget

	mu      sync.Mutex
	spent   int64 // the reserved bytes
	held    int64 // taken of the budget: at least the first chunk
	rows    int64 // what rows that are read now may still come to; negative: anything
	most    int64 // what that was to begin with
	refused *kiterror.Error
	running bool
	closed  bool
}

type accountKey struct{}

// Value is the account itself for its key.
func (a *Account) Value(key any) any {
	if key == (accountKey{}) {
		return a
	}
	return a.Context.Value(key)
}

// AccountOf is the account that ctx belongs to, or nil.
func AccountOf(ctx context.Context) *Account {
	a, _ := ctx.Value(accountKey{}).(*Account)
	return a
}

// Begin counts the account's execution, or refuses it where too many are under way.
func (a *Account) Begin() error {
	if a == nil {
		return nil
	}
	if !take(&a.budget.running, 1, a.budget.executions) {
		a.budget.refusedRuns.Add(1)
		return kiterror.Errorf(kiterror.ServiceUnavailable, "too many requests are being executed; try again in a moment").After(again())
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.running = true
	return nil
}

// End ends the execution; the answer is still to be sent. Close ends it too.
func (a *Account) End() {
	if a == nil {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.end()
}

func (a *Account) end() {
	if a.running {
		a.running = false
		a.budget.running.Add(-1)
	}
}

// Reserve takes n bytes. The error is SERVICE_UNAVAILABLE if the budget has no more of them,
// and PAYLOAD_TOO_LARGE if it would have too few for this account alone; it is the same until
// Forgive. Bytes reserved after Close are not counted.
func (a *Account) Reserve(n int) error {
	if a == nil || n <= 0 {
		return nil
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if err := a.reserve(int64(n)); err != nil { // an *Error that is nil is no nil error
		return err
	}
	return nil
}

func (a *Account) reserve(n int64) *kiterror.Error {
	if a.closed {
		return nil
	}
	if a.refused != nil {
		return a.refused
	}
	if need := chunks(a.spent + n - a.held); need > 0 {
		b := a.budget
		large := b.bytes - b.bytes/reserve
		alone := large - b.bytes/reserve // there is always something beside it
		switch {
		case b.bytes > 0 && a.held+need > alone:
			a.refused = tooMuch(alone)
		case !b.claim(need, large):
			a.refused = crowded()
		default:
			a.held += need
		}
		if a.refused != nil {
			b.refusedBytes.Add(1)
			return a.refused
		}
	}
	a.spent += n
	return nil
}

// Add takes n bytes whether the budget has them or not: of an answer that must not
// be kept from its caller, since something was written.
func (a *Account) Add(n int) {
	if a == nil || n <= 0 {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.closed {
		return
	}
	a.spent += int64(n)
	if need := chunks(a.spent - a.held); need > 0 {
		a.budget.release(-need)
		a.held += need
	}
}

// Keep gives back all but n of the reserved bytes.
func (a *Account) Keep(n int) {
	if a == nil {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.closed || int64(n) >= a.spent {
		return
	}
	a.spent = int64(n)
	if most := max(chunks(a.spent), chunk); most < a.held {
		a.budget.release(a.held - most)
		a.held = most
	}
}

// Refused is why the account was refused bytes, or nil.
func (a *Account) Refused() *kiterror.Error {
	if a == nil {
		return nil
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.refused
}

// Forgive forgets the refusal: the next answer is no part of the failed one.
func (a *Account) Forgive() {
	if a == nil {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.refused = nil
}

// Level says that the rows read from here on, until it is called again, may come to
// most bytes of text together; negative: to any number.
func (a *Account) Level(most int) {
	if a == nil {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.rows, a.most = int64(most), int64(most)
}

// Close gives everything back. Closing twice is fine.
func (a *Account) Close() {
	if a == nil {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.closed {
		return
	}
	a.closed = true
	a.end()
	a.budget.release(a.held)
	a.held, a.spent = 0, 0
}

// accounts are returned accounts of [Budget.Hold].
var accounts = sync.Pool{New: func() any { return new(Account) }}

// Return closes an account of [Budget.Hold]. The caller must not use it any more.
func (a *Account) Return() {
	if a != nil {
		a.Close()
		accounts.Put(a)
	}
}

// Apart opens another account of the same budget, for work that serves others too. It is an
// account of ctx if that has no account yet.
func (a *Account) Apart(ctx context.Context) (context.Context, *Account, error) {
	if a == nil {
		return ctx, nil, nil
	}
	return a.budget.Open(ctx)
}

// Answer is an answer with rows, as from a remote: how many bytes of memory it takes, and
// how many of them are the text of its rows.
type Answer interface {
	Size() int
	TextSize() int
}

// Take is [Account.Reserve] for rows that came whole.
func (a *Account) Take(r Answer) error {
	if a == nil {
		return nil
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if err := a.read(int64(r.Size()), int64(r.TextSize())); err != nil {
		return err
	}
	return nil
}

// read reserves n bytes for rows, with so many bytes of text among them.
func (a *Account) read(n, text int64) *kiterror.Error {
	if a.rows >= 0 {
		if a.rows -= text; a.rows < 0 {
			a.rows = 0
			if a.refused == nil {
				a.refused = tooMuch(a.most)
			}
			return a.refused
		}
	}
	if n <= 0 {
		return nil
	}
	return a.reserve(n)
}

// Meter charges an account for rows while they are written.
type Meter struct {
	account *Account
	size    int // the charged bytes
	text    int // of it, the rows' text
}

// MeterOf is a meter of the account that ctx belongs to; without one it counts no bytes.
func MeterOf(ctx context.Context) Meter { return Meter{account: AccountOf(ctx)} }

// Grown charges the growth of rows since the last time, with so many bytes beside them. The
// error is the error of [Account.Reserve], or PAYLOAD_TOO_LARGE if the rows of a level come to
// more than they may.
func (m *Meter) Grown(r *rows.Rows, beside int) error {
	if m.account == nil {
		return nil
	}
	size, text := r.Size()+beside, r.TextSize()
	if size <= m.size && text-m.text < chunk {
		return nil
	}
	a := m.account
	a.mu.Lock()
	defer a.mu.Unlock()
	if err := a.read(int64(size-m.size), int64(text-m.text)); err != nil {
		return err
	}
	m.size, m.text = max(m.size, size), text
	return nil
}
