package adopt

import (
	"fmt"
	"strings"
)

// headings are the beginnings of the report's sections, in their order.
var headings = []struct {
	kind        NoteKind
	title, text string
}{
	{Skipped, "Left out", "No card has these. The note of each says how to add it."},
	{restricted, "Doors with fewer operations", "The doors leave out operations that the database cannot carry out."},
	{policied, "Row-level security", "The database judges by its own role, which all callers of the gateway share. Write these conditions as access rules: `frond.yaml` has lines to begin with."},
	{smart, "Smart comments", "PostGraphile reads these lines of comments, and cards do not have them. Write `operations` of the door, `readOnly` or `hide` of a rule, or another name in their place."},
	{joined, "Join tables", "A table between two others is an entity with a relation to each; from either side its rows lead to the other."},
	{suggested, "Secrets and bookkeeping", "Callers reach these without further settings. The lines to change are in `frond.yaml`."},
	{named, "Names that were settled", "Another name than the regular one, and why."},
	{asText, "Values as text", "Cards lack these types. Values are read and sent as the text that the database writes."},
	{held, "Held by the database", "Cards do not say these rules. A write that breaks one is refused by the database."},
}

// Report is INIT.md: the project's part of the database, and remarks for the user.
func (p *Project) Report() string {
	var b strings.Builder
	fmt.Fprintf(&b, "# Report of the database\n\n%s, %s. `frond init` wrote this page; it is not read again.\n\n", p.Product, p.Summary())
	if len(p.Entities) > 0 {
		b.WriteString("| table | entity | key | relations |\n|---|---|---|---|\n")
	}
	for _, e := range p.Entities {
		key := e.primary().Name
		if e.Key != nil {
			key += " of " + strings.Join(e.Key, ", ")
		}
		var relations []string
		for _, f := range e.Fields {
			if f.Relation != nil {
				relations = append(relations, f.Name)
			}
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", cell(e.Table.FullName()), e.Name, key, strings.Join(relations, ", "))
	}
	for _, h := range headings {
		first := true
		for _, n := range p.Notes {
			if n.Kind != h.kind {
				continue
			}
			if first {
				fmt.Fprintf(&b, "\n## %s\n\n%s\n\n", h.title, h.text)
				first = false
			}
			fmt.Fprintf(&b, "- %s\n", n)
		}
	}
	return b.String()
}

// Summary is how much became what, in one line.
func (p *Project) Summary() string {
	relations, skipped := 0, 0
	for _, e := range p.Entities {
		for _, f := range e.Fields {
			if f.Relation != nil && !f.Relation.Many {
				relations++
			}
		}
	}
	for _, n := range p.Notes {
		if n.Kind == Skipped {
			skipped++
		}
	}
	return fmt.Sprintf("%s, %s, %s left out", count(len(p.Entities), "entity", "entities"), count(relations, "relation", "relations"), count(skipped, "thing", "things"))
}

// String is the note in one line: table.column: why.
func (n Note) String() string {
	at := n.Table
	switch {
	case n.What == "":
	case strings.Contains(n.What, " "):
		at += ", " + n.What
	default:
		at += "." + n.What
	}
	return strings.ReplaceAll(at+": "+n.Why, "\n", " ")
}

// cell is a text within a table of Markdown.
func cell(s string) string { return strings.ReplaceAll(s, "|", `\|`) }

// count is a number with its noun.
func count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
