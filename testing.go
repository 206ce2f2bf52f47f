package frond

import (
	"context"
	"io/fs"
	"log/slog"
	"slices"
	"strings"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/project"
	"github.com/frondhost/frond/facade/rights"
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

// TestRights makes the checks of the rights.yaml files of a folder, as frond test does, and fails the test if one does not pass. It takes
// the options of [New], and functions that attach code to the program:
//
//	frond.TestRights(t, site, func(app *frond.App) { frond.Command(frond.Door[Post](app, "post"), "publish", publish) })
func TestRights(t TB, site fs.FS, options ...Option) {
	t.Helper()
	app := New(site)
	for _, set := range options {
		set(app)
	}
	config, err := app.load(&gateway.Flags{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	config.KeepInMemory()
	config.Remotes = nil
	callers, err := project.ReadRights(app.project.Fronds)
	var failed []string
	if err == nil {
		options := app.configured(gateway.Options{Config: *config, Consumers: []gateway.Consumer{}, Logger: slog.New(slog.DiscardHandler)})
		err = gateway.WithRows(t.Context(), app.project, options, func(ctx context.Context, f *facade.Facade) error {
			for _, r := range rights.Run(ctx, f, callers).Results {
				if r.Verdict == rights.Failed || r.Verdict == rights.Fault {
					failed = append(failed, r.String())
				}
			}
			return nil
		})
	}
	switch {
	case err != nil:
		t.Fatal(err)
	case len(callers) == 0:
		t.Fatal("no Frond of the folder has a rights.yaml; write one (docs/rights.md)")
	case len(failed) > 0:
		t.Fatal(strings.Join(append([]string{"rights.yaml:"}, failed...), "\n"))
	}
}
