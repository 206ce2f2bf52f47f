package main

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/frondhost/frond/gateway"
)

// newGateway is frond gateway. The fingerprint is taken before the project is read, so that a
// change during the start is seen. The exit code is 2 where the start fails, and 1 where the
// service fails later or cuts requests off at its end (docs/decisions/errors.md).
func newGateway(s *shell) *cobra.Command {
	cmd := newCommand("gateway", 0, 1, "one folder")
	watched := cmd.Flags().Bool("watch", false, "read the project again whenever its files change")
	settings := addSettings(s, cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		// Before load: what changes while it reads is found by the first look of watch.
		settings.dir = folder(args)
		seen := fingerprint(settings.dir)
		project, config, err := settings.load()
		if err != nil {
			return err
		}
		gw, err := gateway.New(project, &gateway.Options{Config: *config})
		if err != nil {
			return err
		}
		if *watched {
			// It ends with the context of the command, which a signal ends.
			go settings.watch(cmd.Context(), gw, seen)
		}
		return gateway.Serve(cmd.Context(), gw)
	}
	return cmd
}

// folder is the optional folder argument. Without one it is the working directory.
func folder(args []string) string {
	if len(args) == 0 {
		return "."
	}
	return args[0]
}

// watchEvery is the interval between looks at a project's folder. Asking the file system is
// cheap, and works on mounted folders of other machines, which send no events.
const watchEvery = 300 * time.Millisecond

// watch reads the project again after a file of its folder has changed and then stayed the same
// for one interval, and passes it to the gateway. It reports faults, and the gateway goes on as
// it was.
//
// seen is the look of the folder before the gateway's current project was read: a change during
// the reading counts as a change.
//
//	a file has changed since the last look   wait for the next look: it may be half written
//	the look is settled, and another one     read, and replace the project
//	gateway.yaml is different                say that it takes a restart
//	a fault, or a change that cannot be made report it; the project stays
func (s *settings) watch(ctx context.Context, gw *gateway.Gateway, seen look) {
	last := seen
	for {
		select {
		case <-ctx.Done():
			return
		case <-time.After(watchEvery):
		}
		now := fingerprint(s.dir)
		// Two looks alike: an editor or a checkout has finished writing.
		settled := now == last
		if last = now; now == seen || !settled {
			continue
		}
		host := now.host != seen.host
		// seen moves on before the project is read, so that a faulty one is reported once and
		// not at every look.
		if seen = now; host {
			fmt.Fprintf(s.sh.stderr, "%s has changed: its settings take effect at the next start\n", gateway.ConfigFile)
		}
		project, _, err := s.load() //nolint:contextcheck // compiling a project does not wait
		if err == nil {
			err = gw.Replace(ctx, project)
		}
		// A gateway that is shutting down cancels the replacement; the project is not at
		// fault.
		if err != nil && !errors.Is(err, context.Canceled) {
			fmt.Fprintf(s.sh.stderr, "the project stays as it was:\n%s\n", err)
		} else if err == nil {
			fmt.Fprintln(s.sh.stderr, "the project has been taken over")
		}
	}
}

// look is the state of a folder: the names, sizes and times of its files.
type look struct {
	cards [sha256.Size]byte
	host  [sha256.Size]byte // of gateway.yaml alone
}

// fingerprint is the look of a project's folder, of the files that define it. A size and a time
// are enough: reading every file three times a second would not be cheap.
func fingerprint(dir string) look {
	cards, host := sha256.New(), sha256.New()
	_ = filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return nil //nolint:nilerr // a file that is just being replaced; the next look shows
		// Hidden files and folders are those of editors and of git; .schema is written by
		// frond init.
		case path != dir && strings.HasPrefix(entry.Name(), "."), entry.IsDir() && entry.Name() == "node_modules":
			if entry.IsDir() {
				return fs.SkipDir
			}
			return nil
		case entry.IsDir():
			return nil
		}
		switch filepath.Ext(path) {
		// Cards, settings, seeds and trusted documents. A store next to them changes all the
		// time.
		case ".yaml", ".yml", ".json", ".graphql", ".gql":
		default:
			return nil
		}
		info, err := os.Stat(path)
		if err != nil {
			return nil //nolint:nilerr // see above
		}
		to := cards
		// gateway.yaml is apart, since its settings hold from the next start only.
		if filepath.Base(path) == gateway.ConfigFile {
			to = host
		}
		_, err = fmt.Fprintln(to, path, info.Size(), info.ModTime().UnixNano())
		return err
	})
	return look{[sha256.Size]byte(cards.Sum(nil)), [sha256.Size]byte(host.Sum(nil))}
}
