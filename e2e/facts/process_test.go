package facts

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/compile"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/facade/rows"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/store/postgres"
	"github.com/frondhost/frond/store/sqlite"
)

// The environment of a process: its role, the store, the file of the consumer that has one, and
// the step at which it kills itself (0: it waits to be killed).
const (
	roleOf  = "FROND_FACTS_ROLE"
	storeOf = "FROND_FACTS_STORE"
	fileOf  = "FROND_FACTS_FILE"
	killAt  = "FROND_FACTS_KILL_AT"
)

// store is what both stores are.
type store interface {
	facade.Store
	facade.Transactor
	io.Closer
	Prepare(ctx context.Context, entities []*schema.Entity) error
}

// open opens a store by its name. trace is called before each statement.
func open(ctx context.Context, name string, trace func(string, ...any)) (store, error) {
	quiet := slog.New(slog.DiscardHandler)
	if path, found := strings.CutPrefix(name, "sqlite:"); found {
		return sqlite.Open(ctx, sqlite.Options{Path: path, Logger: quiet, Trace: trace})
	}
	return postgres.Open(postgres.Options{URL: name, Logger: quiet, Trace: trace, Connections: 6})
}

// host opens the store and the façade over it.
func host(ctx context.Context, name string, trace func(string, ...any)) (*facade.Facade, store, error) {
	s, err := open(ctx, name, trace)
	if err != nil {
		return nil, nil, err
	}
	p, err := project()
	if err != nil {
		return nil, nil, err
	}
	compiled, err := compile.Project(p, nil)
	if err != nil {
		return nil, nil, err
	}
	f, err := facade.New(compiled, s, nil)
	if err != nil {
		return nil, nil, err
	}
	return f, s, s.Prepare(ctx, f.Catalog().Set.Entities)
}

// step is called at every step of a process, and ends it at the one that was drawn.
type step struct{ remaining atomic.Int64 }

func (s *step) trace(string, ...any) { s.take() }

func (s *step) take() {
	if s.remaining.Add(-1) == 0 {
		_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
		select {}
	}
}

// TestProcess is a process that is killed.
func TestProcess(t *testing.T) {
	role := os.Getenv(roleOf)
	if role == "" {
		t.Skip("it is a part of TestKills")
	}
	var at step
	if n, err := strconv.Atoi(os.Getenv(killAt)); err == nil && n > 0 {
		at.remaining.Store(int64(n))
	}
	// Whoever started it is gone where nobody has killed it by then.
	ctx, done := context.WithTimeout(t.Context(), 10*time.Minute)
	defer done()
	if role == "program" {
		if err := program(ctx, os.Getenv(storeOf), &at); err != nil {
			t.Fatal(err)
		}
		return
	}
	f, s, err := host(t.Context(), os.Getenv(storeOf), at.trace)
	if err != nil {
		t.Fatal(err)
	}
	if role != "gateway" {
		fmt.Println("ready")
	}
	switch role {
	case "gateway":
		if err = begin(ctx, f); err == nil {
			err = gatewayOf(ctx, f, &at)
		}
	case "relay":
		err = relay(ctx, s, &at)
	case "effects":
		err = consume(ctx, s, role, &at, effects(f, s))
	case "file":
		var out *os.File
		if out, err = os.OpenFile(os.Getenv(fileOf), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600); err == nil {
			err = consume(ctx, s, role, &at, lines(out, s))
		}
	default:
		err = errors.New("there is no such role")
	}
	if err != nil {
		t.Fatal(err)
	}
}

// begin runs a few commands, and then says that the process may be killed: a busy machine would
// else kill all of them before their first one.
func begin(ctx context.Context, f facade.Caller) error {
	for range 10 {
		if err := command(ctx, f); err != nil {
			return err
		}
	}
	fmt.Println("ready")
	return nil
}

