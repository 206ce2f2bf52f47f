package leak

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/frondhost/frond/envelope"
	"github.com/frondhost/frond/envelope/client"
	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/access"
	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/resolvers"
	"github.com/frondhost/frond/rest"
	"github.com/frondhost/frond/store/postgres/pgtest"
)

// Rows are written in both worlds, alike where the caller sees them and in any other way where
// not. After each write its events are read by every way out, and held to the three things of
// answers: both worlds give the same, no hidden value is in it, and it is what the oracle says.
// Ids, positions and times of events are no part of what is compared.

// TestLeakEvents is the proof for events of rows that are kept here.
func TestLeakEvents(t *testing.T) { eventsOfGardens(t, hole{events: true}) }

// TestLeakRemoteEvents is the proof for events that a gateway reads from another host, which
// answers everybody everything.
func TestLeakRemoteEvents(t *testing.T) { eventsOfGardens(t, hole{events: true, remote: true}) }

func eventsOfGardens(t *testing.T, h hole) {
	t.Helper()
	fromEnvironment(t)
	database = pgtest.Chosen(t)
	defer func() { database = "" }() // it is dropped with the test
	if *seedFlag != 0 {
		seeded(t, *seedFlag, h)
		return
	}
	n, cases := 50, 0
	switch {
	case raced:
		n = 6
	case testing.Short():
		n = 4 // of each size one
	case h.remote:
		n = 20
	}
	shownEvents = 0
	for seed := *fromFlag; seed < *fromFlag+uint64(n); seed++ {
		size := int(seed % 4) // gardens of all sizes, in few seeds
		found, err := prove(seed, size, seed%2 == 0, h)
		if err != nil {
			t.Fatalf("%v\n\nagain: go test ./e2e/leak -run '%s$' -seed %d -size %d", err, t.Name(), seed, size)
		}
		cases += found
	}
	t.Logf("%d gardens, %d cases, %d events shown", n, cases, shownEvents)
	if shownEvents < n {
		t.Errorf("only %d events were shown to anybody", shownEvents)
	}
}

// shownEvents counts those that a caller saw.
var shownEvents int

// TestEventHoles opens holes in what collectors say of events, each of which has to be found.
func TestEventHoles(t *testing.T) {
	for name, change := range map[string]func(op string, s *access.Scope){
		"events forget the rows' condition": func(_ string, s *access.Scope) { s.Rows = nil },
		"events show hidden fields":         func(_ string, s *access.Scope) { s.Hide = nil },
	} {
		t.Run(name, func(t *testing.T) {
			for seed := uint64(1); seed < 120; seed++ {
				if _, err := prove(seed, int(seed%4), false, hole{name: name, events: true, collector: scopes(change)}); err != nil {
					return
				}
			}
			t.Error("nothing was found")
		})
	}
}

// eventLog is the log of a world: the outbox, or what another host gives of it.
type eventLog struct {
	outbox facade.Outbox
	far    *client.Facts // nil: the outbox is read itself
	names  []string      // of all facts, for far
	at     facade.Position
}

// since are the events behind a position.
func (l *eventLog) since(ctx context.Context, at facade.Position) ([]*facade.Event, facade.Position, error) {
	for last := facade.Position(-1); ; {
		now, _, err := l.outbox.Relay(ctx)
		if err != nil {
			return nil, at, err
		}
		if now == last {
			break
		}
		last = now
	}
	if l.far != nil {
		return l.far.Log(ctx, at, l.names, 500)
	}
	return l.outbox.Log(ctx, at, nil, 500)
}

// followed is what the surfaces of a world follow facts with: a stream sends what is there and
// ends.
type followed struct {
	*facade.Facade
	log *eventLog
}

// Subscribe implements [rest.Facts].
func (f followed) Subscribe(_ context.Context, _ *catalog.Fact, after string) (rest.FactReader, error) {
	at := f.log.at
	if after != "" {
		var err error
		if at, err = facade.ParsePosition(after); err != nil {
			return nil, err
		}
	}
	return &finite{once{log: f.log, at: at}}, nil
}

// once reads once.
type once struct {
	log  *eventLog
	at   facade.Position
	done bool
}

// errOver ends a stream that has sent what there was.
var errOver = kiterror.Errorf(kiterror.Gone, "that was all")

