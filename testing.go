package frond

import (
	"context"
	"log/slog"
	"slices"
	"strings"

	"github.com/frondhost/frond/gateway"
)

// TB is what [Test] needs of a *testing.T.
type TB interface {
	Helper()
	Cleanup(func())
	Context() context.Context
	Fatal(args ...any)
}

// Test opens a program for a test, over a store in memory with the seeds of the folder, and
// closes it when the test ends. The context it returns calls as an anonymous caller; [As]
// gives it another one:
//
//	ctx := frond.Test(t, newApp())
//	post, err := frond.Call[Post](frond.As(ctx, frond.SignedIn("ada")), "post.publish", frond.Set{"id": "p1"})
func Test(t TB, app *App) context.Context {
	t.Helper()
	config, err := app.load(&gateway.Flags{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	// Consumers of remotes' facts have no events to consume.
	here := slices.DeleteFunc(slices.Clone(app.consumers), func(c gateway.Consumer) bool {
		frond, _, _ := strings.Cut(c.Fact, ".")
		_, remote := config.Remotes[frond]
		return remote
	})
	config.KeepInMemory()
	config.Remotes = nil
	ctx, closeStore, err := app.open(t.Context(), gateway.Options{Config: *config, Consumers: here, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := closeStore(); err != nil {
			t.Fatal(err)
		}
	})
	return ctx
}
