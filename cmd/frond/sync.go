package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/frondhost/frond/cmd/frond/contract"
	"github.com/frondhost/frond/envelope/client"
	"github.com/frondhost/frond/envelope/signing"
	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/gateway/program"
	"github.com/frondhost/frond/schema"
)

// stale says that --check found something to do.
func stale(what string) error {
	return program.Broken(fmt.Errorf("this is not what %s; run the same command without --check", what))
}

type syncOptions struct {
	from, dir, golang, pkg string
	key, sender            string
	headers                []string
	check                  bool
}

func newSync(s *shell) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "sync FROND --from URL",
		Short: "Write down what a host serves of a Frond, so that a gateway starts without it",
		Long: `Ask a host what it serves (rpc.discover) and write the Frond's cards, views and
operations to DIR/fronds/FROND. A gateway that names the host in its remotes then
starts from these files while the host is away. With --go a Go package with the
Frond's types and a client is written too.

One line a change is on stdout: + is new, - is gone, ~ is otherwise. Nothing is
written where nothing changed. Files written by hand are never overwritten or
removed: one that stands in the way is an error.`,
		Example: "  frond sync catalog --from http://127.0.0.1:4100\n" +
			"  frond sync catalog --from http://127.0.0.1:4100 --go internal/catalog\n" +
			"  frond sync catalog --from http://127.0.0.1:4100 --check",
		Args: arguments(1, 1, "one Frond"),
	}
	var opts syncOptions
	flags := cmd.Flags()
	flags.StringVar(&opts.from, "from", "", "the address of the host that runs the Frond")
	flags.StringVar(&opts.dir, "dir", ".", "the project's folder")
	flags.StringVar(&opts.golang, "go", "", "write a Go package with the Frond's types and a client into this folder")
	flags.StringVar(&opts.pkg, "package", "", "the name of that package (default: made of the folder's)")
	flags.StringArrayVar(&opts.headers, "header", nil, `a header for the host, such as "Authorization: Bearer …"`)
	flags.StringVar(&opts.key, "key", "", "sign the question with the private key in this file, for a host that answers signed calls alone")
	flags.StringVar(&opts.sender, "sender", "gateway", "who says to be asking, with --key")
	flags.BoolVar(&opts.check, "check", false, "write nothing; leave with 1 where something would change")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		return s.sync(cmd.Context(), args[0], &opts)
	}
	return cmd
}

func (s *shell) sync(ctx context.Context, name string, opts *syncOptions) error {
	if opts.pkg != "" && opts.golang == "" {
		return errors.New("--package names a Go package, and none is written; say where with --go")
	}
	document, told, err := s.discover(ctx, name, opts)
	if err != nil {
		return err
	}
	if err := roomFor(opts.dir, told.Name); err != nil {
		return err
	}
	files, err := contract.Layout(told)
	if err != nil {
		return fmt.Errorf("what %s tells of %s cannot be used here:\n%w", opts.from, told.Name, err)
	}
	dir := filepath.Join(opts.dir, "fronds", told.Name)
	before, err := lastTold(dir)
	if err != nil {
		return err
	}
	plan, err := contract.NewPlan(dir, facade.SyncedFile, files, told)
	if err != nil {
		return err
	}
	plans := []*contract.Plan{plan}
	if opts.golang != "" {
		code, err := goOf(document, told.Name, cmp.Or(opts.pkg, contract.GoPackage(filepath.Base(opts.golang))))
		if err != nil {
			return err
		}
		plan, err := contract.NewPlan(opts.golang, contract.ManifestFile, code, nil)
		if err != nil {
			return err
		}
		plans = append(plans, plan)
	}
	return s.settle(plans, contract.Changes(before, told), opts.check, "the host serves")
}

// settle says what changes, and writes it unless it is only asked for.
func (s *shell) settle(plans []*contract.Plan, changes []contract.Change, check bool, source string) error {
	if s.json {
		text, err := json.Marshal(map[string][]contract.Change{"changes": append([]contract.Change{}, changes...)})
		if err != nil {
			return err
		}
		if err := s.write(text); err != nil {
			return err
		}
	}
	for _, change := range changes {
		if !s.json {
			if _, err := io.WriteString(s.out, change.String()+"\n"); err != nil {
				return err
			}
		}
	}
	written, removed := 0, 0
	for _, p := range plans {
		written, removed = written+len(p.Write), removed+len(p.Remove)
	}
	if written+removed == 0 {
		fmt.Fprintln(s.talk, "nothing changed")
		return nil
	}
	if check {
		return stale(source)
	}
	for _, p := range plans {
		if err := p.Apply(); err != nil {
			return err
		}
	}
	fmt.Fprintf(s.talk, "%s written, %d removed\n", count(written, "file"), removed)
	return nil
}

