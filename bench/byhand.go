package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"path/filepath"
	"strconv"
	"sync"

	sqlite3 "github.com/ncruces/go-sqlite3"

	"github.com/frondhost/frond/gateway"
)

// The handler that the gateway is measured against under load (load): one page, written by
// hand. It runs the statements that the gateway runs for the same query, which it records
// once, so that the difference is what is done around them:
//
//	1  the items, with the least price and the limit as arguments
//	2  their makers, with a JSON array of the ids as argument
//
// Both are checked before anything is measured. Where the gateway's statements change, this
// program fails instead of comparing different work.

// pageByHand is the page as a careful author would serve it without a gateway: the same two
// statements, prepared once, a struct for each row, a map of the makers, encoding/json for
// request and response. The statements belong to one connection, which mu guards.
type pageByHand struct {
	mu            sync.Mutex
	db            *sqlite3.Conn
	items, makers *sqlite3.Stmt
}

// handItem is an item as a program by hand would decode it. makerID is the key of its maker,
// which is not in the answer.
type handItem struct {
	ID     string     `json:"id"`
	Name   string     `json:"name"`
	Price  int64      `json:"price"`
	Active bool       `json:"active"`
	Maker  *handMaker `json:"maker"`

	makerID string
}

// handMaker is its maker.
type handMaker struct {
	Name    string `json:"name"`
	Country string `json:"country"`
}

// newPageByHand returns the page over the file in dir. It runs the query on a gateway first
// and takes the statements from its trace; dir has to hold what [open] writes.
func newPageByHand(dir string) (http.Handler, error) {
	// A value that nothing else in the statement can have: it shows which argument is the
	// variable.
	const least = -424242
	var heard []statement
	listening := false
	gw, err := reopen(dir, func(sql string, args ...any) {
		if listening {
			heard = append(heard, statement{sql, args})
		}
	}, gateway.Config{})
	if err != nil {
		return nil, err
	}
	listening = true
	_, err = asked(least).answer(gw.Handler())
	listening = false
	if err = errors.Join(err, gw.Close()); err != nil {
		return nil, err
	}
	// 101 is the page of 100 and one more row, for hasMore. It stays bound; ServeHTTP binds
	// the first argument only.
	if len(heard) != 2 || len(heard[0].args) != 2 || fmt.Sprint(heard[0].args...) != fmt.Sprint(least, 101) || len(heard[1].args) != 1 {
		return nil, fmt.Errorf("the gateway ran other statements than this handler knows: %v", heard)
	}
	h := &pageByHand{}
	// A connection of its own to the same file, which the gateway has closed.
	if h.db, err = sqlite3.Open("file:" + filepath.Join(dir, file)); err != nil {
		return nil, err
	}
	if h.items, _, err = h.db.Prepare(heard[0].sql); err != nil {
		return nil, err
	}
	if h.makers, _, err = h.db.Prepare(heard[1].sql); err != nil {
		return nil, err
	}
	// Columns are read by their index in page.
	want := [][]string{{"id", "name", "price", "active", "makerId"}, {"key", "name", "country"}}
	for i, s := range []*sqlite3.Stmt{h.items, h.makers} {
		for j, name := range want[i] {
			if s.ColumnCount() != len(want[i]) || s.ColumnName(j) != name {
				return nil, fmt.Errorf("the statement's columns are not %v: %s", want[i], heard[i].sql)
			}
		}
	}
	return h, h.items.BindInt(2, 101)
}

// ServeHTTP answers the one query that this server knows: what a page costs when nothing is
// general.
func (h *pageByHand) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var req struct {
		Query     string `json:"query"`
		Variables struct {
			Min int64 `json:"min"`
		} `json:"variables"`
	}
	// The query is compared as a text, which is less than any GraphQL server does. That is in
	// favour of the handler.
	if err := json.NewDecoder(r.Body).Decode(&req); err != nil || req.Query != pageQuery {
		http.Error(w, "the page is all there is", http.StatusBadRequest)
		return
	}
	page, err := h.page(req.Variables.Min)
	if err != nil {
		slog.Error("page", "error", err)
		http.Error(w, "something went wrong", http.StatusInternalServerError)
		return
	}
	// The answer's shape, {"data":{"items":{"items":[…]}}}, as struct types: encoding/json is
	// at its fastest with them.
	type items struct {
		Items []handItem `json:"items"`
	}
	type data struct {
		Items items `json:"items"`
	}
	text, err := json.Marshal(struct {
		Data data `json:"data"`
	}{data{items{page}}})
	if err != nil {
		slog.Error("page", "error", err)
		http.Error(w, "something went wrong", http.StatusInternalServerError)
		return
	}
	// The headers that the gateway sends too.
	head := w.Header()
	head.Set("Content-Type", "application/json; charset=utf-8")
	head.Set("Vary", "Accept")
	head.Set("X-Content-Type-Options", "nosniff")
	head.Set("Content-Length", strconv.Itoa(len(text)))
	_, _ = w.Write(text) // a client that is gone is nobody's error
}

// page reads the items and their makers with two statements, as the gateway does. The second
// gets each maker's id once.
func (h *pageByHand) page(least int64) ([]handItem, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	page := make([]handItem, 0, 100)
	makers := map[string]*handMaker{}
	var keys []string
	s := h.items
	if err := s.BindInt64(1, least); err != nil {
		return nil, err
	}
	for s.Step() {
		if len(page) == 100 { // one more was asked for, to know whether there is more
			continue
		}
		row := handItem{ID: s.ColumnText(0), Name: s.ColumnText(1), Price: s.ColumnInt64(2), Active: s.ColumnBool(3), makerID: s.ColumnText(4)}
		if _, known := makers[row.makerID]; !known {
			// Known from here on; the second statement fills it in.
			makers[row.makerID] = nil
			keys = append(keys, row.makerID)
		}
		page = append(page, row)
	}
	if err := errors.Join(s.Err(), s.Reset()); err != nil {
		return nil, err
	}
	text, err := json.Marshal(keys)
	if err != nil {
		return nil, err
	}
	s = h.makers
	if err := s.BindText(1, string(text)); err != nil {
		return nil, err
	}
	for s.Step() {
		// The first column is the index of the key in the array.
		makers[keys[s.ColumnInt(0)]] = &handMaker{Name: s.ColumnText(1), Country: s.ColumnText(2)}
	}
	for i := range page {
		page[i].Maker = makers[page[i].makerID]
	}
	return page, errors.Join(s.Err(), s.Reset())
}
