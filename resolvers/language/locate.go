package language

import (
	"fmt"
	"sort"
	"strings"
	"unicode/utf8"

	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/lexer"
)

// locate corrects the positions of a parsed document to the beginning of each element (GraphQL
// 7.1.2). gqlparser's differ in three ways:
//
//	after the mark that an element begins with    ... @ " [
//	on the last line                              of a block string
//	one column too far                            on lines that end in \r\n
//
// It also puts back the values of strings that the parser was not shown. The error is of a
// number that runs into a name (GraphQL 2.9.1): gqlparser reads 1offset as two tokens.
func locate(text string, m masked, doc *ast.QueryDocument) *Error {
	l := newLocator(text)
	l.values = m.values
	l.every = m.values != nil || strings.Contains(text, "\r")
	for _, op := range doc.Operations {
		l.plain(op.Position)
		for _, v := range op.VariableDefinitions {
			l.plain(v.Position)
			l.typ(v.Type)
			l.value(v.DefaultValue)
			l.directives(v.Directives)
		}
		l.directives(op.Directives)
		l.selections(op.SelectionSet)
	}
	for _, f := range doc.Fragments {
		l.plain(f.Position)
		l.directives(f.Directives)
		l.selections(f.SelectionSet)
	}
	return l.err
}

// newLocator returns a locator for text. A text of ASCII alone needs no slice of runes.
func newLocator(text string) *locator {
	l := &locator{text: text}
	for i := range len(text) {
		if text[i] >= utf8.RuneSelf {
			l.runes = []rune(text)
			break
		}
	}
	return l
}

// locator finds lines and columns in one text. gqlparser's positions count runes, so all of
// its indexes do too.
type locator struct {
	text   string
	values map[int]*ast.Value // of strings that the parser was not shown
	runes  []rune             // of text, where it is more than ASCII: positions count runes
	every  bool               // every column may be wrong
	lines  []int              // where each line begins, in runes, once asked for
	err    *Error             // the first number that runs into a name
}

// at returns the rune at an index, 0 before the text.
func (l *locator) at(i int) rune {
	switch {
	case i < 0:
		return 0
	case l.runes != nil:
		return l.runes[i]
	}
	return rune(l.text[i])
}

// plain corrects the position of an element that gqlparser locates at its beginning: only
// where columns may be wrong at all.
func (l *locator) plain(p *ast.Position) {
	if l.every && p != nil {
		l.place(p)
	}
}

// behind corrects a position that is after the mark at the beginning of its element. White
// space and commas may separate them: in "@ skip" the element begins at the @.
func (l *locator) behind(p *ast.Position, mark string) {
	if p == nil {
		return
	}
	i := p.Start - 1
	for strings.ContainsRune(" \t,\r\n\uFEFF", l.at(i)) { // a comment in between keeps the position as it is
		i--
	}
	if l.at(i) != rune(mark[0]) { // all of a mark is one character, once or three times
		l.plain(p)
		return
	}
	i -= len(mark) - 1
	near := p.Start-i == len(mark)
	p.Start = i
	if near && !l.every {
		p.Column -= len(mark) // the usual case: both are on one line
		return
	}
	l.place(p)
}

// place sets line and column by the index in the text.
func (l *locator) place(p *ast.Position) {
	at := l.location(p.Start)
	p.Line, p.Column = at.Line, at.Column
}

// location returns the line and the column of a rune, both from 1. A line ends at \n, \r or
// \r\n (GraphQL 2.1.2). The table of lines is made at the first call.
func (l *locator) location(start int) Location {
	if l.lines == nil {
		l.lines = []int{0}
		n := len(l.text)
		if l.runes != nil {
			n = len(l.runes)
		}
		for i := range n {
			if c := l.at(i); c == '\n' || c == '\r' && (i+1 == n || l.at(i+1) != '\n') {
				l.lines = append(l.lines, i+1)
			}
		}
	}
	line := sort.SearchInts(l.lines, start+1)
	return Location{Line: line, Column: start - l.lines[line-1] + 1}
}

// typ corrects a type and all types inside it. gqlparser gives a list the position after its
// bracket.
func (l *locator) typ(t *ast.Type) {
	for ; t != nil; t = t.Elem {
		if t.Elem != nil {
			l.behind(t.Position, "[")
		} else {
			l.plain(t.Position)
		}
	}
}

// directives corrects directives, each to its @, and their arguments.
func (l *locator) directives(list ast.DirectiveList) {
	for _, d := range list {
		l.behind(d.Position, "@")
		l.arguments(d.Arguments)
	}
}

// arguments corrects arguments and their values.
func (l *locator) arguments(list ast.ArgumentList) {
	for _, a := range list {
		l.plain(a.Position)
		l.value(a.Value)
	}
}

// value corrects a literal and all literals in it, and puts the value of a string back that
// was masked.
func (l *locator) value(v *ast.Value) {
	switch {
	case v == nil:
		return
	case v.Kind == ast.StringValue || v.Kind == ast.BlockValue:
		l.place(v.Position)
		if own := l.values[v.Position.Start]; own != nil {
			v.Kind, v.Raw = own.Kind, own.Raw
		}
	default:
		l.plain(v.Position)
		if v.Kind == ast.IntValue || v.Kind == ast.FloatValue {
			l.number(v.Raw, v.Position.Start)
		}
	}
	for _, c := range v.Children {
		l.plain(c.Position)
		l.value(c.Value)
	}
}

// number notes an error if a letter or _ follows a number directly (GraphQL 2.9.1, 2.9.2). text
// is the number, start its offset.
func (l *locator) number(text string, start int) {
	end := start + len(text)
	if n := len(l.text); l.err != nil || end >= n || l.runes != nil && end >= len(l.runes) {
		return
	}
	if c := l.at(end); c == '_' || c|0x20 >= 'a' && c|0x20 <= 'z' {
		l.err = &Error{
			Message: fmt.Sprintf("The number %s runs into %q; put a space or a comma between them.", Shorten(text), string(c)),
			At:      []Location{l.location(start)},
			Code:    codeParse,
		}
	}
}

// selections corrects a selection set with all below it. A spread and an inline fragment begin
// at their three dots.
func (l *locator) selections(set ast.SelectionSet) {
	for _, sel := range set {
		switch sel := sel.(type) {
		case *ast.Field:
			l.plain(sel.Position)
			l.arguments(sel.Arguments)
			l.directives(sel.Directives)
			l.selections(sel.SelectionSet)
		case *ast.FragmentSpread:
			l.behind(sel.Position, "...")
			l.directives(sel.Directives)
		case *ast.InlineFragment:
			l.behind(sel.Position, "...")
			l.directives(sel.Directives)
			l.selections(sel.SelectionSet)
		}
	}
}

// TypeCondition returns the position of the type condition of a fragment that begins at f.
// gqlparser does not keep it, so it is the position of the first name after `on`.
//
//	fragment f on Post { … }
//	              ^
//
// Without a condition it returns f. The document is scanned again, so it is for error messages
// only.
func TypeCondition(f *ast.Position) *ast.Position {
	runes := []rune(f.Src.Input)
	l := lexer.New(&ast.Source{Input: string(runes[f.Start:])})
	for on := false; ; {
		t, err := l.ReadToken()
		switch {
		case err != nil || t.Kind == lexer.EOF:
			return f
		case t.Kind != lexer.Name:
		case on:
			p := t.Pos
			p.Start += f.Start
			newLocator(f.Src.Input).place(&p)
			return &p
		default:
			on = t.Value == "on"
		}
	}
}