func (r *once) Next(ctx context.Context) ([]*facade.Event, facade.Position, error) {
	if r.done {
		return nil, r.at, errOver
	}
	r.done = true
	return r.Poll(ctx)
}

func (r *once) Poll(ctx context.Context) (events []*facade.Event, _ facade.Position, err error) {
	events, r.at, err = r.log.since(ctx, r.at)
	return events, r.at, err
}

func (*once) Notify(func())               {}
func (*once) Waiting() bool               { return false }
func (r *once) Rewind(to facade.Position) { r.at = to }
func (r *once) Position() facade.Position { return r.at }
func (*once) Close()                      {}

// finite is once for a stream, which asks again: it ends where there is no more.
type finite struct{ once }

func (r *finite) Poll(ctx context.Context) ([]*facade.Event, facade.Position, error) {
	events, at, err := r.once.Poll(ctx)
	if err == nil && len(events) == 0 {
		err = errOver
	}
	return events, at, err
}

// given is what another host answers: calls, and its facts.
func (b *host) given(there *facade.Facade, calls http.Handler, events bool) http.Handler {
	if !events {
		return calls
	}
	own := &eventLog{outbox: b.stores["grove"].Abilities().Outbox}
	b.log = &eventLog{outbox: own.outbox}
	var names []string
	for _, f := range there.Catalog().Fronds[0].Facts {
		names = append(names, f.Name)
		b.log.names = append(b.log.names, f.FullName())
	}
	facts := envelope.NewFacts(&envelope.FactsOptions{
		Frond: "grove", Names: names, Log: own.outbox,
		Subscribe: func(_ context.Context, _ []string, after facade.Position) (envelope.EventReader, error) {
			return &once{log: own, at: after}, nil
		},
		Outward: func(e *facade.Event) (*facade.Event, error) {
			out, err := there.Outward(e)
			if err != nil || e.Before == nil {
				return out, err
			}
			was := *e
			was.Data = e.Before
			earlier, err := there.Outward(&was)
			if err == nil {
				out.Before = earlier.Data
			}
			return out, err
		},
	})
	mux := http.NewServeMux()
	mux.Handle(envelope.FactsPath, facts)
	mux.Handle("/", calls)
	return mux
}

// events writes rows and reads what is announced of them.
func (p *proof) events() {
	hosts := []*host{p.first, p.second}
	watches := map[*entity][]*facade.Watch{}
	for _, b := range hosts {
		var err error
		if _, b.log.at, err = b.log.outbox.Span(context.Background()); err != nil {
			p.fail("the log: %v", err)
		}
	}
	for _, e := range p.garden.entities {
		watches[e] = p.admitted(e, hosts)
	}
	for i := range 16 {
		if i == 8 && !p.asYAML {
			p.narrow() // those who follow stay, and see less
		}
		e := pick(p.maker, p.garden.entities)
		was, other := p.view, p.counterpart
		if !p.step(e, hosts) {
			continue
		}
		if !p.again() {
			return // the worlds differ now, as they do where rows depend on hidden ones
		}
		p.before(was, other)
		for _, e := range p.garden.entities {
			if watches[e] != nil {
				p.announced(e, was, hosts, watches[e])
			}
		}
		for _, b := range hosts {
			_, at, err := b.log.since(context.Background(), b.log.at)
			if err != nil {
				p.fail("the log: %v", err)
			}
			b.log.at = at
		}
	}
}

