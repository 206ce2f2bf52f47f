package client_test

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/frondhost/frond/facade"
)

// echo answers the invocation it was called with.
var echo = facade.CallerFunc(func(_ context.Context, c *facade.Call) (*facade.Result, error) {
	text, err := json.Marshal(c.Invocation)
	return &facade.Result{Form: facade.FormValue, Value: text}, err
})

// mathCatalog has commands of an entity math.
func mathCatalog() *facade.Catalog {
	door := &facade.Door{Name: "math"}
	for _, name := range strings.Fields("subtract sum update get_data notify_hello notify_sum") {
		door.Operations = append(door.Operations, &facade.Operation{Name: name, Door: door, Kind: facade.Command})
	}
	frond := &facade.Frond{Name: "numbers", Doors: []*facade.Door{door}}
	door.Frond = frond
	return &facade.Catalog{Vendor: "test", Fronds: []*facade.Frond{frond}}
}
