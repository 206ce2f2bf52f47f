package budget_test

import (
	"context"
	"errors"
	"io"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/frondhost/frond/facade/budget"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/facade/rows"
)

const (
	chunk = 64 << 10
	mib   = 1 << 20
)

// account opens an account that has to open.
func account(t *testing.T, b *budget.Budget) (context.Context, *budget.Account) {
	t.Helper()
	ctx, a, err := b.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return ctx, a
}

// answer is an answer without rows.
type answer struct{}

func (answer) Size() int     { return 1 << 30 }
func (answer) TextSize() int { return 1 << 30 }

type otherKey struct{}

// TestPart: what is taken of a part is taken of the whole, up to the part and to what the whole
// keeps for small requests, and a fourth of it is kept for accounts.
func TestPart(t *testing.T) {
	b := budget.New(8*mib, 0)
	p := b.Part(2)
	if err := p.Take(3 * mib); err != nil {
		t.Fatal(err)
	}
	if err := p.Take(1); kiterror.CodeOf(err) != kiterror.ServiceUnavailable {
		t.Errorf("three quarters of the part were taken, and one more: %v", err)
	}
	_, a := account(t, p)
	fill(a)
	if used := b.State().Used; used > 4*mib || used <= 3*mib || used != p.State().Used {
		t.Errorf("the whole has %d bytes in use, the part %d", used, p.State().Used)
	}
	if b.State().RefusedBytes == 0 {
		t.Error("the whole does not know that its part was refused bytes")
	}
	a.Close()
	p.Add(2 * mib) // whether there are so many or not
	if used := p.State().Used; used != 5*mib {
		t.Errorf("%d bytes are in use", used)
	}
	p.Give(5 * mib)
	_, other := account(t, b)
	fill(other)
	if err := p.Take(2 * mib); err == nil {
		t.Error("the part takes the reserve of the whole")
	}
	other.Close()
	if b.State().Used != 0 || p.State().Used != 0 {
		t.Errorf("%d and %d bytes stay in use", b.State().Used, p.State().Used)
	}
	var none *budget.Budget
	if none.Part(2).Take(1<<40) != nil {
		t.Error("no budget refuses bytes")
	}
	none.Part(2).Give(1)
	none.Add(1)
}

// fill reserves all that an account can have.
func fill(a *budget.Account) {
	var err error
	for err == nil {
		err = a.Reserve(chunk)
	}
}

// TestBudget: what is reserved is taken in chunks, refused at once where there is no
// more, and given back whole.
func TestBudget(t *testing.T) {
	b := budget.New(8*mib, 0)
	used := func(want int64) {
		t.Helper()
		if got := b.State().Used; got != want {
			t.Fatalf("%d bytes are in use, want %d", got, want)
		}
	}
	ctx, a := account(t, b)
	if budget.AccountOf(context.WithValue(ctx, otherKey{}, 1)) != a || budget.AccountOf(t.Context()) != nil {
		t.Fatal("the account is not found in its context, or in one that is not")
	}
	used(chunk)
	for _, step := range []struct {
		n    int
		want int64
	}{{100, chunk}, {chunk - 100, chunk}, {1, 2 * chunk}, {3 * chunk, 5 * chunk}, {0, 5 * chunk}, {-1, 5 * chunk}} {
		if err := a.Reserve(step.n); err != nil {
			t.Fatal(err)
		}
		used(step.want)
	}
	a.Keep(chunk + 1)
	used(2 * chunk)
	a.Keep(3 * mib) // more than it has
	used(2 * chunk)
	a.Keep(0)
	used(chunk)

	if err := a.Reserve(5 * mib); err != nil {
		t.Fatal(err)
	}
	_, other := account(t, b)
	err := other.Reserve(3 * mib)
	if kiterror.CodeOf(err) != kiterror.ServiceUnavailable || kiterror.AsError(err).RetryAfter() == "" || errors.Is(err, budget.ErrOversize) {
		t.Errorf("beside five of eight: %v", err)
	}
	if again := other.Reserve(1); again != err { //nolint:errorlint // the very same
		t.Errorf("after a refusal: %v, want the same again", again)
	}
	other.Forgive()
	if err := other.Reserve(mib); err != nil {
		t.Errorf("forgiven: %v", err)
	}
	err = a.Reserve(3 * mib)
	if kiterror.CodeOf(err) != kiterror.PayloadTooLarge || !errors.Is(err, budget.ErrOversize) || kiterror.AsError(err).RetryAfter() != "" {
		t.Errorf("more than there is for anybody: %v", err)
	}
	other.Add(4 * mib) // written is written
	if s := b.State(); s.Used <= 8*mib || s.RefusedBytes != 2 {
		t.Errorf("%+v", s)
	}
	for range 2 {
		a.Close()
		other.Close()
		used(0)
	}
	if err := errors.Join(a.Reserve(chunk), other.Reserve(chunk)); err != nil {
		t.Error(err)
	}
	a.Add(chunk)
	used(0) // whoever goes on after Close is not counted
}

