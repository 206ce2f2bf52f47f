package gateway

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/schema"
)

// Flags are the settings of a program as its command line has them. A flag wins over
// its variable, which wins over the file, which wins over the program's own values.
type Flags struct {
	// BuiltIn is the text of a gateway.yaml inside the program, nil for none. A setting
	// of it holds where file, variables and flags are silent.
	BuiltIn []byte
	// Unregistered receives each generator and conversion that cards name and the program
	// does not have. Nil: they are faults.
	Unregistered func(schema.Fault)

	file    string            // --config
	written map[string]string // the texts of flags, by key
	remotes []string          // NAME=URL, of --remote
}

// Flag is one flag, for a flag library to parse. Set is called once for each time the flag
// written; [Flags.Load] reports the faults of its text.
type Flag struct {
	Name, About string
	Switch      bool // the flag alone says true
	Repeats     bool
	Set         func(text string)
}

// All are the flags of the settings with these keys, --config among them: limits.list.max
// is --limits-list-max. No key at all means every one.
func (s *Flags) All(keys ...string) []Flag {
	flags := []Flag{{Name: "config", About: "read this file instead of DIR/gateway.yaml", Set: func(text string) { s.file = text }}}
	for _, setting := range Settings() {
		if len(keys) > 0 && !slices.Contains(keys, setting.Key) {
			continue
		}
		about := setting.About
		if setting.Default != "" {
			about += fmt.Sprintf(" (default %s)", setting.Default)
		}
		flags = append(flags, Flag{
			Name: setting.Flag(), About: about, Switch: setting.Default == "false",
			Set: func(text string) {
				if s.written == nil {
					s.written = map[string]string{}
				}
				s.written[setting.Key] = text
			},
		})
		if setting.Key == "remotes" {
			flags = append(flags, Flag{
				Name: "remote", About: "run one Frond elsewhere: NAME=URL; may be given again", Repeats: true,
				Set: func(text string) { s.remotes = append(s.remotes, text) },
			})
		}
	}
	return flags
}

// Load reads the settings of a folder and then the project that read gives for them. The
// error is everything that is wrong with either.
func (s *Flags) Load(dir string, environ []string, stderr io.Writer, read func(*Config) (*facade.Project, error)) (*facade.Project, *Config, error) {
	config, problems := s.Read(dir, environ, stderr)
	project, err := read(config)
	problems = append(problems, err)
	if errors.Join(problems...) == nil {
		return project, config, nil
	}
	if err == nil { // the program does not start, and the faults of the cards are reported together with the rest
		_, err := facade.New(project, nil, &facade.Options{Unregistered: s.Unregistered})
		problems = append(problems, err)
	}
	return nil, nil, errors.Join(problems...)
}

// Read reads the settings of a folder. Variables that set nothing are reported on stderr;
// problems are the faults, some of them nil.
func (s *Flags) Read(dir string, environ []string, stderr io.Writer) (config *Config, problems []error) {
	file := s.file
	for _, pair := range environ {
		if name, ok := strings.CutPrefix(pair, "FROND_CONFIG="); ok && file == "" {
			file = name
		}
	}
	config = &Config{Dir: dir}
	if s.BuiltIn != nil {
		problems = append(problems, config.ReadText("gateway.yaml", s.BuiltIn))
	}
	problems = append(problems, config.Load(file, environ))
	for _, setting := range Settings() {
		if text, written := s.written[setting.Key]; written {
			if err := config.Set(setting.Key, text); err != nil {
				problems = append(problems, schema.Fault{File: "--" + setting.Flag(), Message: "cannot be " + setting.Quoted(text), Remedy: err.Error()})
			}
		}
	}
	for _, pair := range s.remotes {
		if err := config.AddRemote(pair); err != nil {
			problems = append(problems, schema.Fault{File: "--remote", Message: fmt.Sprintf("cannot be %q", pair), Remedy: err.Error()})
		}
	}
	for _, name := range UnknownVariables(environ) {
		fmt.Fprintf(stderr, "frond: the variable %s sets nothing; --help of the gateway lists the flags, each has a variable\n", name)
	}
	return config, problems
}
