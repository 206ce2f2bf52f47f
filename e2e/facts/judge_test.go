package facts

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/rows"
)

// judge relays and consumes what is left, and holds the log to the rows and the consumers to
// the log.
func judge(t *testing.T, name, file string, killed int64) {
	f, s, err := host(t.Context(), name, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	last := settle(t, s)
	out, err := os.OpenFile(file, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	for consumer, take := range map[string]func(context.Context, []*facade.Event, facade.Position, facade.Position) error{"effects": effects(f, s), "file": lines(out, s)} {
		ctx, done := context.WithTimeout(t.Context(), time.Minute)
		for at := facade.Position(0); at < last && ctx.Err() == nil; {
			from, _, err := s.Abilities().Outbox.Cursor(ctx, consumer)
			if err != nil {
				t.Fatal(err)
			}
			events, to, err := s.Abilities().Outbox.Log(ctx, from, nil, 500)
			if err == nil && len(events) > 0 {
				err = take(ctx, events, from, to)
			}
			if err != nil {
				t.Fatal(err)
			}
			if at = to; len(events) == 0 {
				break
			}
		}
		done()
	}
	log := everything(t, s)
	faults := held(log, rowsOf(t, s, f, "account", "id", "count"), rowsOf(t, s, f, "transfer", "id", "from"))
	faults = append(faults, once(log, rowsOf(t, s, f, "effect", "id", "of"), linesOf(t, file))...)
	for i, fault := range faults {
		if i == 10 {
			t.Errorf("and %d more", len(faults)-i)
			break
		}
		t.Error(fault)
	}
	t.Logf("%d kills, %d events", killed, len(log))
	if len(log) == 0 {
		t.Errorf("no events in the lives of %d processes", killed)
	}
}

// settle gives positions to all that was committed. The lease of a relay that was killed may
// still run.
func settle(t *testing.T, s store) facade.Position {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		before := facade.Position(-1)
		for {
			last, leads, err := s.Abilities().Outbox.Relay(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if !leads {
				break
			}
			if last == before {
				return last
			}
			before = last
		}
	}
	t.Fatal("nobody leads")
	return 0
}

// everything is the whole log. Positions have to grow.
func everything(t *testing.T, s store) (all []*facade.Event) {
	t.Helper()
	for after := facade.Position(0); ; {
		events, to, err := s.Abilities().Outbox.Log(t.Context(), after, nil, 1000)
		if err != nil {
			t.Fatal(err)
		}
		if len(events) == 0 {
			return all
		}
		for _, e := range events {
			if e.Position <= after {
				t.Errorf("the position %s comes behind %s", e.Position, after)
			}
			after = e.Position
		}
		all, after = append(all, events...), to
	}
}

// rowsOf are two fields of every row, by the first.
func rowsOf(t *testing.T, s store, f *facade.Facade, name, key, field string) map[string]string {
	t.Helper()
	e := entityOf(f, name)
	found, err := s.Find(t.Context(), &facade.Find{Entity: e, Select: rows.NewLayout([]string{key, field}), Sort: []facade.SortKey{{Field: e.Primary}}, Limit: 1 << 30})
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]string{}
	for i := range found.Rows.Len() {
		all[string(found.Rows.Row(i).Get(key))] = string(found.Rows.Row(i).Get(field))
	}
	return all
}

// linesOf are the lines of the consumer with a file, as it wrote them. What a kill has cut off
// is no line; it came again.
func linesOf(t *testing.T, file string) (all []line) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for s := bufio.NewScanner(bytes.NewReader(text)); s.Scan(); {
		var one line
		if json.Unmarshal(s.Bytes(), &one) == nil {
			all = append(all, one)
		}
	}
	return all
}

// account is what the events say of one account.
type account struct {
	there bool
	count int
	// ahead is what other facts said of the change that accountChanged announces next.
	ahead []string
}

