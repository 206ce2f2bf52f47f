package storetest

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing/fstest"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/kiterror"
)

// Unique keys of a nested list, of a batch and of the calls of a transaction are judged at their end, over any
// store.

// boardFiles are boards with cards that may change places. A field of each kind is part of a unique key. A guest sees no
// cards at the place 7.
var boardFiles = map[string]string{
	"entities/board.yaml": `
type: object
properties:
  id: {type: string, x-kit: {role: {primary: true}}}
  cards: {type: array, items: {type: string}, x-kit: {role: {relation: {to: card, kind: many, by: boardId}}}}
`,
	"entities/card.yaml": `
type: object
properties:
  id: {type: string, x-kit: {role: {primary: true}, lifecycle: {create: {generate: nanoid}}}}
  boardId: {type: string, x-kit: {role: {relation: {to: board, kind: one, onDelete: cascade}, unique: [[boardId, pos]]}}}
  pos: {type: integer, minimum: 0}
  code: {type: string, minLength: 2, maxLength: 12, x-kit: {role: {unique: [[code]]}}}
  slot: {type: [integer, 'null'], x-kit: {role: {unique: [[slot]]}, lifecycle: {create: optional}}}
  day: {type: string, format: date, x-kit: {role: {unique: [[day]]}}}
required: [boardId, pos, code, day]
`,
	"entities/pair.yaml": `
type: object
properties:
  id: {type: string, x-kit: {role: {primary: true}}}
  side: {type: string, enum: [left, right], x-kit: {role: {unique: [[side]]}}}
required: [side]
`,
	"frond.yaml": `
name: boards
nested: {board: [cards]}
many: {card: '*', pair: '*'}
changes: [card, pair]
collectors:
  board: open
  pair: open
  card:
    - when: user.role == "admin"
    - rows: {pos: {ne: 7}}
`,
}

// openBoards opens the boards b1 and b2, each with five cards.
func (w *manyWorld) openBoards() {
	w.Helper()
	fsys := fstest.MapFS{}
	for name, text := range boardFiles {
		fsys[name] = &fstest.MapFile{Data: []byte(text)}
	}
	p, err := facade.Read(fsys)
	if err != nil {
		w.Fatal(err)
	}
	w.store = w.opened(w, Compiled(w, p).Catalog.Set.Entities)
	w.facade = New(w, p, w.store, nil)
	for b := range 2 {
		var cards []string
		for i := range 5 {
			n := b*5 + i
			cards = append(cards, fmt.Sprintf(`{"id":"c%d","pos":%d,"code":"k%d","slot":%d,"day":"2026-01-%02d"}`, n, i, n, n, n+1))
		}
		if _, err := w.as("admin", "board.create", "", fmt.Sprintf(`{"id":"b%d","cards":{"create":[%s]}}`, b+1, strings.Join(cards, ","))); err != nil {
			w.Fatal(err)
		}
	}
}

// lateCall is one of the calls of a transaction.
type lateCall struct{ method, id, query, body string }

// together makes calls as an atomic call does. The error has the index of its call.
func (w *manyWorld) together(who string, calls ...lateCall) (results []string, at int, failed *kiterror.Error) {
	w.Helper()
	state := map[string]any{"user": map[string]any{"id": who, "role": who}}
	err := w.facade.Transact(context.Background(), "", func(ctx context.Context) error {
		results = nil
		late := facade.JudgeKeysLate(ctx)
		for i, c := range calls {
			late.Next(i)
			entity, op, _ := strings.Cut(c.method, ".")
			in := facade.Invocation{State: state, ID: rawOf(c.id), Query: rawOf(c.query), Body: rawOf(c.body)}
			res, err := w.facade.Call(ctx, &facade.Call{Entity: entity, Operation: op, Invocation: in})
			if k, why := late.Fault(); why != nil {
				at = k
				return why
			}
			if err != nil {
				at = i
				return err
			}
			results = append(results, string(res.AppendJSON(nil)))
		}
		err := late.Judge(ctx)
		at, _ = late.Fault()
		return err
	})
	if err != nil {
		return nil, at, kiterror.AsError(err)
	}
	return results, -1, nil
}

