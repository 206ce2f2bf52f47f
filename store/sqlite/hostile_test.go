package sqlite_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/filter"
	"github.com/frondhost/frond/facade/rows"
	"github.com/frondhost/frond/schema/jsontext"
	"github.com/frondhost/frond/store/sqlite"
	"github.com/frondhost/frond/store/storetest"
)

// watcher keeps every statement a store runs, and its arguments.
type watcher struct {
	mu   sync.Mutex
	sql  []string
	args []string
}

func (w *watcher) trace(sql string, args ...any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.sql = append(w.sql, sql)
	for _, a := range args {
		if b, ok := a.([]byte); ok {
			a = string(b)
		}
		w.args = append(w.args, fmt.Sprint(a))
	}
}

// count is how many statements began with word.
func (w *watcher) count(word string) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	n := 0
	for _, sql := range w.sql {
		if strings.HasPrefix(sql, word) {
			n++
		}
	}
	return n
}

// marker is in every hostile text; were any of them part of a statement, it would be too.
const marker = "hostileMarker"

// TestHostileTextNeverReachesSQL sends hostile text everywhere a caller can put
// text, and into the values an author's card may hold, and reads every statement.
func TestHostileTextNeverReachesSQL(t *testing.T) {
	var evil []string
	for _, text := range storetest.Hostile {
		evil = append(evil, marker+text, text+marker)
	}
	enum, _ := json.Marshal(append([]string{"plain"}, evil...))
	create, _ := json.Marshal(evil[0])
	set := compile(t, "thing", card(
		"name: type: [string, 'null'], x-kit: {role: {index: true}}",
		"state: type: string, enum: "+string(enum),
		"made?: type: string, x-kit: {lifecycle: {create: {value: "+string(create)+"}}}",
		"list: type: array",
		"any: title: Anything",
		"amount: type: [string, 'null'], format: decimal",
		"ownerId: type: [string, 'null'], x-kit: {role: {relation: {to: thing, kind: one}}}",
		"things?: x-kit: {role: {relation: {to: thing, kind: many}}}",
	))
	e := set.Entity("thing")
	watch := &watcher{}
	path := t.TempDir() + "/store.db"
	store := open(t, sqlite.Options{Path: path, Trace: watch.trace}, set.Entities)
	layout := rows.NewLayout([]string{"id", "name", "state"})
	sort := []facade.SortKey{{Field: e.Property("name"), Desc: true}, {Field: e.Primary}}
	for _, text := range evil {
		q := jsontext.Quote(text)
		row := fmt.Sprintf(`{"id":%s,"name":%s,"state":%s,"made":%s,"list":[%s],"any":{%s:%s}}`, q, q, q, q, q, q, q)
		if _, err := store.Insert(t.Context(), e, []facade.Record{record(t, e, row)}, nil, layout); err != nil {
			t.Fatalf("insert %q: %v", text, err)
		}
		// refused, whatever it is about
		for _, row := range []string{row, fmt.Sprintf(`{"id":"x%d","state":%s}`, len(text), jsontext.Quote("other"+text)), fmt.Sprintf(`{"id":"y","state":%s,"ownerId":"nobody%s,"list":[]}`, q, q[1:])} {
			if _, err := store.Insert(t.Context(), e, []facade.Record{record(t, e, row)}, nil, layout); err == nil || strings.Contains(err.Error(), marker) {
				t.Errorf("insert %s: %v", row, err)
			}
		}
		for op := filter.Eq; op <= filter.Has; op++ {
			if op == filter.IsNull {
				continue
			}
			for _, field := range []string{"id", "name", "state", "amount", "any", "list"} {
				where := &filter.Filter{Op: op, Field: e.Property(field), Values: []any{text}}
				where = &filter.Filter{Op: filter.Or, Sub: []*filter.Filter{
					where,
					{Op: filter.Some, Link: e.Relation("owner"), Sub: []*filter.Filter{where}},
					{Op: filter.Every, Link: e.Relation("things"), Sub: []*filter.Filter{where}},
				}}
				if _, err := store.Find(t.Context(), &facade.Find{Entity: e, Select: layout, Where: where, Sort: sort, Limit: 2, Count: true, Keys: true, From: []json.RawMessage{q, q}}); err != nil {
					t.Errorf("find by %d of %s, %q: %v", op, field, text, err)
				}
			}
		}
		for _, field := range []string{"id", "name", "amount"} {
			if _, err := store.Find(t.Context(), &facade.Find{Entity: e, Select: layout, Sort: sort, Limit: 2, Count: true, Offset: 1, Each: &facade.EachKey{Field: e.Property(field), Values: []json.RawMessage{q, q}}}); err != nil {
				t.Errorf("each by %s, %q: %v", field, text, err)
			}
		}
		if _, err := store.Update(t.Context(), e, q, nil, facade.Record{{Name: "name", Value: q}}, nil, layout); err != nil {
			t.Errorf("update %q: %v", text, err)
		}
		if _, err := store.Delete(t.Context(), e, q, &filter.Filter{Op: filter.Eq, Field: e.Primary, Values: []any{text}}, nil); err != nil {
			t.Errorf("delete %q: %v", text, err)
		}
	}
	// ... and a migration that carries such values.
	wider := compile(t, "thing", card("name: type: [string, 'null']", "state: type: string, enum: "+strings.Replace(string(enum), "plain", "other", 1),
		"made?: type: string, enum: "+string(enum)+", x-kit: {lifecycle: {create: {value: "+string(create)+"}}}",
		"list: type: array", "any: title: Anything", "amount: type: [string, 'null'], format: decimal", "ownerId: type: [string, 'null']",
		"more?: type: string, x-kit: {lifecycle: {create: {value: "+string(create)+"}}}"))
	if err := store.Prepare(t.Context(), wider.Entities); err != nil {
		t.Fatal(err)
	}

	for _, sql := range watch.sql {
		if strings.Contains(sql, marker) || strings.ContainsAny(sql, "\x00`\\$[") && !strings.Contains(sql, "sqlite_schema") {
			t.Fatalf("a caller's text is in a statement: %q", sql)
		}
	}
	if joined := strings.Join(watch.args, "\n"); strings.Count(joined, marker) < 20*len(evil) {
		t.Errorf("the arguments carried the texts only %d times", strings.Count(joined, marker))
	}
}

