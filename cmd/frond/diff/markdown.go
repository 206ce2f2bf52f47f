package diff

import (
	"fmt"
	"io"
	"strings"
)

// WriteMarkdown writes a report for a pull request: a table for each level, and the safe
// findings folded.
func WriteMarkdown(w io.Writer, r *Report) error {
	var b strings.Builder
	fmt.Fprintf(&b, "## What this change breaks\n\n%s\n", counted(r))
	for _, level := range levels {
		list := groups(r, level)
		if list == nil {
			continue
		}
		if level == safe {
			fmt.Fprintf(&b, "\n<details><summary>%d safe</summary>\n", r.Count(level))
		} else {
			fmt.Fprintf(&b, "\n### %s%s\n", strings.ToUpper(string(level[:1])), level[1:])
		}
		b.WriteString("\n| where | what | was | is |\n|---|---|---|---|\n")
		for _, g := range list {
			for i := range g.findings {
				f := &g.findings[i]
				where := string(f.Surface) + " " + code(f.At)
				if n := len(f.Also); n > 0 {
					where += fmt.Sprintf(" and %d more", n)
				}
				if f.Member != "" {
					where += ", " + code(f.Member)
				}
				if f.Audience != "" {
					where += ", audience " + f.Audience
				}
				rule := code(f.Rule)
				if f.Unused {
					rule += ", no trusted document uses it"
				}
				if f.Effect != "" {
					rule += ", " + f.Effect
				}
				fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", where, rule, code(f.Was), code(f.Is))
			}
		}
		if level == safe {
			b.WriteString("\n</details>\n")
			continue
		}
		b.WriteByte('\n')
		for _, g := range list {
			fmt.Fprintf(&b, "- %s: %s. Way out: %s.\n", code(g.rule.Name), g.rule.About, g.rule.WayOut)
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// code is a text as inline code in a cell of a table; "" stays "". A backtick or a bar of the
// text cannot end either.
func code(text string) string {
	if text == "" {
		return ""
	}
	fence := "`"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	pad := ""
	if len(fence) > 1 {
		pad = " "
	}
	text = strings.ReplaceAll(strings.ReplaceAll(text, "\n", " "), "|", `\|`)
	return fence + pad + text + pad + fence
}
