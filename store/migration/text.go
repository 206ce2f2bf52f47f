package migration

import (
	"fmt"
	"io"
	"strings"
)

// WriteText writes the plan for a reader, a line for each step and below it the flag that it waits
// for:
//
//	online  add-column    product.size    add the column
//	loses   drop-column   product.colour  drop the column; 2 rows hold a value in it
//	                                      waits for --drop product.colour
func (p *Plan) WriteText(w io.Writer) error {
	var b strings.Builder
	if len(p.Steps) == 0 {
		b.WriteString("nothing to do\n")
	}
	for i := range p.Steps {
		s := &p.Steps[i]
		where := s.Entity
		if s.Field != "" {
			where += "." + s.Field
		}
		text := s.Does
		if s.Rows > 0 && s.Reason == "" {
			text += Count(s.Rows, "; %d row", "; %d rows")
		}
		if s.Bytes > 0 {
			text += fmt.Sprintf("; needs about %d MiB of disk", s.Bytes>>20+1)
		}
		fmt.Fprintf(&b, "%-6s  %-18s  %-20s  %s\n", s.Effect, s.Op, where, text)
		if s.Reason != "" {
			reason := s.Reason
			if len(s.Keys) > 0 {
				reason += " (" + s.listed() + ")"
			}
			fmt.Fprintf(&b, "        refused: %s; %s\n", reason, s.Remedy)
		} else if s.Flag != "" {
			fmt.Fprintf(&b, "        allowed by %s\n", s.Flag)
		}
		if s.Start == Leaves {
			b.WriteString("        a start leaves it as it is\n")
		}
	}
	for _, n := range p.Notices {
		b.WriteString("no card describes " + n + "; it is left alone\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// WriteSQL writes the statements of the plan in the order of their execution, each step after a
// comment that names it. A refused step is only a comment.
func (p *Plan) WriteSQL(w io.Writer) error {
	var b strings.Builder
	around := func(statements []string) {
		for _, sql := range statements {
			if len(p.Steps) > 0 {
				b.WriteString(sql + ";\n")
			}
		}
	}
	around(p.Begin)
	for i := range p.Steps {
		s := &p.Steps[i]
		fmt.Fprintf(&b, "-- %s %s: %s (%s)\n", s.Op, strings.ReplaceAll(s.Where(), "\n", " "), s.Does, s.Effect)
		for _, sql := range s.SQL {
			if s.Refused {
				b.WriteString("-- refused: " + strings.ReplaceAll(sql, "\n", "\n-- ") + ";\n")
			} else {
				b.WriteString(sql + ";\n")
			}
		}
	}
	around(p.End)
	_, err := io.WriteString(w, b.String())
	return err
}
