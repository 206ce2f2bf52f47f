package facade_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/access"
	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/store/storetest"
)

// What a subscriber is shown is held against what it may read at that moment, for random rules,
// rows and filters: the event of a row is revealed if and only if list answers the row, with the
// same text, and findById where there is no filter. A row that was answered before an update and
// is not afterwards is withdrawn. A deleted row is revealed only where it was answered before,
// and wherever it was where the rules do not look at what pointed at it.

var watchedTasks = map[string]string{
	"entities/org.yaml": `
type: object
properties:
  id: {type: string, x-kit: {role: {primary: true}}}
  region: {type: string}
required: [id, region]
`,
	"entities/task.yaml": `
type: object
properties:
  id: {type: integer, x-kit: {role: {primary: true}}}
  title: {type: string, x-kit: {boundary: {out: {encode: uppercase}}}}
  points: {type: [integer, 'null']}
  due: {type: string, format: date-time}
  tags: {type: array, items: {type: string}}
  owner: {type: string}
  secret: {type: string, x-kit: {boundary: {out: closed}}}
  orgId: {type: [string, 'null'], x-kit: {role: {relation: {to: org, kind: one, onDelete: set null}}}}
  notes: {x-kit: {role: {relation: {to: note, kind: many}}}}
required: [id, title, points, due, tags, owner, secret, orgId]
`,
	"entities/note.yaml": `
type: object
properties:
  id: {type: integer, x-kit: {role: {primary: true}}}
  text: {type: string}
  taskId: {type: integer, x-kit: {role: {relation: {to: task, kind: one, onDelete: cascade}}}}
required: [id, text, taskId]
`,
}

// taskWorld makes random rules, rows and filters.
type taskWorld struct{ *rand.Rand }

func (w *taskWorld) of(all ...string) string { return all[w.IntN(len(all))] }

// condition is a random filter of tasks. rule says that it may name the caller and the time,
// and closed fields.
func (w *taskWorld) condition(depth int, rule bool) string {
	if depth > 0 && w.IntN(3) == 0 {
		a, b := w.condition(depth-1, rule), w.condition(depth-1, rule)
		return w.of(`{"and":[`+a+`,`+b+`]}`, `{"or":[`+a+`,`+b+`]}`, `{"not":`+a+`}`)
	}
	plain := []string{
		`{"points":{"gt":2}}`, `{"points":{"isNull":true}}`, `{"points":{"ne":3}}`, `{"tags":{"has":"red"}}`, `{"owner":{"in":["ada","bob"]}}`,
		`{"org":{"region":{"eq":"north"}}}`, `{"orgId":{"eq":"o1"}}`, `{"notes":{"some":{"text":{"eq":"hot"}}}}`, `{"notes":{"none":{"text":{"eq":"hot"}}}}`,
		`{"notes":{"every":{"text":{"eq":"hot"}}}}`, `{"title":{"startsWith":"a"}}`, `{"due":{"lt":"2026-06-01T00:00:00Z"}}`,
	}
	if rule {
		plain = append(plain, `{"owner":{"eq":"$user.id"}}`, `{"owner":{"ne":"$user.id"}}`, `{"due":{"gt":"$now"}}`, `{"org":{"region":{"eq":"$user.region"}}}`,
			`{"secret":{"eq":"s1"}}`, `{"points":{"lte":"$user.level"}}`, `{"tags":{"has":"$user.tag"}}`)
	}
	return w.of(plain...)
}

// collector is a random list of rules.
func (w *taskWorld) collector() string {
	var b strings.Builder
	for range 1 + w.IntN(2) {
		fmt.Fprintf(&b, "    - when: %s\n", w.of(`user.level > 2`, `user.id == "ada"`, `user != nil`, `user.region != "north"`))
		fmt.Fprintf(&b, "      rows: %s\n", w.condition(2, true))
		if w.IntN(2) == 0 {
			fmt.Fprintf(&b, "      hide: [%s]\n", w.of("points", "owner", "tags", "title"))
		}
	}
	if w.IntN(2) == 0 {
		fmt.Fprintf(&b, "    - rows: %s\n", w.condition(1, true))
	}
	return b.String()
}

// task is a random row, without its id.
func (w *taskWorld) task() string {
	return fmt.Sprintf(`"title":%q,"points":%s,"due":%q,"tags":%s,"owner":%q,"secret":%q,"orgId":%s`, w.of("ant", "Bee", "ape"), w.of("1", "2", "3", "4", "null"),
		w.of("2026-01-01T00:00:00Z", "2027-01-01T00:00:00+01:00", "2026-05-05T05:05:05.123456Z"), w.of(`[]`, `["red"]`, `["red","blue"]`), w.of("ada", "bob", "eve"), w.of("s1", "s2"), w.of(`"o1"`, `"o2"`, "null"))
}

