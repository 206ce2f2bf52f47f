package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/frondhost/frond/cmd/frond/mockdata"
	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/gateway"
	"github.com/frondhost/frond/gateway/program"
	"github.com/frondhost/frond/schema"
)

func newMock(s *shell) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "mock FROND",
		Short: "Serve a Frond that is not there yet, with rows that are made up",
		Long: `Serve one Frond from its cards alone, as frond serve would, over rows that are made
up: they fit the cards and look as their names say. The Frond is one of the project
in --dir, or of the host at --from. Everything works and is kept in memory:
filters, pages, create, update, delete; operations that only the Frond's own code
could answer give an answer that fits their output.

The same --seed makes the same rows. Ids are the same whatever the seed, so that two
mocks with the same --rows point at one another's rows.`,
		Example: "  frond mock catalog --dir examples/shop\n" +
			"  frond mock billing --from http://10.0.0.7:4100 --latency 50ms..200ms --fail 0.02",
		Args: arguments(1, 1, "the name of one Frond"),
	}
	var m mocked
	flags := cmd.Flags()
	dir := flags.String("dir", ".", "the project's folder")
	flags.StringVar(&m.from.from, "from", "", "the address of a host that has the Frond, to take its cards from")
	flags.StringArrayVar(&m.from.headers, "header", nil, `a header for the host at --from, such as "Authorization: Bearer …"`)
	port := flags.Uint16("port", 4100, "the port to listen on; 0 takes any that is free")
	hosts := flags.StringSlice("hosts", []string{"127.0.0.1"}, "the addresses to listen on")
	unsigned := flags.Bool("allow-unsigned", false, "start on addresses beyond loopback too")
	verify := flags.StringSlice("verify-keys", nil, "take calls alone that are signed with one of the keys in these files (signing.keys)")
	flags.IntVar(&m.rows, "rows", 50, "how many rows each entity has, seeds among them")
	flags.Uint64Var(&m.seed, "seed", 1, "where chance begins")
	flags.StringVar(&m.latency, "latency", "", "how long each call takes: 80ms, or 50ms..200ms")
	flags.Float64Var(&m.fail, "fail", 0, "the share of calls that fail as SERVICE_UNAVAILABLE: 0.02")
	cmd.MarkFlagsMutuallyExclusive("dir", "from")
	settings := addSettings(cmd, "vendor", "limits.body", "limits.list.default", "limits.list.max", "log.level", "log.format", "shutdown.delay", "shutdown.timeout")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		trouble, err := m.check()
		if err != nil {
			return err
		}
		project, config, err := m.project(cmd.Context(), s, settings, *dir, args[0])
		if err != nil {
			return err
		}
		if cmd.Flags().Changed("verify-keys") {
			if config.Signing.Keys, err = fromHere(*verify); err != nil {
				return err
			}
		}
		// Relations into Fronds that run elsewhere lead out of what is here.
		incomplete := m.from.from != "" || len(config.Remotes) > 0 || slices.ContainsFunc(project.Fronds, func(f *facade.FrondSource) bool { return f.Known != nil })
		notes, err := mockdata.Fill(project, &mockdata.Options{Rows: m.rows, Seed: m.seed, Incomplete: incomplete})
		if err != nil {
			return err
		}
		for _, note := range notes {
			fmt.Fprintf(s.talk, "frond: %s\n", note)
		}
		config.Store = "memory"
		var addresses []string
		for _, host := range *hosts {
			addresses = append(addresses, net.JoinHostPort(host, strconv.Itoa(int(*port))))
		}
		r, err := gateway.NewReceiver(project, args[0], &gateway.ReceiverOptions{
			Options:       gateway.Options{Config: *config, Incomplete: incomplete, Undecided: true, Middleware: []facade.Middleware{trouble.middleware}},
			Addresses:     addresses,
			AllowUnsigned: *unsigned,
		})
		if err != nil {
			return err
		}
		return program.Serve(cmd.Context(), r)
	}
	return cmd
}

// mocked is what the flags of `frond mock` say.
type mocked struct {
	from    syncOptions // the host at --from
	rows    int
	seed    uint64
	latency string
	fail    float64
}

// mostRows is how many rows a mock makes of one entity at most.
const mostRows = 10_000

func (m *mocked) check() (*trouble, error) {
	t := &trouble{fail: m.fail, rand: rand.New(rand.NewPCG(m.seed, 0))} //nolint:gosec // trouble that can be had again is the point
	switch {
	case m.rows < 0 || m.rows > mostRows:
		return nil, fmt.Errorf("--rows cannot be %d; write a number from 0 to %d", m.rows, mostRows)
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
		return nil, fmt.Errorf("--latency cannot be %q; write a duration such as 80ms, or two such as 50ms..200ms", m.latency)
	}
	return t, nil
}

// project is what is mocked: the project's folder, or what the host at --from tells
// of the Frond.
func (m *mocked) project(ctx context.Context, s *shell, settings *settings, dir, frond string) (*facade.Project, *gateway.Config, error) {
	if m.from.from == "" {
		return settings.load(s, dir)
	}
	config, problems := settings.read(s, dir)
	if err := errors.Join(problems...); err != nil {
		return nil, nil, err
	}
	_, told, err := s.discover(ctx, frond, &m.from)
	if err != nil {
		return nil, nil, err
	}
	source := facade.Discovered(told, m.from.from)
	return &facade.Project{Fronds: []*facade.FrondSource{source}, Registry: schema.Builtins()}, config, nil
}

// trouble makes calls slow, and makes some of them fail, so that a client sees what
// it will have to live with. Discovery is no call: a gateway always learns what is
// served.
type trouble struct {
	least, most time.Duration
	fail        float64

	mu   sync.Mutex
	rand *rand.Rand
}

// draw says how long the next call takes, and whether it fails.
func (t *trouble) draw() (time.Duration, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	wait := t.least
	if room := t.most - t.least; room > 0 {
		wait += time.Duration(t.rand.Int64N(int64(room) + 1))
	}
	return wait, t.rand.Float64() < t.fail
}

type troubledKey struct{}

func (t *trouble) middleware(next facade.Caller) facade.Caller {
	return facade.CallerFunc(func(ctx context.Context, c *facade.Call) (*facade.Result, error) {
		if ctx.Value(troubledKey{}) != nil {
			return next.Call(ctx, c) // an operation that calls others is one call
		}
		ctx = context.WithValue(ctx, troubledKey{}, true)
		wait, fails := t.draw()
		if wait > 0 {
			timer := time.NewTimer(wait)
			defer timer.Stop()
			select {
			case <-timer.C:
			case <-ctx.Done():
				return nil, facade.AsError(ctx.Err()).At(c.Entity, c.Operation)
			}
		}
		if fails {
			return nil, facade.Errorf(facade.ServiceUnavailable, "this mock fails as --fail asks it to").At(c.Entity, c.Operation)
		}
		return next.Call(ctx, c)
	})
}
