package gateway

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/access"
	"github.com/frondhost/frond/facade/budget"
	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/gateway/files"
	"github.com/frondhost/frond/rest"
)

// keptFiles are the files of a host.
type keptFiles struct {
	*files.Files // nil: no field holds files
}

// open opens the storage where a field holds files. own says that the program has a store of its own.
func (k *keptFiles) open(c *Config, own bool, current func() *facade.Facade, of *catalog.Catalog, memory *budget.Budget, log *slog.Logger) error {
	if k.Files != nil || !of.HasFiles() {
		return nil
	}
	url, err := filesStore(c, own)
	if err == nil {
		k.Files, err = files.Open(url, current, memory, log)
	}
	return err
}

// noPlace stands for the storage of files where Config.KeepInMemory has replaced a store that has no place
// for them, and none is set.
const noPlace = "none:"

// filesStore is the storage of files: that of the settings, or one beside the store of rows.
func filesStore(c *Config, own bool) (string, error) {
	switch {
	case c.Files.Store == noPlace:
		return "", files.Missing("a store on PostgreSQL")
	case c.Files.Store != "":
		return c.Files.Store, nil
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

// on are the files as a surface shows them; nil: none are kept here.
func (k *keptFiles) on(f *facade.Facade, view *catalog.Catalog) rest.Files {
	if k.Files == nil {
		return nil
	}
	return shownFiles{k.Files, f, view}
}

// shownFiles are the files of a surface.
type shownFiles struct {
	*files.Files
	facade *facade.Facade
	view   *catalog.Catalog
}

// Allowed implements [rest.Files].
func (f shownFiles) Allowed(ctx context.Context, state access.State) ([]*catalog.File, error) {
	return f.facade.FieldsForFiles(ctx, f.view, state)
}

// Find implements [rest.Files].
func (f shownFiles) Find(ctx context.Context, id string) (*facade.File, error) {
	found, err := f.facade.Files(ctx, []string{id})
	return found[id], err
}

// urls finds the paths of files for the GraphQL surface of an audience: those of its REST, below base.
func (k *keptFiles) urls(c *catalog.Catalog, graphql catalog.Surface, base string) func(*catalog.Door, *catalog.File, json.RawMessage) string {
	audience, _, own := strings.Cut(string(graphql), "/")
	if !own {
		audience = ""
	}
	table := &rest.Table{}
	if view, err := c.Surface(catalog.OnREST.For(audience)); err == nil && k.Files != nil {
		if derived, err := rest.Derive(view, base); err == nil { // else REST reports it
			table = derived
		}
	}
	return table.FilePath
}
