package main

import (
	"github.com/spf13/cobra"

	"github.com/frondhost/frond/gateway"
	"github.com/frondhost/frond/gateway/program"
)

// newGateway is frond gateway. The fingerprint is taken before the project is read, so
// that a change during the start is seen.
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
			go settings.watch(cmd.Context(), s, folder(args), gw, seen)
		}
		return program.Serve(cmd.Context(), gw)
	}
	return cmd
}

// folder is the optional folder argument.
func folder(args []string) string {
	if len(args) == 0 {
		return "."
	}
	return args[0]
}
