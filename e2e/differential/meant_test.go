package differential

import (
	"slices"
	"strings"
)

// dispute is a request that is not answered alike.
type dispute struct {
	q                *request
	ours, in16, in17 *answer
	why16, why17     string
}

// says reports whether one of our errors has these words.
func (d *dispute) says(words string) bool {
	for _, m := range d.ours.messages {
		if strings.Contains(m, words) {
			return true
		}
	}
	return false
}

// meant are the differences that are meant, each with its reason. A dispute belongs
// to the first that holds.
var meant = []struct {
	name, why string
	holds     func(*dispute) bool
}{
	{
		"a condition that is null refuses the request",
		"docs/decisions/graphql-execution.md: what is selected is decided before anything runs. The specification leaves open what a null for the if of @skip and @include does; graphql-js fails the field above it.",
		func(d *dispute) bool {
			return !d.ours.executed && d.in16.executed && d.says("where @skip or @include wants true or false")
		},
	},
	{
		"a variable in a one-of must be non-null everywhere",
		"Specification 3.10.1. graphql-js refuses it too, but does not look where the type of the one-of ends in an exclamation mark.",
		func(d *dispute) bool {
			return !d.ours.executed && d.says("must be non-nullable to be used for OneOf Input Object")
		},
	},
	{
		"a variable inside a list of a custom scalar",
		"Specification 5.8.5 wants a type where the variable stands, and inside a custom scalar there is none; 17 takes it too. 16 takes what stands in the list for one more value of the scalar's type.",
		func(d *dispute) bool {
			return d.why17 == "" && !d.in16.executed && len(d.in16.messages) > 0 && strings.HasSuffix(d.in16.messages[0], `used in position expecting type "JSON".`)
		},
	},
	{
		"a Float literal beyond what 64 bits hold is refused",
		"Specification 3.5.2: a value that no finite IEEE 754 number represents is an error. graphql-js reads Infinity, which JSON cannot say.",
		func(d *dispute) bool {
			return !d.ours.executed && d.says("Float cannot represent a number of that size")
		},
	},
	{
		"includeDeprecated may be null in 16",
		"The edition of September 2025 has Boolean! = false in __Type, __Field and __Directive; 17 has it too.",
		func(d *dispute) bool {
			return d.why17 == "" && strings.Contains(d.q.Query, "includeDeprecated")
		},
	},
	{
		"a number beyond 64 bits in a JSON scalar",
		"docs/decisions/graphql-schema.md: no digit of a number is lost on the way, so 1e400 is 1e400 or is refused by whoever reads it. graphql-js makes it Infinity, and that null.",
		func(d *dispute) bool {
			return d.ours.executed && d.in16.executed && strings.Contains(d.q.Query, "1e400")
		},
	},
	{
		"17 reads empty selection sets",
		"Specification 2.8: a selection set has a selection. 16 refuses them too.",
		func(d *dispute) bool {
			return d.why16 == "" && !d.ours.executed && strings.Contains(strings.Join(strings.Fields(d.q.Query), ""), "{}")
		},
	},
	{
		"a number that runs into a name is blamed from its beginning",
		"Specification 2.9.1 makes them one token that is none; graphql-js blames the first letter of the name.",
		func(d *dispute) bool { return d.ours.unread && d.says("runs into") },
	},
	{
		"variables of a fragment are read and then refused",
		"gqlparser reads what never became part of the language; a document that is wrong behind it is blamed there.",
		func(d *dispute) bool {
			refused := func(message string) bool { return strings.Contains(message, `Expected "on", found "("`) }
			return d.ours.unread && (d.says(`Expected "on"`) || slices.ContainsFunc(d.in16.messages, refused))
		},
	},
	{
		"a variable in a directive of a variable is read and then refused",
		"Specification 2.10 wants constants there. gqlparser reads the variable, and a document that is wrong behind it is blamed there.",
		func(d *dispute) bool {
			early := func(message string) bool { return strings.HasSuffix(message, "in constant value.") }
			return d.ours.unread && slices.ContainsFunc(d.in16.messages, early)
		},
	},
	{
		"documents of types are not read",
		"graphql-js reads a type system too, and finds fault with what follows its keyword.",
		func(d *dispute) bool { return d.ours.unread && d.says("Unexpected Name") },
	},
	{
		"an operation without a root type is refused",
		"Specification 5.2.1 since September 2025, and 17 does. 16 finds out when it executes it.",
		func(d *dispute) bool {
			return d.why17 == "" && d.says("Schema does not support operation type")
		},
	},
}