// admitted subscribes the caller to the changes of a door in both worlds; nil: it is refused.
func (p *proof) admitted(e *entity, hosts []*host) (all []*facade.Watch) {
	p.cases++
	var refused []string
	for _, b := range hosts {
		w, err := b.facade.Watch(context.Background(), &facade.Subscription{Frond: "grove", Fact: e.name + "Changed", State: access.State{"user": p.caller.user}})
		if err != nil {
			refused = append(refused, encode(kiterror.AsError(err)))
			continue
		}
		all = append(all, w)
	}
	if len(refused) == 1 || len(refused) == 2 && refused[0] != refused[1] {
		p.fail("a subscription is refused in one world: %s", refused)
	}
	if closed := p.view.closed(e, "list"); closed != (refused != nil) {
		p.fail("%s is closed: %v, and the subscription is refused: %s", e.name, closed, refused)
	}
	if refused != nil {
		return nil
	}
	// A filter by a field that is hidden is refused as one by a field that there never was.
	for _, f := range e.fields[1:] {
		if !f.stored() || p.view.readable(f) {
			continue
		}
		var texts []string
		for _, name := range []string{f.filterKey(), strings.Repeat("x", len(f.filterKey()))} {
			for _, b := range hosts {
				a := b.send(p.caller, inREST("GET", "facts/"+e.name+"Changed?filter["+name+"][eq]=1&fields="+name, nil))
				texts = append(texts, strings.ReplaceAll(a.String(), name, "NAME"))
			}
		}
		if len(slices.Compact(slices.Clone(texts))) != 1 {
			p.fail("a filter by the hidden field %s differs from one by a field that does not exist:\n%s", f.name, strings.Join(texts, "\n---\n"))
		}
	}
	return all
}

// narrow takes rights from the caller: a field, or a door.
func (p *proof) narrow() {
	for _, e := range p.garden.entities {
		s := p.caller.scopes[e]
		if s == nil || s.deny {
			continue
		}
		if f := pick(p.maker, e.fields); f != e.id() && !slices.Contains(s.hide, f.name) {
			s.hide = append(s.hide, f.name)
		}
		if p.chance(20) {
			s.deny = true
		}
	}
	if !p.again() {
		p.fail("a caller who sees less sees a difference")
	}
}

// before adds what was hidden before a write to the secrets, and takes out what the caller saw
// then: an event of a row that was deleted, or that left, says what was known of it.
func (p *proof) before(views ...*view) {
	var shown string
	for _, was := range views {
		p.secrets = append(p.secrets, was.secrets()...)
		shown += was.text()
	}
	shown += p.view.text() + p.counterpart.text()
	slices.Sort(p.secrets)
	p.secrets = slices.DeleteFunc(slices.Compact(p.secrets), func(s string) bool { return strings.Contains(shown, s) })
}

// step writes one row in one or both worlds, as the author's own code. It reports whether
// anything was written.
func (p *proof) step(e *entity, hosts []*host) bool {
	views := []*view{p.view, p.counterpart}
	p.written = nil
	write := func(i int, op, id string, body map[string]any) bool {
		ctx := hosts[i].kept.Enter(context.Background(), nil)
		call := &facade.Call{Entity: e.name, Operation: op}
		if id != "" {
			call.Invocation.ID = json.RawMessage(encode(id))
		}
		if body != nil {
			call.Invocation.Body = jsonText(body)
		}
		_, err := facade.Inside(ctx).Call(ctx, call)
		p.written = append(p.written, fmt.Sprintf("%d %s %s %s: %v", i, op, id, encode(body), err))
		return err == nil
	}
	plain := func() *field {
		var all []*field
		for _, f := range e.fields[1:] {
			if f.kind <= list {
				all = append(all, f)
			}
		}
		return pick(p.maker, all)
	}
	switch p.IntN(5) {
	case 0, 1: // a row that is seen
		r := p.visible(e)
		if r == nil {
			return false
		}
		f := plain()
		value := p.value(f.kind)
		if !write(0, "update", r.id(), map[string]any{f.name: value}) {
			return false
		}
		if !p.view.readable(f) {
			value = p.value(f.kind)
		}
		if !write(1, "update", r.id(), map[string]any{f.name: value}) {
			panic(finding{"a write failed in one world"})
		}
		return true
	case 2: // rows that are hidden, in either world by itself
		done := false
		for i, v := range views {
			for _, r := range v.w.rows[e] {
				if f := plain(); !v.shows(e, r) && p.chance(50) {
					done = write(i, "update", r.id(), map[string]any{f.name: p.value(f.kind)}) || done
				}
			}
		}
		return done
	case 3: // a new row
		body := map[string]any{"id": p.absent()}
		for _, f := range e.fields[1:] {
			switch {
			case f.kind == many:
			case f.kind == ids:
				body[f.name] = []any{}
			case f.kind == one:
				to := p.visible(f.to)
				switch {
				case to != nil:
					body[f.name] = to.id()
				case f.null:
					body[f.name] = nil
				default:
					return false
				}
			default:
				body[f.name] = p.value(f.kind)
			}
		}
		if !write(0, "create", "", body) {
			return false
		}
		again := maps.Clone(body)
		for _, f := range e.fields[1:] {
			if f.kind <= list && !p.view.readable(f) {
				again[f.name] = p.value(f.kind)
			}
		}
		if !write(1, "create", "", again) {
			panic(finding{"a write failed in one world"})
		}
		return true
	}
	r := p.visible(e)
	if r == nil || p.view.w.pointedAt(e, r.id()) || p.counterpart.w.pointedAt(e, r.id()) {
		return false
	}
	if !write(0, "delete", r.id(), nil) {
		return false
	}
	if !write(1, "delete", r.id(), nil) {
		panic(finding{"a write failed in one world"})
	}
	return true
}