func rawOf(text string) json.RawMessage {
	if text == "" {
		return nil
	}
	return json.RawMessage(text)
}

// testLateKeys has rows change places in every form of a write.
func testLateKeys(w *manyWorld) {
	w.openBoards()
	update := func(id, body string) lateCall { return lateCall{"card.update", `"` + id + `"`, "", body} }
	for _, c := range []struct {
		name, who string
		calls     []lateCall
		want      string // the results, or the index of the call, and the error
	}{
		{
			"two rows change places, and answer their new ones", "admin",
			[]lateCall{update("c0", `{"pos":1}`), update("c1", `{"pos":0}`)},
			`{"id":"c0","boardId":"b1","pos":1,"code":"k0","slot":0,"day":"2026-01-01"} {"id":"c1","boardId":"b1","pos":0,"code":"k1","slot":1,"day":"2026-01-02"}`,
		},
		{
			"so do texts, dates and nulls", "admin",
			[]lateCall{update("c0", `{"code":"k1","day":"2026-01-02","slot":1}`), update("c1", `{"code":"k0","day":"2026-01-01","slot":0}`)},
			`{"id":"c0","boardId":"b1","pos":1,"code":"k1","slot":1,"day":"2026-01-02"} {"id":"c1","boardId":"b1","pos":0,"code":"k0","slot":0,"day":"2026-01-01"}`,
		},
		{
			"a new row takes the place of one that moves", "admin",
			[]lateCall{{"card.create", "", "", `{"id":"n1","boardId":"b1","pos":2,"code":"n1","day":"2027-01-01"}`}, update("c2", `{"pos":9}`)},
			`{"id":"n1","boardId":"b1","pos":2,"code":"n1","slot":null,"day":"2027-01-01"} {"id":"c2","boardId":"b1","pos":9,"code":"k2","slot":2,"day":"2026-01-03"}`,
		},
		{
			"several new rows do, and one that goes makes room", "admin",
			[]lateCall{{"card.createMany", "", `{"fields":"pos"}`, `[{"id":"n2","boardId":"b1","pos":20,"code":"n2","day":"2027-01-02"},{"id":"n3","boardId":"b1","pos":9,"code":"n3","day":"2027-01-03"}]`}, {"card.delete", `"c2"`, "", ""}},
			`{"items":[{"pos":20},{"pos":9}]} true`,
		},
		{
			"a row goes to another board and back", "admin",
			[]lateCall{update("c3", `{"boardId":"b2"}`), update("c8", `{"boardId":"b1"}`)},
			`{"id":"c3","boardId":"b2","pos":3,"code":"k3","slot":3,"day":"2026-01-04"} {"id":"c8","boardId":"b1","pos":3,"code":"k8","slot":8,"day":"2026-01-09"}`,
		},
		{
			"upserts change places", "admin",
			[]lateCall{{"card.upsert", "", `{"by":"code"}`, `{"id":"c5","code":"k5","boardId":"b2","pos":1,"day":"2026-01-06"}`}, {"card.upsert", "", `{"by":"code"}`, `{"id":"c6","code":"k6","boardId":"b2","pos":0,"day":"2026-01-07"}`}},
			`{"created":false,"item":{"id":"c5","boardId":"b2","pos":1,"code":"k5","slot":5,"day":"2026-01-06"}} {"created":false,"item":{"id":"c6","boardId":"b2","pos":0,"code":"k6","slot":6,"day":"2026-01-07"}}`,
		},
		{
			"a key that stays taken is the fault of its call", "admin",
			[]lateCall{update("c5", `{"pos":0}`), update("c6", `{"slot":null}`)},
			`0 CONFLICT /body/boardId unique /body/pos unique card.update`,
		},
		{
			"so it is before a call that reads it", "admin",
			[]lateCall{update("c5", `{"pos":0}`), {"card.list", "", `{"filter":{"pos":{"eq":0}}}`, ""}, update("c6", `{"pos":1}`)},
			`0 CONFLICT /body/boardId unique /body/pos unique card.update`,
		},
		{
			"a read of another entity sees no key", "admin",
			[]lateCall{update("c5", `{"pos":0}`), {"board.findById", `"b2"`, "", ""}, update("c6", `{"pos":1}`)},
			`{"id":"c5","boardId":"b2","pos":0,"code":"k5","slot":5,"day":"2026-01-06"} {"id":"b2"} {"id":"c6","boardId":"b2","pos":1,"code":"k6","slot":6,"day":"2026-01-07"}`,
		},
		{
			"a primary key stays taken", "admin",
			[]lateCall{{"card.create", "", "", `{"id":"c5","boardId":"b1","pos":50,"code":"n5","day":"2027-02-01"}`}},
			`0 CONFLICT /body/id unique card.create`,
		},
		{
			"a rule that reads the key judges it at once", "guest",
			[]lateCall{update("c5", `{"pos":1}`), update("c6", `{"pos":0}`)},
			`0 CONFLICT /body/boardId unique /body/pos unique card.update`,
		},
		{
			"such a rule has no say in another key", "guest",
			[]lateCall{update("c5", `{"code":"k6"}`), update("c6", `{"code":"k5"}`)},
			`{"id":"c5","boardId":"b2","pos":0,"code":"k6","slot":5,"day":"2026-01-06"} {"id":"c6","boardId":"b2","pos":1,"code":"k5","slot":6,"day":"2026-01-07"}`,
		},
		{
			"a row that is deleted with its board needs no key", "admin",
			[]lateCall{{"board.create", "", "", `{"id":"b3"}`}, {"card.create", "", "", `{"id":"n7","boardId":"b3","pos":1,"code":"k7","day":"2027-03-01"}`}, {"card.delete", `"c7"`, "", ""}, {"board.delete", `"b3"`, "", ""}},
			`{"id":"b3"} {"id":"n7","boardId":"b3","pos":1,"code":"k7","slot":null,"day":"2027-03-01"} true true`,
		},
		{
			"values without a free one stay taken", "admin",
			[]lateCall{{"pair.create", "", "", `{"id":"p1","side":"left"}`}, {"pair.create", "", "", `{"id":"p2","side":"right"}`}, {"pair.update", `"p1"`, "", `{"side":"right"}`}, {"pair.update", `"p2"`, "", `{"side":"left"}`}},
			`2 CONFLICT /body/side unique pair.update`,
		},
	} {
		results, at, err := w.together(c.who, c.calls...)
		got := strings.Join(results, " ")
		if err != nil {
			got = fmt.Sprintf("%d %s %s.%s", at, short(err), err.Entity, err.Operation)
		}
		if got != c.want {
			w.Errorf("%s:\n got %s\nwant %s", c.name, got, c.want)
		}
	}
	w.want(`{"created":0,"updated":2,"rows":3,"complete":true,"faults":[{"row":2,"column":"pos","code":"minimum","message":"must be at least 0"}]}`, "admin", "card.import", `{"by":"id"}`,
		`[{"id":"c5","boardId":"b2","pos":1,"code":"k6","day":"2026-01-06"},{"id":"c6","boardId":"b2","pos":0,"code":"k5","day":"2026-01-07"},{"id":"c9","boardId":"b2","pos":-1,"code":"k9","day":"2026-01-10"}]`)
}

