package conform

import (
	"strings"
	"testing"
)

// TestReports writes results of every verdict, for a reader and as TAP.
func TestReports(t *testing.T) {
	results := []Result{
		{ID: "list", Number: "2.7", Text: "a list is {items, total}", Door: "parcel", Verdict: passed},
		{ID: "fields", Number: "2.3", Text: "rows have the fields of the card #1", Door: "parcel", Verdict: failed, Why: "weight must\nbe an integer", Sent: `{"id":1}`, Got: "200 {}", Without: "answers BAD_GATEWAY"},
		{ID: "facts", Number: "4.1", Text: "facts are read", Verdict: absent, Why: "the host has no facts"},
		{ID: "keys", Number: "3.2", Text: "keys are known", Verdict: skipped, Why: "no key was given"},
	}
	for name, c := range map[string]struct {
		write func(*strings.Builder) error
		want  string
	}{
		"text": {func(b *strings.Builder) error { return WriteText(b, results) }, `pass   2.7    parcel: a list is {items, total}
FAIL   2.3    parcel: rows have the fields of the card #1
              why: weight must be an integer
              sent: {"id":1}
              got: 200 {}
              without it a gateway answers BAD_GATEWAY
absent 4.1    facts are read
              why: the host has no facts
skip   3.2    keys are known
              why: no key was given
1 passed, 1 failed, 1 absent, 1 skipped
`},
		"TAP": {func(b *strings.Builder) error { return WriteTAP(b, results) }, `TAP version 14
1..4
ok 1 - 2.7 parcel: a list is {items, total}
not ok 2 - 2.3 parcel: rows have the fields of the card \#1
  ---
  id: fields
  why: "weight must\nbe an integer"
  sent: "{\"id\":1}"
  got: "200 {}"
  without: "answers BAD_GATEWAY"
  ...
ok 3 - 4.1 facts are read # SKIP the host has no facts
ok 4 - 3.2 keys are known # SKIP no key was given
`},
	} {
		var b strings.Builder
		if err := c.write(&b); err != nil || b.String() != c.want {
			t.Errorf("%s: %v\n%s\nwant\n%s", name, err, &b, c.want)
		}
	}
	if !Failed(results) || Failed(results[:1]) {
		t.Error("Failed does not tell the results apart")
	}
}
