package gateway

import (
	"context"
	"net/http"
	"time"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/budget"
	"github.com/frondhost/frond/facade/compile"
	"github.com/frondhost/frond/gateway/jobs"
	"github.com/frondhost/frond/gateway/subscriptions"
)

// Check is what is wrong with c once its defaults are in.
func (c Config) Check() error { return c.withDefaults().check().Err() }

// Remotes are asked often, and again soon, so that tests need not wait.
func init() { refreshEvery, retryFirst = 100*time.Millisecond, 5*time.Millisecond }

// AdminHandler is what the admin listener serves.
func (g *Gateway) AdminHandler() http.Handler { return g.host.adminHandler(&g.draining) }

// Budget is what all requests of the host hold.
func (h *Host) Budget() *budget.Budget { return h.budget }

// Budget is what all requests of the gateway hold.
func (g *Gateway) Budget() *budget.Budget { return g.host.budget }

// Host is the host under the surfaces.
func (g *Gateway) Host() *Host { return g.host }

// SweepFilesAt removes the files that no row has, at a time.
func (h *Host) SweepFilesAt(ctx context.Context, at time.Time, remove func(ctx context.Context, id string) error) error {
	compiled, err := compile.Project(h.project, nil)
	if err != nil {
		return err
	}
	f, err := facade.New(compiled, h.store.Store, &facade.Options{Now: func() time.Time { return at }})
	if err == nil {
		_, err = f.SweepFiles(ctx, "", 0, remove)
	}
	return err
}

// Subscriptions are those of all GraphQL callers of the gateway.
func (g *Gateway) Subscriptions() *subscriptions.Hub { return g.host.hub }

// SetJobClock sets the clock of jobs of gateways that are made later, until the test ends.
func SetJobClock(t interface{ Cleanup(func()) }, clock jobs.Clock) {
	was := jobClock
	jobClock = clock
	t.Cleanup(func() { jobClock = was })
}

// JobRecords are the texts that the store has of jobs.
func (h *Host) JobRecords(ctx context.Context) (all []string, err error) {
	texts, err := h.store.can.KeyValues.Values(ctx, "job ")
	for _, text := range texts {
		all = append(all, string(text))
	}
	return all, err
}

// Host is the host under the receiver.
func (r *Receiver) Host() *Host { return r.host }
