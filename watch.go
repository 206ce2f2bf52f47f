package frond

import (
	"embed"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/gateway"
)

// watched makes the program read its folder as it is on disk, now and whenever a file of it changes. An
// embedded folder is read from the working folder, under its name.
func (a *App) watched(stderr io.Writer) (*gateway.Reload, error) {
	site := a.site
	if _, embedded := site.(embed.FS); embedded {
		site = os.DirFS(".")
	}
	site, err := fs.Sub(site, a.below)
	if err == nil {
		_, err = fs.Stat(site, ".")
	}
	if err != nil {
		return nil, fmt.Errorf("--watch reads the folder %s of the source; start there: go run . --watch", filepath.FromSlash(a.below))
	}
	// Functions stay attached to their doors: they name them.
	read := func() (*facade.Project, error) {
		found, err := facade.Read(site)
		if err != nil {
			return nil, err
		}
		project := *a.project
		project.Fronds = found.Fronds
		return &project, nil
	}
	reload := gateway.NewReload(site, read, stderr)
	project, err := read()
	if err != nil {
		return nil, err
	}
	*a.project = *project
	return reload, nil
}
