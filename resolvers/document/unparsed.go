package document

import (
	"fmt"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"
	"github.com/vektah/gqlparser/v2/lexer"

	"github.com/frondhost/frond/resolvers/graphqlerror"
)

// unparsed is the fault of a text that does not parse. It points at the first
// character of the token that was not expected, or at the character that no token
// has: gqlparser's lines and columns are those of locate's comment. They find the
// token once more, and where that begins is right.
func unparsed(text string, m masked, failure *gqlerror.Error) *graphqlerror.Error {
	f := &graphqlerror.Error{Message: failure.Message, Code: graphqlerror.CodeParse}
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
			f.Message = gqlerror.WrapIfUnwrapped(err).Message
			switch {
			case strings.HasPrefix(f.Message, "Invalid character escape"):
				start-- // it stands behind the backslash
			case strings.HasPrefix(f.Message, "Cannot parse the unexpected"): // it shows one byte
				f.Message = fmt.Sprintf("Cannot parse the unexpected character %q.", string(at.at(start)))
			case strings.HasPrefix(f.Message, "Unexpected single quote"):
				f.Message = "Unexpected single quote character ('); strings stand in double quotes."
			}
			f.At = []graphqlerror.Location{at.location(start)}
		case at.fault != nil: // a number before it that runs into a name, which the parser took for two tokens
			return at.fault
		case len(failure.Locations) > 0 && t.Pos.Line == failure.Locations[0].Line && t.Pos.Column == failure.Locations[0].Column:
			f.At = []graphqlerror.Location{at.location(t.Pos.Start)}
		case t.Kind != lexer.EOF:
			continue
		}
		f.Message = graphqlerror.Shorten(f.Message)
		return f
	}
}
