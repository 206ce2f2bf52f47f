package document

import (
	"fmt"
	"sort"
	"strings"
	"unicode/utf8"

	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/lexer"

	"github.com/frondhost/frond/resolvers/graphqlerror"
)

// locate mends the positions of a parsed document. gqlparser's stand behind what an
// element begins with (..., @, a quote), for a block string on the line where it
// ends, and one column too far in lines that end in \r\n; the specification wants
// the beginning of the element (7.1.3). The fault is of a number that runs into a
// name (2.9.1): gqlparser reads 1offset as two tokens.
func locate(text string, m masked, doc *ast.QueryDocument) *graphqlerror.Error {
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
	return l.fault
}

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

type locator struct {
	text   string
	values map[int]*ast.Value  // of strings that the parser was not shown
	runes  []rune              // of text, where it is more than ASCII: positions count runes
	every  bool                // every column may be wrong
	lines  []int               // where each line begins, in runes, once asked for
	fault  *graphqlerror.Error // the first number that runs into a name
}

func (l *locator) at(i int) rune {
	switch {
	case i < 0:
		return 0
	case l.runes != nil:
		return l.runes[i]
	}
	return rune(l.text[i])
}

// plain is a position that stands where its element begins.
func (l *locator) plain(p *ast.Position) {
	if l.every && p != nil {
		l.place(p)
	}
}

// behind is a position behind a mark its element begins with.
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
		p.Column -= len(mark) // the usual: they stand on one line
		return
	}
	l.place(p)
}

// place counts line and column anew.
func (l *locator) place(p *ast.Position) {
	at := l.location(p.Start)
	p.Line, p.Column = at.Line, at.Column
}

// location is the line and the column of a character.
func (l *locator) location(start int) graphqlerror.Location {
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
	return graphqlerror.Location{Line: line, Column: start - l.lines[line-1] + 1}
}

// typ is a type: of a list gqlparser has the position behind the bracket.
func (l *locator) typ(t *ast.Type) {
	for ; t != nil; t = t.Elem {
		if t.Elem != nil {
			l.behind(t.Position, "[")
		} else {
			l.plain(t.Position)
		}
	}
}

func (l *locator) directives(list ast.DirectiveList) {
	for _, d := range list {
		l.behind(d.Position, "@")
		l.arguments(d.Arguments)
	}
}

func (l *locator) arguments(list ast.ArgumentList) {
	for _, a := range list {
		l.plain(a.Position)
		l.value(a.Value)
	}
}

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

// number looks at what follows a number.
func (l *locator) number(text string, start int) {
	end := start + len(text)
	if n := len(l.text); l.fault != nil || end >= n || l.runes != nil && end >= len(l.runes) {
		return
	}
	if c := l.at(end); c == '_' || c|0x20 >= 'a' && c|0x20 <= 'z' {
		l.fault = &graphqlerror.Error{
			Message: fmt.Sprintf("The number %s runs into %q; put a space or a comma between them.", graphqlerror.Shorten(text), string(c)),
			At:      []graphqlerror.Location{l.location(start)},
			Code:    graphqlerror.CodeParse,
		}
	}
}

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

// TypeCondition is the position of the type condition of a fragment that begins at f: behind
// the first word on after what the fragment begins with and its name. gqlparser keeps no
// position of it.
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
