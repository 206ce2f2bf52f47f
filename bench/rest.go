package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"time"

	sqlite3 "github.com/ncruces/go-sqlite3"
)

// A list over REST against a handler written by hand (rest). As in byhand.go the statement is
// the gateway's own, taken from its trace, and both answers are compared first:
//
//	GET /api/app/items?limit=100   {"items":[…100 rows of 10 columns…],"total":100,"hasMore":false,"endCursor":"…"}

// benchREST lists a hundred rows of ten columns: through the gateway, and with a
// handler as a careful author would write it over the very same statements.
func benchREST(rounds int, slice time.Duration) error {
	dir, err := os.MkdirTemp("", "frond-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	var heard []statement
	var listening bool
	gw, shut, err := open(dir, func(sql string, args ...any) {
		if listening { // one request at a time, and only while we look
			heard = append(heard, statement{sql, args})
		}
	})
	if err != nil {
		return err
	}
	defer shut()

	for _, c := range []struct {
		title  string
		header http.Header
	}{
		// The same list twice, since counting is a second piece of work in one statement.
		{"REST, a list of 100 rows of 10 columns, with the total counted", nil},
		{"REST, the same list without a total (Prefer: count=none)", http.Header{"Prefer": {"count=none"}}},
	} {
		list := request{method: "GET", path: "/api/app/items?limit=100", header: c.header}
		// The trace of this one request is the statement for the other contender.
		heard, listening = nil, true
		ours, err := list.answer(gw.Handler())
		listening = false
		if err != nil {
			return err
		}
		hand, err := newByHand(filepath.Join(dir, file), heard)
		if err != nil {
			return err
		}
		theirs, err := list.answer(hand)
		if err == nil {
			err = sameItems(ours, theirs)
		}
		if err != nil {
			return err
		}
		figures := compete(rounds, slice, []contender{
			{"written by hand", list.to(hand)},
			{"the gateway", list.to(gw.Handler())},
		})
		table(os.Stdout, c.title+" (handler alone, no socket)", 0, figures,
			fmt.Sprintf("the gateway takes %.2f times as long (aim: 1.3 or less)", float64(figures[1].median)/float64(figures[0].median)))
		if err := errors.Join(hand.page.Close(), hand.db.Close()); err != nil {
			return err
		}
	}
	return nil
}

// statement is a statement that the gateway ran, to be run again by hand. The arguments are as
// the trace has them.
type statement struct {
	sql  string
	args []any
}

// byHand is the handler to compare with: the statement prepared once, a struct per row,
// encoding/json for the answer. One request runs at a time.
type byHand struct {
	mu     sync.Mutex
	db     *sqlite3.Conn
	page   *sqlite3.Stmt
	column map[string]int
	total  int // the column of the total, behind those of the row; -1: none
}

// newByHand prepares the one statement the gateway was heard to run, binds its arguments for
// good and finds its columns by name. Other statements than one, or a missing column, are
// errors.
func newByHand(path string, heard []statement) (*byHand, error) {
	if len(heard) != 1 {
		return nil, fmt.Errorf("the gateway ran %d statements where one is expected: %v", len(heard), heard)
	}
	db, err := sqlite3.Open("file:" + path)
	if err != nil {
		return nil, err
	}
	h := &byHand{db: db, column: map[string]int{}}
	if h.page, _, err = db.Prepare(heard[0].sql); err != nil {
		return nil, fmt.Errorf("%s: %w", heard[0].sql, err)
	}
	for i, a := range heard[0].args {
		if err := bind(h.page, i+1, a); err != nil {
			return nil, err
		}
	}
	for i := range h.page.ColumnCount() {
		h.column[h.page.ColumnName(i)] = i
	}
	names := []string{"id", "name", "sku", "price", "weight", "active", "note", "stock", "createdAt", "makerId"}
	if h.total = -1; h.page.ColumnCount() > len(names) {
		h.total = h.page.ColumnCount() - 1
	}
	for _, name := range names {
		if _, ok := h.column[name]; !ok {
			return nil, fmt.Errorf("the statement has no column %s: %s", name, heard[0].sql)
		}
	}
	return h, nil
}

// bind binds a traced argument, whose type is one that the store binds.
func bind(s *sqlite3.Stmt, i int, a any) error {
	switch a := a.(type) {
	case nil:
		return s.BindNull(i)
	case string:
		return s.BindText(i, a)
	case int64:
		return s.BindInt64(i, a)
	case int:
		return s.BindInt(i, a)
	case float64:
		return s.BindFloat(i, a)
	}
	return fmt.Errorf("argument %d is a %T", i, a)
}

// item is a row as encoding/json writes it.
type item struct {
	ID        string  `json:"id"`
	Name      string  `json:"name"`
	SKU       string  `json:"sku"`
	Price     int64   `json:"price"`
	Weight    float64 `json:"weight"`
	Active    bool    `json:"active"`
	Note      *string `json:"note"`
	Stock     int64   `json:"stock"`
	CreatedAt string  `json:"createdAt"`
	MakerID   string  `json:"makerId"`
}

// list is the body of a list (spec 4.2). Total is -1 where it was not counted.
type list struct {
	Items     []item  `json:"items"`
	Total     int64   `json:"total"`
	HasMore   bool    `json:"hasMore"`
	EndCursor *string `json:"endCursor"`
}

// ServeHTTP runs the same statements as the gateway and writes the rows with encoding/json.
func (h *byHand) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	l, err := h.list()
	if err != nil {
		slog.Error("list", "error", err)
		http.Error(w, "something went wrong", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusOK)
	_ = json.NewEncoder(w).Encode(l) // a client that is gone is nobody's error
}

// list reads the rows and the total, which is the last column of each.
func (h *byHand) list() (*list, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	l := &list{Items: make([]item, 0, 100), Total: -1}
	s, at := h.page, h.column
	for s.Step() {
		// A total that is counted at that moment is negative, its bits inverted; one that the
		// store keeps is positive.
		if h.total >= 0 {
			if l.Total = s.ColumnInt64(h.total); l.Total < 0 {
				l.Total = ^l.Total // counted, for the number is not kept of so small a table
			}
		}
		if len(l.Items) == 100 { // one more was asked for, to know whether there is more
			l.HasMore = true
			continue
		}
		row := item{
			ID: s.ColumnText(at["id"]), Name: s.ColumnText(at["name"]), SKU: s.ColumnText(at["sku"]), Price: s.ColumnInt64(at["price"]),
			Weight: s.ColumnFloat(at["weight"]), Active: s.ColumnBool(at["active"]), Stock: s.ColumnInt64(at["stock"]),
			CreatedAt: s.ColumnText(at["createdAt"]), MakerID: s.ColumnText(at["makerId"]),
		}
		// The only column that may be null.
		if s.ColumnType(at["note"]) != sqlite3.NULL {
			note := s.ColumnText(at["note"])
			row.Note = &note
		}
		l.Items = append(l.Items, row)
	}
	if n := len(l.Items); n > 0 {
		l.EndCursor = &l.Items[n-1].ID
	}
	return l, errors.Join(s.Err(), s.Reset())
}

// sameItems reports where two answers differ; how a time is written and what a cursor looks
// like is left to each. nil: they have the same hundred rows.
func sameItems(ours, theirs string) error {
	var a, b list
	if err := errors.Join(json.Unmarshal([]byte(ours), &a), json.Unmarshal([]byte(theirs), &b)); err != nil {
		return fmt.Errorf("%w\n%s\n%s", err, ours, theirs)
	}
	for _, l := range []*list{&a, &b} {
		l.EndCursor = nil
		for i := range l.Items {
			l.Items[i].CreatedAt = l.Items[i].CreatedAt[:len("2026-03-01T10:20:30")]
		}
	}
	x, err := json.Marshal(a)
	if err != nil {
		return err
	}
	y, err := json.Marshal(b)
	if err != nil {
		return err
	}
	if len(a.Items) != 100 {
		return fmt.Errorf("%d rows instead of 100", len(a.Items))
	}
	return same(x, y)
}
