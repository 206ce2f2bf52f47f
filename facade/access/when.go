package access

import (
	"fmt"
	"slices"
	"strings"

	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/expression"
	"github.com/frondhost/frond/facade/filter"
	"github.com/frondhost/frond/schema"
)

// whenExample is a when that every caller can be asked, as a line of a rule.
const whenExample = `when: '"staff" in user.roles'`

// compileWhen compiles the when of a rule; nil without one, and for one with a fault.
func (b *Compiler) compileWhen(file, at, text string, door *catalog.Door) *expression.Expr {
	if text == "" {
		return nil
	}
	names := expression.NamesOfState
	if b.User.Names != nil {
		names = expression.NamesOfCaller(b.User.Open)
	}
	when, err := expression.Compile(text, names)
	if err != nil {
		b.Fault(file, at, "the expression cannot be used: "+err.Error(), whenRemedy(text, expression.UnknownName(err), door))
		return nil
	}
	if when.Gives != "" && when.Gives != "boolean" {
		b.Fault(file, at, fmt.Sprintf("the expression gives a value of type %s, not true or false", when.Gives), whenRemedy(text, "", door))
		return nil
	}
	return when
}

// whenRemedy says what to write in place of a when. unknown names a
// variable of the expression without a meaning, or is "".
func whenRemedy(text, unknown string, door *catalog.Door) string {
	switch {
	case unknown == "null", unknown == "undefined", unknown == "None":
		return "write nil, such as when: user.id != nil"
	case unknown != "" && door != nil && door.Entity != nil:
		if p, _ := filter.Field(door.Entity, unknown); p != nil {
			return fmt.Sprintf("when reads the caller alone; compare fields of the row under rows, such as rows: {%s: {eq: $user.id}}", unknown)
		}
	case strings.Contains(text, "==="), strings.Contains(text, "!=="):
		return "write == or !=, such as when: user.id != nil"
	case strings.Contains(text, "user.roles"), strings.Contains(text, "user.scopes"):
		return "user.roles and user.scopes are lists of texts; write such as " + whenExample
	}
	return "compare members of user or state, such as when: user.id != nil, or " + whenExample
}

// sampleCallers are callers to try every when with. The users of one sample differ in the type
// of a member alone, and a when has to work for one of them.
var sampleCallers = []struct {
	name  string
	users []State
}{
	{"a caller without user", []State{{}}},
	{"a user with id alone", []State{{"user": map[string]any{"id": "ada"}}, {"user": map[string]any{"id": 7}}}},
	{"a user with roles", []State{
		{"user": map[string]any{"id": "ada", "roles": []any{"staff"}, "scopes": []any{"read"}, "tenant": "acme", "claims": map[string]any{}}},
		{"user": map[string]any{"id": 7, "roles": []any{"staff"}, "scopes": []any{"read"}, "tenant": 7, "claims": map[string]any{}}},
	}},
}

// tryWhens runs the when of each rule over the sample callers that reach it. A when that fails for one
// is a fault if it reads known members alone, else advice.
func (b *Compiler) tryWhens(r *rules) {
	for i, rule := range r.list {
		if rule.when == nil {
			continue
		}
		for _, sample := range sampleCallers {
			err := r.try(i, sample.users)
			if err == nil {
				continue
			}
			found := schema.Fault{
				File: r.file, Pointer: rule.at + "/when",
				Message: fmt.Sprintf("calls fail for %s: %s", sample.name, strings.TrimPrefix(err.Error(), rule.when.Text+": ")),
				Remedy:  "ask for the member first, such as when: user.level != nil and user.level > 3",
			}
			if rule.when.ReadsKnownCaller() {
				b.Fault(found.File, found.Pointer, found.Message, whenRemedy(rule.when.Text, "", nil))
			} else {
				b.Advise(found)
			}
			break
		}
	}
}

// try returns the failure of the i-th when for all of the users that reach its rule.
func (r *rules) try(i int, users []State) (err error) {
	for _, user := range users {
		if r.decides(i, user) {
			return nil
		}
		if _, err = r.list[i].holds(&asked{state: user}); err == nil {
			return nil
		}
	}
	return err
}

// decides reports whether a rule before the i-th one decides every call of a caller.
func (r *rules) decides(i int, state State) bool {
	return slices.ContainsFunc(r.list[:i], func(earlier *rule) bool {
		holds, err := earlier.holds(&asked{state: state})
		return earlier.ops == nil && holds && err == nil
	})
}
