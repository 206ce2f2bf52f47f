package main

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/spf13/cobra"
)

func newRoot(s *shell) *cobra.Command {
	root := &cobra.Command{
		Use:           "frond",
		Short:         "Cards become GraphQL, REST and JSON-RPC",
		Version:       version(),
		SilenceErrors: true, // shell.leave writes them
		SilenceUsage:  true,
		Args:          cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return cmd.Help()
			}
			return unknownCommand(cmd, args[0])
		},
	}
	root.SetVersionTemplate("frond {{.Version}}\n")
	root.SetOut(s.out)
	root.SetErr(s.talk)
	root.PersistentFlags().BoolVar(&s.json, "json", false, "write data as one line of JSON, for another program")
	root.SetFlagErrorFunc(flagError)
	root.SuggestionsMinimumDistance = 2
	root.AddCommand(newGateway(s), newServe(s), newMock(s), newHealth(s), newCall(s), newCheck(s), newExplain(s), newSchema(s), newSync(s), newBuildFrond(s), newKeys(s), newInit(s), newBackup(s), newRestore(s), newVersion(s))
	return root
}

func unknownCommand(cmd *cobra.Command, name string) error {
	var names []string
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() {
			names = append(names, c.Name())
		}
	}
	near := ""
	if s := cmd.SuggestionsFor(name); len(s) > 0 {
		near = fmt.Sprintf("did you mean %s? ", s[0])
	}
	return fmt.Errorf("there is no command %s; %swrite one of %s", name, near, strings.Join(names, ", "))
}

// flagError says which flags there are, where one was written that is none.
func flagError(cmd *cobra.Command, err error) error {
	var names []string
	for _, line := range flagLine.FindAllStringSubmatch(cmd.Flags().FlagUsages(), -1) {
		names = append(names, line[1])
	}
	return fmt.Errorf("%w; %s takes %s", err, cmd.CommandPath(), strings.Join(names, ", "))
}

var flagLine = regexp.MustCompile(`(?m)^ +(?:-\w, )?(--[a-z-]+)`)

// arguments checks how many there are; what says what to write.
func arguments(least, most int, what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) < least || most >= 0 && len(args) > most {
			return fmt.Errorf("%s takes %s, not %d arguments; write %s", cmd.CommandPath(), what, len(args), cmd.UseLine())
		}
		return nil
	}
}

// stamped is the version that a build without the repository is given, as that of
// the Dockerfile: -ldflags "-X main.stamped=…".
var stamped string

// version is the build in one line: what it was given, or the module's version and the
// commit it was built from.
func version() string {
	b := readBuild()
	short := b.Revision[:min(12, len(b.Revision))]
	if stamped != "" || short == "" || strings.Contains(b.Version, short) {
		return b.Version
	}
	return b.Version + " " + short
}
