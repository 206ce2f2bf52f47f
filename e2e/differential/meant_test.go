package differential

import "strings"

// dispute is a question that is not answered alike.
type dispute struct {
	q                *question
	ours, in16, in17 *answer
	why16, why17     string
}

// says tells whether one of our errors has these words.
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
		"Decision 060: what is selected is decided before anything runs. The specification leaves open what a null for the if of @skip and @include does; graphql-js fails the field above it.",
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
		"introspection that is too deep has no place",
		"Decision 063: limits are of the whole document. graphql-js points at the field.",
		func(d *dispute) bool {
			return !d.ours.executed && !d.in16.executed && d.says("The introspection has more than")
		},
	},
}
