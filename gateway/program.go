package gateway

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/compile"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/gateway/extra"
	"github.com/frondhost/frond/gateway/guard"
	"github.com/frondhost/frond/schema"
)

// Flags are the settings of a program as its command line has them. A flag wins over
// its variable, which wins over the file, which wins over the program's own values.
type Flags struct {
	// BuiltIn is the text of a gateway.yaml inside the program, or nil. A setting of it holds
	// where file, variables and flags are silent.
	BuiltIn []byte
	// Extras is [Config.Extras] of the settings.
	Extras []extra.Extra
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
		_, err := compile.Project(project, &compile.Options{Unregistered: s.Unregistered})
		problems = append(problems, err)
	}
	return nil, nil, errors.Join(problems...)
}

// Read reads the settings of a folder. Unknown variables are reported on stderr; problems are
// the faults, some of them nil.
func (s *Flags) Read(dir string, environ []string, stderr io.Writer) (config *Config, problems []error) {
	file := s.file
	for _, pair := range environ {
		if name, ok := strings.CutPrefix(pair, "FROND_CONFIG="); ok && file == "" {
			file = name
		}
	}
	config = &Config{Dir: dir, Extras: s.Extras}
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

// The exit codes of a program (docs/decisions/errors.md).
const (
	ExitOK          = 0
	exitFailed      = 1 // an operation failed, or the service did after it had started
	exitUsage       = 2 // flags, settings or cards are wrong, or the program cannot start
	exitUnreachable = 3 // a host does not answer
)

// ErrReported is wrapped by an error whose message is on stderr already: [ExitCode] returns 2
// without a further message.
var ErrReported = errors.New("reported already")

// Broken makes err an error that [ExitCode] answers with 1: the program had started well.
func Broken(err error) error { return broken{err} }

type broken struct{ error }

func (b broken) Unwrap() error { return b.error }

// Main calls main with a context that SIGINT and SIGTERM end, and answers the exit code of
// its error as [ExitCode] does. A second signal ends the process at once. It limits memory as
// [LimitMemory] does.
func Main(name string, stderr io.Writer, main func(ctx context.Context) error) int {
	guard.LimitMemory(true) // before main reads and compiles cards, which makes much garbage
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	defer signal.Stop(signals)
	go func() {
		select {
		case <-signals:
		case <-ctx.Done():
			return
		}
		// Stopped before the context ends, so that a second signal has its default effect
		// from the first moment at which anybody can see the first one.
		signal.Stop(signals)
		cancel()
		select {
		case again := <-signals: // it came before Stop, and has had no effect
			if self, err := os.FindProcess(os.Getpid()); err == nil {
				_ = self.Signal(again) // to this process, which exists
			}
		default:
		}
	}()
	return ExitCode(name, stderr, main(ctx))
}

// Serve runs a gateway or a receiver until ctx ends, in a process of its own. Only an
// address that cannot be listened on is a failure to start.
func Serve(ctx context.Context, service interface{ Run(context.Context) error }) error {
	defer time.AfterFunc(time.Second, guard.ForgetStart).Stop() // the start is over then
	err := service.Run(ctx)
	if err == nil || errors.Is(err, ErrListen) {
		return err
	}
	return Broken(err)
}

// ExitCode writes err to stderr and answers the exit code. A failed call is written as its
// KitError in JSON, everything else as text behind the name of the program. A nil error
// is [ExitOK].
func ExitCode(name string, stderr io.Writer, err error) int {
	var kit *kiterror.Error
	var ran broken
	switch {
	case err == nil:
		return ExitOK
	case errors.Is(err, ErrStopped):
		fmt.Fprintf(stderr, "%s: %v\n", name, ErrStopped)
		return ExitOK
	case errors.Is(err, ErrReported):
		return exitUsage
	case errors.As(err, &kit):
		if text, jerr := json.Marshal(kit); jerr == nil {
			fmt.Fprintf(stderr, "%s\n", text)
		} else {
			fmt.Fprintf(stderr, "%s: %v\n", name, kit)
		}
		// Only a failure on the way has the network's error as its cause; a host that
		// answered with a failure has not.
		var network net.Error
		if errors.As(err, &network) {
			return exitUnreachable
		}
		return exitFailed
	case errors.As(err, &ran):
		fmt.Fprintf(stderr, "%s: %v\n", name, err)
		return exitFailed
	}
	if text := err.Error(); strings.Contains(text, "\n") {
		fmt.Fprintf(stderr, "%s: this cannot start:\n%s\n", name, text)
	} else {
		fmt.Fprintf(stderr, "%s: %s\n", name, text)
	}
	return exitUsage
}
