package frond

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/frondhost/frond/gateway"
)

// Main serves the program on every surface until SIGINT or SIGTERM, then drains, and does not
// return. It takes the settings of command frond's gateway: a flag wins over its FROND_
// variable, which wins over gateway.yaml in the working directory (or the file of --config),
// which wins over gateway.yaml in the folder of the program. Exit codes: 0 after a clean drain,
// 1 for a service that broke while it ran, 2 for a failed start.
//
// With --watch the program reads its folder again whenever a file of it changes: an embedded folder from
// the working folder, where go run . finds it, and any other one from where [New] read it. Functions stay
// as they are; a card that they do not fit is reported, and the project before it goes on.
func Main(app *App) {
	os.Exit(app.main(os.Args, os.Environ(), os.Stdout, os.Stderr))
}

func (a *App) main(args, environ []string, stdout, stderr io.Writer) int {
	name := filepath.Base(args[0])
	settings := &gateway.Flags{}
	flags := flagsOf(name, settings)
	watch := flags.Bool("watch", false, "read the folder again whenever its files change")
	switch err := flags.Parse(args[1:]); {
	case errors.Is(err, flag.ErrHelp):
		usage(stdout, flags)
		return gateway.ExitOK
	case err != nil:
		return gateway.ExitCode(name, stderr, fmt.Errorf("%s; %s --help lists the flags", strings.ReplaceAll(err.Error(), ": -", ": --"), name))
	case flags.NArg() > 0:
		return gateway.ExitCode(name, stderr, fmt.Errorf("%s takes flags alone, and not %q; %[1]s --help lists them", name, flags.Arg(0)))
	}
	return gateway.Main(name, stderr, func(ctx context.Context) error {
		var reload *gateway.Reload
		if *watch {
			var err error
			if reload, err = a.watched(stderr); err != nil {
				return err
			}
		}
		config, err := a.load(settings, environ) //nolint:contextcheck // compiling a project does not wait
		if err != nil {
			return err
		}
		gw, err := gateway.Start(ctx, a.project, a.configured(gateway.Options{Config: *config}))
		if err != nil {
			return err
		}
		if reload != nil {
			go reload.Run(ctx, gw)
		}
		return gateway.Serve(ctx, gw)
	})
}

// flagsOf are the flags of the settings.
func flagsOf(name string, settings *gateway.Flags) *flag.FlagSet {
	flags := flag.NewFlagSet(name, flag.ContinueOnError)
	flags.SetOutput(io.Discard) // the caller writes errors and usage
	for _, f := range settings.All() {
		set := func(text string) error { f.Set(text); return nil }
		if f.Switch {
			flags.BoolFunc(f.Name, f.About, set)
		} else {
			flags.Func(f.Name, f.About, set)
		}
	}
	return flags
}

func usage(out io.Writer, flags *flag.FlagSet) {
	fmt.Fprintf(out, "Usage: %s [flags]\n\nEach flag has a key in gateway.yaml and a variable: --limits-list-max is\nlimits.list.max and FROND_LIMITS_LIST_MAX.\n\n", flags.Name())
	flags.VisitAll(func(f *flag.Flag) {
		fmt.Fprintf(out, "  --%s\n\t%s\n", f.Name, f.Usage)
	})
}