// held replays the log: each event has to follow from those before it, and in the end there are
// the rows of the store.
func held(log []*facade.Event, rows, transfers map[string]string) (faults []string) {
	fault := func(e *facade.Event, format string, args ...any) {
		faults = append(faults, fmt.Sprintf("%s %s of %s (%s): ", e.Position, e.Name, e.Key, e.Data)+fmt.Sprintf(format, args...))
	}
	all, moved := map[string]*account{}, map[string]int{}
	for _, e := range log {
		if e.Name == "moved" {
			var data struct {
				Transfer string
				Count    int
			}
			if json.Unmarshal(e.Data, &data) != nil || data.Count != 1 {
				fault(e, "it was never committed")
			}
			moved[`"`+data.Transfer+`"`]++
			continue
		}
		var data, before struct{ Count int }
		if err := json.Unmarshal(e.Data, &data); err != nil {
			fault(e, "%v", err)
		}
		a := all[string(e.Key)]
		if a == nil {
			a = &account{}
			all[string(e.Key)] = a
		}
		if e.Name != "accountChanged" {
			a.ahead = append(a.ahead, fmt.Sprintf("%s %d", e.Name, data.Count))
			continue
		}
		var want []string
		switch e.Change {
		case catalog.Created:
			if a.there || data.Count != 1 {
				fault(e, "it was there with the count %d", a.count)
			}
			a.there, want = true, []string{"opened 1"}
		case catalog.Updated:
			if !a.there || data.Count != a.count+1 {
				fault(e, "the count was %d, there %v", a.count, a.there)
			}
			if json.Unmarshal(e.Before, &before) != nil || before.Count != a.count {
				fault(e, "before was %s, and the count %d", e.Before, a.count)
			}
			if data.Count%2 == 0 {
				want = []string{fmt.Sprintf("even %d", data.Count)}
			}
		case catalog.Deleted:
			if !a.there || data.Count != a.count {
				fault(e, "the count was %d, there %v", a.count, a.there)
			}
			a.there, want = false, []string{fmt.Sprintf("closed %d", data.Count)}
		}
		if !slices.Equal(a.ahead, want) {
			fault(e, "ahead of it are %q, want %q", a.ahead, want)
		}
		a.count, a.ahead = data.Count, nil
	}
	for _, key := range slices.Sorted(maps.Keys(all)) {
		if a := all[key]; len(a.ahead) > 0 {
			faults = append(faults, fmt.Sprintf("behind %q of %s there is no change", a.ahead, key))
		} else if row, there := rows[key]; there != a.there || there && row != fmt.Sprint(a.count) {
			faults = append(faults, fmt.Sprintf("by its events %s has the count %d, there %v; the row has %s, there %v", key, a.count, a.there, row, there))
		}
	}
	for key := range rows {
		if all[key] == nil {
			faults = append(faults, fmt.Sprintf("%s has no events", key))
		}
	}
	for id := range transfers {
		if moved[id] != 1 {
			faults = append(faults, fmt.Sprintf("the transfer %s has %d events", id, moved[id]))
		}
		delete(moved, id)
	}
	for id := range moved {
		faults = append(faults, fmt.Sprintf("the transfer %s has an event and was not committed", id))
	}
	return faults
}

// once holds the consumers to the log: each event has one effect, and, by their ids, one line,
// in the order of the log.
func once(log []*facade.Event, effects map[string]string, lines []line) (faults []string) {
	if len(effects) != len(log) {
		faults = append(faults, fmt.Sprintf("%d events have %d effects", len(log), len(effects)))
	}
	var first []line
	known := map[string]bool{}
	for _, l := range lines {
		if !known[l.ID] {
			known[l.ID] = true
			first = append(first, l)
		}
	}
	for i, e := range log {
		if effects[`"`+e.ID+`"`] != `"`+e.Name+`"` {
			faults = append(faults, fmt.Sprintf("the event %s has the effect %s", e.ID, effects[`"`+e.ID+`"`]))
		}
		if i >= len(first) || first[i].ID != e.ID || first[i].Position != e.Position || !bytes.Equal(first[i].Data, e.Data) {
			return append(faults, fmt.Sprintf("the lines differ from the log at event %d of %d (%d lines)", i, len(log), len(first)))
		}
	}
	if len(first) > len(log) {
		faults = append(faults, fmt.Sprintf("%d lines, %d events", len(first), len(log)))
	}
	return faults
}
