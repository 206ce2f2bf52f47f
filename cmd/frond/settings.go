package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/gateway"
	"github.com/frondhost/frond/gateway/extra/all"
	"github.com/frondhost/frond/schema"
)

// settings are the flags for what gateway.yaml and the FROND_ variables set too. A flag wins
// over its variable, and that over the file.
type settings struct {
	gateway.Flags
	sh  *shell
	dir string // the project's folder
}

// addProject adds --dir and the flags of addSettings.
func addProject(sh *shell, cmd *cobra.Command, keys ...string) *settings {
	s := addSettings(sh, cmd, keys...)
	cmd.Flags().StringVar(&s.dir, "dir", ".", "the project's folder")
	return s
}

// addSettings adds --config and a flag for each key to cmd: limits.list.max becomes
// --limits-list-max. Without keys it adds all of them. A switch needs no value: --admin-public
// is --admin-public=true.
func addSettings(sh *shell, cmd *cobra.Command, keys ...string) *settings {
	s := &settings{sh: sh, Flags: gateway.Flags{Extras: all.Extras()}}
	for _, flag := range s.All(keys...) {
		added := cmd.Flags().VarPF(&text{Flag: flag}, flag.Name, "", flag.About)
		// What pflag takes for a flag without a value.
		if flag.Switch {
			added.NoOptDefVal = "true"
		}
	}
	return s
}

// text is the value of a setting's flag. It implements pflag.Value and hands each value on to
// the settings, where file, variables and flags meet.
type text struct {
	gateway.Flag
	last string
}

// String is the last value of Set.
func (t *text) String() string { return t.last }

// Set implements pflag.Value. The settings report a wrong value later, together with all
// other faults.
func (t *text) Set(value string) error {
	t.last = value
	t.Flag.Set(value)
	return nil
}

// Type is what help shows after the name of the flag.
func (t *text) Type() string {
	if t.Repeats {
		return "stringArray"
	}
	return "string"
}

// load reads a project's folder and its settings. The error has every fault of both. Both are
// read even if one has faults, so that one run lists all of them.
func (s *settings) load() (*facade.Project, *gateway.Config, error) {
	// A folder that is missing would be a project without cards, which is a worse message.
	if info, err := os.Stat(s.dir); err != nil || !info.IsDir() {
		return nil, nil, fmt.Errorf("%s is not a folder; name a project's folder, with fronds/ or entities/", s.dir)
	}
	return s.Load(s.dir, s.sh.environ, s.sh.stderr, func(config *gateway.Config) (*facade.Project, error) { return readProject(s.dir, config) })
}

// tables loads a project for work on its store. Generators and conversions that this program
// lacks do not matter for tables.
func (s *settings) tables() (*facade.Project, *gateway.Options, error) {
	s.Unregistered = func(schema.Fault) {}
	project, config, err := s.load()
	if err != nil {
		return nil, nil, err
	}
	return project, &gateway.Options{Config: *config, Logger: s.sh.logger(config), Unregistered: s.Unregistered}, nil
}

// read reads the settings of the folder alone. The error has every fault in them.
func (s *settings) read() (*gateway.Config, error) {
	config, problems := s.Read(s.dir, s.sh.environ, s.sh.stderr)
	return config, errors.Join(problems...)
}

// readProject reads the folder's Fronds. The folder may be without Fronds if the settings name
// remotes: a gateway.yaml that names them is enough.
func readProject(dir string, config *gateway.Config) (*facade.Project, error) {
	// config is nil where the settings have faults; the cards are then read for theirs.
	if config != nil && len(config.Remotes) > 0 {
		there := false
		for _, name := range []string{"fronds", "entities", "frond.yaml", "frond.yml", "frond.json"} {
			_, err := os.Stat(filepath.Join(dir, name))
			there = there || err == nil
		}
		if !there {
			return &facade.Project{Registry: schema.Builtins()}, nil
		}
	}
	return facade.Read(os.DirFS(dir))
}

// dryRun builds the whole gateway over a store in memory, with settings changed for it. The
// project's own rows are not touched; the caller closes the gateway. The project's seeds are
// written into that store; a remote is asked for its catalog, as at a start.
func (s *settings) dryRun(changes ...func(*gateway.Config)) (*gateway.Gateway, error) {
	project, config, err := s.load()
	if err != nil {
		return nil, err
	}
	// The file of the project is neither opened nor locked: a gateway may be running over it.
	config.KeepInMemory()
	for _, change := range changes {
		change(config)
	}
	return gateway.New(project, &gateway.Options{Config: *config, Logger: s.sh.logger(config), Unregistered: s.Unregistered, Undecided: true})
}
