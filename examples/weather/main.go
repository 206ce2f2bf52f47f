// Command weather is a gateway whose entities show what another service knows: a
// warehouse has a field weather, which no card declares and no store holds. The
// other service is asked once for all warehouses of an answer.
package main

import (
	"context"
	"embed"
	"encoding/json"
	"fmt"
	"os"

	"github.com/graphql-go/graphql"

	"github.com/frondhost/frond"
	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/gateway"
	"github.com/frondhost/frond/projection"
	"github.com/frondhost/frond/resolvers/loader"
)

//go:embed site
var site embed.FS

func main() { frond.Main(newApp(report)) }

// newApp is the program over the site, with the weather as find gives it.
func newApp(find find) *frond.App {
	app := frond.New(site)
	app.Configure(func(o *gateway.Options) {
		o.Extend = func(b *projection.Builder) error { return extend(b, find) }
	})
	return app
}

// find asks for the weather of cities, all at once.
type find func(ctx context.Context, cities []string) (map[string]Weather, error)

// Weather is what the other service knows of a city.
type Weather struct {
	Sky     string `json:"sky"`
	Celsius int    `json:"celsius"`
}

// extend adds the field weather to warehouses. Its Resolve runs once for each of
// them, and does no more than to say which city it wants; find is called when all
// warehouses of a level have, wherever they stand in the query.
func extend(b *projection.Builder, find find) error {
	weather := graphql.NewObject(graphql.ObjectConfig{
		Name: "Weather", Description: "What it is like outside.",
		Fields: graphql.Fields{
			"sky":     {Type: graphql.NewNonNull(graphql.String)},
			"celsius": {Type: graphql.NewNonNull(graphql.Int)},
		},
	})
	lookup := loader.NewLookup(find)
	return projection.RegisterType(b, "Warehouse", graphql.Fields{"weather": {
		Type: weather, Description: "Now, in its city; null where nobody measures it.",
		Resolve: func(p graphql.ResolveParams) (any, error) {
			var city string
			if err := json.Unmarshal(p.Source.(facade.Row).Get("city"), &city); err != nil {
				return nil, err
			}
			return lookup.Load(p.Context, city), nil
		},
	}})
}

// report stands for the other service. A real one is one request for all cities,
// with the context it is given, which ends when nobody waits any longer.
func report(_ context.Context, cities []string) (map[string]Weather, error) {
	fmt.Fprintln(os.Stderr, "the weather is asked for", cities)
	known := map[string]Weather{"Bergen": {"rain", 9}, "Porto": {"sun", 21}}
	found := map[string]Weather{}
	for _, city := range cities {
		if w, ok := known[city]; ok {
			found[city] = w
		}
	}
	return found, nil
}
