package conform

import (
	"fmt"
	"io"
	"strings"
)

// WriteText writes the results for a reader: the failed ones and the absent parts in full.
//
//	pass   2.7    parcel: a list is {items, total, hasMore, endCursor}
//	FAIL   2.3    parcel: rows have the fields of the card …
//	              why: weight must be an integer in {"id":"p-1",…}
//	              sent: {"jsonrpc":"2.0",…}
//	              got: 200 {…}
//	              a gateway answers BAD_GATEWAY for a wrong type, …
func WriteText(w io.Writer, results []Result) error {
	count := map[Verdict]int{}
	var b strings.Builder
	for _, r := range results {
		count[r.Verdict]++
		word := string(r.Verdict)
		if r.Verdict == failed {
			word = "FAIL"
		}
		fmt.Fprintf(&b, "%-6s %-6s %s\n", word, r.Number, subject(&r))
		line := func(name, text string) {
			if text != "" {
				fmt.Fprintf(&b, "              %s%s\n", name, oneLine(text))
			}
		}
		if r.Verdict != passed {
			line("why: ", r.Why)
		}
		if r.Verdict == failed {
			line("sent: ", r.Sent)
			line("got: ", r.Got)
		}
		line("without it a gateway ", r.Without)
	}
	fmt.Fprintf(&b, "%d passed, %d failed, %d absent, %d skipped\n", count[passed], count[failed], count[absent], count[skipped])
	_, err := io.WriteString(w, b.String())
	return err
}

// WriteTAP writes the results as TAP 14.
func WriteTAP(w io.Writer, results []Result) error {
	var b strings.Builder
	fmt.Fprintf(&b, "TAP version 14\n1..%d\n", len(results))
	for i, r := range results {
		word, end := "ok", ""
		switch r.Verdict {
		case failed:
			word = "not ok"
		case skipped, absent:
			end = " # SKIP " + oneLine(r.Why)
		}
		fmt.Fprintf(&b, "%s %d - %s %s%s\n", word, i+1, r.Number, strings.ReplaceAll(subject(&r), "#", `\#`), end)
		if r.Verdict == failed {
			fmt.Fprintf(&b, "  ---\n  id: %s\n  why: %q\n  sent: %q\n  got: %q\n  without: %q\n  ...\n", r.ID, r.Why, r.Sent, r.Got, r.Without)
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// subject is the clause, with the door that it was tried for.
func subject(r *Result) string {
	if r.Door == "" {
		return r.Text
	}
	return r.Door + ": " + r.Text
}

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }
