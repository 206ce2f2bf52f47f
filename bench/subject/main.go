// Command subject runs requests against the gateway that it is built with, and reports their
// cost. `bench short` and `bench curve` build it, start it and write lines to its input:
//
//	page 200       200 pages of 100 rows with a relation, over GraphQL
//
// The answer to a line is a line of three numbers: nanoseconds of processor time, allocated
// objects and allocated bytes, of all runs together. A line with an unknown name is answered with
// "unknown". The program ends with its input.
//
// The program uses few names of the module, so that it also builds inside of older commits.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing/fstest"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/gateway"
	"github.com/frondhost/frond/store/sqlite"
)

// main answers lines until its input ends. The databases are in a folder that it removes.
func main() {
	log.SetFlags(0)
	runtime.GOMAXPROCS(1)
	dir, err := os.MkdirTemp("", "frond-subject-")
	if err != nil {
		log.Fatal(err)
	}
	err = serve(dir, os.Stdin, os.Stdout)
	_ = os.RemoveAll(dir)
	if err != nil {
		log.Fatal("subject: ", err)
	}
}

// serve answers the lines of in on out.
func serve(dir string, in io.Reader, out io.Writer) error {
	runs, closeStore, err := kinds(dir)
	if err != nil {
		return err
	}
	defer closeStore()
	lines := bufio.NewScanner(in)
	for lines.Scan() {
		var kind string
		var n int
		if _, err := fmt.Sscan(lines.Text(), &kind, &n); err != nil {
			return fmt.Errorf("%q: %w; write a kind and a number", lines.Text(), err)
		}
		run := runs[kind]
		if run == nil {
			fmt.Fprintln(out, "unknown")
			continue
		}
		cpu, objects, bytes, err := cost(run, n)
		if err != nil {
			return fmt.Errorf("%s: %w", kind, err)
		}
		fmt.Fprintln(out, cpu, objects, bytes)
	}
	return lines.Err()
}

// cost returns the processor time in nanoseconds and the allocations of n runs. The processor time
// contains the garbage collection of these runs and of no others.
func cost(run func() error, n int) (cpu int64, objects, bytes uint64, err error) {
	runtime.GC()
	var before, after runtime.MemStats
	var began, ended syscall.Rusage
	runtime.ReadMemStats(&before)
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &began); err != nil {
		return 0, 0, 0, err
	}
	for range n {
		if err := run(); err != nil {
			return 0, 0, 0, err
		}
	}
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &ended); err != nil {
		return 0, 0, 0, err
	}
	runtime.ReadMemStats(&after)
	cpu = ended.Utime.Nano() + ended.Stime.Nano() - began.Utime.Nano() - began.Stime.Nano()
	return cpu, after.Mallocs - before.Mallocs, after.TotalAlloc - before.TotalAlloc, nil
}

// shop is a project of items and their makers.
var shop = fstest.MapFS{
	"entities/maker.yaml": {Data: []byte(`
type: object
properties:
  id: {type: string, x-kit: {role: {primary: true}}}
  name: {type: string}
  country: {type: string}
`)},
	"entities/item.yaml": {Data: []byte(`
type: object
properties:
  id: {type: string, x-kit: {role: {primary: true}, lifecycle: {create: {generate: nanoid}}}}
  name: {type: string}
  price: {type: integer}
  weight: {type: number}
  active: {type: boolean}
  note: {type: [string, 'null']}
  createdAt: {type: string, format: date-time, x-kit: {lifecycle: {create: now}}}
  makerId: {type: string, x-kit: {role: {relation: {to: maker, kind: one}}}}
`)},
	"entities/note.yaml": {Data: []byte(`
type: object
properties:
  id: {type: string, x-kit: {role: {primary: true}, lifecycle: {create: {generate: nanoid}}}}
  text: {type: string}
`)},
}

// kinds returns the requests by their names, over a store in dir, and a function that closes the
// store.
func kinds(dir string) (runs map[string]func() error, closeStore func(), err error) {
	store, gw, err := openGateway(filepath.Join(dir, "items.db"), shop)
	if err != nil {
		return nil, nil, err
	}
	closeStore = func() { _ = store.Close() } // the folder is removed
	if err := fill(gw); err != nil {
		closeStore()
		return nil, nil, err
	}
	h := gw.Handler()
	graphql := func(document string) func() error {
		body, _ := json.Marshal(map[string]string{"query": document}) // strings always marshal
		return request(h, "POST", "/graphql", string(body), http.StatusOK)
	}
	starts := project(100)
	if err := start(dir, starts)(); err != nil { // the first start makes the tables
		closeStore()
		return nil, nil, err
	}
	return map[string]func() error{
		"page":             graphql(`{ items(first: 100) { items { id name price active maker { name country } } } }`),
		"typename":         graphql(`{__typename}`),
		"findById-graphql": graphql(`{ maker(id: "m3") { id name country } }`),
		"findById":         request(h, "GET", "/api/app/makers/m3", "", http.StatusOK),
		"list":             request(h, "GET", "/api/app/items?limit=100&count=none", "", http.StatusOK),
		"list-total":       request(h, "GET", "/api/app/items?limit=100", "", http.StatusOK),
		"create":           request(h, "POST", "/api/app/notes", `{"text":"a line of an ordinary length, such as people write"}`, http.StatusCreated),
		"start":            start(dir, starts),
	}, closeStore, nil
}

