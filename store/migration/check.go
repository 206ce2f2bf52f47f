package migration

import (
	"slices"
	"strconv"
	"strings"
)

// checkOf returns the check of a column for a keyword, or nil.
func checkOf(c *Column, keyword string) *Check {
	if i := slices.IndexFunc(c.Checks, func(ck Check) bool { return ck.Keyword == keyword }); i >= 0 {
		return &c.Checks[i]
	}
	return nil
}

// wider reports whether the check lets every value in that another one of its keyword does. It reads the expressions that this
// program writes; any other is not known to be wider.
//
//	"status" IN ('new', 'done', 'late')    wider than    "status" IN ('new', 'done')
//	char_length("name") <= 200             wider than    char_length("name") <= 80
func (ck *Check) wider(o *Check) bool {
	if ck.Keyword == "enum" {
		mine, ok := listed(ck.Expression)
		theirs, too := listed(o.Expression)
		return ok && too && !slices.ContainsFunc(theirs, func(v string) bool { return !slices.Contains(mine, v) })
	}
	mine, ok := bound(ck.Expression)
	theirs, too := bound(o.Expression)
	if !ok || !too {
		return false
	}
	if ck.Keyword == "minimum" || ck.Keyword == "exclusiveMinimum" || ck.Keyword == "minLength" {
		return mine <= theirs
	}
	return mine >= theirs
}

// listed returns the literals of an expression like "x" IN ('a', 'b').
func listed(expression string) (all []string, ok bool) {
	_, list, ok := strings.Cut(expression, " IN (")
	list, closed := strings.CutSuffix(list, ")")
	quoted, start := false, 0
	for i := range len(list) {
		switch {
		case list[i] == '\'':
			quoted = !quoted
		case list[i] == ',' && !quoted:
			all, start = append(all, strings.TrimSpace(list[start:i])), i+1
		}
	}
	return append(all, strings.TrimSpace(list[start:])), ok && closed && !quoted
}

// bound returns the number behind the operator of an expression like "x" <= 80.
func bound(expression string) (float64, bool) {
	for _, operator := range []string{" <= ", " >= ", " < ", " > "} {
		if _, text, ok := strings.Cut(expression, operator); ok {
			text, _, _ = strings.Cut(text, " ")
			text, _, _ = strings.Cut(text, "::")
			n, err := strconv.ParseFloat(strings.Trim(text, "'"), 64)
			return n, err == nil
		}
	}
	return 0, false
}
