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
	"strings"
	"syscall"

	"github.com/frondhost/frond/facade/kiterror"
)

// The exit codes of a program (docs/decisions/errors.md).
const (
	ExitOK          = 0
	exitFailed      = 1 // an operation failed, or the service did after it had started
	exitUsage       = 2 // flags, settings or cards are wrong, or the program cannot start
	exitUnreachable = 3 // a host does not answer
)

// ErrReported is wrapped by an error whose message is on stderr already: [ExitCode] writes
// nothing and returns 2.
var ErrReported = errors.New("reported already")

// Broken makes err an error that [ExitCode] answers with 1: the program had started well.
func Broken(err error) error { return broken{err} }

type broken struct{ error }

func (b broken) Unwrap() error { return b.error }

// Main calls main with a context that SIGINT and SIGTERM end, and answers the exit code of
// its error as [ExitCode] does. A second signal ends the process at once.
func Main(name string, stderr io.Writer, main func(ctx context.Context) error) int {
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
	LimitMemory()
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
