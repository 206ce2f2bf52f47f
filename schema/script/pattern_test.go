package script

import (
	"strings"
	"testing"
)

// TestClassesAreEscaped: in a class, a character that would begin a range, end the class or
// turn it round is escaped, and no other is, since the flag u forbids that.
func TestClassesAreEscaped(t *testing.T) {
	for pattern, want := range map[string]string{
		`[+\-z]`:     `[+\-z]`, // unescaped, this is the range from + to z
		`[\]x]`:      `[\]x]`,
		`[\^x]`:      `[\^x]`,
		`[\[x]`:      `[\[x]`,
		`[\\x]`:      `[\\x]`,
		`[$.*?(){}]`: `[$(-*.?{}]`,
	} {
		var b strings.Builder
		writePattern(&b, squashed(t, pattern))
		if b.String() != want {
			t.Errorf("%s is written as %s, not as %s", pattern, b.String(), want)
		}
	}
}
