package main

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/facts"
	"github.com/frondhost/frond/schema/jsontext"
)

// newFactsTail is frond facts tail. With --json stdout has one event a line, as streams have
// them.
func newFactsTail(s *shell) *cobra.Command {
	cmd := newCommand("tail", 0, -1, "facts")
	f := addFacts(s, cmd)
	flags := cmd.Flags()
	after := flags.String("after", "", "begin after this position, or with start at the oldest event; the default is now")
	once := flags.Bool("once", false, "print the log as far as it goes, from its begin where --after is not given")
	url := flags.String("url", "", "the address of a gateway to follow instead")
	headers := flags.StringArray("header", nil, `a header for the gateway at --url, such as "Authorization: Bearer …"`)
	var only eventFilter
	flags.StringVar(&only.by, "by", "", "print the events that this user has caused, by the id")
	flags.StringVar(&only.entity, "entity", "", "print the events of rows of this door")
	flags.StringVar(&only.key, "key", "", "print the events of the row with this key")
	cmd.MarkFlagsMutuallyExclusive("url", "dir")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if *url != "" {
			if *once {
				return errors.New("--once is for the store of a project; with --url leave it out")
			}
			sent, err := readHeaders(*headers)
			if err != nil {
				return err
			}
			return s.followURL(cmd.Context(), *url, args, *after, sent, &only)
		}
		if len(*headers) > 0 {
			return errors.New("--header is for a gateway at --url")
		}
		return f.with(cmd.Context(), func(ctx context.Context, of *facade.Facade, outbox facade.Outbox) error {
			names, err := factsNamed(of.Catalog(), args)
			if err == nil {
				err = only.check(of.Catalog())
			}
			if err != nil {
				return err
			}
			at := facts.Now
			if *after != "" {
				if at, err = positionOf(ctx, outbox, *after); err != nil {
					return err
				}
			}
			show := s.outwardPrinter(of, &only)
			if *once {
				if *after == "" {
					at = facts.Start // --once prints only stored events, so begin with the oldest
				}
				return printOnce(ctx, outbox, names, at, show)
			}
			return printAll(ctx, outbox, names, at, show)
		})
	}
	return cmd
}

// outwardPrinter returns a function that prints the fields of an event that may leave the host.
func (s *shell) outwardPrinter(of *facade.Facade, only *eventFilter) func(*facade.Event) error {
	return func(e *facade.Event) error {
		out, err := of.Outward(e)
		if err != nil {
			return err
		}
		if shown := eventOf(out); only.takes(shown) {
			return s.writeEvent(shown)
		}
		return nil
	}
}

// eventFilter says which events are printed. An empty member takes all.
type eventFilter struct{ by, entity, key string }

// check reports an entity of which no fact announces rows.
func (f *eventFilter) check(c *catalog.Catalog) error {
	var doors []string
	for fact := range c.Facts() {
		if fact.Door != nil && !slices.Contains(doors, fact.Door.Name) {
			doors = append(doors, fact.Door.Name)
		}
	}
	switch is := func(door string) bool { return strings.EqualFold(door, f.entity) }; {
	case f.entity == "" || slices.ContainsFunc(doors, is):
		return nil
	case doors == nil:
		return fmt.Errorf("--entity cannot be %s: no fact is about rows; leave it out", f.entity)
	}
	slices.Sort(doors)
	return fmt.Errorf("--entity cannot be %s; write one of %s", f.entity, strings.Join(doors, ", "))
}

// takes reports whether an event is printed. The log has entities in lower case.
func (f *eventFilter) takes(e *outwardEvent) bool {
	is := func(value json.RawMessage, want string) bool {
		return want == "" || jsontext.Unquote(value) == want || string(value) == want
	}
	return is(jsontext.Get(e.Actor, "user"), f.by) && is(e.Key, f.key) && (f.entity == "" || strings.EqualFold(jsontext.Unquote(e.Entity), f.entity))
}

