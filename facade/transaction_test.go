package facade_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/compile"
	"github.com/frondhost/frond/facade/explain"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/facade/rows"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/store/storetest"
)

// seatFiles are a door with commands of the author's own; each takes an id.
var seatFiles = map[string]string{
	"entities/seat.yaml": `
properties:
  id: {type: string, x-kit: {role: {primary: true}}}
  holder: {type: string}
  stamp: {type: [string, 'null'], x-kit: {lifecycle: {create: optional}}}
required: [id, holder]
`,
	"frond.yaml": `
doors:
  seat:
    operations:
      outer: {kind: command, params: {type: object, properties: {id: {type: string}}, required: [id]}}
      inner: {kind: command, params: {type: object, properties: {id: {type: string}}, required: [id]}}
      free: {kind: query}
collectors: {seat: open}
`,
}

// contended is a store whose transactions meet a conflict so many times, when all their calls
// were made. One that joins another one meets none of its own.
type contended struct {
	*storetest.Store
	conflicts int
}

// Abilities has dry runs of writes in transactions; the tests make no others in a dry run.
func (s *contended) Abilities() facade.Abilities {
	return facade.Abilities{Transactor: s, Outbox: s, DryRuns: true}
}

var errConflict = errors.New("another transaction came between")

func (s *contended) Transact(ctx context.Context, fn func(context.Context) error) error {
	if facade.InTransaction(ctx) {
		return s.Store.Transact(ctx, fn)
	}
	return facade.Retry(ctx, func(err error) bool { return errors.Is(err, errConflict) }, func(run int) error {
		return s.Store.Transact(ctx, func(ctx context.Context) error {
			if err := fn(ctx); err != nil || run > s.conflicts {
				return err
			}
			return errConflict
		})
	})
}

// seats is a façade over the seat files, and a function that lists the ids of all seats.
func seats(t *testing.T, store facade.Store, attach func(facade.DoorRef)) (*facade.Facade, func() string) {
	t.Helper()
	p := projectOf(t, seatFiles)
	attach(p.Door("seat"))
	f, err := facade.New(storetest.Compiled(t, p), store, nil)
	if err != nil {
		t.Fatal(err)
	}
	return f, func() string { return ids(t, must(t, f, "seat.list", "", "", "")) }
}

// create writes a seat as the author's own code does.
func create(ctx context.Context, caller facade.Caller, id string) error {
	_, err := facade.Do[any](ctx, caller, "seat.create", facade.Invocation{Body: raw(fmt.Sprintf(`{"id":%q,"holder":"x"}`, id))})
	return err
}

type byID struct{ ID string }

// TestCommandsAreWhole: what the handler of a command writes is committed together, whoever
// writes it; what a nested command that fails wrote is undone, and no more.
func TestCommandsAreWhole(t *testing.T) {
	ours := kiterror.Errorf(kiterror.UnprocessableEntity, "not so")
	f, all := seats(t, storetest.NewStore(), func(door facade.DoorRef) {
		facade.HandleCommand(door, "inner", func(ctx context.Context, in byID) (any, error) {
			err := create(ctx, facade.From(ctx), in.ID+"i")
			if err == nil && strings.Contains(in.ID, "inner") {
				err = ours
			}
			return nil, err
		})
		facade.HandleCommand(door, "outer", func(ctx context.Context, in byID) (any, error) {
			if err := create(ctx, facade.Inside(ctx), in.ID); err != nil {
				return nil, err
			}
			_, err := facade.Do[any](ctx, facade.From(ctx), "seat.inner", facade.Invocation{Params: raw(fmt.Sprintf(`{"id":%q}`, in.ID))})
			if err != nil && !strings.Contains(in.ID, "hides") {
				return nil, err
			}
			switch {
			case strings.Contains(in.ID, "outer"):
				return nil, ours
			case strings.Contains(in.ID, "panic"):
				panic(in.ID)
			}
			// The transaction sees what it wrote.
			page, err := facade.Do[facade.List[byID]](ctx, facade.From(ctx), "seat.list", facade.Invocation{})
			if len(page.Items) == 0 {
				t.Error("a command does not see its own writes")
			}
			return nil, err
		})
	})
	for _, c := range []struct{ id, code, all string }{
		{"a", "", "a ai"},
		{"inner", "UNPROCESSABLE_ENTITY", "a ai"},
		{"outer", "UNPROCESSABLE_ENTITY", "a ai"},
		{"panic", "INTERNAL_ERROR", "a ai"},
		{"a", "CONFLICT", "a ai"},
		{"inner-hides", "", "a ai inner-hides"},
	} {
		_, err := do(t, f, "seat.outer", fmt.Sprintf(`{"id":%q}`, c.id), "", "")
		if got := all(); string(kiterror.CodeOf(errorOrNil(err))) != c.code || got != c.all {
			t.Errorf("%s: %v; there are %s, want %s", c.id, err, got, c.all)
		}
	}
}

