// Command weather is a gateway that adds data of another service to its entities: a
// warehouse has a GraphQL field weather, which no card declares and no store holds. One
// request to the service answers it for all warehouses of a level.
package main

import (
	"context"
	"embed"
	"encoding/json"
	"fmt"
	"os"

	"github.com/graphql-go/graphql"

	"github.com/frondhost/frond"
	"github.com/frondhost/frond/facade/rows"
	"github.com/frondhost/frond/gateway"
	"github.com/frondhost/frond/projection"
	"github.com/frondhost/frond/resolvers/binding"
)

//go:embed site
var site embed.FS

func main() { frond.Main(newApp(report)) }

// newApp is the program over the site, with find as the other service.
func newApp(find find) *frond.App {
	app := frond.New(site)
	app.Configure(func(o *gateway.Options) {
		o.Extend = func(b *projection.Builder) error { return extend(b, find) }
	})
	return app
}

// find requests the weather of several cities at once. A city that is not in the answer
// has no weather.
type find func(ctx context.Context, cities []string) (map[string]Weather, error)

// Weather is the weather of a city, as the other service has it.
type Weather struct {
	Sky     string `json:"sky"`
	Celsius int    `json:"celsius"`
}

// extend adds the field weather to warehouses. Its Resolve runs once for each warehouse
// and queues its city; find is called once with the cities of all warehouses of a level,
// wherever they are in the query.
func extend(b *projection.Builder, find find) error {
	weather := graphql.NewObject(graphql.ObjectConfig{
		Name: "Weather", Description: "The weather of a city.",
		Fields: graphql.Fields{
			"sky":     {Type: graphql.NewNonNull(graphql.String)},
			"celsius": {Type: graphql.NewNonNull(graphql.Int)},
		},
	})
	lookup := binding.NewLookup(find)
	return projection.RegisterType(b, "Warehouse", graphql.Fields{"weather": {
		Type: weather, Description: "The weather in the city of the warehouse, or null if it is unknown.",
		Resolve: func(p graphql.ResolveParams) (any, error) {
			var city string
			if err := json.Unmarshal(p.Source.(rows.Row).Get("city"), &city); err != nil {
				return nil, err
			}
			return lookup.Load(p.Context, city), nil
		},
	}})
}

// report stands for the other service. A real one sends one request for all cities, with
// this context, which is cancelled when the caller is gone.
func report(_ context.Context, cities []string) (map[string]Weather, error) {
	fmt.Fprintln(os.Stderr, "weather requested for", cities)
	known := map[string]Weather{"Bergen": {"rain", 9}, "Porto": {"sun", 21}}
	found := map[string]Weather{}
	for _, city := range cities {
		if w, ok := known[city]; ok {
			found[city] = w
		}
	}
	return found, nil
}
