package resolvers

import (
	"fmt"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"
	"github.com/vektah/gqlparser/v2/lexer"
)

// unparsed is the fault of a text that does not parse. It points at the first
// character of the token that was not expected, or at the character that no token
// has: gqlparser's lines and columns are those of locate's comment. They find the
// token once more, and where that begins is right.
func unparsed(text string, m masked, told *gqlerror.Error) *fault {
	f := &fault{message: told.Message, code: CodeParse}
	at := newLocator(text)
	l := lexer.New(&ast.Source{Input: m.text})
	for {
		t, err := l.ReadToken()
		if t.Kind == lexer.Int || t.Kind == lexer.Float {
			at.number(t.Value, t.Pos.Start)
		}
		switch {
		case err != nil: // the parser only says that it did not expect it
			start := t.Pos.End
			f.message = gqlerror.WrapIfUnwrapped(err).Message
			switch {
			case strings.HasPrefix(f.message, "Invalid character escape"):
				start-- // it stands behind the backslash
			case strings.HasPrefix(f.message, "Cannot parse the unexpected"): // it shows one byte
				f.message = fmt.Sprintf("Cannot parse the unexpected character %q.", string(at.at(start)))
			case strings.HasPrefix(f.message, "Unexpected single quote"):
				f.message = "Unexpected single quote character ('); strings stand in double quotes."
			}
			f.at = []location{at.location(start)}
		case at.fault != nil: // a number before it that runs into a name, which the parser took for two tokens
			return at.fault
		case len(told.Locations) > 0 && t.Pos.Line == told.Locations[0].Line && t.Pos.Column == told.Locations[0].Column:
			f.at = []location{at.location(t.Pos.Start)}
		case t.Kind != lexer.EOF:
			continue
		}
		f.message = short(f.message)
		return f
	}
}