// testLateKeysRandom makes random writes that move cards, and compares the answers, the rows and the events with a
// model that judges the unique keys when all rows of a write are written.
func testLateKeysRandom(w *manyWorld) {
	w.openBoards()
	r := rand.New(rand.NewPCG(32, 11))
	model := w.cards()
	from := w.relay()
	done := map[string]int{}
	for step := range 250 {
		after := maps.Clone(model)
		ids := slices.Sorted(maps.Keys(model))
		r.Shuffle(len(ids), func(i, j int) { ids[i], ids[j] = ids[j], ids[i] })
		ids = ids[:1+r.IntN(len(ids))]
		form := []string{"update", "set", "calls", "import"}[r.IntN(4)]
		var failed *kiterror.Error
		var sent string
		patch := func(c boardCard) boardCard {
			if r.IntN(8) > 0 { // mostly to the places of others
				other := model[slices.Sorted(maps.Keys(model))[r.IntN(len(model))]]
				if k := r.IntN(4); k == 0 {
					c.Code, c.Day = other.Code, other.Day
				} else if k == 1 {
					c.Slot = other.Slot
				}
				c.Pos = other.Pos
			} else {
				c.Pos = r.IntN(20)
			}
			return c
		}
		if r.IntN(2) == 0 { // a permutation of the places is always right
			perm := r.Perm(len(ids))
			patch = func(c boardCard) boardCard {
				to := model[ids[perm[slices.Index(ids, c.ID)]]]
				c.BoardID, c.Pos, c.Code, c.Slot = to.BoardID, to.Pos, to.Code, to.Slot
				return c
			}
		}
		switch form {
		case "update", "set":
			board := fmt.Sprintf("b%d", 1+r.IntN(2))
			var list []string
			if form == "set" {
				for id, c := range after {
					if c.BoardID == board {
						delete(after, id)
					}
				}
			}
			for _, id := range ids {
				if model[id].BoardID != board {
					continue
				}
				c := patch(model[id])
				c.BoardID = board
				after[id] = c
				list = append(list, c.text("boardId"))
			}
			if form == "set" && r.IntN(2) == 0 {
				added := boardCard{BoardID: board, Pos: r.IntN(6), Code: fmt.Sprintf("s%d", step), Day: fmt.Sprintf("2030-%02d-%02d", 1+step/28, 1+step%28)}
				after["new"] = added
				list = append(list, added.text("boardId", "id"))
			}
			sent = fmt.Sprintf(`{"cards":{%q:[%s]}}`, form, strings.Join(list, ","))
			_, _, failed = w.together("admin", lateCall{"board.update", `"` + board + `"`, "", sent})
		case "calls":
			var calls []lateCall
			for i, id := range ids {
				switch {
				case i == 0 && r.IntN(3) == 0 && len(model) > 6:
					delete(after, id)
					calls = append(calls, lateCall{"card.delete", `"` + id + `"`, "", ""})
				case i == 1 && r.IntN(3) == 0:
					n := patch(model[id])
					n.ID, n.Code, n.Day, n.Slot = fmt.Sprintf("n%d", step), fmt.Sprintf("n%d", step), fmt.Sprintf("2031-%02d-%02d", 1+step/28, 1+step%28), nil
					after[n.ID] = n
					calls = append(calls, lateCall{"card.create", "", "", n.text()})
				default:
					after[id] = patch(model[id])
					calls = append(calls, lateCall{"card.update", `"` + id + `"`, "", after[id].text("id")})
				}
				sent += calls[i].method + calls[i].id + calls[i].body + " "
			}
			r.Shuffle(len(calls), func(i, j int) { calls[i], calls[j] = calls[j], calls[i] })
			_, _, failed = w.together("admin", calls...)
		case "import":
			var list []string
			for _, id := range ids {
				after[id] = patch(model[id])
				list = append(list, after[id].text())
			}
			sent = "[" + strings.Join(list, ",") + "]"
			said, err := w.as("admin", "card.import", `{"by":"id"}`, sent)
			if err != nil {
				w.Fatal(err)
			}
			if valid(after) != strings.Contains(said, `"faults":[]`) {
				w.Fatalf("step %d, import %s of\n%v: %s, valid is %t", step, sent, model, said, valid(after))
			}
			if !valid(after) {
				now := w.cards()
				for id, c := range now { // each row is as it was or as it was sent
					if before, sent := model[id], after[id]; c.text() != before.text() && c.text() != sent.text() {
						w.Fatalf("step %d: %s is %s", step, id, c.text())
					}
				}
				after = now
			}
		}
		if form != "import" {
			switch ok := valid(after); {
			case ok != (failed == nil):
				w.Fatalf("step %d, %s %s of\n%v: %v, valid is %t", step, form, sent, model, failed, ok)
			case failed != nil && failed.Code != kiterror.Conflict:
				w.Fatalf("step %d, %s %s: %v", step, form, sent, failed)
			case failed != nil:
				after = model
			}
		}
		now := w.cards()
		if n, made := after["new"]; made { // the store gives it its id
			delete(after, "new")
			for id, c := range now {
				if c.Code == n.Code {
					n.ID = id
					after[id] = n
				}
			}
		}
		if got, want := fmt.Sprint(now), fmt.Sprint(after); got != want {
			w.Fatalf("step %d, %s %s:\n got %s\nwant %s", step, form, sent, got, want)
		}
		if failed == nil {
			done[form]++
		}
		w.checkEvents(from, model, after)
		from, model = w.relay(), after
	}
	for _, form := range []string{"update", "set", "calls", "import"} {
		if done[form] < 10 {
			w.Errorf("%d writes of the form %s succeeded", done[form], form)
		}
	}
}

