package main

import (
	_ "embed" // the texts of help
	"fmt"
	"regexp"
	"strings"

	"github.com/spf13/cobra"
)

// helpTexts has a part for each command, which begins with its usage:
//
//	# keys [NAME]
//	Make the two keys of signed calls
//
//	The long text, in lines of a terminal.
//
//	Examples:
//	  frond keys
//
//go:embed help.txt
var helpTexts string

// newCommand begins a command with its part of [helpTexts]. It takes least to most arguments, or any
// number of more where most is negative; what describes them in the error: "frond keys takes one
// name, not 2 arguments; write frond keys [NAME] [flags]".
func newCommand(name string, least, most int, what string) *cobra.Command {
	cmd := &cobra.Command{Args: func(cmd *cobra.Command, args []string) error {
		if len(args) < least || most >= 0 && len(args) > most {
			return fmt.Errorf("%s takes %s, not %d arguments; write %s", cmd.CommandPath(), what, len(args), cmd.UseLine())
		}
		return nil
	}}
	for part := range strings.SplitSeq("\n"+helpTexts, "\n# ") {
		use, text, _ := strings.Cut(part, "\n")
		if first, _, _ := strings.Cut(use, " "); first != name {
			continue
		}
		about, examples, _ := strings.Cut(text, "\nExamples:\n")
		cmd.Use, cmd.Example = use, strings.TrimRight(examples, "\n")
		cmd.Short, cmd.Long, _ = strings.Cut(strings.TrimRight(about, "\n"), "\n\n")
		return cmd
	}
	panic("help.txt has no part of " + name)
}

// helpOrUnknown runs a command that only has others below it. By itself it is its help, on
// stdout, with exit code 0; an argument is the name of a command that does not exist.
func helpOrUnknown(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return cmd.Help()
	}
	return unknownCommand(cmd, args[0])
}

// unknownCommand is the error of a command that does not exist; it names the existing ones.
// "command gatway is unknown; did you mean gateway? write one of …".
func unknownCommand(cmd *cobra.Command, name string) error {
	var names []string
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() {
			names = append(names, c.Name())
		}
	}
	// The nearest name at a distance of at most 2 (SuggestionsMinimumDistance).
	near := ""
	if s := cmd.SuggestionsFor(name); len(s) > 0 {
		near = fmt.Sprintf("did you mean %s? ", s[0])
	}
	return fmt.Errorf("command %s is unknown; %swrite one of %s", name, near, strings.Join(names, ", "))
}

// flagError adds to the error of an unknown flag the one that was probably meant, and the flags
// of the command. The list is read from the help of the flags, so it has the names that the help has.
func flagError(cmd *cobra.Command, err error) error {
	var names []string
	for _, line := range flagLine.FindAllStringSubmatch(cmd.Flags().FlagUsages(), -1) {
		names = append(names, line[1])
	}
	near := ""
	if name, unknown := strings.CutPrefix(err.Error(), "unknown flag: --"); unknown {
		if s := nearFlags(name, names); len(s) > 0 {
			near = "did you mean --" + s[0] + "? "
		}
	}
	return fmt.Errorf("%w; %s%s takes %s", err, near, cmd.CommandPath(), strings.Join(names, ", "))
}

// nearFlags are the flags that a name resembles, by the measure that commands are suggested by.
func nearFlags(name string, flags []string) []string {
	all := &cobra.Command{SuggestionsMinimumDistance: 2}
	for _, f := range flags {
		all.AddCommand(&cobra.Command{Use: strings.TrimPrefix(f, "--"), Run: func(*cobra.Command, []string) {}})
	}
	return all.SuggestionsFor(name)
}

// A line of the help: two spaces or more, the short name if there is one, and the long name.
var flagLine = regexp.MustCompile(`(?m)^ +(?:-\w, )?(--[a-z-]+)`)
