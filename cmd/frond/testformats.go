package main

import (
	"encoding/xml"
	"fmt"
	"io"
	"strings"

	"github.com/frondhost/frond/facade/rights"
)

// testFormats write the report of frond test. coverage has the gaps listed.
var testFormats = map[string]func(s *shell, report *rights.Report, coverage bool) error{
	"text": writeTestText, "tap": writeTestTAP, "junit": writeTestJUnit,
	"json": func(s *shell, report *rights.Report, _ bool) error { return s.writeValue(report) },
}

// writeTestText writes a report for a reader: the checks that pass in one line each, the others in several.
//
//	pass  a customer sees 3 rows of order
//	FAIL  a customer may not order.update
//	      expected  a refusal
//	      came      it answers {"id":"o-24101",…}
//	      rule      fronds/sales/frond.yaml#/collectors/order/1 holds: user.id != nil
//	      at        fronds/sales/rights.yaml#/0/mayNot/0/order.update
//	1 passed, 1 failed, 0 at fault, 0 skipped
func writeTestText(s *shell, report *rights.Report, coverage bool) error {
	var b strings.Builder
	for i := range report.Results {
		b.WriteString(report.Results[i].String() + "\n")
	}
	for _, line := range coverageLines(report, coverage) {
		b.WriteString(line + "\n")
	}
	fmt.Fprintf(&b, "%d passed, %d failed, %d at fault, %d skipped\n", report.Count(rights.Passed), report.Count(rights.Failed), report.Count(rights.Fault), report.Count(rights.Skipped))
	_, err := io.WriteString(s.out, b.String())
	return err
}

// coverageLines are the gaps of the coverage and their number; nil without coverage.
func coverageLines(report *rights.Report, coverage bool) (lines []string) {
	if !coverage {
		return nil
	}
	c := &report.Coverage
	for i := range c.Gaps {
		lines = append(lines, c.Gaps[i].String())
	}
	return append(lines, fmt.Sprintf("coverage %d %%: %d of %d rules, hidden fields and refusals", c.Percent(), c.Reached, c.Of))
}

// writeTestTAP writes a report as TAP 14.
func writeTestTAP(s *shell, report *rights.Report, coverage bool) error {
	var b strings.Builder
	fmt.Fprintf(&b, "TAP version 14\n1..%d\n", len(report.Results))
	for i := range report.Results {
		r := &report.Results[i]
		name := strings.ReplaceAll(r.Caller+" "+r.Check, "#", `\#`)
		switch r.Verdict {
		case rights.Passed:
			fmt.Fprintf(&b, "ok %d - %s\n", i+1, name)
		case rights.Skipped:
			fmt.Fprintf(&b, "ok %d - %s # SKIP %s\n", i+1, name, r.Why)
		default:
			fmt.Fprintf(&b, "not ok %d - %s\n  ---\n", i+1, name)
			for _, d := range r.Details() {
				fmt.Fprintf(&b, "  %s: %q\n", d[0], d[1])
			}
			b.WriteString("  ...\n")
		}
	}
	for _, line := range coverageLines(report, coverage) {
		b.WriteString("# " + line + "\n")
	}
	_, err := io.WriteString(s.out, b.String())
	return err
}

// junitCase is a check in JUnit's XML. Its class is the caller, its outcome one of the elements failure, error and skipped; nil for a check that passes.
type junitCase struct {
	XMLName xml.Name `xml:"testcase"`
	File    string   `xml:"file,attr"`
	Class   string   `xml:"classname,attr"`
	Name    string   `xml:"name,attr"`
	Outcome *junitOutcome
}

type junitOutcome struct {
	XMLName xml.Name
	Message string `xml:"message,attr"`
	Text    string `xml:",cdata"`
}

// junitOutcomes are the names of these elements.
var junitOutcomes = map[rights.Verdict]string{rights.Failed: "failure", rights.Fault: "error", rights.Skipped: "skipped"}

// writeTestJUnit writes a report as JUnit's XML.
func writeTestJUnit(s *shell, report *rights.Report, coverage bool) error {
	suite := struct {
		XMLName  xml.Name `xml:"testsuite"`
		Name     string   `xml:"name,attr"`
		Tests    int      `xml:"tests,attr"`
		Failures int      `xml:"failures,attr"`
		Errors   int      `xml:"errors,attr"`
		Skipped  int      `xml:"skipped,attr"`
		Cases    []junitCase
		Out      string `xml:"system-out,omitempty"`
	}{
		Name: "rights", Tests: len(report.Results), Failures: report.Count(rights.Failed), Errors: report.Count(rights.Fault), Skipped: report.Count(rights.Skipped),
		Out: strings.Join(coverageLines(report, coverage), "\n"),
	}
	for i := range report.Results {
		r := &report.Results[i]
		c := junitCase{File: r.File, Class: r.Caller, Name: r.Check}
		if name := junitOutcomes[r.Verdict]; name != "" {
			c.Outcome = &junitOutcome{xml.Name{Local: name}, r.Came + r.Why, r.String()}
		}
		suite.Cases = append(suite.Cases, c)
	}
	text, err := xml.MarshalIndent(suite, "", "  ")
	if err == nil {
		_, err = io.WriteString(s.out, xml.Header+string(text)+"\n")
	}
	return err
}
