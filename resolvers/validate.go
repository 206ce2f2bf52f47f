package resolvers

import (
	"slices"

	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"
	"github.com/vektah/gqlparser/v2/validator/core"
	"github.com/vektah/gqlparser/v2/validator/rules"
)

type rule = core.Rule

// maxFaults is how many faults of one document or its variables are told.
const maxFaults = 50

// rulesFor are the rules of specification 5, in an order that names the plain
// mistakes first. Two are ours: see values.go and overlap.go.
func rulesFor(suggest bool) []rule {
	list := []rule{
		rules.LoneAnonymousOperationRule,
		rules.UniqueOperationNamesRule,
		rules.KnownRootTypeRule,
		rules.SingleFieldSubscriptionsRule,
		rules.FragmentsOnCompositeTypesRule,
		rules.KnownFragmentNamesRule,
		rules.UniqueFragmentNamesRule,
		rules.NoFragmentCyclesRule,
		rules.NoUnusedFragmentsRule,
		rules.PossibleFragmentSpreadsRule,
		rules.UniqueArgumentNamesRule,
		rules.ProvidedRequiredArgumentsRule,
		rules.KnownDirectivesRule,
		rules.UniqueDirectivesPerLocationRule,
		rules.UniqueInputFieldNamesRule,
		rules.UniqueVariableNamesRule,
		rules.VariablesAreInputTypesRule,
		rules.NoUndefinedVariablesRule,
		rules.NoUnusedVariablesRule,
		rules.VariablesInAllowedPositionRule,
		rules.MaxIntrospectionDepth,
	}
	if suggest {
		return append(list, rules.FieldsOnCorrectTypeRule, rules.KnownArgumentNamesRule,
			rules.KnownTypeNamesRule, rules.ScalarLeafsRule)
	}
	return append(list, rules.FieldsOnCorrectTypeRuleWithoutSuggestions, rules.KnownArgumentNamesRuleWithoutSuggestions,
		rules.KnownTypeNamesRuleWithoutSuggestions, rules.ScalarLeafsRuleWithoutSuggestions)
}

// enough ends a validation that has found maxFaults.
type enough struct{}

// validate applies the rules. It fills in the definitions of doc, which planning reads.
func (e *Engine) validate(doc *ast.QueryDocument) (faults []*fault) {
	defer func() {
		if p := recover(); p != nil {
			if _, ok := p.(enough); !ok {
				panic(p)
			}
		}
	}()
	add := func(options ...core.ErrorOption) {
		err := &gqlerror.Error{}
		for _, o := range options {
			o(err)
		}
		f := protocolFault(CodeValidation, err)
		for _, seen := range faults { // a fragment is walked by itself and wherever it is spread
			if seen.message == f.message && slices.Equal(seen.at, f.at) {
				return
			}
		}
		if faults = append(faults, f); len(faults) == maxFaults {
			panic(enough{})
		}
	}
	events := &core.Events{}
	for _, r := range e.rules {
		r.RuleFunc(events, add)
	}
	e.valuesRule(events, add)
	if e.options.NoIntrospection {
		noIntrospection(events, add)
	}
	core.Walk(e.types.schema, doc, events)
	if faults == nil {
		// It expects fragments without cycles and fields that exist.
		e.overlaps(doc, add)
	}
	return faults
}

func noIntrospection(events *core.Events, add core.AddErrFunc) {
	events.OnField(func(_ *core.Walker, f *ast.Field) {
		if f.Name == "__schema" || f.Name == "__type" {
			add(core.Message("Introspection is off here; ask the people who run this service for the schema."), core.At(f.Position))
		}
	})
}
