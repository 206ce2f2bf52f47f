package postgres

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/rows"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/store/postgres/engine"
)

// boxed is a store over boxes with books: box i has i books, and one has a thousand. Keys
// are integers, or texts.
func boxed(t *testing.T, text bool) (p *planned, book *schema.Entity) {
	kind, quoted := "integer", ""
	if text {
		kind, quoted = "string", "'box of wood, number ' || "
	}
	p, set := newObserved(
		t, "box", `{type: object, properties: {id: {type: `+kind+`, x-kit: {role: {primary: true}}}, books: {x-kit: {role: {relation: {to: book, kind: many}}}}}}`,
		"book", `{type: object, properties: {id: {type: integer, x-kit: {role: {primary: true}}}, title: {type: string}, box: {type: [`+kind+`, 'null'], x-kit: {role: {relation: {to: box, kind: one}}}}}}`)
	p.run(t, `INSERT INTO box SELECT `+quoted+`i FROM generate_series(0, 40) AS i`,
		`INSERT INTO book SELECT 100 * i + n, 'book ' || n, `+quoted+`i FROM generate_series(1, 20) AS i, generate_series(1, i) AS n`,
		`INSERT INTO book SELECT 100000 - n, 'book ' || n, `+quoted+`40 FROM generate_series(1, 1000) AS n`,
		`INSERT INTO book SELECT 200000, 'lost', NULL`, `ANALYZE`)
	return p, set.Entity("book")
}

// booksOf asks for the books of boxes.
func booksOf(book *schema.Entity, limit int, numbers ...int) *facade.Find {
	key := &facade.EachKey{Field: book.Property("box")}
	for _, n := range numbers {
		v := json.RawMessage(fmt.Sprint(n))
		if book.Property("box").Kind == schema.KindString {
			v = json.RawMessage(fmt.Sprintf(`"box of wood, number %d"`, n))
		}
		key.Values = append(key.Values, v)
	}
	return &facade.Find{Entity: book, Select: rows.NewLayout([]string{"id", "title"}), Sort: []facade.SortKey{{Field: book.Primary}}, Limit: limit, Each: key}
}

// groupsOf is an answer as text, a line for each key.
func groupsOf(found *facade.Found) string {
	var b strings.Builder
	for _, g := range found.Groups {
		for i := g.From; i < g.To; i++ {
			fmt.Fprintf(&b, "%s %s ", found.Rows.Row(i).At(0), found.Rows.Row(i).At(1))
			if found.Keys != nil {
				fmt.Fprintf(&b, "%s ", found.Keys[i])
			}
		}
		fmt.Fprintln(&b, g.More, g.Total)
	}
	return b.String()
}

// scanned reports whether the latest statement was a scan for all keys.
func (p *planned) scanned() bool { return strings.Contains(p.sql, "= ANY($1") }

// TestScansAnswerAsSearches reads rows of keys by one scan and by a search for each key: the
// answers are equal, forwards and backwards, with keys that have no rows, that fit no row, and
// in any order.
func TestScansAnswerAsSearches(t *testing.T) {
	for _, text := range []bool{false, true} {
		p, book := boxed(t, text)
		for _, limit := range []int{20, 25, 500} {
			for _, desc := range []bool{false, true} {
				for _, backward := range []bool{false, true} {
					for _, keys := range []bool{false, true} {
						q := booksOf(book, limit, 7, 3, 99, 20, 0, 1, 12, 2)
						q.Each.Values = append(q.Each.Values, json.RawMessage("[]"), json.RawMessage("null"))
						q.Sort[0].Desc, q.Backward, q.Keys = desc, backward, keys
						if keys { // the primary key is read beside the fields
							q.Select = rows.NewLayout([]string{"title", "box"})
						}
						got, err := p.Find(t.Context(), q)
						if err != nil || !p.scanned() {
							t.Fatal(err, p.sql)
						}
						p.sorts.Store(true)
						want, err := p.Find(t.Context(), q)
						p.sorts.Store(false)
						if err != nil || p.scanned() {
							t.Fatal(err, p.sql)
						}
						if groupsOf(got) != groupsOf(want) || !strings.Contains(groupsOf(want), "book 12") {
							t.Errorf("limit %d, descending %v, backward %v: one scan gave\n%s\nand searches\n%s", limit, desc, backward, groupsOf(got), groupsOf(want))
						}
					}
				}
			}
		}
	}
}