// printOnce prints the events in the log.
func printOnce(ctx context.Context, log facade.EventLog, names []string, at facade.Position, show func(*facade.Event) error) error {
	_, last, err := log.Span(ctx)
	for err == nil && at < last {
		var events []*facade.Event
		var behind facade.Position
		if events, behind, err = log.Log(ctx, at, names, 500); err != nil {
			return err
		}
		for _, e := range events {
			if err := show(e); err != nil {
				return err
			}
		}
		if behind <= at {
			return nil
		}
		at = behind
	}
	return err
}

// printAll prints events as they come until ctx is done.
func printAll(ctx context.Context, log facade.EventLog, names []string, at facade.Position, show func(*facade.Event) error) error {
	feed := facts.Follow(log, &facts.Options{Log: slog.New(slog.DiscardHandler)}) //nolint:contextcheck // Close ends it
	defer feed.Close()
	r, err := feed.Subscribe(ctx, names, at)
	if err != nil {
		return err
	}
	defer r.Close()
	for {
		events, _, err := r.Next(ctx)
		switch {
		case ctx.Err() != nil:
			return nil
		case err != nil:
			return err
		}
		for _, e := range events {
			if err := show(e); err != nil {
				return err
			}
		}
	}
}

// outwardEvent is an event as streams have it.
type outwardEvent struct {
	ID       string          `json:"id"`
	Position string          `json:"position"`
	Frond    string          `json:"frond,omitempty"`
	Name     string          `json:"name"`
	Change   string          `json:"change,omitempty"`
	Entity   json.RawMessage `json:"entity"`
	Key      json.RawMessage `json:"key"`
	Version  json.RawMessage `json:"version"`
	At       time.Time       `json:"at"`
	Actor    json.RawMessage `json:"actor,omitempty"`
	Data     json.RawMessage `json:"data"`
}

// eventOf is an event of the store. It has no version, which depends on the reader's rights.
func eventOf(e *facade.Event) *outwardEvent {
	out := &outwardEvent{ID: e.ID, Position: e.Position.String(), Frond: e.Frond, Name: e.Name, Change: string(e.Change), Key: e.Key, At: e.At, Data: e.Data}
	if e.Actor != nil {
		out.Actor = e.Actor.AppendJSON(nil)
	}
	if e.Entity != "" {
		out.Entity = jsontext.Quote(e.Entity)
	}
	return out
}

// writeEvent writes an event to stdout in a line.
func (s *shell) writeEvent(e *outwardEvent) error {
	if s.json {
		text, err := jsontext.Marshal(e)
		if err == nil {
			_, err = s.out.Write(append(text, '\n'))
		}
		return err
	}
	name, what := e.Name, ""
	if e.Frond != "" {
		name = e.Frond + "." + name
	}
	if e.Change != "" {
		what = e.Change + " "
	}
	if e.Key != nil && !jsontext.IsNull(e.Key) {
		what += string(e.Key) + " "
	}
	if user := jsontext.Get(e.Actor, "user"); user != nil {
		what += "by " + jsontext.Unquote(user) + " "
	}
	_, err := fmt.Fprintf(s.out, "%s  %s  %s  %s%s\n", e.At.Format("2006-01-02T15:04:05.000Z07:00"), e.Position, name, what, cmp.Or(string(e.Data), "null"))
	return err
}

// againAfter is how long followURL waits before it connects again.
const againAfter = time.Second

