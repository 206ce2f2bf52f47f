package main

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/gateway"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/store/migration"
)

// errFound: there are faults, and they are written.
var errFound = fmt.Errorf("there are faults: %w", gateway.ErrReported)

// unregistered is a generator or a conversion that this program does not have, for a command
// that runs neither. The remedy of a start is to correct the name; here the author's own
// program may have it.
func unregistered(f schema.Fault) schema.Fault {
	f.Remedy = "register it in the Go program that runs this project; frond gateway does not have it"
	return f
}

// unfit adds the remedy to the error of a store that lacks tables or columns of the cards. Other errors, and nil, are returned as they are.
func unfit(err error) error {
	if differs := migration.Differs(nil); errors.As(err, &differs) {
		return fmt.Errorf("the store does not fit the cards: %w; start the gateway over it, or run frond migrate apply", differs)
	}
	return err
}

// report writes faults and notices, and the table of rights if it is known. The error is errFound if
// there are faults. Faults come first. Lists are empty in JSON and not null, so that a program
// needs no case for them.
func (s *shell) report(faults, notices []schema.Fault, table, facts []catalog.Access) error {
	if s.json {
		if err := s.writeValue(struct {
			Faults  []schema.Fault   `json:"faults"`
			Notices []schema.Fault   `json:"notices"`
			Access  []catalog.Access `json:"access"`
			Facts   []catalog.Access `json:"facts"`
		}{append([]schema.Fault{}, faults...), append([]schema.Fault{}, notices...), append([]catalog.Access{}, table...), append([]catalog.Access{}, facts...)}); err != nil {
			return err
		}
	} else {
		for _, f := range append(faults, notices...) {
			fmt.Fprintln(s.out, f.Error())
		}
		writeAccess(s.out, table)
		writeAccess(s.out, facts)
		fmt.Fprintf(s.stderr, "%s, %s\n", count(len(faults), "fault"), count(len(notices), "notice"))
	}
	// Notices alone leave with 0.
	if len(faults) > 0 {
		return errFound
	}
	return nil
}

// faultsOf lists the faults in the error of a start. Any other error becomes a fault with a
// message alone, so that every error is listed.
func faultsOf(err error) (found schema.Faults) {
	// A start joins the errors of its parts, each of which may be a list of faults.
	switch err := err.(type) { //nolint:errorlint // it walks the tree itself
	case schema.Faults:
		return err
	case schema.Fault:
		return schema.Faults{err}
	case interface{ Unwrap() []error }:
		for _, e := range err.Unwrap() {
			found = append(found, faultsOf(e)...)
		}
	default:
		return schema.Faults{{Message: err.Error()}}
	}
	return found
}

// authorities are the words for the authority over a door without rules of a frond.yaml. A door
// with rules has no such line: its rules follow.
var authorities = map[catalog.Authority]string{
	catalog.ByGoCode: "as its collector in Go says",
	catalog.ByWord:   "everybody: everything; it is called open",
	catalog.ByHost:   "decided by its host alone; the remote is called open",
	catalog.ByNobody: "everybody: everything, since there are no rules",
}

// receivers are the same words for who receives the events of a fact.
var receivers = map[catalog.Authority]string{
	catalog.ByGoCode: "as its collector in Go says",
	catalog.ByWord:   "everybody; it is called open",
	catalog.ByHost:   "callers whom the host shows the row; a fact without a door reaches no caller",
	catalog.ByNobody: "everybody, since there are no rules",
}

// undecided returns the words for a door or a fact of a remote without rules here.
func undecided(a *catalog.Access) string {
	if a.Fact != "" {
		return receivers[catalog.ByHost]
	}
	return "everybody whom its host lets, since there are no rules here"
}

// writeAccess writes the rights of callers, door by door, for a reader.
//
//	shop.order  fronds/shop/frond.yaml#/doors/order
//	  0 when has(state.user): list, findById; rows {…}
//	  1 everybody: nothing
//	fact shop.orderPlaced about order
//	  0 when has(state.user): orderPlaced; rows {…}
//
// A rule has the number by which frond explain names it.
func writeAccess(w io.Writer, table []catalog.Access) {
	for _, a := range table {
		where := ""
		if len(a.Surfaces) == 0 {
			where = "  on no surface"
		}
		if a.At != "" {
			where += "  " + a.At
		}
		if a.Remote {
			where = "  at its host" + where
		}
		words := authorities[a.By]
		if a.Fact == "" {
			fmt.Fprintf(w, "%s.%s%s\n", a.Frond, a.Door, where)
		} else {
			what := ""
			if a.Door != "" {
				what = " about " + a.Door
			}
			fmt.Fprintf(w, "fact %s.%s%s%s\n", a.Frond, a.Fact, what, where)
			words = receivers[a.By]
		}
		if a.Remote && a.By == catalog.ByNobody {
			words = undecided(&a)
		}
		if words != "" {
			fmt.Fprintf(w, "    %s\n", words)
		}
		for i, rule := range a.Rules {
			fmt.Fprintf(w, "%3d %s\n", i, ruleWords(rule))
		}
	}
}

// ruleWords is one rule on one line: its condition, and the operations, rows and fields it
// opens. "when …: list, create; denies delete; rows {…}; hides cost; sets owner = …".
func ruleWords(r catalog.RuleAccess) string {
	who, opens := "everybody", "nothing"
	if r.When != "" {
		who = "when " + r.When
	}
	switch {
	case len(r.Opens) > 0:
		opens = strings.Join(r.Opens, ", ")
	// It is for operations that rules before it have decided.
	case len(r.Denies) == 0:
		opens = "nothing more" // rules before it decide
	}
	words := []string{who + ": " + opens}
	// An empty list adds no words.
	add := func(what string, names []string) {
		if len(names) > 0 {
			words = append(words, what+" "+strings.Join(names, ", "))
		}
	}
	// A rule that opens no operation is written as "nothing", which says that it denies all.
	if len(r.Opens) > 0 {
		add("denies", r.Denies)
	}
	if r.Rows != nil {
		words = append(words, "rows "+string(r.Rows))
	}
	add("hides", r.Hide)
	add("read-only", r.ReadOnly)
	if r.Actor {
		words = append(words, "shows the actor of events")
	}
	var set []string
	for _, name := range slices.Sorted(maps.Keys(r.Set)) {
		set = append(set, name+" = "+r.Set[name])
	}
	add("sets", set)
	return strings.Join(words, "; ")
}
