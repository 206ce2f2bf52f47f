package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/facts"
	"github.com/frondhost/frond/facts/delivery"
	"github.com/frondhost/frond/gateway"
)

// newFacts is frond facts, whose commands look at the log of events (docs/facts.md).
//
//	0   it is done; tail: it was stopped
//	1   the log refuses: a position past retention, an event that is still alive
//	2   an unknown fact or consumer, faults in cards or settings
//	3   a store or a host that cannot be reached
func newFacts(s *shell) *cobra.Command {
	cmd := newCommand("facts", 0, -1, "commands")
	cmd.RunE = helpOrUnknown
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

// factsNamed are facts by FACT or FROND.FACT, as FROND.FACT; an empty list means all.
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

// maxDead is how many dead letters a list has.
const maxDead = 1000

// newFactsDead is frond facts dead. With --json stdout is a list of {consumer, tries, reason,
// at, event}.
func newFactsDead(s *shell) *cobra.Command {
	cmd := newCommand("dead", 0, 1, "one consumer")
	f := addFacts(s, cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		return f.with(cmd.Context(), func(ctx context.Context, of *facade.Facade, outbox facade.Outbox) error {
			name := ""
			if len(args) > 0 {
				var err error
				if name, err = consumerNamed(ctx, of.Catalog(), outbox, args[0]); err != nil {
					return err
				}
			}
			dead, err := outbox.Dead(ctx, name, maxDead)
			if err != nil {
				return err
			}
			dead = slices.DeleteFunc(dead, func(d *facade.DeadEvent) bool { return isRetrying(d.Consumer) })
			if s.json {
				list := make([]map[string]any, 0, len(dead))
				for _, d := range dead {
					out, err := of.Outward(&d.Event)
					if err != nil {
						return err
					}
					list = append(list, map[string]any{"consumer": d.Consumer, "tries": d.Tries, "reason": d.Reason, "at": d.At, "event": eventOf(out)})
				}
				return s.writeValue(list)
			}
			for _, d := range dead {
				if _, err := fmt.Fprintf(s.out, "%s  %s  %s  %s.%s %s  %s: %s\n", d.At.Format(time.RFC3339), d.Consumer, d.Event.ID, d.Event.Frond, d.Event.Name, d.Event.Key, fmt.Sprintf("tried %d times", d.Tries), d.Reason); err != nil {
					return err
				}
			}
			if len(dead) == 0 {
				fmt.Fprintln(s.stderr, "no events are dead")
			}
			return nil
		})
	}
	return cmd
}

// newFactsReplay is frond facts replay. With --json stdout is {consumer, events}.
func newFactsReplay(s *shell) *cobra.Command {
	cmd := newCommand("replay", 1, 1, "one consumer")
	f := addFacts(s, cmd)
	flags := cmd.Flags()
	ids := flags.StringArray("event", nil, "the id of a dead event; may be given again")
	from := flags.String("from", "", "replay the events after this position, or from start")
	to := flags.String("to", "", "with --from: up to this position; the default is the end of the log")
	names := flags.StringArray("fact", nil, "with --from: these facts alone; may be given again. A consumer in Go with a name of its own needs them")
	cmd.MarkFlagsMutuallyExclusive("event", "from")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if *from == "" && (*to != "" || len(*names) > 0) {
			return errors.New("--to and --fact belong to --from; without it dead letters are replayed")
		}
		return f.with(cmd.Context(), func(ctx context.Context, of *facade.Facade, outbox facade.Outbox) error {
			name, err := consumerNamed(ctx, of.Catalog(), outbox, args[0])
			if err != nil {
				return err
			}
			n := 0
			if *from == "" {
				n, err = delivery.Again(ctx, outbox, name, *ids)
				if err == nil && n < len(*ids) {
					err = kiterror.Errorf(kiterror.NotFound, "%s of %d are dead letters of %s, the others are replayed; frond facts dead %s lists them", count(n, "event"), len(*ids), name, name)
				}
			} else {
				n, err = f.replayRange(ctx, of.Catalog(), outbox, name, *from, *to, *names)
			}
			if err != nil {
				return err
			}
			return s.say(map[string]any{"consumer": name, "events": n}, fmt.Sprintf("%s tries %s again", name, count(n, "event")))
		})
	}
	return cmd
}

// replayRange replays a part of the log: the events of facts, or of those that the consumer is for.
func (f *factsFlags) replayRange(ctx context.Context, c *catalog.Catalog, outbox facade.Outbox, consumer, from, to string, facts []string) (int, error) {
	if len(facts) == 0 {
		var known bool
		if facts, known = f.factsOf(consumer); !known {
			return 0, fmt.Errorf("the store does not know which facts %s is for; write them as --fact", consumer)
		}
	}
	full, err := factsNamed(c, facts)
	if err != nil {
		return 0, err
	}
	after, err := positionOf(ctx, outbox, from)
	if err != nil {
		return 0, err
	}
	_, last, err := outbox.Span(ctx)
	if err == nil && to != "" {
		last, err = positionOf(ctx, outbox, to)
	}
	if err != nil {
		return 0, err
	}
	return delivery.Replay(ctx, outbox, consumer, full, after, last)
}

// factsOf are the facts that a consumer is for, if its name or the settings say so; an empty list
// means all.
func (f *factsFlags) factsOf(consumer string) (facts []string, known bool) {
	kind, name, _ := strings.Cut(consumer, ":")
	switch {
	case kind == "go" && strings.Contains(name, "."): // another name is known to its program alone
		return []string{name}, true
	case consumer == "nats" && f.config.Publish.NATS.URL != "":
		return f.config.Publish.NATS.Facts, true
	case kind == "webhook":
		for _, w := range f.config.Publish.Webhooks {
			if w.Name == name {
				return w.Facts, true
			}
		}
	}
	return nil, false
}

// isRetrying reports whether a name belongs to the events for another try, which are not dead.
func isRetrying(name string) bool { return strings.HasSuffix(name, delivery.Retrying("")) }

// consumerNamed is the name of a consumer that has a position in the store: as it is written,
// or without go: and webhook:. The error names those that there are.
func consumerNamed(ctx context.Context, c *catalog.Catalog, outbox facade.Outbox, name string) (string, error) {
	tries := []string{name, "go:" + name, "webhook:" + name}
	known := []string{"nats"}
	for f := range c.Facts() {
		known = append(known, "go:"+f.FullName())
		if f.Name == name {
			tries = append(tries, "go:"+f.FullName())
		}
	}
	dead, err := outbox.Dead(ctx, "", maxDead)
	if err != nil {
		return "", err
	}
	for _, d := range dead {
		known = append(known, strings.TrimSuffix(d.Consumer, delivery.Retrying("")))
	}
	for _, one := range tries {
		_, there, err := outbox.Cursor(ctx, one)
		if err != nil || there && !isRetrying(one) {
			return one, err
		}
	}
	slices.Sort(known)
	known = slices.DeleteFunc(slices.Compact(known), func(one string) bool {
		_, there, err := outbox.Cursor(ctx, one)
		return err != nil || !there
	})
	if len(known) == 0 {
		return "", fmt.Errorf("no consumer is called %s, and none has run over this store", name)
	}
	return "", fmt.Errorf("consumer %s is unknown; write one of %s, or a name from the log", name, strings.Join(known, ", "))
}
