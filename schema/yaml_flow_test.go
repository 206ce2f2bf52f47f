package schema_test

import (
	"strings"
	"testing"

	"github.com/frondhost/frond/schema"
)

// TestExpressionInAFlowMap: an expression that breaks a flow map is refused with the quotes that it needs.
func TestExpressionInAFlowMap(t *testing.T) {
	for _, text := range []string{
		`a: {when: "staff" in user.roles}`,
		`a: {when: 'staff' in user.roles}`,
		`a: {when: user.id in ["a"]}`,
		`a: {when: user.roles[0] == "a"}`,
		`a: {when: any(user.roles, {# == "a"})}`,
		`a: {when: !user.id}`,
	} {
		_, err := schema.ToJSON("frond.yaml", []byte(text))
		if err == nil || !strings.Contains(err.Error(), `put an expression in quotes, as in {when: '"staff" in user.roles'}`) {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// TestDidYouMean: a near name is asked about, and no other.
func TestDidYouMean(t *testing.T) {
	for name, want := range map[string]string{"collectrs": "did you mean collectors? ", "Facts": "did you mean facts? ", "zebra": ""} {
		if got := schema.DidYouMean(name, []string{"doors", "collectors", "facts"}); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}
