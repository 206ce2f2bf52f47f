package gateway

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"

	"github.com/frondhost/frond/envelope/signing"
	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/access"
	"github.com/frondhost/frond/facade/budget"
	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/gateway/extra"
	"github.com/frondhost/frond/gateway/files"
	"github.com/frondhost/frond/gateway/telemetry"
	"github.com/frondhost/frond/gateway/topology"
	"github.com/frondhost/frond/rest"
)

// keptFiles are the files of a host.
type keptFiles struct {
	atomic.Pointer[files.Files] // nil: no field holds files
}

// open opens the storage where a field holds files. own says that the program has a store of its own.
func (k *keptFiles) open(c *Config, own bool, current func() *facade.Facade, of *catalog.Catalog, memory *budget.Budget, log *slog.Logger) error {
	if k.Load() != nil || !of.HasFiles() {
		return nil
	}
	url, err := filesStore(c, own)
	if err == nil && c.Files.Presign > 0 && !strings.HasPrefix(url, "s3://") {
		err = files.Unsigned()
	}
	if err != nil {
		return err
	}
	opened, err := files.Open(url, extra.Find[files.Buckets](c.Extras), &c.Files, current, memory, log)
	k.Store(opened)
	return err
}

// state is the state of the storage; ok is false without a storage.
func (k *keptFiles) state() (state telemetry.Files, ok bool) {
	if kept := k.Load(); kept != nil {
		return telemetry.Files(kept.State()), true
	}
	return telemetry.Files{}, false
}

// noPlace is the storage of files if Config.KeepInMemory has replaced a store without a place for them, and
// the settings name no other.
const noPlace = "none:"

// filesStore is the storage of files: the one of the settings, or one beside the store of rows.
func filesStore(c *Config, own bool) (string, error) {
	switch {
	case c.Files.Store == noPlace:
		return "", files.Missing("a store on PostgreSQL")
	case c.Files.Store != "":
		return files.StoreURL(c.Files.Store)
	case own:
		return "", files.Missing("the program's own store")
	}
	path, memory, err := c.storeFile()
	switch url, _ := c.storeURL(); {
	case isPostgres(url) && c.Mode != Development:
		return "", files.Missing("a store on PostgreSQL")
	case isPostgres(url): // one machine
		path = filepath.Join(c.Dir, ".frond", "frond.db")
	case err != nil || memory:
		return "mem://", err
	}
	if path, err = filepath.Abs(path); err != nil {
		return "", fmt.Errorf("the folder of files cannot be named: %w", err)
	}
	return "file://" + filepath.ToSlash(strings.TrimSuffix(path, filepath.Ext(path))+".files"), nil
}

// shownFiles are the files of a surface.
type shownFiles struct {
	kept     *files.Files // those of rows that are kept here
	topology *topology.Topology
	budget   *budget.Budget
	log      *slog.Logger
	facade   *facade.Facade
	view     *catalog.Catalog
}

// orNone is nil if no field holds a file.
func (f shownFiles) orNone() rest.Files {
	for d := range f.facade.Catalog().Doors() {
		if len(d.Files) > 0 {
			return f
		}
	}
	return nil
}

// Allowed implements [rest.Files].
func (f shownFiles) Allowed(ctx context.Context, state access.State) ([]*catalog.File, error) {
	return f.facade.FieldsForFiles(ctx, f.view, state)
}

// Of implements [rest.Files].
func (f shownFiles) Of(frond *catalog.Frond, state access.State) rest.FrondFiles {
	if frond.Remote != "" {
		return &files.Remote{Files: f.topology.Files(frond.Name, state), Memory: f.budget, Log: f.log}
	}
	return ownFiles{f.kept, f.facade, state}
}

// Addressed implements [rest.Files].
func (f shownFiles) Addressed(ctx context.Context, address string) (*facade.File, *catalog.FileSize, rest.Bytes, error) {
	if f.kept == nil {
		return nil, nil, nil, kiterror.Errorf(kiterror.NotFound, "the files of the rows here are kept by remote hosts")
	}
	file, size, err := f.kept.Addressed(ctx, address, time.Now())
	return file, size, f.kept, err
}

// describe describes files of the rows of a Frond, for the caller of ctx.
func (f shownFiles) describe(ctx context.Context, frond *catalog.Frond, ids []string) (map[string]*facade.File, error) {
	return f.Of(frond, facade.StateFrom(ctx)).Find(ctx, ids)
}

// given answers other gateways that ask for files ([wire.FilesPath]).
func (f shownFiles) given(caller facade.Caller, verifier *signing.Verifier) http.Handler {
	return &files.Given{Files: f, Facade: f.facade, Served: f.view, Caller: caller, Verifier: verifier, Budget: f.budget, Log: f.log}
}

// ownFiles are the files of rows with their bytes here.
type ownFiles struct {
	*files.Files
	facade *facade.Facade
	state  access.State
}

// Receive implements [rest.FrondFiles].
func (f ownFiles) Receive(ctx context.Context, in *facade.IncomingFile) (*facade.File, error) {
	return f.Files.Receive(ctx, f.state, in)
}

// Presign implements [rest.FrondFiles].
func (f ownFiles) Presign(ctx context.Context, in *facade.IncomingFile) (*facade.FileAddress, error) {
	return f.Files.Presign(ctx, f.state, in)
}

// ReceiveSigned implements [rest.FrondFiles].
func (f ownFiles) ReceiveSigned(ctx context.Context, id string, takes []*catalog.File) (*facade.File, error) {
	return f.Files.ReceiveSigned(ctx, f.state, id, takes)
}

// Address implements [rest.FrondFiles].
func (f ownFiles) Address(ctx context.Context, file *facade.File, size *catalog.FileSize) (string, time.Time, error) {
	return f.Files.Address(ctx, file, size, time.Now())
}

// Drop implements [rest.FrondFiles].
func (f ownFiles) Drop(ctx context.Context, id string) { f.Files.Drop(ctx, f.state, id) }

// Find implements [rest.FrondFiles].
func (f ownFiles) Find(ctx context.Context, ids []string) (map[string]*facade.File, error) {
	return f.facade.Files(ctx, ids)
}

// fileURLs finds the paths of files for the GraphQL surface of an audience: the paths of its REST, below
// base.
func fileURLs(c *catalog.Catalog, graphql catalog.Surface, base string) func(*catalog.Door, *catalog.File, json.RawMessage) string {
	audience, _, own := strings.Cut(string(graphql), "/")
	if !own {
		audience = ""
	}
	table := &rest.Table{}
	if view, err := c.Surface(catalog.OnREST.For(audience)); err == nil {
		if derived, err := rest.Derive(view, base); err == nil { // else REST reports it
			table = derived
		}
	}
	return table.FilePath
}
