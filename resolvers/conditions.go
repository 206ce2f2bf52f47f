package resolvers

import (
	"slices"

	"github.com/vektah/gqlparser/v2/ast"

	"github.com/frondhost/frond/resolvers/language"
)

// conditions returns the slots of the variables in the @skip and @include of an operation,
// sorted and each once: the selection depends on their values (GraphQL 3.13.1, 3.13.2). An
// operation with n of them has up to 2^n plans, which are made on demand.
func conditions(def *ast.OperationDefinition, vars *language.Declared) []int {
	var slots []int
	seen := map[string]bool{}
	note := func(list ast.DirectiveList) {
		for _, d := range list {
			if d.Name != "skip" && d.Name != "include" {
				continue
			}
			if a := d.Arguments.ForName("if"); a != nil && a.Value.Kind == ast.Variable {
				slots = append(slots, vars.Slot(a.Value.Raw))
			}
		}
	}
	var walk func(set ast.SelectionSet)
	walk = func(set ast.SelectionSet) {
		for _, sel := range set {
			switch sel := sel.(type) {
			case *ast.Field:
				note(sel.Directives)
				walk(sel.SelectionSet)
			case *ast.InlineFragment:
				note(sel.Directives)
				walk(sel.SelectionSet)
			case *ast.FragmentSpread:
				note(sel.Directives)
				if !seen[sel.Name] {
					seen[sel.Name] = true
					walk(sel.Definition.SelectionSet)
				}
			}
		}
	}
	walk(def.SelectionSet)
	slices.Sort(slots)
	return slices.Compact(slots)
}
