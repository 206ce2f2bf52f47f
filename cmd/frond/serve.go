package main

import (
	"fmt"
	"net"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/frondhost/frond/gateway"
	"github.com/frondhost/frond/gateway/program"
)

func newServe(s *shell) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "serve FROND",
		Short: "Serve one Frond to other processes, as JSON-RPC",
		Long: `Serve one Frond's operations at /_kit/call. Without --verify-keys the receiver
believes the state that a caller sends, user included: whoever can reach the port
can claim to be anyone. That is why it listens on loopback, and starts elsewhere
only where --allow-unsigned says that a firewall, a sidecar or a mesh keeps others
out. With --verify-keys it takes signed calls alone (docs/signed-calls.md), and
listens wherever it is told to. "frond keys" makes the keys.`,
		Example: "  frond serve catalog --dir examples/shop\n  frond serve catalog --hosts 10.0.0.7 --verify-keys gateway.pub.pem",
		Args:    arguments(1, 1, "the name of one Frond"),
	}
	dir := cmd.Flags().String("dir", ".", "the project's folder")
	port := cmd.Flags().Uint16("port", 4100, "the port to listen on; 0 takes any that is free")
	hosts := cmd.Flags().StringSlice("hosts", []string{"127.0.0.1"}, "the addresses to listen on")
	unsigned := cmd.Flags().Bool("allow-unsigned", false, "start on addresses beyond loopback too")
	verify := cmd.Flags().StringSlice("verify-keys", nil, "take calls alone that are signed with one of the keys in these files; NAME=FILE for those of one sender (signing.keys)")
	settings := addSettings(cmd, "mode", "vendor", "store", "limits.body", "limits.list.default", "limits.list.max", "limits.memory", "limits.executions", "limits.write", "limits.statement", "admin.listen", "admin.public", "log.level", "log.format", "shutdown.delay", "shutdown.timeout", "signing.clockSkew", "signing.openDiscovery")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		project, config, err := settings.load(s, *dir)
		if err != nil {
			return err
		}
		if cmd.Flags().Changed("verify-keys") {
			if config.Signing.Keys, err = fromHere(*verify); err != nil {
				return err
			}
		}
		var addresses []string
		for _, host := range *hosts {
			addresses = append(addresses, net.JoinHostPort(host, strconv.Itoa(int(*port))))
		}
		r, err := gateway.NewReceiver(project, args[0], &gateway.ReceiverOptions{
			Options:       gateway.Options{Config: *config},
			Addresses:     addresses,
			AllowUnsigned: *unsigned,
		})
		if err != nil {
			return err
		}
		return program.Serve(cmd.Context(), r)
	}
	return cmd
}

// fromHere are FILE and NAME=FILE with the files where the command was typed: those
// of gateway.yaml begin in the project's folder.
func fromHere(files []string) ([]string, error) {
	var all []string
	for _, file := range files {
		name, path, named := strings.Cut(file, "=")
		if !named {
			name, path = "", file
		}
		if path == "" || named && name == "" {
			return nil, fmt.Errorf("--verify-keys cannot be %q; write FILE or NAME=FILE", file)
		}
		abs, err := filepath.Abs(path)
		if err != nil {
			return nil, err
		}
		if named {
			abs = name + "=" + abs
		}
		all = append(all, abs)
	}
	return all, nil
}
