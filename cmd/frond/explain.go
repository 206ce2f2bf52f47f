package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/explain"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/gateway"
)

// newExplain is frond explain. explain.Call makes the call; this file writes it down. The exit
// codes are the codes of call. A call that fails is explained up to its failure.
func newExplain(s *shell) *cobra.Command {
	cmd := newCommand("explain", 1, -1, "an operation and its values")
	c := pendingCall{settings: addProject(s, cmd, callSettings...)}
	flags := cmd.Flags()
	flags.StringVar(&c.state, "state", "", `the caller's state as JSON, such as {"user":{"id":"ada"}}; none: an anonymous caller`)
	flags.StringVar(&c.body, "body", "", "the whole body: @FILE, - for stdin, or JSON")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		call, target, err := c.prepare(cmd.Context(), s, args)
		if err != nil {
			return err
		}
		defer target.close()
		x, failed := explain.Call(cmd.Context(), target.Caller, call)
		if s.json {
			err = s.writeValue(x)
		} else {
			err = s.writeExplanation(x)
		}
		if err != nil {
			return err
		}
		// The explanation is on stdout by now: a call that fails has one, too.
		if failed != nil {
			return kiterror.AsError(failed)
		}
		return nil
	}
	return cmd
}

// writeExplanation writes an explanation for a reader. Calls that a handler or a computed
// field made follow the call itself, each as a whole.
func (s *shell) writeExplanation(x *explain.Explanation) error {
	var b strings.Builder
	explainCall(&b, x)
	for _, nested := range x.Calls {
		b.WriteString("\non the way, the author's own code called\n")
		explainCall(&b, nested)
	}
	_, err := s.out.Write([]byte(b.String()))
	return err
}

// explainCall writes one call: the operation, scopes, fields, statements and the outcome.
//
//	order.list  a query of the Frond shop, answered by the store
//	scope   order for list, by fronds/shop/frond.yaml#/doors/order/rules
//	  rule 0 holds: has(state.user)
//	  rows {"customerId":{"eq":"c7"}}
//	reads   id, customerId, total
//	store   list order where {"customerId":{"eq":"c7"}}
//	  SELECT …
//	    ?1 = "c7"
//	rows    3
func explainCall(b *strings.Builder, x *explain.Explanation) {
	say := func(indent int, format string, args ...any) {
		fmt.Fprintf(b, "%s%s\n", strings.Repeat("  ", indent), fmt.Sprintf(format, args...))
	}
	// The failure at the end names the known operations.
	switch {
	case x.Frond != "":
		say(0, "%s.%s  a %s of the Frond %s, answered by %s", x.Entity, x.Operation, x.Kind, x.Frond, cmp.Or(answerers[x.By], x.By))
	case x.Error != nil && x.Error.Code == kiterror.Gone:
		say(0, "%s.%s was called by an old name that is not answered any more", x.Entity, x.Operation)
	default:
		say(0, "%s.%s is unknown", x.Entity, x.Operation)
	}
	for _, scope := range x.Scopes {
		explainScope(say, &scope)
	}
	explainNames(say, 0, "reads", x.Columns)
	explainNames(say, 0, "answers", x.Fields)
	explainNames(say, 0, "computes", x.Computed)
	for _, c := range x.Store {
		say(0, "store   %s %s%s", c.Does, c.Entity, where(c.Filter))
		if c.Note != "" {
			say(1, "%s", c.Note)
		}
		for _, st := range c.Statements {
			say(1, "%s", st.Text)
			// Arguments are printed separately, never inside the statement: the text is the
			// one that the store prepares.
			for i, arg := range st.Args {
				text, _ := json.Marshal(arg)
				say(2, "?%d = %s", i+1, text)
			}
			explainPlan(say, st.Plan)
		}
	}
	for _, c := range x.Store {
		if c.Index != "" {
			say(0, "index   would help: %s", c.Index)
		}
	}
	if x.Tries > 1 {
		say(0, "tries   %d: another transaction came between", x.Tries)
	}
	explainNames(say, 0, "emits", x.Facts)
	if x.Written != "" {
		say(0, "nothing is written: %s", x.Written)
	}
	if x.Error != nil {
		say(0, "fails   %s: %s", x.Error.Code, x.Error.Message)
	} else {
		say(0, "rows    %d", x.Rows)
	}
}

// explainPlan writes how the store ran a statement.
//
//	SCAN t0, 100000 rows
//	took 12.3ms, read 100000 rows
func explainPlan(say func(int, string, ...any), plan *facade.Plan) {
	if plan == nil {
		return
	}
	for _, scan := range plan.Scans {
		rows := ""
		if scan.Rows > 0 {
			rows = fmt.Sprintf(", %d rows", scan.Rows)
		}
		say(2, "%s%s", scan.Text, rows)
	}
	say(2, "took %s, read %d rows", plan.Took.Round(time.Microsecond), plan.Read)
}

// answerers are the words for who answers an operation. Any other is the name of who does.
var answerers = map[string]string{"handler": "the author's handler", "store": "the store"}

// explainScope writes a door's rules up to the one that matched, and the scope that follows
// from it. A rule is named by its number, as in frond check. A refused scope ends the output.
func explainScope(say func(int, string, ...any), scope *explain.Scoping) {
	if scope.At == "none" {
		say(0, "scope   %s for %s: no collector, everything is open", scope.Door, scope.For)
		return
	}
	say(0, "scope   %s for %s, by %s", scope.Door, scope.For, scope.At)
	for i, rule := range scope.Rules {
		say(1, "rule %d %s: %s", i, rule.Verdict, cmp.Or(rule.When, "(no when)"))
	}
	if scope.Error != nil {
		say(1, "refused: %s", scope.Error.Code)
		if scope.Why != "" {
			say(1, "since %s", scope.Why)
		}
		return
	}
	if scope.Rows != nil {
		say(1, "rows %s", scope.Rows)
	}
	if scope.Set != nil {
		say(1, "set %s", scope.Set)
	}
	explainNames(say, 1, "hide", scope.Hide)
	explainNames(say, 1, "readOnly", scope.ReadOnly)
}

// explainNames writes a list of names, unless it is empty.
//
//	reads   id, customerId, total
func explainNames(say func(int, string, ...any), indent int, word string, names []string) {
	if len(names) > 0 {
		say(indent, "%-7s %s", word, strings.Join(names, ", "))
	}
}

// where formats a filter as " where {…}", or as "" if it includes every row.
func where(filter json.RawMessage) string {
	if filter == nil {
		return ""
	}
	return " where " + string(filter)
}

// newAdvise is frond advise. With --json stdout is a list of {shape, reads, took, rows, entity, field,
// index, last}; took is in nanoseconds. Exit code 3: the store or the gateway cannot be reached.
func newAdvise(s *shell) *cobra.Command {
	return newListing(s, "advise", "/advice", gateway.Advise, s.writeAdvice)
}

// writeAdvice writes advice for a reader: the shape of a read, its cost, and the index.
func (s *shell) writeAdvice(all []explain.Advice) error {
	if len(all) == 0 {
		fmt.Fprintln(s.stderr, "no read is known that an index would help")
	}
	var b strings.Builder
	for _, a := range all {
		fmt.Fprintf(&b, "%s\n  %s in %s, about %s each, last %s\n  %s\n", a.Shape, count(int(a.Reads), "read"), a.Took.Round(time.Microsecond), count(int(a.Rows), "row"), a.Last.Format(time.RFC3339), a.Index)
	}
	_, err := io.WriteString(s.out, b.String())
	return err
}
