package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/frondhost/frond/cmd/frond/conform"
	"github.com/frondhost/frond/gateway"
)

// newConform is frond conform.
//
//	stdout   each tried clause of the specification: text, TAP or JSON
//	0        no clause fails
//	1        a clause fails
//	2        wrong usage
//	3        the host does not answer
func newConform(s *shell) *cobra.Command {
	cmd := newCommand("conform", 1, 1, "the address of a host")
	var at hostFlags
	flags := cmd.Flags()
	door := flags.String("door", "", "try one door alone (default: all)")
	write := flags.Bool("write", false, "create, update and delete rows of the host too")
	state := flags.String("state", "", `the caller's state in the frames, such as {"user": {"id": "ann"}}`)
	format := flags.String("format", "text", "text, tap or json")
	flags.StringArrayVar(&at.headers, "header", nil, `a header for the host, such as "Authorization: Bearer …"`)
	at.addKey(cmd)
	frond := flags.String("frond", "", "the Frond that the signatures are for, with --key")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if !strings.HasPrefix(args[0], "http://") && !strings.HasPrefix(args[0], "https://") {
			return fmt.Errorf("the host cannot be %q; write an address such as http://127.0.0.1:4200", args[0])
		}
		headers, err := readHeaders(at.headers)
		if err != nil {
			return err
		}
		o := &conform.Options{URL: args[0], Door: *door, Write: *write, Header: headers}
		if o.Signer, err = at.signer(); err != nil {
			return err
		}
		if o.Frond = *frond; o.Signer != nil && o.Frond == "" {
			return errors.New("--key signs calls for one Frond; name it with --frond")
		}
		if *state != "" {
			var object map[string]any
			if err := json.Unmarshal([]byte(*state), &object); err != nil {
				return fmt.Errorf(`--state cannot be %q; write an object such as {"user": {"id": "ann"}}`, *state)
			}
			o.State = json.RawMessage(*state)
		}
		if *format != "text" && *format != "tap" && *format != "json" {
			return fmt.Errorf("--format cannot be %q; write text, tap or json", *format)
		}
		results, err := conform.Run(cmd.Context(), o)
		switch {
		case err != nil:
			return err
		case s.json || *format == "json":
			err = s.writeValue(map[string][]conform.Result{"clauses": results})
		case *format == "tap":
			err = conform.WriteTAP(s.out, results)
		default:
			err = conform.WriteText(s.out, results)
		}
		if err == nil && conform.Failed(results) {
			err = gateway.Broken(errors.New("the host does not keep the specification"))
		}
		return err
	}
	return cmd
}
