package main

import (
	"context"
	"fmt"
	"net"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/gateway"
)

// newServe is frond serve. The settings are the settings of a receiver; the others of
// gateway.yaml concern surfaces. The exit codes are the codes of gateway.
func newServe(s *shell) *cobra.Command {
	cmd := newCommand("serve", 1, 1, "the name of one Frond")
	listen := addListen(cmd, "accept only calls that are signed with one of the keys in these files; NAME=FILE for those of one sender (signing.keys)")
	settings := addProject(s, cmd, "mode", "vendor", "store", "remotes", "signing.key", "limits.body", "limits.list.default", "limits.list.max", "limits.memory", "limits.executions", "limits.write", "limits.statement", "limits.transaction", "limits.work", "admin.listen", "admin.public", "log.level", "log.format", "log.slow", "shutdown.delay", "shutdown.timeout", "signing.clockSkew", "signing.openDiscovery", "facts.retention", "facts.nats", "webhooks")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		project, config, err := settings.load()
		if err != nil {
			return err
		}
		r, err := listen.receiver(cmd.Context(), project, args[0], config, gateway.Options{})
		if err != nil {
			return err
		}
		return gateway.Serve(cmd.Context(), r)
	}
	return cmd
}

// listenFlags are the flags of commands that serve one Frond to other processes: serve and
// mock. Of them keys alone is a setting.
type listenFlags struct {
	// port and hosts are the addresses: each of hosts at the one port.
	port  uint16
	hosts []string
	// unsigned allows addresses beyond loopback without keys.
	unsigned bool
	keys     []string // nil: not given, the settings say
}

// addListen adds the flags to cmd; aboutKeys is the help of --verify-keys. Loopback is the
// default: an unsigned receiver trusts any state that it is sent.
func addListen(cmd *cobra.Command, aboutKeys string) *listenFlags {
	l := &listenFlags{}
	flags := cmd.Flags()
	flags.Uint16Var(&l.port, "port", 4100, "the port to listen on; 0 takes any that is free")
	flags.StringSliceVar(&l.hosts, "hosts", []string{"127.0.0.1"}, "the addresses to listen on")
	flags.BoolVar(&l.unsigned, "allow-unsigned", false, "start on addresses beyond loopback too")
	flags.StringSliceVar(&l.keys, "verify-keys", nil, aboutKeys)
	return l
}

// receiver makes the receiver of a Frond of a project. opts are this command's options apart
// from the config. The receiver listens on each host at the one port.
func (l *listenFlags) receiver(ctx context.Context, project *facade.Project, frond string, config *gateway.Config, opts gateway.Options) (*gateway.Receiver, error) {
	// The flag replaces the keys of the settings; it does not add to them.
	if l.keys != nil {
		var err error
		if config.Signing.Keys, err = absolute(l.keys); err != nil {
			return nil, err
		}
	}
	var addresses []string
	for _, host := range l.hosts {
		addresses = append(addresses, net.JoinHostPort(host, strconv.Itoa(int(l.port))))
	}
	opts.Config = *config
	return gateway.StartReceiver(ctx, project, frond, &gateway.ReceiverOptions{Options: opts, Addresses: addresses, AllowUnsigned: l.unsigned})
}

// absolute makes the files of FILE and NAME=FILE absolute. On the command line they are
// relative to the working directory, in gateway.yaml to the project's folder.
//
//	gateway.pub.pem          /home/ada/shop/gateway.pub.pem
//	shop=keys/shop.pub.pem   shop=/home/ada/shop/keys/shop.pub.pem
func absolute(files []string) ([]string, error) {
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
