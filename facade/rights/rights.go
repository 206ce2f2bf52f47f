// Package rights runs the tests of access rules that rights.yaml has (docs/rights.md): it makes calls as each caller, compares the
// answers with the file, and names the rule that decided. Commands are dry runs, whose writes are undone.
//
//	report := rights.Run(ctx, f, callers) // callers of project.ReadRights
//	report.Count(rights.Failed)
package rights

import (
	"context"
	"fmt"
	"strings"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/access"
	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/facade/project"
	"github.com/frondhost/frond/schema"
)

// Verdict is the outcome of one check.
type Verdict string

// The verdicts.
const (
	Passed Verdict = "pass"
	Failed Verdict = "fail"
	// Fault is the verdict on a check that is wrong itself: a name or a key that does not exist, or a check that cannot
	// fail.
	Fault Verdict = "fault"
	// Skipped is the verdict on a call that this program cannot make: its handler is in another program.
	Skipped Verdict = "skip"
)

// Result is the outcome of one check of a rights.yaml.
type Result struct {
	Verdict Verdict `json:"verdict"`
	File    string  `json:"file"`
	Pointer string  `json:"pointer"`
	Caller  string  `json:"caller"`
	Check   string  `json:"check"` // after the caller, a sentence: may order.create
	// Expected, Came and Rule are set for Failed: the rule that decided, as FILE#POINTER and its condition.
	Expected string `json:"expected,omitempty"`
	Came     string `json:"came,omitempty"`
	Rule     string `json:"rule,omitempty"`
	// Why is the reason of Fault, with the remedy, and of Skipped.
	Why string `json:"why,omitempty"`
}

// String returns the result in lines for a reader.
func (r *Result) String() string {
	word := string(r.Verdict)
	if r.Verdict != Passed {
		word = strings.ToUpper(word)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%-5s %s %s", word, r.Caller, r.Check)
	for _, d := range r.Details() {
		fmt.Fprintf(&b, "\n      %-9s %s", d[0], d[1])
	}
	return b.String()
}

// Details are the parts of a result that does not pass, each with its name.
func (r *Result) Details() (all [][2]string) {
	if r.Verdict == Passed {
		return nil
	}
	for _, d := range [][2]string{{"expected", r.Expected}, {"came", r.Came}, {"rule", r.Rule}, {"why", r.Why}, {"at", r.File + "#" + r.Pointer}} {
		if d[1] != "" {
			all = append(all, d)
		}
	}
	return all
}

// Report has the results in the order of the files.
type Report struct {
	Results  []Result `json:"tests"`
	Coverage Coverage `json:"coverage"`
}

// Count returns the number of results with a verdict.
func (r *Report) Count(v Verdict) (n int) {
	for i := range r.Results {
		if r.Results[i].Verdict == v {
			n++
		}
	}
	return n
}

// Run makes all checks, one call after the other. Commands are dry runs, which the store of f has to undo
// ([facade.Abilities].DryRuns).
func Run(ctx context.Context, f *facade.Facade, callers []*project.CallerRights) *Report {
	t := newTester(ctx, f)
	for _, c := range callers {
		t.run(c)
	}
	return &Report{Results: t.results, Coverage: t.coverage.report(t.catalog)}
}

// tester makes the checks of callers.
type tester struct {
	ctx      context.Context //nolint:containedctx // of one run
	inner    context.Context //nolint:containedctx // of calls by the author
	caller   *facade.Facade
	catalog  *catalog.Catalog
	coverage *coverage
	results  []Result

	of    *project.CallerRights // the caller whose checks are made
	state access.State
}

func newTester(ctx context.Context, f *facade.Facade) *tester {
	return &tester{ctx: ctx, inner: f.Enter(ctx, nil), caller: f, catalog: f.Catalog(), coverage: newCoverage()}
}

// run makes the checks of one caller.
func (t *tester) run(c *project.CallerRights) {
	t.of, t.state = c, access.State(c.As).OfCaller()
	for i := range c.Visible {
		t.add(c.Visible[i].At, t.visible(&c.Visible[i]))
	}
	for i := range c.Hidden {
		h := &c.Hidden[i]
		for _, field := range h.Fields {
			t.add(field.At, t.hidden(h.Door, field.Name))
		}
	}
	for i := range c.May {
		t.add(c.May[i].At, t.may(&c.May[i]))
	}
	for i := range c.MayNot {
		t.add(c.MayNot[i].At, t.mayNot(&c.MayNot[i]))
	}
}

// add keeps the result of a check of the current caller.
func (t *tester) add(at string, r Result) {
	r.File, r.Pointer, r.Caller = t.of.File, at, t.of.Name
	t.results = append(t.results, r)
}

// check begins the result of a check, as one that passes.
func check(format string, args ...any) Result {
	return Result{Verdict: Passed, Check: fmt.Sprintf(format, args...)}
}

func (r Result) failed(expected, came, rule string) Result {
	r.Verdict, r.Expected, r.Came, r.Rule = Failed, expected, came, rule
	return r
}

func (r Result) fault(format string, args ...any) Result {
	r.Verdict, r.Why = Fault, fmt.Sprintf(format, args...)
	return r
}

func (r Result) skipped(format string, args ...any) Result {
	r.Verdict, r.Why = Skipped, fmt.Sprintf(format, args...)
	return r
}

// noDoor is the fault of a door that the project does not have.
func (t *tester) noDoor(r Result, name string) Result {
	var names []string
	for d := range t.catalog.Doors() {
		names = append(names, d.Name)
	}
	return r.fault("%s is no door; %sthe doors are %s", schema.Quoted(name), schema.DidYouMean(name, names), strings.Join(names, ", "))
}

// isDenial reports whether a failure is the verdict of access rules on the caller.
func isDenial(err *kiterror.Error) bool {
	return err != nil && (err.Code == kiterror.Unauthorized || err.Code == kiterror.Forbidden)
}
