package main

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/frondhost/frond/gateway"
)

func newSchema(s *shell) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "schema",
		Short:   "Print what a project's cards become",
		Example: "  frond schema --dir examples/shop --format graphql > schema.graphql",
		Args:    arguments(0, 0, "flags alone"),
	}
	dir := cmd.Flags().String("dir", ".", "the project's folder")
	format := cmd.Flags().String("format", "graphql", "graphql: the SDL; bundle: every card in one document (spec 2.4)")
	settings := addSettings(cmd, "vendor", "log.level")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if *format != "graphql" && *format != "bundle" {
			return fmt.Errorf("--format cannot be %q; write graphql or bundle", *format)
		}
		project, config, err := settings.load(s, *dir)
		if err != nil {
			return err
		}
		config.Store = "memory" // nothing of the project's own rows is touched
		gw, err := gateway.New(project, &gateway.Options{Config: *config, Logger: s.quiet(config)})
		if err != nil {
			return err
		}
		defer func() { _ = gw.Close() }() // a store in memory, which nobody will miss
		if *format == "bundle" {
			return s.write(gw.Bundle())
		}
		if s.json {
			return fmt.Errorf("--format graphql is no JSON; leave out --json, or write --format bundle")
		}
		_, err = io.WriteString(s.out, gw.SDL())
		return err
	}
	return cmd
}
