package gateway

import (
	"context"
	"log/slog"
	"net/http"
	"time"

	"github.com/frondhost/frond/facade"
)

// SessionOf is the session of an identity whose issuer answers what fetch does; nil
// fetches nothing. The test closes it.
func SessionOf(id Identity, dir string, fetch func(context.Context) ([]byte, error), log *slog.Logger) (s Session, shut func(), err error) {
	id = id.withDefaults()
	keys, faults := id.loadKeys(dir)
	if err := faults.Err(); err != nil {
		return nil, nil, err
	}
	i, err := newAuthenticator(&id, keys, log)
	if err != nil {
		return nil, nil, err
	}
	if fetch != nil {
		i.keys.fetch = fetch
	}
	return i.Session, i.Close, nil
}

// Check is what is wrong with c once its defaults are in.
func (c Config) Check() error { return c.withDefaults().check().Err() }

// Remotes are asked often, and again soon, so that tests need not wait.
func init() { refreshEvery, retryFirst = 100*time.Millisecond, 5*time.Millisecond }

// Handler is what the receiver serves.
func (r *Receiver) Handler() http.Handler { return r.handler }

// AdminHandler is what the admin listener serves.
func (g *Gateway) AdminHandler() http.Handler { return g.adminHandler(&g.draining) }

// Budget is what all requests of the host hold.
func (h *Host) Budget() *facade.Budget { return h.budget }
