package main

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/spf13/cobra"
)

// arguments checks the number of arguments; what describes them in the error. most less
// than 0 is no bound.
func arguments(least, most int, what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) < least || most >= 0 && len(args) > most {
			return fmt.Errorf("%s takes %s, not %d arguments; write %s", cmd.CommandPath(), what, len(args), cmd.UseLine())
		}
		return nil
	}
}

// unknownCommand is the error of a command that does not exist; it names those that do.
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

// flagError adds the flags of the command to the error of an unknown one.
func flagError(cmd *cobra.Command, err error) error {
	var names []string
	for _, line := range flagLine.FindAllStringSubmatch(cmd.Flags().FlagUsages(), -1) {
		names = append(names, line[1])
	}
	return fmt.Errorf("%w; %s takes %s", err, cmd.CommandPath(), strings.Join(names, ", "))
}

var flagLine = regexp.MustCompile(`(?m)^ +(?:-\w, )?(--[a-z-]+)`)
