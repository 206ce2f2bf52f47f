package conform

import "slices"

// clause is one rule for hosts.
type clause struct {
	ID      string // what --json and TAP name it by
	Number  string // of the specification
	Text    string // the behaviour of the host
	Without string // the consequence at a gateway

	try func(*trial)
}

// Verdict is the outcome of a clause.
type Verdict string

// The verdicts.
const (
	passed  Verdict = "pass"
	failed  Verdict = "fail"
	absent  Verdict = "absent" // an optional part that the host does without
	skipped Verdict = "skip"   // it could not be tried
)

// Result is a tried clause.
type Result struct {
	ID      string  `json:"id"`
	Number  string  `json:"clause"`
	Text    string  `json:"text"`
	Door    string  `json:"door,omitempty"`
	Verdict Verdict `json:"verdict"`
	Why     string  `json:"why,omitempty"`     // of a verdict other than pass
	Sent    string  `json:"sent,omitempty"`    // the last frame or request
	Got     string  `json:"got,omitempty"`     // its answer
	Without string  `json:"without,omitempty"` // the consequence at a gateway
}

// Failed reports whether a clause failed.
func Failed(results []Result) bool {
	return slices.ContainsFunc(results, func(r Result) bool { return r.Verdict == failed })
}
