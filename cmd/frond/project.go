package main

import (
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/gateway"
	"github.com/frondhost/frond/schema"
)

// settings are flags that set what gateway.yaml and the FROND_ variables set too.
type settings struct {
	config  string
	values  map[string]*string // by key
	remotes []string           // NAME=URL, of --remote
	cmd     *cobra.Command

	// unregistered is told what cards name and this program does not have; nil, of
	// a command that would have to run it: these are faults.
	unregistered func(schema.Fault)
}

// addSettings gives cmd --config and a flag for each key: limits.list.max
// becomes --limits-list-max. No key at all means every one.
func addSettings(cmd *cobra.Command, keys ...string) *settings {
	s := &settings{values: map[string]*string{}, cmd: cmd}
	cmd.Flags().StringVar(&s.config, "config", "", "read this file instead of DIR/gateway.yaml")
	for _, setting := range gateway.Settings() {
		if len(keys) == 0 || has(keys, setting.Key) {
			about := setting.About
			if setting.Default != "" {
				about += fmt.Sprintf(" (default %s)", setting.Default)
			}
			s.values[setting.Key] = cmd.Flags().String(setting.Flag(), "", about)
			if setting.Key == "remotes" {
				cmd.Flags().StringArrayVar(&s.remotes, "remote", nil, "run one Frond elsewhere: NAME=URL; may be given again")
			}
			if setting.Default == "false" { // a switch: its flag alone says true
				cmd.Flags().Lookup(setting.Flag()).NoOptDefVal = "true"
			}
		}
	}
	return s
}

func has(words []string, word string) bool {
	for _, w := range words {
		if w == word {
			return true
		}
	}
	return false
}

// load reads a project's folder and its settings: flag over environment over
// file. The error is everything that is wrong with either.
func (s *settings) load(sh *shell, dir string) (*facade.Project, *gateway.Config, error) {
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return nil, nil, fmt.Errorf("%s is no folder; name a project's folder, one with fronds/ or entities/ in it", dir)
	}
	config, problems := s.read(sh, dir)
	project, err := readProject(dir, config)
	problems = append(problems, err)
	if errors.Join(problems...) != nil {
		if err == nil { // it will not start, but what is wrong with the cards is said in the same breath
			_, err := facade.New(project, nil, &facade.Options{Unregistered: s.unregistered})
			problems = append(problems, err)
		}
		return nil, nil, errors.Join(problems...)
	}
	return project, config, nil
}

// read reads the settings of a folder, and everything that is wrong with them.
func (s *settings) read(sh *shell, dir string) (*gateway.Config, []error) {
	file := s.config
	for _, pair := range sh.environ {
		if name, ok := strings.CutPrefix(pair, "FROND_CONFIG="); ok && file == "" {
			file = name
		}
	}
	config, err := gateway.LoadConfig(dir, file, sh.environ)
	problems := []error{err}
	for _, setting := range gateway.Settings() {
		if flag := setting.Flag(); s.values[setting.Key] != nil && s.cmd.Flags().Changed(flag) {
			if err := config.Set(setting.Key, *s.values[setting.Key]); err != nil {
				problems = append(problems, schema.Fault{File: "--" + flag, Message: fmt.Sprintf("cannot be %q", *s.values[setting.Key]), Remedy: err.Error()})
			}
		}
	}
	for _, pair := range s.remotes {
		if err := config.AddRemote(pair); err != nil {
			problems = append(problems, schema.Fault{File: "--remote", Message: fmt.Sprintf("cannot be %q", pair), Remedy: err.Error()})
		}
	}
	for _, name := range gateway.UnknownVariables(sh.environ) {
		fmt.Fprintf(sh.talk, "frond: the variable %s sets nothing; `frond gateway --help` lists the flags, each has a variable\n", name)
	}
	return config, problems
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
