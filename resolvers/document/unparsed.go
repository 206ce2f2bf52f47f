package document

import (
	"fmt"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"
	"github.com/vektah/gqlparser/v2/lexer"

	"github.com/frondhost/frond/resolvers/graphqlerror"
)

// unparsed returns the error of a text that does not parse. It points at the first character
// of the token that was not expected, or at the character that begins no token. gqlparser's
// line and column have the errors that locate corrects, so the text is scanned once more for
// the token that has them, and the index of that token is right.
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
				start-- // it follows the backslash
			case strings.HasPrefix(f.Message, "Cannot parse the unexpected"): // it shows one byte
				f.Message = fmt.Sprintf("Cannot parse the unexpected character %q.", string(at.at(start)))
			case strings.HasPrefix(f.Message, "Unexpected single quote"):
				f.Message = "Unexpected single quote character ('); write strings in double quotes."
			}
			f.At = []graphqlerror.Location{at.location(start)}
		case at.err != nil: // a number before it that runs into a name, which the parser took for two tokens
			return at.err
		case len(failure.Locations) > 0 && t.Pos.Line == failure.Locations[0].Line && t.Pos.Column == failure.Locations[0].Column:
			f.At = []graphqlerror.Location{at.location(t.Pos.Start)}
		case t.Kind != lexer.EOF:
			continue
		}
		f.Message = graphqlerror.Shorten(f.Message)
		return f
	}
}
