package client_test

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/catalog"
)

// echo answers the invocation it was called with.
var echo = facade.CallerFunc(func(_ context.Context, c *facade.Call) (*facade.Result, error) {
	text, err := json.Marshal(c.Invocation)
	return &facade.Result{Form: facade.FormValue, Value: text}, err
})

// mathCatalog has commands of an entity math.
func mathCatalog() *catalog.Catalog {
	door := &catalog.Door{Name: "math"}
	for _, name := range strings.Fields("subtract sum update get_data notify_hello notify_sum") {
		door.Operations = append(door.Operations, &catalog.Operation{Name: name, Door: door, Kind: catalog.Command})
	}
	frond := &catalog.Frond{Name: "numbers", Doors: []*catalog.Door{door}}
	door.Frond = frond
	return &catalog.Catalog{Vendor: "test", Fronds: []*catalog.Frond{frond}}
}
