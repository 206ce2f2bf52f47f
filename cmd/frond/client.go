package main

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/frondhost/frond/cmd/frond/contract"
)

// newClient is frond client. The exit code is 1 if --check finds a difference. A host that does
// not answer is exit code 3; an unknown Frond, or a card without a judge in JavaScript, is 2,
// and no file is written.
func newClient(s *shell) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "client [FROND] --from URL --out FOLDER",
		Short: "Write the npm package of a running host's Frond",
		Long: `Request the discovery document of a host (rpc.discover) and write the npm package of
a Frond into a folder: its types, the judge of its cards, a client, and options for
TanStack Query. It is what frond build-frond writes from cards. Without FROND the
host's only one is written.`,
		Example: "  frond client catalog --from http://127.0.0.1:8080 --out src/catalog\n" +
			"  frond client catalog --from http://127.0.0.1:8080 --out src/catalog --check",
		Args: arguments(0, 1, "at most one Frond"),
	}
	var from hostFlags
	var opts contract.PackageOptions
	flags := cmd.Flags()
	from.add(cmd)
	out := flags.String("out", "", "the folder to write to")
	flags.StringVar(&opts.NPM, "npm", "", "the npm package's name (default FROND)")
	flags.StringVar(&opts.Version, "contract", "", "the package's version (default 0.0.0-c and a hash of the contract)")
	check := flags.Bool("check", false, "write no files; exit with 1 if a file would change")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if *out == "" {
			return errors.New("--out is missing; write the folder of the package, such as --out src/catalog")
		}
		document, frond, err := from.fetch(cmd.Context(), append(args, "")[0])
		if err != nil {
			return err
		}
		model, err := contract.ReadDiscovered(document, frond.Name)
		if err != nil {
			return err
		}
		files, err := model.NPM(opts)
		if err != nil {
			return fmt.Errorf("the cards of %[2]s at %[1]s do not make a package:\n%[3]w", from.url, frond.Name, err)
		}
		s.reportSkipped(model)
		plan, err := contract.NewPlan(filepath.Clean(cmp.Or(*out, ".")), contract.ManifestFile, files, nil)
		if err != nil {
			return err
		}
		return s.apply([]*contract.Plan{plan}, nil, *check, "the host's catalog")
	}
	return cmd
}
