package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facts"
	"github.com/frondhost/frond/gateway"
)

// newFacts is frond facts, whose commands look at the log of events (docs/facts.md).
//
//	0   it is done; tail: it was stopped
//	1   the log refuses: a position past retention, an event that is not dead
//	2   an unknown fact or consumer, faults in cards or settings
//	3   a store or a host that cannot be reached
func newFacts(s *shell) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "facts",
		Short: "Look at the log of facts, and deliver them again",
		Long: `Look at the facts of a project's Fronds. "tail" prints events as they come, "dead"
lists the events that a consumer, a webhook or NATS gave up on, and "replay" has them
tried again. A gateway may run at the same time.`,
		Args: cobra.ArbitraryArgs,
		RunE: helpOrUnknown,
	}
	cmd.AddCommand(newFactsTail(s), newFactsReplay(s), newFactsDead(s))
	return cmd
}

// factsFlags say where the log is.
type factsFlags struct {
	settings *settings
	config   *gateway.Config // as with has read it
}

func addFacts(s *shell, cmd *cobra.Command) *factsFlags {
	return &factsFlags{settings: addProject(s, cmd, "store", "remotes", "vendor", "mode")}
}

// with opens the outbox of the project.
func (f *factsFlags) with(ctx context.Context, do func(context.Context, *facade.Facade, facade.Outbox) error) error {
	project, opts, err := f.settings.tables() //nolint:contextcheck // compiling a project does not wait
	if err != nil {
		return err
	}
	f.config = &opts.Config
	return gateway.WithFacts(ctx, project, opts, do)
}

// factsNamed are facts by FACT or FROND.FACT, as FROND.FACT; none are all.
func factsNamed(c *catalog.Catalog, names []string) (full []string, err error) {
	for _, name := range names {
		switch meant, all := c.FactsNamed(name); {
		case len(meant) == 1:
			full = append(full, meant[0].FullName())
		case len(meant) > 1:
			return nil, fmt.Errorf("several Fronds announce %s; write one of %s, %s", name, meant[0].FullName(), meant[1].FullName())
		case len(all) == 0:
			return nil, fmt.Errorf("fact %s is unknown: the project declares no facts; write facts: in a frond.yaml", name)
		default:
			return nil, fmt.Errorf("fact %s is unknown; write one of %s", name, strings.Join(all, ", "))
		}
	}
	return full, nil
}

// positionOf reads a position of the command line. The error is the log's.
func positionOf(ctx context.Context, log facade.EventLog, text string) (facade.Position, error) {
	if text == "start" {
		return facts.Start, nil
	}
	at, err := facade.ParsePosition(text)
	if err != nil {
		return 0, err
	}
	oldest, last, err := log.Span(ctx)
	if err != nil {
		return 0, err
	}
	return at, facade.Resumable(at, oldest, last)
}
