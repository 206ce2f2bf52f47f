package resolvers_test

import (
	"strings"
	"testing"
)

// TestSubscriptionsOfFacts: a field of a subscription type that announces no fact promises
// what nothing answers.
func TestSubscriptionsOfFacts(t *testing.T) {
	_, err := spokenEngine(`type Query { a: Int } type Subscription { b: Int }`, nil)
	if err == nil || !strings.Contains(err.Error(), "the field Subscription.b is neither a fact nor") {
		t.Errorf("%v, want an error that names it", err)
	}
}