// TestReserve: large answers leave an eighth for those who begin.
func TestReserve(t *testing.T) {
	b := budget.New(8*mib, 0)
	var hogs []*budget.Account
	for range 3 {
		_, hog := account(t, b)
		fill(hog)
		hogs = append(hogs, hog)
	}
	small := 0
	for {
		_, a, err := b.Open(t.Context())
		if err != nil {
			if kiterror.CodeOf(err) != kiterror.ServiceUnavailable || kiterror.AsError(err).RetryAfter() == "" {
				t.Errorf("%v", err)
			}
			break
		}
		if err := a.Reserve(chunk); err != nil {
			t.Fatalf("what every account has from its beginning: %v", err)
		}
		small++
		hogs = append(hogs, a)
	}
	if small < mib/chunk-3 || b.State().Used > 8*mib {
		t.Errorf("%d small ones had room beside large ones, of %+v", small, b.State())
	}
	for _, a := range hogs {
		a.Close()
	}
	if s := b.State(); s.Used != 0 {
		t.Errorf("%d bytes are in use afterwards", s.Used)
	}
	if !b.Subsided() || b.Subsided() {
		t.Error("that it has subsided is said once")
	}
}

// TestExecutions counts those between Begin and End.
func TestExecutions(t *testing.T) {
	b := budget.New(0, 2)
	_, one := account(t, b)
	_, two := account(t, b)
	_, three := account(t, b)
	if err := errors.Join(one.Begin(), two.Begin(), one.Reserve(1<<40)); err != nil {
		t.Fatal(err)
	}
	err := three.Begin()
	if kiterror.CodeOf(err) != kiterror.ServiceUnavailable || kiterror.AsError(err).RetryAfter() == "" {
		t.Errorf("the third: %v", err)
	}
	three.Close() // it had none to give back
	one.End()     // its answer is on its way
	_, four := account(t, b)
	if err := four.Begin(); err != nil {
		t.Error(err)
	}
	one.Close()
	two.Close()
	four.Close()
	if s := b.State(); s.Running != 0 || s.Used != 0 || s.RefusedExecutions != 1 {
		t.Errorf("%+v", s)
	}
}

// TestNoBudget: without one nothing is bounded, and nothing has to be asked.
func TestNoBudget(t *testing.T) {
	var none *budget.Budget
	ctx, a, err := none.Open(t.Context())
	if ctx != t.Context() || a != nil || err != nil {
		t.Fatal(ctx, a, err)
	}
	m := budget.MeterOf(ctx)
	if err := errors.Join(a.Begin(), a.Reserve(1<<40), m.Grown(rows.New(rows.NewLayout(nil), 0), 1<<40), a.Take(answer{})); err != nil {
		t.Error(err)
	}
	if _, apart, err := a.Apart(ctx); apart != nil || err != nil {
		t.Error(apart, err)
	}
	a.Add(1)
	a.Keep(1)
	a.Level(1)
	a.Forgive()
	a.End()
	a.Close()
	if a.Refused() != nil || none.Subsided() || none.State() != (budget.Usage{}) {
		t.Error("something of nothing")
	}
}

// TestLevel: rows that are read are held to the level's limit by their text alone.
func TestLevel(t *testing.T) {
	b := budget.New(64*mib, 0)
	ctx, a := account(t, b)
	defer a.Close()
	layout := rows.NewLayout([]string{"text"})
	read := func(n int) error {
		rows, m := rows.New(layout, 0), budget.MeterOf(ctx)
		for range n {
			rows.BeginRow()
			rows.Put(0, []byte(`"`+strings.Repeat("x", 100_000)+`"`))
			rows.EndRow()
			if err := m.Grown(rows, 0); err != nil {
				return err
			}
		}
		return nil
	}
	a.Level(mib)
	if err := read(9); err != nil {
		t.Fatal(err)
	}
	a.Level(mib) // the next one begins anew
	if err := read(9); err != nil {
		t.Fatal(err)
	}
	if err := read(9); !errors.Is(err, budget.ErrOversize) || !strings.Contains(err.Error(), "1048576") {
		t.Errorf("two runs of one level: %v", err)
	}
	a.Forgive()
	a.Level(-1)
	if err := read(20); err != nil {
		t.Error(err)
	}
}

// TestBodyIsCharged as it comes in, and a small one at once.
func TestBodyIsCharged(t *testing.T) {
	b := budget.New(mib, 0)
	_, a := account(t, b)
	defer a.Close()
	small := strings.NewReader("{}")
	if a.Reader(small, 2, mib) != io.Reader(small) {
		t.Error("a small body is read through something")
	}
	got, err := io.ReadAll(a.Reader(strings.NewReader(strings.Repeat("x", 2*mib)), -1, 4*mib))
	if !errors.Is(err, budget.ErrOversize) || len(got) == 2*mib {
		t.Errorf("%d bytes were read, with %v", len(got), err)
	}
}

// TestBudgetUnderLoad: many at once, and nothing is lost or given back twice.
func TestBudgetUnderLoad(t *testing.T) {
	b := budget.New(4*mib, 8)
	var all sync.WaitGroup
	for i := range 16 {
		all.Go(func() {
			for n := range 200 {
				ctx, a, err := b.Open(context.Background())
				if err != nil {
					continue
				}
				if a.Begin() == nil {
					var work sync.WaitGroup
					for range 3 {
						work.Go(func() {
							if budget.AccountOf(ctx).Reserve((i+n)*1000) != nil {
								a.Keep(0)
							}
						})
					}
					runtime.Gosched()
					a.Add(n)
					work.Wait()
				}
				a.Close()
				if held, err := b.Hold(); err == nil {
					_ = held.Reserve(n * 1000)
					held.Return()
				}
			}
		})
	}
	all.Wait()
	if s := b.State(); s.Used != 0 || s.Running != 0 {
		t.Errorf("%+v", s)
	}
}
