package validation

import (
	"fmt"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"
)

// Atomic is the directive that makes a mutation one transaction.
const Atomic = "atomic"

// Rehearse is the directive of a mutation that is made without its effects, and Approve that of one which is made if
// they are still those of the rehearsal whose token it has.
const (
	Rehearse = "rehearse"
	Approve  = "approve"
)

// Live is the directive that makes a query field of Subscription a live query.
const Live = "live"

// live checks that a query field of a subscription is a live query, and that no other field is
// one.
func (v *validation) live(on *ast.Definition, f *ast.Field) {
	if v.schema.Directives[Live] == nil || f.Definition == nil {
		return
	}
	query := false
	if on != nil && on == v.schema.Subscription {
		of := v.schema.Query.Fields.ForName(f.Name) // a fact may have the name, with a type of its own
		query = of != nil && of.Type.String() == f.Definition.Type.String()
	}
	switch d := f.Directives.ForName(Live); {
	case query && d == nil:
		v.add(f.Position, "Field %q of a subscription is a query. Add @live to receive it again after each change of its data, or ask for it in a query.", f.Name)
	case !query && d != nil:
		v.add(d.Position, "Directive \"@live\" belongs on a query field at the top of a subscription, which %q is not.", f.Name)
	}
}

// subscription checks that an operation has one root field, for any values of its variables,
// and that it is not a field of introspection (GraphQL 5.2.4.1). A document has to be decided
// without variables, so @skip and @include are not allowed at the root.
func (v *validation) subscription(op *ast.OperationDefinition) {
	who := "Anonymous Subscription"
	if op.Name != "" {
		who = fmt.Sprintf("Subscription %q", op.Name)
	}
	first := ""
	seen := map[string]bool{}
	var walk func(set ast.SelectionSet) bool
	conditional := func(list ast.DirectiveList) bool {
		for _, d := range list {
			if d.Name == "skip" || d.Name == "include" {
				v.add(d.Position, "%s must not use \"@%s\" at its top level.", who, d.Name)
				return true
			}
		}
		return false
	}
	walk = func(set ast.SelectionSet) bool {
		for _, sel := range set {
			v.steps++
			switch sel := sel.(type) {
			case *ast.Field:
				switch {
				case conditional(sel.Directives):
					return false
				case strings.HasPrefix(sel.Name, "__"):
					v.add(sel.Position, "%s must not select an introspection top level field.", who)
					return false
				case first != "" && sel.Alias != first:
					v.add(sel.Position, "%s must select only one top level field.", who)
					return false
				}
				first = sel.Alias
			case *ast.InlineFragment:
				if conditional(sel.Directives) || !walk(sel.SelectionSet) {
					return false
				}
			case *ast.FragmentSpread:
				if conditional(sel.Directives) {
					return false
				}
				if f := v.fragments[sel.Name]; f != nil && !seen[sel.Name] {
					seen[sel.Name] = true
					if !walk(f.fragment.SelectionSet) {
						return false
					}
				}
			}
		}
		return true
	}
	walk(op.SelectionSet)
}
