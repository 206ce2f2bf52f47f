package schema

import (
	"slices"
	"strings"
)

// operatorsMeant are operators of filters by the names that other systems have for them, as bare writes these.
var operatorsMeant = map[string]string{
	"like": "contains startsWith endsWith icontains", "matches": "contains startsWith endsWith icontains", "regex": "contains startsWith endsWith icontains",
	"regexp": "contains startsWith endsWith icontains", "search": "contains icontains", "includes": "contains has", "contain": "contains has", "contains": "has",
	"ilike": "icontains", "iregex": "icontains", "containsi": "icontains",
	"starts": "startsWith", "beginswith": "startsWith", "prefix": "startsWith", "ends": "endsWith", "suffix": "endsWith",
	"equals": "eq", "equal": "eq", "is": "eq isNull", "exact": "eq", "=": "eq", "==": "eq",
	"not": "ne notIn", "neq": "ne", "notequals": "ne", "notequal": "ne", "isnot": "ne isNull", "!=": "ne", "<>": "ne",
	"any": "in has", "oneof": "in", "nin": "notIn", "notoneof": "notIn", "between": "gte lte", "range": "gte lte",
	"less": "lt", "lessthan": "lt", "before": "lt", "<": "lt", "max": "lte", "le": "lte", "lessthanorequal": "lte", "<=": "lte",
	"greater": "gt", "greaterthan": "gt", "after": "gt", ">": "gt", "min": "gte", "ge": "gte", "greaterthanorequal": "gte", ">=": "gte",
	"null": "isNull", "exists": "isNull", "isnotnull": "isNull", "isempty": "isNull",
}

// OperatorsMeant returns the operators of a filter among known that another system has under a name, or that
// are spelled like it, or nil.
func OperatorsMeant(name string, known []string) (meant []string) {
	for operator := range strings.FieldsSeq(operatorsMeant[bare(name)]) {
		if slices.Contains(known, operator) {
			meant = append(meant, operator)
		}
	}
	if operator := near(name, known); meant == nil && operator != "" {
		meant = []string{operator}
	}
	return meant
}