// boardCard is a card of the model.
type boardCard struct {
	ID      string `json:"id"`
	BoardID string `json:"boardId"`
	Pos     int    `json:"pos"`
	Code    string `json:"code"`
	Slot    *int   `json:"slot"`
	Day     string `json:"day"`
}

// String is the text of a card, for messages.
func (c boardCard) String() string { return c.text() }

// text is the row as JSON, without some fields.
func (c boardCard) text(without ...string) string {
	slot := "null"
	if c.Slot != nil {
		slot = fmt.Sprint(*c.Slot)
	}
	var out []string
	for _, m := range [][2]string{{"id", fmt.Sprintf("%q", c.ID)}, {"boardId", fmt.Sprintf("%q", c.BoardID)}, {"pos", fmt.Sprint(c.Pos)}, {"code", fmt.Sprintf("%q", c.Code)}, {"slot", slot}, {"day", fmt.Sprintf("%q", c.Day)}} {
		if !slices.Contains(without, m[0]) {
			out = append(out, fmt.Sprintf("%q:%s", m[0], m[1]))
		}
	}
	return "{" + strings.Join(out, ",") + "}"
}

// valid reports whether each unique key has one row.
func valid(all map[string]boardCard) bool {
	seen := map[string]bool{}
	for _, c := range all {
		keys := []string{fmt.Sprint("place ", c.BoardID, c.Pos), "code " + c.Code, "day " + c.Day}
		if c.Slot != nil {
			keys = append(keys, fmt.Sprint("slot ", *c.Slot))
		}
		for _, key := range keys {
			if seen[key] {
				return false
			}
			seen[key] = true
		}
	}
	return true
}

