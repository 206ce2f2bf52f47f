// Command weather is a gateway whose entities show what another service knows: a
// warehouse has a field weather, which no card declares and no store holds. The
// other service is asked once for all warehouses of an answer.
package main

import (
	"cmp"
	"context"
	"embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"os/signal"
	"syscall"

	"github.com/graphql-go/graphql"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/gateway"
	"github.com/frondhost/frond/projection"
	"github.com/frondhost/frond/resolvers/loader"
)

//go:embed site
var files embed.FS

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	config, err := gateway.LoadConfig(".", "", os.Environ())
	if err != nil {
		return err
	}
	config.Mode = cmp.Or(config.Mode, gateway.Development) // the console, introspection and suggestions, for who tries it
	config.Listen = cmp.Or(config.Listen, "127.0.0.1:8082")
	config.Store = cmp.Or(config.Store, "sqlite:.frond/weather.db")
	gw, err := newGateway(*config, report) //nolint:contextcheck // a gateway lives as long as Run does
	if err != nil {
		return err
	}
	return gw.Run(ctx)
}

// newGateway is the gateway over the site, with the weather as find tells it.
func newGateway(config gateway.Config, find find) (*gateway.Gateway, error) {
	site, err := fs.Sub(files, "site")
	if err != nil {
		return nil, err
	}
	project, err := facade.Read(site)
	if err != nil {
		return nil, err
	}
	return gateway.New(project, &gateway.Options{Config: config, Extend: func(b *projection.Builder) error {
		return extend(b, find)
	}})
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
