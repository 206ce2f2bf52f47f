package gateway

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strings"
	"time"

	"github.com/frondhost/frond/facade"
)

// Reload reads a project again when the files of its folder change (--watch), and passes it to a
// gateway.
type Reload struct {
	site fs.FS
	read func() (*facade.Project, error)
	to   io.Writer
	seen look
}

// NewReload looks at the folder of a project. Call it before the project is read for the start, so that a
// change in between counts. read reads the project; to receives the reports.
func NewReload(site fs.FS, read func() (*facade.Project, error), to io.Writer) *Reload {
	return &Reload{site: site, read: read, to: to, seen: lookAt(site)}
}

// reloadEvery is the interval between looks at a project's folder. Asking the file system is
// cheap, and works on mounted folders of other machines, which send no events.
const reloadEvery = 300 * time.Millisecond

// Run reads the project again after a file of its folder has changed and then stayed the same
// for one interval, and passes it to the gateway. It reports faults, and the gateway goes on as
// it was. It returns when ctx ends.
//
//	a file has changed since the last look   wait for the next look: it may be half written
//	the look is settled, and another one     read, and replace the project
//	gateway.yaml is different                say that it takes a restart
//	a fault, or a change that cannot be made report it; the project stays
func (r *Reload) Run(ctx context.Context, gw *Gateway) {
	last := r.seen
	for {
		select {
		case <-ctx.Done():
			return
		case <-time.After(reloadEvery):
		}
		now := lookAt(r.site)
		// Two looks alike: an editor or a checkout has finished writing.
		settled := now == last
		if last = now; now == r.seen || !settled {
			continue
		}
		host := now.host != r.seen.host
		// seen moves on before the project is read, so that a faulty one is reported once and
		// not at every look.
		if r.seen = now; host {
			fmt.Fprintf(r.to, "%s has changed: its settings take effect at the next start\n", ConfigFile)
		}
		project, err := r.read()
		if err == nil {
			err = gw.Replace(ctx, project)
		}
		// A gateway that is shutting down cancels the replacement; the project is not at
		// fault.
		if err != nil && !errors.Is(err, context.Canceled) {
			fmt.Fprintf(r.to, "the project stays as it was:\n%s\n", err)
		} else if err == nil {
			fmt.Fprintln(r.to, "the project has been taken over")
		}
	}
}

// look is the state of a folder: the names, sizes and times of its files.
type look struct {
	cards [sha256.Size]byte
	host  [sha256.Size]byte // of gateway.yaml alone
}

// lookAt returns the look of the files that define a project. A size and a time are enough: reading
// every file three times a second would not be cheap.
func lookAt(site fs.FS) look {
	cards, host := sha256.New(), sha256.New()
	_ = fs.WalkDir(site, ".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return nil //nolint:nilerr // a file that is just being replaced; the next look shows
		// Hidden files and folders belong to editors and to git; .schema is written by frond
		// init.
		case name != "." && strings.HasPrefix(entry.Name(), "."), entry.IsDir() && entry.Name() == "node_modules":
			if entry.IsDir() {
				return fs.SkipDir
			}
			return nil
		case entry.IsDir():
			return nil
		}
		switch path.Ext(name) {
		// Cards, settings, seeds and trusted documents. A store next to them changes all the
		// time.
		case ".yaml", ".yml", ".json", ".graphql", ".gql":
		default:
			return nil
		}
		info, err := fs.Stat(site, name)
		if err != nil {
			return nil //nolint:nilerr // see above
		}
		to := cards
		// gateway.yaml is apart, since its settings hold from the next start only.
		if path.Base(name) == ConfigFile {
			to = host
		}
		_, err = fmt.Fprintln(to, name, info.Size(), info.ModTime().UnixNano())
		return err
	})
	return look{[sha256.Size]byte(cards.Sum(nil)), [sha256.Size]byte(host.Sum(nil))}
}
