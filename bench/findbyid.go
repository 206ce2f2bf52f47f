package main

import (
	"context"
	"encoding/json"
	"os"
	"time"

	"github.com/frondhost/frond/facade"
)

// One row through each surface. The same row is read by its id:
//
//	in this process   Caller.Call, and the result's JSON
//	REST              GET /api/app/items/i042
//	envelope          item.findById over JSON-RPC
//	GraphQL           one document that is known after its first request, all fields selected
//
// The store is SQLite on a file, whose page is in memory after the first read.

// benchFindByID reads one row of the store through each surface (findbyid). The first
// contender is the base: what the others take beyond it is the cost of their wire.
func benchFindByID(rounds int, slice time.Duration) error {
	dir, err := os.MkdirTemp("", "frond-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	gw, shut, err := open(dir, nil)
	if err != nil {
		return err
	}
	defer shut()
	h := gw.Handler()
	// The buffer is reused; every surface writes into one of its own.
	var text []byte
	figures := compete(rounds, slice, []contender{
		{"in this process", func() {
			result, err := gw.Caller().Call(context.Background(), &facade.Call{
				Entity: "item", Operation: "findById", Invocation: facade.Invocation{Params: json.RawMessage(`{"id":"i042"}`)},
			})
			if err != nil {
				panic(err)
			}
			text = result.AppendJSON(text[:0])
		}},
		{"REST", request{method: "GET", path: "/api/app/items/i042"}.to(h)},
		{"envelope", request{method: "POST", path: "/_kit/call", body: `{"jsonrpc":"2.0","id":1,"method":"item.findById","params":{"params":{"id":"i042"}}}`}.to(h)},
		{"GraphQL", request{method: "POST", path: "/graphql", body: `{"query":"query One($id: ID!) { item(id: $id) { id name sku price weight active note stock createdAt makerId } }","variables":{"id":"i042"}}`}.to(h)},
	})
	table(os.Stdout, "One row by its id, through each surface (handler alone, no socket)", 0, figures)
	return nil
}
