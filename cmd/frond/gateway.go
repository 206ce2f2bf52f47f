package main

import (
	"os"

	"github.com/spf13/cobra"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/gateway"
)

// newGateway is frond gateway. The first look at the folder is taken before the project is read, so that a
// change during the start is seen. The exit code is 2 where the start fails, and 1 where the
// service fails later or cuts requests off at its end (docs/decisions/errors.md).
func newGateway(s *shell) *cobra.Command {
	cmd := newCommand("gateway", 0, 1, "one folder")
	watched := cmd.Flags().Bool("watch", false, "read the project again whenever its files change")
	settings := addSettings(s, cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		// Before load: what changes while it reads is found by the first look of reload.
		settings.dir = folder(args)
		reload := gateway.NewReload(os.DirFS(settings.dir), func() (*facade.Project, error) {
			project, _, err := settings.load()
			return project, err
		}, s.stderr)
		project, config, err := settings.load()
		if err != nil {
			return err
		}
		gw, err := gateway.Start(cmd.Context(), project, &gateway.Options{Config: *config})
		if err != nil {
			return err
		}
		if *watched {
			// It ends with the context of the command, which a signal ends.
			go reload.Run(cmd.Context(), gw)
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
