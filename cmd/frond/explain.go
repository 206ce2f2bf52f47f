package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/frondhost/frond/facade"
)

func newExplain(s *shell) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "explain ENTITY.OP [NAME=TEXT | NAME:=JSON | NAME=@FILE]...",
		Short: "Tell who sees what of a call, and why",
		Long: `Make one call of the project in --dir and tell how it went: which rule of which
collector matched, the filter on rows that came of it, hidden and preset fields,
what the store was asked, statement and arguments, and what is computed.

Reads are made. Nothing is written: a command's statement is run and undone. The
explanation is on stdout; where the call fails it ends with the failure, which is
on stderr too, as of frond call.`,
		Example: `  frond explain order.list --state '{"user":{"id":"c7"}}' --dir examples/shop` + "\n" +
			`  frond explain order.update id=o1 status=paid --state '{"user":{"id":"c7"}}'`,
		Args: arguments(1, -1, "an operation and its values"),
	}
	var opts callOptions
	flags := cmd.Flags()
	flags.StringVar(&opts.dir, "dir", ".", "the project's folder")
	flags.StringVar(&opts.state, "state", "", `the caller's state as JSON, such as {"user":{"id":"ada"}}; none: nobody`)
	flags.StringVar(&opts.body, "body", "", "the whole body: @FILE, - for what is piped in, or JSON")
	settings := addSettings(cmd, "store", "remotes", "vendor", "limits.list.default", "limits.list.max", "log.level")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		return s.explain(cmd.Context(), settings, &opts, args)
	}
	return cmd
}

func (s *shell) explain(ctx context.Context, settings *settings, opts *callOptions, args []string) error {
	call, host, err := s.prepare(ctx, settings, opts, args)
	if err != nil {
		return err
	}
	defer host.close()
	x, failed := facade.Explain(ctx, host.caller, call)
	if s.json {
		text, err := json.Marshal(x)
		if err != nil {
			return err
		}
		if err := s.write(text); err != nil {
			return err
		}
	} else if err := s.tell(x); err != nil {
		return err
	}
	if failed != nil {
		return facade.AsError(failed)
	}
	return nil
}

// tell writes an explanation for a reader.
func (s *shell) tell(x *facade.Explanation) error {
	var b strings.Builder
	tellCall(&b, x)
	for _, nested := range x.Calls {
		b.WriteString("\non the way, the author's own code called\n")
		tellCall(&b, nested)
	}
	_, err := s.out.Write([]byte(b.String()))
	return err
}

func tellCall(b *strings.Builder, x *facade.Explanation) {
	say := func(indent int, format string, args ...any) {
		fmt.Fprintf(b, "%s%s\n", strings.Repeat("  ", indent), fmt.Sprintf(format, args...))
	}
	if x.Frond == "" {
		say(0, "%s.%s is nothing that is served", x.Entity, x.Operation)
	} else {
		say(0, "%s.%s  a %s of the Frond %s, answered by %s", x.Entity, x.Operation, x.Kind, x.Frond, answeredBy(x.By))
	}
	for _, scope := range x.Scopes {
		tellScope(say, &scope)
	}
	tellNames(say, 0, "reads", x.Columns)
	tellNames(say, 0, "answers", x.Fields)
	tellNames(say, 0, "computes", x.Computed)
	for _, c := range x.Store {
		say(0, "store   %s %s%s", c.Does, c.Entity, where(c.Filter))
		if c.Note != "" {
			say(1, "%s", c.Note)
		}
		for _, st := range c.Statements {
			say(1, "%s", st.Text)
			for i, arg := range st.Args {
				text, _ := json.Marshal(arg)
				say(2, "?%d = %s", i+1, text)
			}
		}
	}
	if x.Written != "" {
		say(0, "nothing is written: %s", x.Written)
	}
	if x.Error != nil {
		say(0, "fails   %s: %s", x.Error.Code, x.Error.Message)
	} else {
		say(0, "rows    %d", x.Rows)
	}
}

func answeredBy(who string) string {
	if who == "handler" {
		return "the author's handler"
	}
	if who == "store" {
		return "the store"
	}
	return who
}

func tellScope(say func(int, string, ...any), scope *facade.Scoping) {
	if scope.At == "none" {
		say(0, "scope   %s for %s: no collector, everything is open", scope.Door, scope.For)
		return
	}
	say(0, "scope   %s for %s, by %s", scope.Door, scope.For, scope.At)
	for i, rule := range scope.Rules {
		when := rule.When
		if when == "" {
			when = "(no when)"
		}
		say(1, "rule %d %s: %s", i, rule.Verdict, when)
	}
	if scope.Error != nil {
		say(1, "turned away: %s", scope.Error.Code)
		return
	}
	if scope.Rows != nil {
		say(1, "rows %s", scope.Rows)
	}
	if scope.Set != nil {
		say(1, "set %s", scope.Set)
	}
	tellNames(say, 1, "hide", scope.Hide)
	tellNames(say, 1, "readOnly", scope.ReadOnly)
}

func tellNames(say func(int, string, ...any), indent int, word string, names []string) {
	if len(names) > 0 {
		say(indent, "%-7s %s", word, strings.Join(names, ", "))
	}
}

func where(filter json.RawMessage) string {
	if filter == nil {
		return ""
	}
	return " where " + string(filter)
}
