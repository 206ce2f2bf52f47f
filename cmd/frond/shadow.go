package main

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/frondhost/frond/gateway"
)

// newShadow is frond shadow. With --json stdout is {"fronds": […], "calls": […]}. Exit code 3: the gateway cannot be reached.
func newShadow(s *shell) *cobra.Command {
	cmd := newCommand("shadow", 0, 0, "no arguments")
	url := cmd.Flags().String("url", "", "the address of the gateway's admin listener")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if *url == "" {
			return errors.New("--url is missing; write the address of admin.listen, such as http://127.0.0.1:9090")
		}
		var found gateway.ShadowReport
		if err := askAdmin(cmd.Context(), *url, "/shadow", &found); err != nil {
			return err
		}
		if s.json {
			return s.writeValue(found)
		}
		return s.writeShadow(&found)
	}
	return cmd
}

// writeShadow writes a report for a reader: the counts of each Frond, then the calls whose answers differ.
//
//	sales  10%  same 120  different 2  failed 0  dropped 0
//
//	2026-11-22T16:00:00Z  order.list  different
//	  items.o1.total  here 12.50  there 12.5
//	  frond call order.list 'filter:={…}'
func (s *shell) writeShadow(found *gateway.ShadowReport) error {
	if len(found.Fronds) == 0 {
		fmt.Fprintln(s.stderr, "no queries are copied; write remotes: {NAME: {url: …, shadow: 10%}} in gateway.yaml")
	}
	var b strings.Builder
	for _, c := range found.Fronds {
		fmt.Fprintf(&b, "%s  %g%%  same %d  different %d  failed %d  dropped %d\n", c.Frond, c.Share, c.Same, c.Different, c.Failed, c.Dropped)
	}
	value := func(text string) string {
		if text == "" {
			return "absent"
		}
		return text
	}
	for _, f := range found.Calls {
		fmt.Fprintf(&b, "\n%s  %s.%s  %s\n", f.At.UTC().Format(time.RFC3339), f.Entity, f.Operation, f.Outcome)
		for _, d := range f.Differences {
			fmt.Fprintf(&b, "  %s  here %s  there %s\n", d.Field, value(d.Here), value(d.There))
		}
		fmt.Fprintf(&b, "  %s\n", f.Line)
	}
	_, err := io.WriteString(s.out, b.String())
	return err
}