// discover asks the host, and finds the Frond in what it tells.
func (s *shell) discover(ctx context.Context, name string, opts *syncOptions) (*schema.Discovery, *schema.DiscoveredFrond, error) {
	if opts.from == "" {
		return nil, nil, errors.New("--from is missing; write the address of the host, such as --from http://127.0.0.1:4100")
	}
	if !strings.HasPrefix(opts.from, "http://") && !strings.HasPrefix(opts.from, "https://") {
		return nil, nil, fmt.Errorf("--from cannot be %q; write an address such as http://127.0.0.1:4100", opts.from)
	}
	headers, err := readHeaders(opts.headers)
	if err != nil {
		return nil, nil, err
	}
	signer, err := opts.signer()
	if err != nil {
		return nil, nil, err
	}
	// Who waits at a shell asks again.
	host := client.New(opts.from, &client.Options{Name: name, Retries: -1, Attempt: 10 * time.Second, Transport: sending(headers), Signer: signer})
	text, err := host.Discover(ctx)
	if err != nil {
		return nil, nil, facade.AsError(err)
	}
	document, err := schema.ReadDiscovery(text)
	if err != nil {
		return nil, nil, facade.Errorf(facade.BadGateway, "the discovery document of %s cannot be used: %w", opts.from, err)
	}
	var names []string
	for i := range document.Fronds {
		if document.Fronds[i].Name == name {
			return document, &document.Fronds[i], nil
		}
		names = append(names, document.Fronds[i].Name)
	}
	return nil, nil, fmt.Errorf("%s does not host %s; it hosts %s", opts.from, name, cmp.Or(strings.Join(names, ", "), "none"))
}

// signer signs the question, for a host that answers signed calls alone; nil: nothing is.
func (o *syncOptions) signer() (*signing.Signer, error) {
	if o.key == "" {
		return nil, nil
	}
	text, err := os.ReadFile(o.key)
	if err != nil {
		return nil, fmt.Errorf("--key cannot be read: %w; name the private key of a pair, as frond keys writes it", err)
	}
	key, err := signing.ReadPrivate(text)
	if err != nil {
		return nil, fmt.Errorf("--key cannot be %s: %w", o.key, err)
	}
	return signing.NewSigner(key, o.sender), nil
}

// roomFor says why a Frond cannot be written into a project.
func roomFor(dir, frond string) error {
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return fmt.Errorf("%s is no folder; name a project's folder with --dir, or make it", dir)
	}
	for _, name := range []string{"entities", "frond.yaml", "frond.yml", "frond.json"} {
		if _, err := os.Stat(filepath.Join(dir, name)); err == nil {
			return fmt.Errorf("%s has %s at its root, and a project has either one Frond there or a folder fronds/; move it to fronds/NAME/", dir, name)
		}
	}
	return shadowed(path.Join(filepath.ToSlash(dir), "fronds", frond))
}

// shadowed says which file written by hand would be read in the place of frond.json.
func shadowed(dir string) error {
	var faults schema.Faults
	for _, name := range []string{"frond.yaml", "frond.yml"} {
		if _, err := os.Stat(filepath.FromSlash(path.Join(dir, name))); err == nil {
			faults = append(faults, schema.Fault{File: path.Join(dir, name), Message: "this Frond is written by hand, and would hide what is synced", Remedy: "move it away, or sync into another project"})
		}
	}
	return faults.Err()
}

// lastTold is what the host told when the folder was written; nil where it was not.
func lastTold(dir string) (*schema.DiscoveredFrond, error) {
	name := filepath.Join(dir, facade.SyncedFile)
	text, err := os.ReadFile(name)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, err
	}
	before, err := facade.ReadSynced(filepath.ToSlash(name), text)
	if err != nil {
		return nil, err
	}
	return before.Told, nil
}

// goOf is a Frond of a host as a Go package. The host's other Fronds say where its
// relations lead; where they cannot be used, it stands alone.
func goOf(document *schema.Discovery, frond, pkg string) (contract.Files, error) {
	catalog, err := catalogOf(document.Fronds)
	if err != nil {
		i := slices.IndexFunc(document.Fronds, func(f schema.DiscoveredFrond) bool { return f.Name == frond })
		if catalog, err = catalogOf(document.Fronds[i : i+1]); err != nil {
			return nil, err
		}
	}
	model, err := contract.Read(catalog, frond)
	if err != nil {
		return nil, err
	}
	return model.Go(pkg)
}

func catalogOf(fronds []schema.DiscoveredFrond) (*facade.Catalog, error) {
	project := &facade.Project{}
	for i := range fronds {
		src := facade.Discovered(&fronds[i], fronds[i].Name)
		src.Remote = "elsewhere"
		project.Fronds = append(project.Fronds, src)
	}
	f, err := facade.New(project, nil, &facade.Options{Incomplete: true})
	if err != nil {
		return nil, err
	}
	return f.Catalog(), nil
}