// openGateway opens a gateway over a file.
func openGateway(path string, files fstest.MapFS) (*sqlite.Store, *gateway.Gateway, error) {
	quiet := slog.New(slog.DiscardHandler)
	store, err := sqlite.Open(context.Background(), sqlite.Options{Path: path, Logger: quiet})
	if err != nil {
		return nil, nil, err
	}
	source, err := facade.Read(files)
	if err != nil {
		_ = store.Close()
		return nil, nil, err
	}
	gw, err := gateway.New(source, &gateway.Options{Store: store, Logger: quiet, Undecided: true})
	if err != nil {
		_ = store.Close()
		return nil, nil, err
	}
	return store, gw, nil
}

// fill creates ten makers and a hundred items.
func fill(gw *gateway.Gateway) error {
	create := func(entity, body string) error {
		_, err := gw.Caller().Call(context.Background(), &facade.Call{Entity: entity, Operation: "create", Invocation: facade.Invocation{Body: json.RawMessage(body)}})
		return err
	}
	for i := range 10 {
		if err := create("maker", fmt.Sprintf(`{"id":"m%d","name":"Maker number %d","country":"NL"}`, i, i)); err != nil {
			return err
		}
	}
	for i := range 100 {
		note := "null"
		if i%3 == 0 {
			note = `"made to order, allow two weeks"`
		}
		row := fmt.Sprintf(`{"name":"Item number %d","price":%d,"weight":%g,"active":%t,"note":%s,"makerId":"m%d"}`, i, 100+7*i, 0.25*float64(i), i%2 == 0, note, i%10)
		if err := create("item", row); err != nil {
			return err
		}
	}
	return nil
}

// project returns a project of n cards, each with two relations.
func project(n int) fstest.MapFS {
	files := fstest.MapFS{}
	for i := range n {
		files[fmt.Sprintf("fronds/part%d/entities/thing%03d.yaml", i%10, i)] = &fstest.MapFile{Data: fmt.Appendf(nil, `
type: object
properties:
  id: {type: string, x-kit: {role: {primary: true}, lifecycle: {create: {generate: uuidv7}, update: forbidden}}}
  name: {type: string, maxLength: 100}
  amount: {type: number, minimum: 0}
  state: {type: string, enum: [open, shut]}
  otherId: {type: [string, 'null'], x-kit: {role: {relation: {to: thing%03d, kind: one}}}}
  things%03d: {type: array, items: {type: string}, x-kit: {role: {relation: {to: thing%03d, kind: many}}}}
`, (i+1)%n, i, (i+n-1)%n)}
	}
	return files
}

// start returns a function that opens a project over a file of dir and closes it.
func start(dir string, files fstest.MapFS) func() error {
	path := filepath.Join(dir, fmt.Sprintf("start%d.db", len(files)))
	return func() error {
		store, gw, err := openGateway(path, files)
		if err != nil {
			return err
		}
		if err := gw.Close(); err != nil {
			return err
		}
		return store.Close()
	}
}

// request returns a function that makes one request of a handler, without a socket. The function
// returns an error for a status other than want.
func request(h http.Handler, method, path, body string, want int) func() error {
	return func() error {
		r, err := http.NewRequest(method, "http://127.0.0.1"+path, strings.NewReader(body))
		if err != nil {
			return err
		}
		r.RemoteAddr = "127.0.0.1:9"
		r.Header.Set("Content-Type", "application/json")
		w := answer{header: make(http.Header, 8)}
		h.ServeHTTP(&w, r)
		if w.status != want || w.size == 0 {
			return fmt.Errorf("%s %s: status %d with %d bytes, want %d: %s", method, path, w.status, w.size, want, w.begin)
		}
		return nil
	}
}

// answer is a ResponseWriter that counts bytes and keeps the first ones of a failure.
type answer struct {
	header http.Header
	status int
	size   int
	begin  string
}

// Header returns the headers of this answer.
func (a *answer) Header() http.Header { return a.header }

// WriteHeader keeps the status.
func (a *answer) WriteHeader(status int) { a.status = status }

// Write counts the bytes.
func (a *answer) Write(b []byte) (int, error) {
	if a.status == 0 {
		a.status = http.StatusOK
	}
	if a.status >= 300 && a.begin == "" {
		a.begin = string(b[:min(len(b), 300)])
	}
	a.size += len(b)
	return len(b), nil
}