// TestStatementsFollowFromShapes checks that values, list lengths and the number
// of rows make no new statement. Lists of one and of two values have one each.
func TestStatementsFollowFromShapes(t *testing.T) {
	set := compile(t, thing("a: type: integer", "b: type: string")...)
	e := set.Entity("thing")
	watch := &watcher{}
	store := open(t, sqlite.Options{Memory: true, Trace: watch.trace}, set.Entities)
	is := func(op filter.Op, field string, v ...any) *filter.Filter {
		return &filter.Filter{Op: op, Field: e.Property(field), Values: v}
	}
	find := func(where *filter.Filter, limit int, each ...json.RawMessage) {
		q := &facade.Find{Entity: e, Select: rows.NewLayout([]string{"id"}), Where: where, Sort: []facade.SortKey{{Field: e.Primary}}, Limit: limit, Count: true}
		if each != nil {
			q.Each = &facade.EachKey{Field: e.Property("b"), Values: each}
		}
		if _, err := store.Find(t.Context(), q); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 60 {
		row := fmt.Sprintf(`{"id":"%d","a":%d,"b":"%d"}`, i, i, i%3)
		if _, err := store.Insert(t.Context(), e, []facade.Record{record(t, e, row)}, nil, nil); err != nil {
			t.Fatal(err)
		}
		var list []any
		var keys []json.RawMessage
		for j := range i + 3 {
			list = append(list, fmt.Sprint(j))
			keys = append(keys, json.RawMessage(fmt.Sprintf(`"%d"`, j)))
		}
		find(is(filter.Gt, "a", int64(i)), i+1)
		find(is(filter.In, "b", list...), i+1)
		find(is(filter.IContains, "b", fmt.Sprint(i)), 0)
		find(nil, i+3, keys...)
	}
	find(is(filter.In, "b", "0"), 1)
	find(is(filter.In, "b", "0", "1"), 1)
	watch.mu.Lock()
	defer watch.mu.Unlock()
	shapes := map[string]int{}
	for _, sql := range watch.sql {
		if strings.HasPrefix(sql, "SELECT *, NULL") || strings.HasPrefix(sql, "SELECT t0.") || strings.HasPrefix(sql, "SELECT (SELECT count(*)") {
			shapes[sql]++
		}
	}
	if len(shapes) != 6 {
		t.Errorf("%d shapes of four questions and two short lists", len(shapes))
	}
	for sql, n := range shapes {
		if short := strings.Contains(sql, " IN (?"); short && n != 1 || !short && n != 60 {
			t.Errorf("%d statements instead of one each: %s", n, sql)
		}
	}
}
