package main

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/frondhost/frond/cmd/frond/contract"
	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/compile"
	"github.com/frondhost/frond/facade/project"
	"github.com/frondhost/frond/schema"
)

// newBuildFrond is frond build-frond. The exit code is 1 if --check finds a difference. An
// unknown Frond, or an option that Go or npm would refuse, is exit code 2, and no file is
// written.
func newBuildFrond(s *shell) *cobra.Command {
	cmd := newCommand("build-frond", 1, 1, "one Frond")
	var opts contract.PackageOptions
	flags := cmd.Flags()
	out := flags.String("out", "", "the folder to write to (default DIR/dist/FROND)")
	flags.StringVar(&opts.Module, "module", "", "the Go module's path (default frond.local/FROND)")
	flags.StringVar(&opts.NPM, "npm", "", "the npm package's name (default FROND)")
	flags.StringVar(&opts.Version, "contract", "", "the version of both (default 0.0.0-c and a hash of the contract)")
	check := flags.Bool("check", false, "write no files; exit with 1 if a file would change")
	settings := addProject(s, cmd, "remotes", "vendor")
	settings.Unregistered = func(schema.Fault) {} // no code of the project is run
	cmd.RunE = func(_ *cobra.Command, args []string) error {
		catalog, err := settings.promised()
		if err != nil {
			return err
		}
		var names []string
		for _, f := range catalog.Fronds {
			names = append(names, f.Name)
		}
		// The error names those that exist; contract.Read would only say that this one does
		// not.
		if !slices.Contains(names, args[0]) {
			return fmt.Errorf("%s has no Frond %s; it has %s", settings.dir, args[0], cmp.Or(strings.Join(names, ", "), "none"))
		}
		model, err := contract.Read(catalog, args[0])
		if err != nil {
			return err
		}
		// The generated Go calls packages of frond, so its go.mod asks for the version that
		// wrote it.
		opts.Host = released()
		files, err := model.Packages(opts)
		if err != nil {
			return err
		}
		return s.writePackages(model, files, cmp.Or(*out, filepath.Join(settings.dir, "dist", args[0])), *check, "the cards")
	}
	return cmd
}

// writePackages writes the files of a model to a folder, as [shell.apply] does. On stderr is a line for
// each field that the npm package leaves to the host.
func (s *shell) writePackages(m *contract.Model, files contract.Files, folder string, check bool, source string) error {
	for _, f := range m.Skipped() {
		fmt.Fprintf(s.stderr, "frond: notice: %s\n", f)
	}
	plan, err := contract.NewPlan(folder, contract.ManifestFile, files, nil)
	if err != nil {
		return err
	}
	return s.apply([]*contract.Plan{plan}, nil, check, source)
}

// promised is the catalog that a project's cards promise. It runs no code and calls no host:
// for a remote Frond it uses the last sync. The façade has no store, so it answers no calls;
// only its catalog is read.
func (s *settings) promised() (*catalog.Catalog, error) {
	source, config, err := s.load()
	if err != nil {
		return nil, err
	}
	placed := *source
	placed.Fronds = nil
	for _, src := range source.Fronds {
		// A copy: the project as it was read stays as it is.
		moved := *src
		if remote, named := config.Moved()[src.Name]; named {
			moved.Remote = remote.URL
		} else if src.Known != nil {
			// A synced Frond without an address in the settings: any address will do, since
			// it is not called.
			moved.Remote = "elsewhere"
		}
		placed.Fronds = append(placed.Fronds, &moved)
	}
	// The setting has precedence over the project's own vendor.
	placed.Vendor = cmp.Or(config.Vendor, placed.Vendor)
	compiled, err := compile.Project(&placed, &compile.Options{
		List:         project.ListLimits{Default: config.Limits.List.Default, Max: config.Limits.List.Max},
		Unregistered: s.Unregistered, Incomplete: len(config.Remotes) > 0,
	})
	if err != nil {
		return nil, err
	}
	return compiled.Catalog, nil
}

// released is this program's version if it is a release, else "". Go can fetch a release; a
// build of a working copy has a version that it cannot fetch.
func released() string {
	info, ok := debug.ReadBuildInfo()
	if !ok || !release.MatchString(info.Main.Version) {
		return ""
	}
	return info.Main.Version
}

// A release has three numbers; v1.2.3-0.2026… is a commit between two of them.
var release = regexp.MustCompile(`^v[0-9]+\.[0-9]+\.[0-9]+$`)

// newClient is frond client. The exit code is 1 if --check finds a difference. A host that does
// not answer is exit code 3; an unknown Frond, or a card without a judge in JavaScript, is 2,
// and no file is written.
func newClient(s *shell) *cobra.Command {
	cmd := newCommand("client", 0, 1, "at most one Frond")
	var from hostFlags
	var opts contract.PackageOptions
	flags := cmd.Flags()
	from.add(cmd)
	out := flags.String("out", "", "the folder to write to")
	flags.StringVar(&opts.NPM, "npm", "", "the npm package's name (default FROND)")
	flags.StringVar(&opts.Version, "contract", "", "the package's version (default 0.0.0-c and a hash of the contract)")
	check := flags.Bool("check", false, "write no files; exit with 1 if a file would change")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if *out == "" {
			return errors.New("--out is missing; write the folder of the package, such as --out src/catalog")
		}
		document, frond, err := from.fetch(cmd.Context(), append(args, "")[0])
		if err != nil {
			return err
		}
		model, err := contract.ReadDiscovered(document, frond.Name)
		if err != nil {
			return err
		}
		files, err := model.NPM(opts)
		if err != nil {
			return fmt.Errorf("the cards of %[2]s at %[1]s do not make a package:\n%[3]w", from.url, frond.Name, err)
		}
		return s.writePackages(model, files, filepath.Clean(*out), *check, "the host's catalog")
	}
	return cmd
}