// followURL prints the events of facts of a gateway, each over a stream of its own, until ctx
// is done. A stream that ends is opened again after the last event printed.
func (s *shell) followURL(ctx context.Context, base string, names []string, after string, headers http.Header, only *eventFilter) error {
	if !strings.HasPrefix(base, "http://") && !strings.HasPrefix(base, "https://") {
		return fmt.Errorf("--url cannot be %q; write an address such as http://127.0.0.1:8080", base)
	}
	if len(names) == 0 {
		return fmt.Errorf("no fact is named; write FROND.FACT, such as sales.orderPlaced")
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	events, ended := make(chan *outwardEvent), make(chan error, len(names))
	for _, name := range names {
		frond, fact, ok := strings.Cut(name, ".")
		if !ok || frond == "" || fact == "" {
			return fmt.Errorf("%q names no fact at --url; write FROND.FACT, such as sales.orderPlaced", name)
		}
		st := &eventStream{url: strings.TrimSuffix(base, "/") + "/api/" + url.PathEscape(frond) + "/facts/" + url.PathEscape(fact), headers: headers, after: after, to: events}
		go func() { ended <- st.follow(ctx) }()
	}
	for {
		select {
		case e := <-events:
			if !only.takes(e) {
				continue
			}
			if err := s.writeEvent(e); err != nil {
				return err
			}
		case err := <-ended:
			if ctx.Err() != nil {
				return nil
			}
			return err
		}
	}
}

// eventStream follows one fact of a gateway.
type eventStream struct {
	url     string
	headers http.Header
	after   string // the position of the last event printed; "": now
	opened  bool   // the host has streamed
	to      chan<- *outwardEvent
}

// follow reads until ctx is done, or the host refuses. A host that cannot be reached at first
// is an error, and is waited for later.
func (st *eventStream) follow(ctx context.Context) error {
	for {
		refused, err := st.read(ctx)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if refused || !st.opened {
			return err
		}
		select {
		case <-time.After(againAfter):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// read opens the stream and reads it to its end. refused: the host has answered, and will not
// answer otherwise.
func (st *eventStream) read(ctx context.Context) (refused bool, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, st.url, nil)
	if err != nil {
		return true, fmt.Errorf("--url cannot be used: %w", err)
	}
	maps.Copy(req.Header, st.headers)
	req.Header.Set("Accept", "text/event-stream")
	if st.after != "" {
		req.URL.RawQuery = "after=" + url.QueryEscape(st.after)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return false, kiterror.Errorf(kiterror.ServiceUnavailable, "%s cannot be reached", st.url).WithCause(err)
	}
	defer func() { _ = resp.Body.Close() }()
	if resp.StatusCode != http.StatusOK || !strings.HasPrefix(resp.Header.Get("Content-Type"), "text/event-stream") {
		return resp.StatusCode < 500, failureOf(resp)
	}
	st.opened = true
	lines := bufio.NewReader(resp.Body)
	var data string
	for {
		line, err := lines.ReadString('\n')
		if err != nil {
			return false, kiterror.Errorf(kiterror.ServiceUnavailable, "the stream of %s has ended", st.url).WithCause(err)
		}
		field, value, _ := strings.Cut(strings.TrimRight(line, "\r\n"), ":")
		switch value = strings.TrimPrefix(value, " "); {
		case field == "data":
			data += value
		case field == "id" && value != "":
			st.after = value
		case field == "" && value == "" && data != "":
			e := &outwardEvent{}
			if err := json.Unmarshal([]byte(data), e); err != nil || e.ID == "" {
				return true, fmt.Errorf("%s sends no events; is it the address of a gateway?", st.url)
			}
			data = ""
			select {
			case st.to <- e:
			case <-ctx.Done():
				return false, ctx.Err()
			}
		}
	}
}

// failureOf is the failure that a host answers.
func failureOf(resp *http.Response) error {
	text, _ := io.ReadAll(io.LimitReader(resp.Body, 1<<20)) // what arrived is judged
	var problem struct {
		Data *kiterror.Error `json:"data"`
	}
	if json.Unmarshal(text, &problem) == nil && problem.Data != nil && problem.Data.Code != "" {
		return problem.Data
	}
	return kiterror.Errorf(kiterror.BadGateway, "the answer streams no events: status %d; is %s a gateway?", resp.StatusCode, resp.Request.URL.Host)
}
