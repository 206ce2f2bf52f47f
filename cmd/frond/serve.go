package main

import (
	"github.com/spf13/cobra"

	"github.com/frondhost/frond/gateway"
	"github.com/frondhost/frond/gateway/program"
)

// newServe is frond serve. The settings are those that a receiver has; the others of
// gateway.yaml are those of surfaces and remotes. The exit codes are those of gateway.
func newServe(s *shell) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "serve FROND",
		Short: "Serve one Frond to other processes, as JSON-RPC",
		Long: `Serve one Frond's operations at /_kit/call. Without --verify-keys the receiver
trusts the state that a caller sends, user included: any program that reaches the port
can claim to be any user. It therefore listens on loopback, and starts on other
addresses only with --allow-unsigned, for a port that a firewall, a sidecar or a mesh
protects. With --verify-keys it accepts only signed calls (docs/signed-calls.md), and
listens on any address. "frond keys" makes the keys.

Webhooks and NATS of gateway.yaml are sent the facts of this Frond.`,
		Example: "  frond serve catalog --dir examples/shop\n  frond serve catalog --hosts 10.0.0.7 --verify-keys gateway.pub.pem",
		Args:    arguments(1, 1, "the name of one Frond"),
	}
	dir := cmd.Flags().String("dir", ".", "the project's folder")
	listen := addListen(cmd, "accept only calls that are signed with one of the keys in these files; NAME=FILE for those of one sender (signing.keys)")
	settings := addSettings(cmd, "mode", "vendor", "store", "limits.body", "limits.list.default", "limits.list.max", "limits.memory", "limits.executions", "limits.write", "limits.statement", "limits.transaction", "limits.work", "admin.listen", "admin.public", "log.level", "log.format", "log.slow", "shutdown.delay", "shutdown.timeout", "signing.clockSkew", "signing.openDiscovery", "facts.retention", "facts.nats", "webhooks")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		project, config, err := settings.load(s, *dir)
		if err != nil {
			return err
		}
		r, err := listen.receiver(project, args[0], config, gateway.Options{})
		if err != nil {
			return err
		}
		return program.Serve(cmd.Context(), r)
	}
	return cmd
}