// cards are the stored cards.
func (w *manyWorld) cards() map[string]boardCard {
	w.Helper()
	text, failed := w.as("admin", "card.list", `{"limit":500}`, "")
	if failed != nil {
		w.Fatal(failed)
	}
	var page struct{ Items []boardCard }
	if err := json.Unmarshal([]byte(text), &page); err != nil {
		w.Fatal(err)
	}
	all := map[string]boardCard{}
	for _, c := range page.Items {
		all[c.ID] = c
	}
	return all
}

// checkEvents checks that each changed row has one event, with the row before and after the change.
func (w *manyWorld) checkEvents(from facade.Position, before, after map[string]boardCard) {
	w.Helper()
	var got, want []string
	for _, line := range strings.Split(strings.TrimSpace(w.events(from)), "\n") {
		word := strings.Fields(line)
		if len(word) == 4 && word[2] == word[3] || line == "" {
			continue // a write of the values that the row has
		}
		got = append(got, line)
	}
	for id, c := range after {
		if was, there := before[id]; !there {
			want = append(want, fmt.Sprintf("created %q  %s", id, c.text()))
		} else if was.text() != c.text() {
			want = append(want, fmt.Sprintf("updated %q %s %s", id, was.text(), c.text()))
		}
	}
	for id, c := range before {
		if _, there := after[id]; !there {
			want = append(want, fmt.Sprintf("deleted %q  %s", id, c.text()))
		}
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		w.Fatalf("events\n got %s\nwant %s", strings.Join(got, "\n     "), strings.Join(want, "\n     "))
	}
}
