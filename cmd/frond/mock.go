package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/frondhost/frond/cmd/frond/mockdata"
	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/facade/project"
	"github.com/frondhost/frond/gateway"
	"github.com/frondhost/frond/schema"
)

// newMock is frond mock: the receiver of frond serve over mock data in memory. It trusts its
// callers as serve does, and listens on loopback by default. It writes no files
// (docs/decisions/contracts.md).
func newMock(s *shell) *cobra.Command {
	cmd := newCommand("mock", 1, 1, "the name of one Frond")
	var m mocked
	flags := cmd.Flags()
	m.from.add(cmd)
	listen := addListen(cmd, "accept only calls that are signed with one of the keys in these files (signing.keys)")
	flags.IntVar(&m.rows, "rows", 50, "how many rows each entity has, seeds included")
	flags.Uint64Var(&m.seed, "seed", 1, "the seed of the random numbers")
	flags.StringVar(&m.latency, "latency", "", "how long each call takes: 80ms, or 50ms..200ms")
	flags.Float64Var(&m.fail, "fail", 0, "the share of calls that fail as SERVICE_UNAVAILABLE: 0.02")
	settings := addProject(s, cmd, "vendor", "limits.body", "limits.list.default", "limits.list.max", "log.level", "log.format", "shutdown.delay", "shutdown.timeout")
	cmd.MarkFlagsMutuallyExclusive("dir", "from")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		faults, err := m.faults()
		if err != nil {
			return err
		}
		source, config, err := m.project(cmd.Context(), settings, args[0])
		if err != nil {
			return err
		}
		// Relations into Fronds of other hosts have no target here.
		incomplete := m.from.url != "" || len(config.Remotes) > 0 || slices.ContainsFunc(source.Fronds, func(f *project.Frond) bool { return f.Known != nil })
		// Notes are not faults: the mock starts and writes them to stderr.
		notes, err := mockdata.Fill(source, &mockdata.Options{Rows: m.rows, Seed: m.seed, Incomplete: incomplete})
		if err != nil {
			return err
		}
		for _, note := range notes {
			fmt.Fprintf(s.stderr, "frond: %s\n", note)
		}
		// Whatever the settings say: mock data must not reach a store of the project.
		config.KeepInMemory()
		r, err := listen.receiver(cmd.Context(), source, args[0], config, gateway.Options{
			Incomplete: incomplete, Undecided: true, Middleware: []facade.Middleware{faults.middleware},
		})
		if err != nil {
			return err
		}
		return gateway.Serve(cmd.Context(), r)
	}
	return cmd
}

// mocked is the flags of frond mock.
type mocked struct {
	from hostFlags
	// rows and seed are the data: --rows of each entity, by the random numbers of --seed.
	rows int
	seed uint64
	// latency and fail are the faults: a duration or a range, and a share from 0 to 1.
	latency string
	fail    float64
}

// maxRows is how many rows a mock makes of one entity at most.
const maxRows = 10_000

// faults checks the flags, and returns the faults that they inject. --latency is one duration,
// 80ms, or two, 50ms..200ms, or "".
func (m *mocked) faults() (*injected, error) {
	t := &injected{fail: m.fail, rand: rand.New(rand.NewPCG(m.seed, 0))} //nolint:gosec // faults that can be repeated are the point
	switch {
	case m.rows < 0 || m.rows > maxRows:
		return nil, fmt.Errorf("--rows cannot be %d; write a number from 0 to %d", m.rows, maxRows)
	// Written as the allowed range: every comparison with NaN is false.
	case !(m.fail >= 0 && m.fail <= 1): // NaN is neither
		return nil, fmt.Errorf("--fail cannot be %v; write a share from 0 to 1, such as 0.02", m.fail)
	case m.latency == "":
		return t, nil
	}
	from, to, ranges := strings.Cut(m.latency, "..")
	if !ranges {
		to = from
	}
	var err, err2 error
	t.least, err = time.ParseDuration(from)
	t.most, err2 = time.ParseDuration(to)
	if errors.Join(err, err2) != nil || t.least < 0 || t.most < t.least {
		return nil, fmt.Errorf("--latency cannot be %q; write a duration such as 80ms, or 50ms..200ms", m.latency)
	}
	return t, nil
}

// project is the mocked project: the one in --dir, or the Frond of the host at --from. With
// --from no folder is needed; its settings are read if it has some.
//
// With --from the Frond comes from the host's catalog, with the generators and conversions of
// this program (schema.Builtins).
func (m *mocked) project(ctx context.Context, settings *settings, frond string) (*facade.Project, *gateway.Config, error) {
	if m.from.url == "" {
		return settings.load() //nolint:contextcheck // compiling a project does not wait
	}
	config, err := settings.read()
	if err != nil {
		return nil, nil, err
	}
	_, discovered, err := m.from.fetch(ctx, frond)
	if err != nil {
		return nil, nil, err
	}
	source := project.Discovered(discovered, m.from.url)
	return &facade.Project{Fronds: []*project.Frond{source}, Registry: schema.Builtins()}, config, nil
}

// injected holds the faults that a mock injects: it makes calls slow, and some of them fail, so
// that a client meets the failures it has to handle. Discovery is excepted: a gateway always
// learns the catalog. It may be used from many goroutines. The numbers come from --seed: two
// runs with the same calls in the same order meet the same faults.
type injected struct {
	// least and most bound the wait of a call; fail is the share of calls that fail, from 0 to
	// 1.
	least, most time.Duration
	fail        float64

	mu   sync.Mutex
	rand *rand.Rand
}

// draw returns how long the next call takes, and whether it fails. The wait is between least
// and most, both included.
func (t *injected) draw() (time.Duration, bool) {
	// A rand.Rand is not safe for concurrent use.
	t.mu.Lock()
	defer t.mu.Unlock()
	wait := t.least
	if room := t.most - t.least; room > 0 {
		wait += time.Duration(t.rand.Int64N(int64(room) + 1))
	}
	return wait, t.rand.Float64() < t.fail
}

// injectedKey marks the context of a call that has had its share of faults.
type injectedKey struct{}

// middleware injects the faults into calls from outside. A failed call does not reach next; a
// delayed one ends with its context. A call that fails waits first, as a host that fails does.
func (t *injected) middleware(next facade.Caller) facade.Caller {
	return facade.CallerFunc(func(ctx context.Context, c *facade.Call) (*facade.Result, error) {
		// Once for each call from outside: otherwise an operation that calls ten others would
		// fail ten times as often.
		if ctx.Value(injectedKey{}) != nil {
			return next.Call(ctx, c) // an operation that calls others is one call
		}
		ctx = context.WithValue(ctx, injectedKey{}, true)
		wait, fails := t.draw()
		if wait > 0 {
			timer := time.NewTimer(wait)
			defer timer.Stop()
			select {
			case <-timer.C:
			case <-ctx.Done():
				return nil, kiterror.AsError(ctx.Err()).At(c.Entity, c.Operation)
			}
		}
		if fails {
			return nil, kiterror.Errorf(kiterror.ServiceUnavailable, "this mock fails as --fail says").At(c.Entity, c.Operation)
		}
		return next.Call(ctx, c)
	})
}
