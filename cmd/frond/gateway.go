package main

import (
	"github.com/spf13/cobra"

	"github.com/frondhost/frond/gateway"
	"github.com/frondhost/frond/gateway/program"
)

// newGateway is frond gateway. The fingerprint is taken before the project is read, so that a
// change during the start is seen. The exit code is 2 where the start fails, and 1 where the
// service fails later or cuts requests off at its end (docs/decisions/errors.md).
func newGateway(s *shell) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "gateway [DIR]",
		Short: "Serve a project on every surface",
		Long: `Serve the project in DIR (default: here) as GraphQL at /graphql, REST below /api/
and JSON-RPC at /_kit/call, until SIGTERM or Ctrl-C: then requests in flight
finish and the store closes. A second signal ends it at once.

Each flag below has a key in gateway.yaml and a variable: --limits-list-max is
limits.list.max and FROND_LIMITS_LIST_MAX. A flag wins over its variable, which
wins over the file.`,
		Example: "  frond gateway examples/shop\n  frond gateway examples/shop --listen 127.0.0.1:0 --store memory",
		Args:    arguments(0, 1, "one folder"),
	}
	watched := cmd.Flags().Bool("watch", false, "read the project again whenever its files change")
	settings := addSettings(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		// Before load: what changes while it reads is found by the first look of watch.
		seen := fingerprint(folder(args))
		project, config, err := settings.load(s, folder(args))
		if err != nil {
			return err
		}
		gw, err := gateway.New(project, &gateway.Options{Config: *config})
		if err != nil {
			return err
		}
		if *watched {
			// It ends with the context of the command, which a signal ends.
			go settings.watch(cmd.Context(), s, folder(args), gw, seen)
		}
		return program.Serve(cmd.Context(), gw)
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
