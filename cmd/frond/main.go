// Command frond serves and calls the operations that cards describe.
//
// Data goes to stdout, everything else to stderr. The exit code is 0 on success, 1 when an
// operation failed (its KitError is on stderr as JSON), 2 for wrong usage or configuration,
// and 3 when a host cannot be reached.
//
// Each command has a file of its name. It reads flags and settings (settings.go), gets its data
// from package gateway, and writes to the shell (shell.go). Its help is a part of help.txt.
//
//	gateway             every surface of a project
//	serve, mock         one Frond, for other processes
//	health              whether a service lives
//	call, explain       one call, here or at an address      values.go, places.go, target.go
//	who                 the rules that show a row            package who of the façade
//	export, import      rows as a file                       package bulk of the façade
//	check               faults, access, pinned paths         report.go, pins.go
//	test                tests of access rules                testformats.go, package rights of the façade
//	schema              what cards become
//	diff                the breaks of a change of cards       package diff
//	sync, build-frond,  files made of cards                  hostflags.go, package contract
//	client
//	keys                the keys of signed calls
//	init                a new project
//	migrate             the tables of the store
//	facts               the log of events                    facts.go, factstail.go
//	advise              missing indexes                      explain.go
//	jobs                commands at times
//	backup, restore     the store                            backup.go
//	version             the version and commit of this program
//
// A command returns its error, which names the remedy; package gateway writes it and chooses
// the exit code. A command that only reads builds the gateway over a store in memory
// (settings.dryRun), so that it shows the same as a gateway would serve.
package main

import (
	"os"

	"github.com/spf13/cobra"

	"github.com/frondhost/frond/gateway"
)

func main() { os.Exit(run()) }

// run is main with an exit code, so that deferred calls run.
func run() int {
	s := &shell{in: os.Stdin, out: os.Stdout, stderr: os.Stderr, environ: os.Environ()}
	root := newRoot(s)
	root.SetArgs(os.Args[1:])
	return gateway.Main("frond", s.stderr, root.ExecuteContext)
}

// newRoot is the command with all others below it. Errors are returned, never written here:
// gateway.Main writes them and chooses the exit code.
func newRoot(s *shell) *cobra.Command {
	root := &cobra.Command{
		Use:           "frond",
		Short:         "Cards become GraphQL, REST and JSON-RPC",
		Version:       version(),
		SilenceErrors: true, // gateway.Main writes them
		SilenceUsage:  true,
		Args:          cobra.ArbitraryArgs,
		RunE:          helpOrUnknown,
	}
	// --version is one line; frond version says more.
	root.SetVersionTemplate("frond {{.Version}}\n")
	root.SetOut(s.out)
	root.SetErr(s.stderr)
	root.PersistentFlags().BoolVar(&s.json, "json", false, "write data as one line of JSON, for another program")
	root.SetFlagErrorFunc(flagError)
	root.SuggestionsMinimumDistance = 2
	for _, group := range []struct {
		title    string
		commands []*cobra.Command
	}{
		{"Start:", []*cobra.Command{newInit(s), newGateway(s), newServe(s), newMock(s)}},
		{"Look:", []*cobra.Command{newCheck(s), newTest(s), newCall(s), newExplain(s), newWho(s), newSchema(s), newAdvise(s)}},
		{"Data:", []*cobra.Command{newImport(s), newExport(s), newMigrate(s), newBackup(s), newRestore(s)}},
		{"Operate:", []*cobra.Command{newHealth(s), newFacts(s), newJobs(s), newShadow(s), newKeys(s), newVersion(s)}},
		{"Contract:", []*cobra.Command{newDiff(s), newConform(s), newClient(s), newSync(s), newBuildFrond(s)}},
	} {
		root.AddGroup(&cobra.Group{ID: group.title, Title: group.title})
		for _, c := range group.commands {
			c.GroupID = group.title
		}
		root.AddCommand(group.commands...)
	}
	return root
}