// TestCommandsRunAgain: a command that met a conflict runs again as if for the first time. Its
// hooks after run once, behind the commit and outside of it.
func TestCommandsRunAgain(t *testing.T) {
	for conflicts, want := range map[int]string{
		0: "outer 1 inner 1; after create a; after inner; after outer",
		2: "outer 1 inner 1; outer 2 inner 2; outer 3 inner 3; after create a; after inner; after outer",
		99: func() string {
			var runs []string
			for n := 1; n <= 32; n++ {
				runs = append(runs, fmt.Sprintf("outer %d inner %d", n, n))
			}
			return strings.Join(runs, "; ")
		}(),
	} {
		var log []string
		outer, inner, befores := 0, 0, 0
		store := &contended{storetest.NewStore(), conflicts}
		var f *facade.Facade
		f, all := seats(t, store, func(door facade.DoorRef) {
			for _, op := range []string{"create", "inner", "outer"} {
				facade.Attach(door, op, facade.Hook{
					Before: func(context.Context, *facade.Call) (schema.Object, error) { befores++; return nil, nil },
					After: func(ctx context.Context, c *facade.Call, _ *facade.Result) {
						if facade.InTransaction(ctx) || ctx.Err() != nil {
							t.Error("a hook after a command runs in its transaction")
						}
						row := must(t, f, "seat.list", "", "", "") // a read beside: it is committed
						log = append(log, strings.TrimSpace("after "+op+" "+strings.TrimPrefix(ids(t, row), op)))
						if op != "create" {
							log[len(log)-1] = "after " + op
						}
					},
				})
			}
			facade.HandleCommand(door, "inner", func(ctx context.Context, in byID) (any, error) {
				inner++
				log[len(log)-1] += fmt.Sprintf(" inner %d", inner)
				return nil, create(ctx, facade.Inside(ctx), in.ID)
			})
			facade.HandleCommand(door, "outer", func(ctx context.Context, in byID) (any, error) {
				outer++
				log = append(log, fmt.Sprintf("outer %d", outer))
				return facade.Do[any](ctx, facade.Inside(ctx), "seat.inner", facade.Invocation{Params: raw(fmt.Sprintf(`{"id":%q}`, in.ID))})
			})
		})
		tries := 0
		ctx := facade.WatchTries(t.Context(), func(n int) { tries += n })
		_, err := f.Call(ctx, &facade.Call{Entity: "seat", Operation: "outer", Invocation: facade.Invocation{Params: raw(`{"id":"a"}`)}})
		if got := strings.Join(log, "; "); got != want {
			t.Errorf("%d conflicts:\n got %s\nwant %s", conflicts, got, want)
		}
		if tries != outer || befores != 3*outer {
			t.Errorf("%d conflicts: %d tries are reported, %d hooks ran", conflicts, tries, befores)
		}
		if conflicts == 99 {
			if e := kiterror.AsError(err); e == nil || e.Code != kiterror.Conflict || e.Details.(map[string]any)["retryable"] != true || all() != "" {
				t.Errorf("after 32 runs: %v, %s", err, all())
			}
		} else if err != nil || all() != "a" {
			t.Errorf("%d conflicts: %v, %s", conflicts, err, all())
		}
	}
}

// TestHooksBeforeAreInside: a hook before a built-in operation is part of its transaction, and
// what it writes over the body is forgotten with a try.
func TestHooksBeforeAreInside(t *testing.T) {
	tries := 0
	f, all := seats(t, &contended{storetest.NewStore(), 1}, func(door facade.DoorRef) {
		facade.Attach(door, "create", facade.Hook{Before: func(ctx context.Context, c *facade.Call) (schema.Object, error) {
			if string(c.Invocation.Body) == `{"id":"b","holder":"x","stamp":null}` || strings.Contains(string(c.Invocation.Body), "side") {
				return nil, nil
			}
			tries++
			if err := create(ctx, facade.From(ctx), fmt.Sprintf("side%d", tries)); err != nil {
				return nil, err
			}
			if tries == 1 {
				return schema.Object{{Name: "stamp", Value: raw(`"first"`)}}, nil
			}
			return nil, nil
		}})
	})
	text := must(t, f, "seat.create", "", "", `{"id":"a","holder":"x"}`)
	if strings.Contains(text, "first") {
		t.Errorf("a try has left something behind: %s", text)
	}
	if got := all(); !strings.HasPrefix(got, "a side") || strings.Contains(got, "side1 ") {
		t.Errorf("there are %s", got)
	}
	if _, err := do(t, f, "seat.create", "", "", `{"id":"a","holder":"x"}`); kiterror.CodeOf(errorOrNil(err)) != kiterror.Conflict {
		t.Errorf("a taken id: %v", err)
	}
	if got := all(); strings.Count(got, "side") != 1 {
		t.Errorf("a hook's write stays without the write it precedes: %s", got)
	}
}