// TestScansEnd reads keys of which one has far more rows than the limit: the scan ends with as
// many rows as searches may read together, by any plan, and then searches answer. They do so
// from then on, with a scan now and then.
func TestScansEnd(t *testing.T) {
	p, book := boxed(t, false)
	find := func(limit int, numbers ...int) (scans int, answer string) {
		t.Helper()
		before := p.scans
		found, err := p.Find(t.Context(), booksOf(book, limit, numbers...))
		if err != nil {
			t.Fatal(err)
		}
		return p.scans - before, groupsOf(found)
	}
	scans, answer := find(1, 1, 40)
	if scans != 1 || p.scanned() || answer != "101 \"book 1\" [101] false -1\n99000 \"book 1000\" [99000] true -1\n" {
		t.Fatalf("%d scans, then %s: %s", scans, p.sql, answer)
	}
	for range scanPause {
		if scans, _ = find(1, 1, 40); scans != 0 {
			t.Fatal("a scan was tried again at once")
		}
	}
	if scans, _ = find(1, 1, 40); scans != 1 {
		t.Fatal("no scan was tried again")
	}
	if scans, _ = find(3, 1, 3); scans != 1 || !p.scanned() {
		t.Fatalf("%d scans with a greater limit: %s", scans, p.sql)
	}
	p.args = []any{"{1,40,2}", "300"}
	for _, mode := range []string{"force_custom_plan", "force_generic_plan"} {
		if root, text := p.explain(t, mode+"; SET enable_sort = off"); root.read() > 300 {
			t.Errorf("%s: %.0f rows were read\n%s\n%s", mode, root.read(), p.sql, text)
		}
	}
}

// TestScansStandAlone reads rows of keys in a transaction, whose later statements the setting of a
// scan would reach: they are searched.
func TestScansStandAlone(t *testing.T) {
	p, book := boxed(t, false)
	err := p.Transact(t.Context(), func(ctx context.Context) error {
		_, err := p.Find(ctx, booksOf(book, 20, 3, 5))
		return err
	})
	if err != nil || p.scans > 0 {
		t.Fatal(err, p.sql)
	}
	if _, err := p.Find(t.Context(), booksOf(book, 20, 3, 5)); err != nil || p.scans != 1 {
		t.Fatal(err, p.sql)
	}
	if err := p.db.Maintain(t.Context(), func(c *engine.Conn) error {
		return c.Run(&engine.Query{Text: []byte("SHOW enable_sort"), Row: func(row [][]byte) error {
			if string(row[0]) != "on" {
				t.Errorf("sorting is %s behind a scan", row[0])
			}
			return nil
		}})
	}); err != nil {
		t.Fatal(err)
	}
}

// TestScansOutliveOtherFailures: a statement that fails for a missing column says nothing of the
// server, and scans go on when the column is back.
func TestScansOutliveOtherFailures(t *testing.T) {
	p, book := boxed(t, false)
	rename := func(from, to string) {
		t.Helper()
		if err := p.db.Maintain(t.Context(), func(c *engine.Conn) error {
			return c.Exec("ALTER TABLE book RENAME " + from + " TO " + to)
		}); err != nil {
			t.Fatal(err)
		}
	}
	rename("title", "heading")
	if _, err := p.Find(t.Context(), booksOf(book, 20, 3, 5)); err == nil || p.scans != 1 {
		t.Fatal(err, p.sql)
	}
	rename("heading", "title")
	if _, err := p.Find(t.Context(), booksOf(book, 20, 3, 5)); err != nil || p.scans != 2 {
		t.Fatal(err, p.scans, p.sql)
	}
}
