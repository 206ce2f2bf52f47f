package main

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/frondhost/frond/facade"
)

// authorities are the words for who decides over a door without rules of a frond.yaml. A door
// with rules has no such line: its rules follow.
var authorities = map[facade.Authority]string{
	facade.ByGoCode: "as its collector in Go says",
	facade.ByWord:   "everybody: everything; it is called open",
	facade.ByHost:   "closed by its host: what the host says where it runs, and nothing is said here",
	facade.ByNobody: "everybody: everything; nobody has said so",
}

// receivers are the same words for who receives the events of a fact.
var receivers = map[facade.Authority]string{
	facade.ByGoCode: "as its collector in Go says",
	facade.ByWord:   "everybody; it is called open",
	facade.ByHost:   "whoever its host shows the row to; of a fact that is about no door, nobody",
	facade.ByNobody: "everybody; nobody has said so",
}

// writeAccess writes who may do what, door by door, for a reader.
//
//	shop.order  fronds/shop/frond.yaml#/doors/order
//	  0 when has(state.user): list, findById; rows {…}
//	  1 everybody: nothing
//	fact shop.orderPlaced about order
//	  0 when has(state.user): orderPlaced; rows {…}
//
// A rule has the number by which frond explain names it.
func writeAccess(w io.Writer, table []facade.Access) {
	for _, a := range table {
		where := ""
		if len(a.Surfaces) == 0 {
			where = "  on no surface"
		}
		if a.At != "" {
			where += "  " + a.At
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
		if words != "" {
			fmt.Fprintf(w, "    %s\n", words)
		}
		for i, rule := range a.Rules {
			fmt.Fprintf(w, "%3d %s\n", i, ruleWords(rule))
		}
	}
}

// ruleWords is one rule on one line: for whom, what it opens, and of which rows and fields.
// "when …: list, create; denies delete; rows {…}; hides cost; sets owner = …".
func ruleWords(r facade.RuleAccess) string {
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
	// An empty list has no words.
	add := func(what string, names []string) {
		if len(names) > 0 {
			words = append(words, what+" "+strings.Join(names, ", "))
		}
	}
	// A rule that opens nothing denies all it is for, which "nothing" says already.
	if len(r.Opens) > 0 {
		add("denies", r.Denies)
	}
	if r.Rows != nil {
		words = append(words, "rows "+string(r.Rows))
	}
	add("hides", r.Hide)
	add("read-only", r.ReadOnly)
	var set []string
	for _, name := range slices.Sorted(maps.Keys(r.Set)) {
		set = append(set, name+" = "+r.Set[name])
	}
	add("sets", set)
	return strings.Join(words, "; ")
}