// gatewayOf runs commands from four callers.
func gatewayOf(ctx context.Context, f facade.Caller, at *step) error {
	errs := make([]error, 4)
	var callers sync.WaitGroup
	for i := range errs {
		callers.Go(func() {
			for ctx.Err() == nil && errs[i] == nil {
				errs[i] = command(ctx, f)
				at.take()
			}
		})
	}
	callers.Wait()
	return errors.Join(errs...)
}

// relay gives positions.
func relay(ctx context.Context, s store, at *step) error {
	for ctx.Err() == nil {
		committed := s.Abilities().Outbox.Committed()
		if _, _, err := s.Abilities().Outbox.Relay(ctx); err != nil && !passes(err) {
			return err
		}
		at.take()
		select {
		case <-committed:
		case <-time.After(2 * time.Millisecond): // others commit as well
		}
	}
	return nil
}

// passes reports whether an error is one that another attempt may not have.
func passes(err error) bool {
	code := kiterror.CodeOf(err)
	return code == kiterror.ServiceUnavailable || code == kiterror.Conflict
}

// consume reads the log from where the consumer stands and hands on what it finds; take moves
// the consumer.
func consume(ctx context.Context, s store, name string, at *step, take func(ctx context.Context, events []*facade.Event, from, to facade.Position) error) error {
	for ctx.Err() == nil {
		from, _, err := s.Abilities().Outbox.Cursor(ctx, name)
		var events []*facade.Event
		to := from
		if err == nil {
			events, to, err = s.Abilities().Outbox.Log(ctx, from, nil, 20)
		}
		at.take()
		if err == nil && to > from {
			err = take(ctx, events, from, to)
		}
		at.take()
		if err != nil && !passes(err) {
			return err
		}
		if len(events) == 0 {
			time.Sleep(2 * time.Millisecond)
		}
	}
	return nil
}

// effects is a consumer whose effects are rows of the store, written with its position: each
// event is one row, which a second time would be refused.
func effects(f *facade.Facade, s store) func(context.Context, []*facade.Event, facade.Position, facade.Position) error {
	entity := entityOf(f, "effect")
	return func(ctx context.Context, events []*facade.Event, from, to facade.Position) error {
		return s.Transact(ctx, func(ctx context.Context) error {
			moved, err := s.Abilities().Outbox.Advance(ctx, "effects", from, to)
			if err != nil || !moved {
				return err
			}
			for _, e := range events {
				row := facade.Record{{Name: "id", Value: quoted(e.ID)}, {Name: "of", Value: quoted(e.Name)}}
				if _, err := s.Insert(ctx, entity, []facade.Record{row}, nil, rows.NewLayout(nil)); err != nil {
					if kiterror.CodeOf(err) == kiterror.Conflict && !retryable(err) {
						return fmt.Errorf("the event %s came twice: %w", e.ID, errTwice)
					}
					return err
				}
			}
			return nil
		})
	}
}

var errTwice = errors.New("its effect is there already")

// retryable reports whether a CONFLICT is one of transactions.
func retryable(err error) bool {
	var e *kiterror.Error
	if !errors.As(err, &e) {
		return false
	}
	details, ok := e.Details.(map[string]any)
	return ok && details["retryable"] == true
}

// line is what the consumer with a file writes of an event.
type line struct {
	ID, Name, Key, Change string
	Position              facade.Position
	Data                  json.RawMessage
}

// lines is a consumer whose effects are lines of a file, written before its position is: a
// line may come again.
func lines(out *os.File, s store) func(context.Context, []*facade.Event, facade.Position, facade.Position) error {
	_, _ = out.WriteString("\n") // a line that a kill has cut ends here
	return func(ctx context.Context, events []*facade.Event, from, to facade.Position) error {
		var text []byte
		for _, e := range events {
			one, err := json.Marshal(line{e.ID, e.Name, string(e.Key), string(e.Change), e.Position, e.Data})
			if err != nil {
				return err
			}
			text = append(append(text, one...), '\n')
		}
		if _, err := out.Write(text); err != nil {
			return err
		}
		_, err := s.Abilities().Outbox.Advance(ctx, "file", from, to)
		return err
	}
}

var kills = flag.Int("kills", 20, "how many processes are killed on each store")