// TestDetachedCommands: each call commits by itself, and nothing runs again. Within a
// transaction they are refused.
func TestDetachedCommands(t *testing.T) {
	failed := errors.New("the other service is away")
	f, all := seats(t, &contended{storetest.NewStore(), 1}, func(door facade.DoorRef) {
		facade.HandleCommand(door, "inner", func(ctx context.Context, in byID) (any, error) {
			if facade.InTransaction(ctx) {
				t.Error("a detached command is in a transaction")
			}
			return nil, errors.Join(create(ctx, facade.Inside(ctx), in.ID), failed)
		}, facade.Detached)
		facade.HandleCommand(door, "outer", func(ctx context.Context, in byID) (any, error) {
			return facade.Do[any](ctx, facade.From(ctx), "seat.inner", facade.Invocation{Params: raw(fmt.Sprintf(`{"id":%q}`, in.ID))})
		})
		facade.HandleQuery(door, "free", func(ctx context.Context, _ struct{}) (any, error) {
			if facade.InTransaction(ctx) {
				t.Error("a query is in a transaction")
			}
			return nil, nil
		})
	})
	if _, err := do(t, f, "seat.inner", `{"id":"a"}`, "", ""); !errors.Is(err, failed) {
		t.Error(err)
	}
	if all() != "a" {
		t.Errorf("what a detached command wrote before it failed: %s", all())
	}
	if _, err := do(t, f, "seat.outer", `{"id":"b"}`, "", ""); err == nil || !strings.Contains(errors.Unwrap(err).Error(), "seat.inner is detached") {
		t.Errorf("a detached command within a transaction: %v", err)
	}
	must(t, f, "seat.free", "", "", "")
	if all() != "a" {
		t.Errorf("there are %s", all())
	}

	p := projectOf(t, seatFiles)
	facade.Handle(p.Door("seat"), "list", func(context.Context, *facade.Call) (any, error) { return nil, nil }, facade.Detached)
	if _, err := compile.Project(p, nil); err == nil || !strings.Contains(err.Error(), "only commands are transactions") {
		t.Errorf("a detached query: %v", err)
	}
}

// TestCallsOutsideOfATransaction: a call that would leave the transaction it is made in, or
// comes when it is over, is an error and writes nothing.
func TestCallsOutsideOfATransaction(t *testing.T) {
	var wg sync.WaitGroup
	over := make(chan struct{})
	f, all := seats(t, storetest.NewStore(), func(door facade.DoorRef) {
		facade.HandleCommand(door, "outer", func(ctx context.Context, in byID) (any, error) {
			if err := create(t.Context(), facade.Inside(ctx), "outside"); err == nil || !strings.Contains(err.Error(), "outside of the transaction") {
				t.Errorf("with another context: %v", err)
			}
			wg.Add(1)
			go func() {
				defer wg.Done()
				<-over
				if err := create(context.WithoutCancel(ctx), facade.Inside(ctx), "late"); kiterror.CodeOf(err) != kiterror.InternalError {
					t.Errorf("from a goroutine that outlived its handler: %v", err)
				}
			}()
			for i := range 4 {
				wg.Add(1)
				go func() { // beside each other, within
					defer wg.Done()
					_ = create(ctx, facade.Inside(ctx), fmt.Sprintf("%s%d", in.ID, i))
				}()
			}
			return nil, create(ctx, facade.Inside(ctx), in.ID)
		})
	})
	must(t, f, "seat.outer", `{"id":"a"}`, "", "")
	close(over)
	wg.Wait()
	if got := all(); !strings.HasPrefix(got, "a") || strings.Contains(got, "outside") || strings.Contains(got, "late") {
		t.Errorf("there are %s", got)
	}
}

