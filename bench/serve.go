package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"github.com/graphql-go/graphql"

	"github.com/frondhost/frond/e2e/reference"
	"github.com/frondhost/frond/gateway"
	"github.com/frondhost/frond/gateway/guard"
	"github.com/frondhost/frond/projection"
	"github.com/frondhost/frond/store/sqlite"
)

// The contenders of load, as handlers that are built from a folder by name. This program
// starts itself as "serve NAME DIR" for each of them.
//
//	prebuilt bytes    the page from memory: net/http and nothing else
//	by hand           byhand.go
//	the gateway       as it is by default
//	not coalescing    the gateway, each query executed by itself
//	graphql.Do        the gateway's schema under graphql-go's own executor

// What is asked for under load: the page of [itemsWithMakers], with a filter that
// lets every row through whatever the variable is, so that no two queries need be
// the same though their answers are.
const (
	pageQuery  = `query Page($min: Int!) { items(first: 100, filter: {price: {gte: $min}}) { items { id name price active maker { name country } } } }`
	askedFront = `{"query":"` + pageQuery + `","variables":{"min":`
	askedBack  = `}}`
)

// asked returns the query for the page; least makes queries differ while the page is the same,
// as long as it is not over 100, the least price.
func asked(least int) request {
	return request{method: "POST", path: "/graphql", body: fmt.Sprint(askedFront, least, askedBack)}
}

// contestant is a handler that is built in a process of its own, from what is in a folder.
// Names are unique among served and remoteServed. build is called once, before the socket is
// opened.
type contestant struct {
	name  string
	build func(dir string) (http.Handler, error)
}

// served are the contenders under load. The first two and the last are what the
// others are measured by.
var served = []contestant{
	{"prebuilt bytes", func(dir string) (http.Handler, error) {
		page, err := os.ReadFile(filepath.Join(dir, prebuilt))
		return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			h := w.Header()
			h.Set("Content-Type", "application/json; charset=utf-8")
			h.Set("Vary", "Accept")
			h.Set("X-Content-Type-Options", "nosniff")
			h.Set("Content-Length", strconv.Itoa(len(page)))
			_, _ = w.Write(page)
		}), err
	}},
	{"by hand", newPageByHand},
	{"the gateway", func(dir string) (http.Handler, error) {
		gw, err := reopen(dir, nil, gateway.Config{})
		if err != nil {
			return nil, err
		}
		return gw.Handler(), nil
	}},
	{"not coalescing", func(dir string) (http.Handler, error) {
		gw, err := reopen(dir, nil, gateway.Config{GraphQL: gateway.GraphQL{NoCoalesce: true}})
		if err != nil {
			return nil, err
		}
		return gw.Handler(), nil
	}},
	{"graphql.Do", func(dir string) (http.Handler, error) {
		gw, err := reopen(dir, nil, gateway.Config{})
		if err != nil {
			return nil, err
		}
		b := projection.NewBuilder()
		if err := projection.RegisterAll(b, gw.Catalog(), nil); err != nil {
			return nil, err
		}
		s, err := b.Build()
		if err != nil {
			return nil, err
		}
		reference.Attach(s, gw.Caller())
		return plain(*s.GraphQL()), nil
	}},
}

// prebuilt is the name of the file with the page's bytes.
const prebuilt = "page.json"

// reopen returns a gateway over the items that [open] has written in dir. Nothing closes it:
// the process ends with it.
func reopen(dir string, trace func(sql string, args ...any), config gateway.Config) (*gateway.Gateway, error) {
	quiet := slog.New(slog.DiscardHandler)
	store, err := sqlite.Open(context.Background(), sqlite.Options{Path: filepath.Join(dir, file), Trace: trace, Logger: quiet})
	if err != nil {
		return nil, err
	}
	return overItems(store, quiet, config)
}

// plain answers GraphQL over HTTP with graphql.Do, as its own handlers do: POST with JSON, 200
// also for errors.
func plain(s graphql.Schema) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var req struct {
			Query         string         `json:"query"`
			OperationName string         `json:"operationName"`
			Variables     map[string]any `json:"variables"`
		}
		if err := json.NewDecoder(r.Body).Decode(&req); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		result := graphql.Do(graphql.Params{
			Schema: s, RequestString: req.Query, OperationName: req.OperationName, VariableValues: req.Variables, Context: r.Context(),
		})
		w.Header().Set("Content-Type", "application/json; charset=utf-8")
		_ = json.NewEncoder(w).Encode(result) // a client that is gone is nobody's error
	})
}

// benchServe listens as the contender that the arguments name, prints where, and serves until
// its input ends. It returns only with an error.
func benchServe(args []string) error {
	if len(args) != 2 {
		return errors.New("serve takes a contender and a folder; load starts it")
	}
	for _, c := range slices.Concat(served, remoteServed, postgresServed, feedServed, postServed, equippedServed) {
		if c.name != args[0] {
			continue
		}
		h, err := c.build(args[1])
		if err != nil {
			return err
		}
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return err
		}
		if _, isGateway := h.(*guard.Front); isGateway { // as the program does
			gateway.LimitMemory()
			l = guard.Listener(l)
		}
		fmt.Printf("http://%s\n", l.Addr())
		// The same server for all contenders, gateways among them.
		srv := &http.Server{Handler: h, ReadHeaderTimeout: 10 * time.Second}
		// The parent holds the other end: when it closes or dies, the server ends.
		go func() {
			_, _ = io.Copy(io.Discard, os.Stdin)
			os.Exit(0)
		}()
		return srv.Serve(l)
	}
	return fmt.Errorf("there is no contender %q", args[0])
}