// announced reads the events of a door by every way out.
func (p *proof) announced(e *entity, was *view, hosts []*host, watches []*facade.Watch) {
	ways := []struct {
		name string
		read func(int, *host) string
	}{
		{"direct", func(i int, b *host) string { return p.direct(e, was, b, watches[i]) }},
		{"rest", func(_ int, b *host) string {
			return b.send(p.caller, inREST("GET", "facts/"+e.name+"Changed", nil, "Accept", "text/event-stream")).String()
		}},
		{"rest list", func(_ int, b *host) string {
			return b.send(p.caller, inREST("GET", e.plural+"?limit=500", nil, "Accept", "text/event-stream")).String()
		}},
		{"graphql", func(_ int, b *host) string { return p.subscribed(e, b) }},
		{"live", func(_ int, b *host) string { return p.live(e, b) }},
	}
	for _, way := range ways {
		p.cases++
		var texts []string
		for i, b := range hosts {
			text := way.read(i, b)
			if strings.Contains(text, "INTERNAL_ERROR") {
				p.fail("%s of %s: a failure of our own\n%s", way.name, e.name, text)
			}
			if s := p.leaked([]byte(text), nil); s != "" {
				p.fail("%s of %s: the hidden value %s stands in an event\n%s", way.name, e.name, s, text)
			}
			texts = append(texts, unnumbered(text))
		}
		if texts[0] != texts[1] {
			p.fail("%s of %s: the two worlds differ\n--- one\n%s\n--- the other\n%s", way.name, e.name, texts[0], texts[1])
		}
	}
}

