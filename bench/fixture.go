package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"path/filepath"
	"strings"
	"testing/fstest"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/gateway"
	"github.com/frondhost/frond/store/sqlite"
)

// What several measurements share: the project of items and makers, its gateway, and requests
// that reach a handler without a socket. A request is built once and run many times, into a
// writer that keeps nothing: what is measured is the handler.

// items is a project of two entities: a hundred items of ten columns, each of one
// of ten makers.
var items = fstest.MapFS{
	"entities/maker.yaml": {Data: []byte(`
type: object
properties:
  id: {type: string, x-kit: {role: {primary: true}}}
  name: {type: string}
  country: {type: string}
`)},
	// Ten columns of every common kind: texts, one of them unique and one nullable, an
	// integer, a number, a boolean, a moment, a relation.
	"entities/item.yaml": {Data: []byte(`
type: object
properties:
  id: {type: string, x-kit: {role: {primary: true}}}
  name: {type: string}
  sku: {type: string, x-kit: {role: {unique: [[sku]]}}}
  price: {type: integer}
  weight: {type: number}
  active: {type: boolean}
  note: {type: [string, 'null']}
  stock: {type: integer}
  createdAt: {type: string, format: date-time}
  makerId: {type: string, x-kit: {role: {relation: {to: maker, kind: one}}}}
`)},
}

// open returns a gateway over a hundred items in dir, and what closes its store. trace is
// called with every statement that the store runs; nil: nobody listens.
func open(dir string, trace func(sql string, args ...any)) (*gateway.Gateway, func(), error) {
	store, err := sqlite.Open(context.Background(), sqlite.Options{Path: filepath.Join(dir, file), Trace: trace, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		return nil, nil, err
	}
	// A store that cannot be closed has not written what was measured.
	shut := func() {
		if err := store.Close(); err != nil {
			panic(err)
		}
	}
	gw, err := filled(store)
	if err != nil {
		shut()
		return nil, nil, err
	}
	return gw, shut, nil
}

// file is the name of the database in the folder of a measurement.
const file = "items.db"

// overItems returns a gateway over the items of a store, whatever it holds. Undecided: doors
// need no word on who may use them (docs/decisions/access-rules.md).
func overItems(store facade.Store, log *slog.Logger, config gateway.Config) (*gateway.Gateway, error) {
	project, err := facade.Read(items)
	if err != nil {
		return nil, err
	}
	return gateway.New(project, &gateway.Options{Store: store, Logger: log, Config: config, Undecided: true})
}

// filled is a gateway over the items of a store that is empty: it creates them through the
// façade.
func filled(store facade.Store) (*gateway.Gateway, error) {
	gw, err := overItems(store, slog.New(slog.DiscardHandler), gateway.Config{})
	if err != nil {
		return nil, err
	}
	// After the first error nothing more is created; filled returns it.
	create := func(entity string, row map[string]any) {
		if err != nil {
			return
		}
		var body []byte
		if body, err = json.Marshal(row); err == nil {
			_, err = gw.Caller().Call(context.Background(), &facade.Call{Entity: entity, Operation: "create", Invocation: facade.Invocation{Body: body}})
		}
	}
	// Makers first, as items point at them.
	for i := range 10 {
		create("maker", map[string]any{"id": fmt.Sprintf("m%d", i), "name": fmt.Sprintf("Maker number %d", i), "country": "NL"})
	}
	for i := range 100 {
		var note any
		// Two of three notes are null: rows differ in what is written.
		if i%3 == 0 {
			note = "made to order, allow two weeks"
		}
		create("item", map[string]any{
			"id": fmt.Sprintf("i%03d", i), "name": fmt.Sprintf("Item number %d", i), "sku": fmt.Sprintf("sku-%05d", i),
			"price": 100 + 7*i, "weight": 0.25 * float64(i), "active": i%2 == 0, "note": note, "stock": i * 3,
			"createdAt": fmt.Sprintf("2026-03-%02dT10:20:30Z", 1+i%28), "makerId": fmt.Sprintf("m%d", i%10),
		})
	}
	return gw, err
}

// sink is a ResponseWriter that keeps nothing but the status and the last answer's size. A
// fresh one serves each request.
type sink struct {
	header http.Header
	status int
	size   int
}

// Header is a map of its own for each answer, as net/http gives one.
func (s *sink) Header() http.Header { return s.header }

// WriteHeader keeps the status.
func (s *sink) WriteHeader(status int) {
	s.status = status
}

// Write counts the bytes and drops them.
func (s *sink) Write(b []byte) (int, error) {
	if s.status == 0 {
		s.status = http.StatusOK
	}
	s.size += len(b)
	return len(b), nil
}

// request is a request that can be made again and again. path has the query string; body is
// JSON, "" for none; header may be nil.
type request struct {
	method, path, body string
	header             http.Header
}

// to returns the request as a thing to measure: the handler alone, without a socket. The
// function panics where the answer is not 200 or is empty, as its time would mean nothing.
// Concurrent clients take a function each.
func (q request) to(h http.Handler) func() {
	base, err := http.NewRequest(q.method, "http://127.0.0.1"+q.path, nil)
	if err != nil {
		panic(err)
	}
	base.Header = q.header.Clone()
	if base.Header == nil {
		base.Header = http.Header{}
	}
	base.Header.Set("Content-Type", "application/json")
	// Handlers that look at the peer find one.
	base.RemoteAddr = "127.0.0.1:9"
	return func() {
		// A copy and not a Clone: a deep copy would be measured too. Handlers do not change a
		// request.
		r := *base
		if q.body != "" {
			r.Body, r.ContentLength = io.NopCloser(strings.NewReader(q.body)), int64(len(q.body))
		}
		w := sink{header: make(http.Header, 4)}
		h.ServeHTTP(&w, &r)
		if w.status != http.StatusOK || w.size == 0 {
			panic(fmt.Sprintf("%s %s answered %d with %d bytes", q.method, q.path, w.status, w.size))
		}
	}
}

// answer returns what a handler answers to the request, for a look before it is measured. The
// status is not checked.
func (q request) answer(h http.Handler) (string, error) {
	r, err := http.NewRequest(q.method, "http://127.0.0.1"+q.path, strings.NewReader(q.body))
	if err != nil {
		return "", err
	}
	r.Header = q.header.Clone()
	if r.Header == nil {
		r.Header = http.Header{}
	}
	r.Header.Set("Content-Type", "application/json")
	w := &kept{sink: sink{header: http.Header{}}}
	h.ServeHTTP(w, r)
	return w.body.String(), nil
}

// kept is a sink that keeps the body too.
type kept struct {
	sink
	body bytes.Buffer
}

// Write keeps the bytes.
func (k *kept) Write(b []byte) (int, error) { k.body.Write(b); return k.sink.Write(b) }
