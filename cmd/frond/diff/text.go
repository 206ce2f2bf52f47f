package diff

import (
	"fmt"
	"io"
	"slices"
	"strings"
)

// group is the findings of one rule.
type group struct {
	rule     *changeKind
	findings []Finding
}

// groups are the findings of a level by their rules, in the order of the rules' table.
func groups(r *Report, level Level) (out []group) {
	rules := allRules()
	for i := range rules {
		g := group{rule: &rules[i]}
		for _, f := range r.Findings {
			if f.Level == level && f.Rule == g.rule.Name {
				g.findings = append(g.findings, f)
			}
		}
		if g.findings != nil {
			out = append(out, g)
		}
	}
	return out
}

// counted says how many findings of each level there are: "2 breaking, 1 dangerous, 5 safe".
func counted(r *Report) string {
	if len(r.Findings) == 0 {
		return "no difference"
	}
	parts := make([]string, 0, len(levels))
	for _, l := range levels {
		parts = append(parts, fmt.Sprintf("%d %s", r.Count(l), l))
	}
	return strings.Join(parts, ", ")
}

// mostAlso is how many further places of a finding a reader is shown.
const mostAlso = 1

// places are the places of a finding in words: GET /api/a, and 2 more.
func places(f *Finding) string {
	out := f.At
	shown := f.Also[:min(len(f.Also), mostAlso)]
	for _, at := range shown {
		out += ", " + at
	}
	if more := len(f.Also) - len(shown); more > 0 {
		out += fmt.Sprintf(" and %d more", more)
	}
	return out
}

// difference is both sides of a finding in words.
func difference(f *Finding) string {
	var out string
	switch {
	case f.Was != "" && f.Is != "":
		out = f.Was + " → " + f.Is
	case f.Was != "":
		out = "was " + f.Was
	case f.Rights != nil:
		out = f.Is
	case f.Is != "":
		out = "is " + f.Is
	}
	if f.Unused {
		out = strings.TrimSpace(out + " (no trusted document uses it)")
	}
	return out
}

// WriteText writes a report for a reader: a line of numbers, then the findings by level and
// rule, each rule with its way out once.
func WriteText(w io.Writer, r *Report) error {
	var b strings.Builder
	b.WriteString(counted(r) + "\n")
	for _, level := range levels {
		for i, g := range groups(r, level) {
			if i == 0 {
				fmt.Fprintf(&b, "\n%s\n", strings.ToUpper(string(level)))
			}
			fmt.Fprintf(&b, "\n  %s: %s\n", g.rule.Name, g.rule.About)
			for _, l := range lines(g.findings) {
				fmt.Fprintf(&b, "    %s\n", strings.TrimRight(l, " "))
			}
			if level != safe {
				fmt.Fprintf(&b, "    → %s\n", g.rule.WayOut)
			}
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// lines are the findings of a rule as aligned lines: surface, place, member, difference.
// Findings that differ in the member alone share a line.
func lines(list []Finding) []string {
	var rows [][3]string
	widths := [2]int{}
	for i := range list {
		f := &list[i]
		where := places(f)
		if f.Audience != "" {
			where += " (" + f.Audience + ")"
		}
		if f.Member != "" {
			where = f.Member + " of " + where
		}
		if f.Surface == accessSurface && f.Member != "" {
			where = f.At + ", " + f.Member
		}
		what := difference(f)
		if f.Effect != "" {
			what = strings.TrimSpace(what + "  [" + f.Effect + "]")
		}
		row := [3]string{string(f.Surface), where, what}
		if slices.Contains(rows, row) {
			continue
		}
		rows = append(rows, row)
		widths[0] = max(widths[0], len(row[0]))
		if n := len([]rune(row[1])); n <= 70 {
			widths[1] = max(widths[1], n)
		}
	}
	out := make([]string, len(rows))
	for i, row := range rows {
		out[i] = fmt.Sprintf("%-*s  %-*s  %s", widths[0], row[0], widths[1], row[1], row[2])
	}
	return out
}

// allRules are all rules, in the order of docs/diff.md: by subject, and in a subject removals
// before additions.
func allRules() []changeKind {
	return slices.Concat(
		listed(graphQLRules), listed(nameRules), listed(operationRules), listed(requestRules), listed(resultRules), listed(pageRules), listed(filterRules), listed(fileRules),
		listed(doorRules), listed(exposureRules), listed(classRules), listed(grantRules), listed(effectRules), listed(propertyRules), listed(factRules), listed(receiverRules),
		listed(tableRules), listed(columnRules), listed(uniqueRules), listed(modeRules), listed(documentRules), listed(settingRules),
	)
}
