package gateway

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/store/sqlite"
)

// Host is a project over its store without any surface: what `frond call` calls,
// and what every surface stands on. Its methods may be called from many goroutines.
type Host struct {
	config   Config
	log      *slog.Logger
	announce func(url string)
	facade   *facade.Facade
	close    func() error
}

// Open compiles a project, opens its store and, at the first start, writes the
// seeds. The error is everything that is wrong at once, the faults of cards as
// schema.Faults; the store is only touched where there is none.
func Open(ctx context.Context, project *facade.Project, opts *Options) (*Host, error) {
	if opts == nil {
		opts = &Options{}
	}
	return open(ctx, project, opts, nil)
}

// open is Open, with what is wrong elsewhere told in the same breath.
func open(ctx context.Context, project *facade.Project, opts *Options, elsewhere error) (*Host, error) {
	h := &Host{config: opts.Config.withDefaults(), log: opts.Logger, announce: opts.Listening}
	if h.log == nil {
		h.log = NewLogger(os.Stderr, h.config.Log)
	}
	if h.announce == nil {
		h.announce = announceOnStderr
	}
	if h.config.Vendor != "" {
		project.Vendor = h.config.Vendor
	}
	var later lateStore
	whole, unregistered := true, opts.Unregistered
	if unregistered != nil {
		unregistered = func(f schema.Fault) {
			whole = false
			opts.Unregistered(f)
		}
	}
	f, err := facade.New(project, &later, &facade.Options{
		Middleware:   opts.Middleware,
		List:         facade.ListLimits{Default: h.config.Limits.List.Default, Max: h.config.Limits.List.Max},
		Unregistered: unregistered,
	})
	if err := errors.Join(h.config.check().Err(), elsewhere, err); err != nil {
		return nil, err
	}
	h.facade = f
	closer, err := h.openStore(ctx, &later, opts.Store)
	if err != nil {
		return nil, err
	}
	h.close = sync.OnceValue(closer.Close)
	if err := h.prepare(ctx, later.Store, whole); err != nil {
		return nil, errors.Join(err, h.Close())
	}
	return h, nil
}

// prepare makes the store hold what the cards say, and writes the seeds where
// there are no rows yet, if everything they take is there.
func (h *Host) prepare(ctx context.Context, store facade.Store, whole bool) error {
	if s, ok := store.(preparer); ok {
		if err := s.Prepare(ctx, h.Catalog().Set.Entities); err != nil {
			return err
		}
	}
	if !whole {
		return nil
	}
	return h.facade.Seed(ctx)
}

// preparer is a store that is told its entities before it is used. An author's
// own store need not be one.
type preparer interface {
	Prepare(ctx context.Context, entities []*schema.Entity) error
}

// Catalog is what the host serves.
func (h *Host) Catalog() *facade.Catalog { return h.facade.Catalog() }

// Caller calls operations in this process, as every surface does.
func (h *Host) Caller() facade.Caller { return h.facade }

// Discovery is the host's discovery document (spec 2.5).
func (h *Host) Discovery() json.RawMessage { return h.Catalog().Discovery().AppendJSON(nil) }

// Bundle is every card of the project in one document (spec 2.4).
func (h *Host) Bundle() json.RawMessage { return h.Catalog().Set.Bundle() }

// Close closes the store; calls under way fail. Closing twice is fine.
func (h *Host) Close() error { return h.close() }

// lateStore is opened after the project was compiled over it: a project with
// faults leaves no file behind.
type lateStore struct{ facade.Store }

// Rehearses says whether the store behind it undoes what is only rehearsed.
func (s *lateStore) Rehearses() bool {
	r, ok := s.Store.(facade.Rehearser)
	return ok && r.Rehearses()
}

// openStore opens what Config.Store names, unless the author brought a store.
func (h *Host) openStore(ctx context.Context, into *lateStore, own facade.Store) (io.Closer, error) {
	if own != nil {
		into.Store = own
		return nothing{}, nil
	}
	opts := sqlite.Options{Logger: h.log}
	path, isFile := strings.CutPrefix(h.config.Store, "sqlite:")
	switch {
	case h.config.Store == memoryStore:
		opts.Memory = true
	case isFile && filepath.IsAbs(path):
		opts.Path = path
	case isFile:
		opts.Path = filepath.Join(h.config.Dir, path)
	default:
		_, err := readStore(h.config.Store)
		return nil, fmt.Errorf("the store cannot be %q: %w", h.config.Store, err)
	}
	store, err := sqlite.Open(ctx, opts)
	if err != nil {
		return nil, err
	}
	into.Store = store
	return store, nil
}

// nothing is the closer of a store that someone else closes.
type nothing struct{}

func (nothing) Close() error { return nil }