var numbers = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}|\b[0-9a-v]{13}\b|retry: [0-9]+|X-Consistency: .*`)

// unnumbered is a text without the ids and positions of events.
func unnumbered(text string) string { return numbers.ReplaceAllString(text, "…") }

// direct reveals the events of a door, and compares the first world with the oracle.
func (p *proof) direct(e *entity, was *view, b *host, w *facade.Watch) string {
	events, _, err := b.log.since(context.Background(), b.log.at)
	if err != nil {
		p.fail("the log: %v", err)
	}
	shown, err := w.Reveal(context.Background(), events)
	if err != nil {
		if !p.view.closed(e, "list") {
			p.fail("%s: %v", e.name, err)
		}
		return encode(kiterror.AsError(err))
	}
	if p.view.closed(e, "list") {
		p.fail("%s is closed now, and its events are shown", e.name)
	}
	var out []string
	seen := map[string]any{}
	for _, r := range shown {
		out = append(out, fmt.Sprintf("%s %s %s", r.Change, r.Key, r.Data))
		if r.Change != catalog.Withdrawn {
			row, err := decode(r.Data)
			if err != nil {
				p.fail("%v", err)
			}
			seen[string(r.Key)] = row
		}
		shownEvents++
	}
	if b == p.first {
		p.expect(e, was, seen, out)
	}
	slices.Sort(out) // rows that hidden ones take along are in any order
	return strings.Join(out, "\n")
}

// expect compares the rows that events show with the oracle's: each row of the caller that
// changed, as it is now, or as it was before it was deleted.
func (p *proof) expect(e *entity, was *view, seen map[string]any, out []string) {
	want := map[string]any{}
	for _, r := range p.view.rows[e] {
		before := was.w.row(e, r.id())
		if before == nil || encode(before) != encode(r) {
			want[encode(r.id())] = p.view.expected(e, r, nil)
		}
	}
	for _, r := range was.rows[e] {
		if p.view.w.row(e, r.id()) != nil || p.remote {
			continue
		}
		// Of a row that is gone, a condition on what points at it says nothing any more; the row
		// may be kept from the caller then.
		if _, shown := seen[encode(r.id())]; shown || !p.follows(e) {
			want[encode(r.id())] = p.view.expected(e, r, nil)
		}
	}
	for key, row := range want {
		got, ok := seen[key]
		if !ok {
			p.fail("%s: the row %s changed, and no event shows it\n%s\n%s\n%s", e.name, key, strings.Join(out, "\n"), strings.Join(p.written, "\n"), p.view.w.text())
		}
		if err := agree(withoutNulls(got), row); err != nil {
			p.fail("%s: the event of %s shows something else: %v\n%s", e.name, key, err, strings.Join(out, "\n"))
		}
	}
	for key, got := range seen {
		if _, ok := want[key]; ok || p.remote {
			continue
		}
		// A field that was given the value that it had is an update as well.
		same := func(r row) bool {
			return encode(r.id()) == key && agree(withoutNulls(got), p.view.expected(e, r, nil)) == nil
		}
		if !slices.ContainsFunc(p.view.rows[e], same) {
			p.fail("%s: an event shows %s, which did not change for the caller\n%s\n%s\n%s", e.name, key, strings.Join(out, "\n"), strings.Join(p.written, "\n"), p.view.w.text())
		}
	}
}

// follows says whether the rows that the caller sees of a door depend on other rows.
func (p *proof) follows(e *entity) bool {
	follows := false
	if s := p.caller.scopes[e]; s != nil && s.rows != nil {
		s.rows.walk(func(c *cond) { follows = follows || slices.Contains([]string{"one", "some", "none", "every"}, c.op) })
	}
	return follows
}

// withoutNulls is a row without the members that are null.
func withoutNulls(v any) any {
	out := map[string]any{}
	for name, member := range v.(map[string]any) {
		if member != nil {
			out[name] = member
		}
	}
	return out
}

// selected are the fields of rows that the caller may read, as a selection.
func (p *proof) selected(e *entity) string {
	fields := "id"
	for _, f := range e.fields[1:] {
		switch {
		case f.shut || !p.view.readable(f) || f.kind == many || f.kind == object:
		case f.kind == one && p.view.reachable(f):
			fields += " " + f.rel + " { id }"
		case f.kind == one, f.kind == ids:
			fields += " " + f.key
		default:
			fields += " " + f.name
		}
	}
	return fields
}

// live is what a live query of a list answers, which is what a query does.
func (p *proof) live(e *entity, b *host) string {
	request := func(text string) *resolvers.Request {
		return &resolvers.Request{Query: fmt.Sprintf(text, e.plural, p.selected(e)), State: access.State{"user": p.caller.user}}
	}
	ctx := context.Background()
	s, refused := b.engine.Open(ctx, request("subscription { %s(first: 100) @live { items { %s } } }"))
	if refused != nil {
		p.fail("no live query of %s: %s", e.plural, refused.Body)
	}
	answer, _ := s.Query(ctx)
	query := b.engine.Execute(ctx, request("{ %s(first: 100) { items { %s } } }"))
	defer query.Release()
	defer answer.Release()
	text := string(answer.Body)
	if !answer.Failed && text != string(query.Body) || answer.Failed != query.Failed {
		p.fail("%s: a live query and a query differ\n%s\n%s", e.plural, text, query.Body)
	}
	return text
}

// subscribed is what a GraphQL subscription answers to the events, whichever way it leaves.
func (p *proof) subscribed(e *entity, b *host) string {
	request := &resolvers.Request{
		Query: fmt.Sprintf("subscription { %sChanged { change key %s { %s } } }", e.name, e.name, p.selected(e)),
		State: access.State{"user": p.caller.user},
	}
	ctx := context.Background()
	s, refused := b.engine.Open(ctx, request)
	if refused != nil {
		defer refused.Release()
		return string(refused.Body)
	}
	events, _, err := b.log.since(ctx, b.log.at)
	if err != nil {
		p.fail("the log: %v", err)
	}
	answers, _, err := s.Respond(ctx, events)
	if err != nil {
		return encode(kiterror.AsError(err))
	}
	var out []string
	for _, a := range answers {
		out = append(out, string(a.Body))
	}
	return strings.Join(out, "\n")
}