// TestComputedBehindTheCommit: what a command answers is projected when it is committed, and
// its computed fields are in no transaction.
func TestComputedBehindTheCommit(t *testing.T) {
	made := 0
	p := projectOf(t, map[string]string{
		"entities/seat.yaml": seatFiles["entities/seat.yaml"],
		"frond.yaml":         "doors: {seat: {operations: {take: {kind: command, output: seat}}}}\ncollectors: {seat: open}\n",
	})
	facade.Present(p.Door("seat"), "label", schema.Shape{Type: "string"}, func(ctx context.Context, found []rows.Row) ([]string, error) {
		made++
		if facade.InTransaction(ctx) {
			t.Error("a computed field is made in the transaction")
		}
		return make([]string, len(found)), nil
	})
	facade.HandleCommand(p.Door("seat"), "take", func(ctx context.Context, _ struct{}) (any, error) {
		return facade.Do[any](ctx, facade.Inside(ctx), "seat.create", facade.Invocation{Body: raw(`{"id":"a","holder":"x"}`)})
	})
	f, err := facade.New(storetest.Compiled(t, p), &contended{storetest.NewStore(), 3}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if text := must(t, f, "seat.take", "", "", ""); !strings.Contains(text, `"label":""`) || made != 1 {
		t.Errorf("computed %d times: %s", made, text)
	}
}

// TestPreconditionsOfATry: the version that a caller names is judged again with each try, for
// the handler and for the write it makes.
func TestPreconditionsOfATry(t *testing.T) {
	store := &contended{storetest.NewStore(), 0}
	tries := 0
	f, _ := seats(t, store, func(door facade.DoorRef) {
		facade.Handle(door, "update", func(ctx context.Context, c *facade.Call) (any, error) {
			tries++
			return facade.Do[any](ctx, facade.Inside(ctx), "seat.update", c.Invocation)
		})
	})
	must(t, f, "seat.create", "", "", `{"id":"a","holder":"x"}`)
	version := facade.Invocation{Params: raw(`{"id":"a"}`), Query: raw(`{"fields":"etag"}`)}
	row, err := facade.Do[struct{ ETag string }](t.Context(), f, "seat.findById", version)
	if err != nil {
		t.Fatal(err)
	}
	store.conflicts = 2
	update := func(holder string) error {
		_, err := f.Call(t.Context(), &facade.Call{
			Entity: "seat", Operation: "update", If: facade.IfMatch(row.ETag),
			Invocation: facade.Invocation{Params: raw(`{"id":"a"}`), Body: raw(fmt.Sprintf(`{"holder":%q}`, holder))},
		})
		return err
	}
	if err := update("y"); err != nil || tries != 3 {
		t.Errorf("%d tries: %v", tries, err)
	}
	tries = 0
	if err := update("z"); kiterror.CodeOf(err) != kiterror.PreconditionFailed || tries != 0 {
		t.Errorf("an old version: %d tries, %v", tries, err)
	}
}

// TestStoreWithoutTransactions: each call of a handler commits by itself, as before.
func TestStoreWithoutTransactions(t *testing.T) {
	f, all := seats(t, plainStore{storetest.NewStore()}, func(door facade.DoorRef) {
		facade.HandleCommand(door, "outer", func(ctx context.Context, in byID) (any, error) {
			return nil, errors.Join(create(ctx, facade.Inside(ctx), in.ID), create(ctx, facade.Inside(ctx), in.ID))
		})
	})
	if _, err := do(t, f, "seat.outer", `{"id":"a"}`, "", ""); kiterror.CodeOf(errorOrNil(err)) != kiterror.Conflict || all() != "a" {
		t.Errorf("%v, %s", err, all())
	}
}

// TestExplainRun: the handler of an explained command runs, sees what it wrote, and nothing of
// it stays. The number of its tries is in the explanation.
func TestExplainRun(t *testing.T) {
	ran := 0
	f, all := seats(t, &contended{storetest.NewStore(), 1}, func(door facade.DoorRef) {
		handler := func(ctx context.Context, in byID) (any, error) {
			ran++
			if err := create(ctx, facade.Inside(ctx), in.ID); err != nil {
				return nil, err
			}
			page, err := facade.Do[facade.List[byID]](ctx, facade.From(ctx), "seat.list", facade.Invocation{})
			if len(page.Items) != 1 {
				t.Errorf("a dry run sees %v", page.Items)
			}
			return page.Items, err
		}
		facade.HandleCommand(door, "outer", handler)
		facade.HandleCommand(door, "inner", handler, facade.Detached)
		facade.Attach(door, "create", facade.Hook{After: func(context.Context, *facade.Call, *facade.Result) { t.Error("a hook ran") }})
	})
	call := func(operation string) *facade.Call {
		return &facade.Call{Entity: "seat", Operation: operation, Invocation: facade.Invocation{Params: raw(`{"id":"a"}`)}}
	}
	x, err := explain.Run(t.Context(), f, call("outer"))
	if err != nil || x.Tries != 2 || ran != 2 || !strings.Contains(x.Written, "rolled back") || len(x.Calls) != 4 || len(x.Calls[0].Store) != 1 {
		t.Errorf("%v, ran %d times: %+v", err, ran, x)
	}
	if x, err := explain.Run(t.Context(), f, call("inner")); err != nil || ran != 2 || !strings.Contains(x.Written, "not run") {
		t.Errorf("a detached command: %v, ran %d times: %+v", err, ran, x)
	}
	if x, err := explain.Call(t.Context(), f, call("outer")); err != nil || ran != 2 || x.Tries != 0 || !strings.Contains(x.Written, "not run") {
		t.Errorf("explained only: %v, ran %d times: %+v", err, ran, x)
	}
	if all() != "" {
		t.Errorf("there are %s", all())
	}
}
