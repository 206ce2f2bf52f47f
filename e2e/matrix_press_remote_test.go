package e2e_test

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"testing"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/gateway"
	extras "github.com/frondhost/frond/gateway/extra/all"
)

// pressRemote is a gateway in front of the press, which runs behind a receiver with its
// handlers, presenters and rows; cards says whether the gateway has the folder too.
func pressRemote(t testing.TB, cards bool) string {
	t.Helper()
	there, err := pressProject(pressDir)
	if err != nil {
		t.Fatal(err)
	}
	silent := slog.New(slog.DiscardHandler)
	config := gateway.Config{Extras: extras.Extras(), Dir: pressDir, Store: memory(t), Limits: gateway.Limits{List: gateway.ListLimits{Default: 2, Max: 3}}, GraphQL: gateway.GraphQL{Introspection: new(true)}}
	listening, ended := make(chan string, 1), make(chan error, 1)
	receiver, err := gateway.NewReceiver(there, "press", &gateway.ReceiverOptions{
		Options:   gateway.Options{Config: config, Logger: silent, Listening: func(url string) { listening <- url }},
		Addresses: []string{"127.0.0.1:0"},
	})
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	go func() { ended <- receiver.Run(ctx) }()
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	url := <-listening

	here := &facade.Project{}
	if cards {
		if here, err = pressProject(pressDir); err != nil {
			t.Fatal(err)
		}
	}
	config.Store, config.Identity.Dev = "memory", true
	config.Remotes = map[string]gateway.Remote{"press": {URL: url, Open: !cards}}
	gw, err := gateway.New(here, &gateway.Options{Config: config, Logger: silent})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = gw.Close() })
	return served(t, gw.Handler())
}

// TestMatrixPressRemote runs every story of the press again with its code in another process:
// named operations, views, handlers that fail in each way they can.
func TestMatrixPressRemote(t *testing.T) {
	t.Parallel()
	for _, cards := range []bool{true, false} {
		t.Run(fmt.Sprint("cards here: ", cards), func(t *testing.T) {
			project, err := pressProject(pressDir)
			if err != nil {
				t.Fatal(err)
			}
			config := gateway.Config{Dir: pressDir, Limits: gateway.Limits{List: gateway.ListLimits{Default: 2, Max: 3}}, GraphQL: gateway.GraphQL{Introspection: new(true)}}
			size, stories := press, pressStories
			if !cards {
				// An operation of an author's is not asked for fields, so the row comes without
				// what the remote hides, and is not refused as where the cards are.
				stories = without(t, stories, "callers", "what is hidden from somebody is so in a view of it too, whoever read the rows")
				// Names given by hand are the gateway's own, and are not published
				size.doors = maps.Clone(press.doors)
				book := size.doors["book"]
				book.plural, book.one, book.many, book.typ = "books", "book", "books", "Book"
				size.doors["book"], size.types = book, map[string]bool{"Author": true, "Book": true}
			}
			runMatrix(t, stories, []*lane{
				{name: "direct", wire: newDirectWire(t, project, config)},
				{name: "envelope", wire: envelopeWire{pressRemote(t, cards)}},
				{name: "rest", wire: restWire{pressRemote(t, cards), size}},
				{name: "graphql", wire: newGraphQLWire(t, pressRemote(t, cards), size)},
				{name: "frond call", wire: cliWire{url: pressRemote(t, cards)}, slow: true},
			})
		})
	}
}