func TestWatchShowsWhatMayBeRead(t *testing.T) {
	rounds := 120
	if testing.Short() {
		rounds = 20
	}
	shown := 0
	for seed := range rounds {
		w := &taskWorld{rand.New(rand.NewPCG(uint64(seed), 7))}
		files := map[string]string{"frond.yaml": "name: work\nchanges: task\ncollectors:\n  org: open\n  note: open\n  task:\n" + w.collector()}
		for name, text := range watchedTasks {
			files[name] = text
		}
		store := storetest.NewStore()
		now := time.Date(2026, 6, 1, 0, 0, 0, 0, time.UTC)
		f := storetest.New(t, projectOf(t, files), store, &facade.Options{Now: func() time.Time { return now }})
		log := &outbox{TB: t, store: store}
		r := &reading{T: t, f: f, w: w}
		for range 3 {
			r.users = append(r.users, access.State{"user": map[string]any{"id": w.of("ada", "bob"), "region": w.of("north", "south"), "level": w.IntN(5), "tag": "red"}})
			filter := ""
			if w.IntN(2) == 0 {
				filter = w.condition(1, false)
			}
			r.filters = append(r.filters, filter)
		}
		r.users = append(r.users, nil)
		r.filters = append(r.filters, "")
		inverse := strings.Contains(files["frond.yaml"], "notes") || strings.Contains(strings.Join(r.filters, ""), "notes")
		shown += r.run(log, inverse)
		if t.Failed() {
			t.Fatalf("seed %d:\n%s\nfilters %q", seed, files["frond.yaml"], r.filters)
		}
	}
	if shown < 3*rounds {
		t.Errorf("%d rows were shown in %d rounds; the rules hide too much to hold anything", shown, rounds)
	}
}

// reading compares what subscribers are shown with what they read.
type reading struct {
	*testing.T
	f       *facade.Facade
	w       *taskWorld
	users   []access.State
	filters []string
}

// author changes rows without rights standing in the way.
func (r *reading) author(method, id, body string) {
	r.Helper()
	ctx := r.f.Enter(context.Background(), nil)
	must(r.T, facade.CallerFunc(func(_ context.Context, c *facade.Call) (*facade.Result, error) {
		return facade.Inside(ctx).Call(ctx, c)
	}), method, id, "", body)
}

// run makes random writes, and counts what was shown.
func (r *reading) run(log *outbox, inverse bool) (shown int) {
	for i := range 2 {
		r.author("org.create", "", fmt.Sprintf(`{"id":"o%d","region":%q}`, i+1, []string{"north", "south"}[i]))
	}
	alive := map[int]bool{}
	for step := range 25 {
		id := r.w.IntN(5)
		key := fmt.Sprintf(`{"id":%d}`, id)
		before := r.answers(id)
		switch kind := r.w.IntN(6); {
		case !alive[id]:
			r.author("task.create", "", fmt.Sprintf(`{"id":%d,%s}`, id, r.w.task()))
			alive[id] = true
		case kind == 0:
			r.author("task.delete", key, "")
			alive[id] = false
		case kind == 1:
			r.author("note.create", "", fmt.Sprintf(`{"id":%d,"text":%q,"taskId":%d}`, step, r.w.of("hot", "cold"), id))
		case kind == 2:
			r.author("org.update", `{"id":"o1"}`, fmt.Sprintf(`{"region":%q}`, r.w.of("north", "south")))
		default:
			r.author("task.update", key, "{"+r.w.task()+"}")
		}
		events, after := log.taken(), r.answers(id)
		for i := range r.users {
			w, err := r.f.Watch(context.Background(), &facade.Subscription{Frond: "work", Fact: "taskChanged", Filter: raw(r.filters[i]), State: r.users[i], Versions: true})
			if (err == nil) != (after[i].refused == "") {
				r.Errorf("user %d: watch %v, list %s", i, err, after[i].refused)
				return shown
			}
			if err != nil {
				continue
			}
			seen, err := w.Reveal(context.Background(), events)
			if err != nil {
				r.Fatal(err)
			}
			got := ""
			for _, v := range seen {
				got += fmt.Sprintf("%s %s %s %s\n", v.Change, v.Key, v.Data, v.Version)
				shown++
			}
			want, loose := "", false
			for _, e := range events {
				switch {
				case e.Change == catalog.Deleted:
					loose = inverse
					if before[i].row != "" {
						want = "deleted " + string(e.Key) + " " + before[i].row + " " + before[i].version + "\n"
					}
				case after[i].row != "":
					want = string(e.Change) + " " + string(e.Key) + " " + after[i].row + " " + after[i].version + "\n"
				case e.Change == catalog.Updated && before[i].row != "":
					want = "left " + string(e.Key) + "  \n"
				}
			}
			if got != want && !(loose && got == "") {
				r.Errorf("step %d, task %d, user %d (%v): shown\n%swant\n%s", step, id, i, r.users[i], got, want)
			}
		}
	}
	return shown
}

// readRow is a row as one caller reads it; row is "" where it does not exist for them.
type readRow struct{ row, version, refused string }

// answers are the row of a task as each caller reads it, by list and, without a filter, findById.
func (r *reading) answers(id int) []readRow {
	out := make([]readRow, len(r.users))
	for i, state := range r.users {
		filter := fmt.Sprintf(`{"id":{"eq":%d}}`, id)
		if r.filters[i] != "" {
			filter = `{"and":[` + filter + `,` + r.filters[i] + `]}`
		}
		res, err := r.f.Call(context.Background(), &facade.Call{Entity: "task", Operation: "list", Version: true, Invocation: facade.Invocation{Query: json.RawMessage(`{"filter":` + filter + `}`), State: state}})
		if err != nil {
			out[i].refused = err.Error()
			continue
		}
		if res.Rows.Len() == 1 {
			out[i] = readRow{row: string(res.Rows.Row(0).JSON()), version: res.Versions[0]}
		}
		if r.filters[i] == "" {
			one := must(r.T, as(r.f, state), "task.findById", fmt.Sprintf(`{"id":%d}`, id), "", "")
			if one != out[i].row && !(one == "null" && out[i].row == "") {
				r.Fatalf("list %s, findById %s", out[i].row, one)
			}
		}
	}
	return out
}
