package main

import (
	"fmt"
	"log/slog"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/gateway"
	"github.com/frondhost/frond/gateway/program"
	"github.com/frondhost/frond/schema"
)

// settings are the flags that set what gateway.yaml and the FROND_ variables set too.
type settings struct{ program.Settings }

// addSettings gives cmd --config and a flag for each key: limits.list.max
// becomes --limits-list-max. No key at all means every one.
func addSettings(cmd *cobra.Command, keys ...string) *settings {
	s := &settings{}
	for _, flag := range s.Flags(keys...) {
		added := cmd.Flags().VarPF(&text{Flag: flag}, flag.Name, "", flag.About)
		if flag.Switch {
			added.NoOptDefVal = "true"
		}
	}
	return s
}

// text is the value of a setting's flag.
type text struct {
	program.Flag
	last string
}

func (t *text) String() string { return t.last }

func (t *text) Set(value string) error {
	t.last = value
	t.Flag.Set(value)
	return nil
}

// Type is what help shows behind the name of the flag.
func (t *text) Type() string {
	if t.Repeats {
		return "stringArray"
	}
	return "string"
}

// load reads a project's folder and its settings. The error is everything that is wrong
// with either.
func (s *settings) load(sh *shell, dir string) (*facade.Project, *gateway.Config, error) {
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return nil, nil, fmt.Errorf("%s is no folder; name a project's folder, one with fronds/ or entities/ in it", dir)
	}
	return s.Load(dir, sh.environ, sh.talk, func(config *gateway.Config) (*facade.Project, error) { return readProject(dir, config) })
}

// read reads the settings of a folder, and everything that is wrong with them.
func (s *settings) read(sh *shell, dir string) (*gateway.Config, []error) {
	return s.Read(dir, sh.environ, sh.talk)
}

// readProject reads the folder's Fronds. Where others run all of them, it need not
// have any: a gateway.yaml that names them is enough.
func readProject(dir string, config *gateway.Config) (*facade.Project, error) {
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

// quiet is the log of a command that is done at once: warnings, unless more is asked for.
func (s *shell) quiet(config *gateway.Config) *slog.Logger {
	log := config.Log
	log.Level = max(log.Level, slog.LevelWarn)
	return gateway.NewLogger(s.talk, log)
}
