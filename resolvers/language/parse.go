package language

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"
	"github.com/vektah/gqlparser/v2/lexer"
	"github.com/vektah/gqlparser/v2/parser"
)

// Parse parses a document and gives its elements the positions that GraphQL 7.1.2 asks for.
// tokens is the largest number of tokens; 0 or less means any number. The error has the code
// GRAPHQL_PARSE_FAILED, or TOKEN_LIMIT_EXCEEDED; the document is nil then. A document without
// an operation is an error too, since it cannot be executed.
//
// It may be called from many goroutines. The size of the text is not limited here.
func Parse(text string, tokens int) (*ast.QueryDocument, *Error) {
	if strings.TrimSpace(text) == "" {
		return nil, &Error{Message: "The request has no query; send a document in the member query.", Code: codeParse}
	}
	// Positions count runes, and JSON messages quote the text: both need UTF-8.
	if !utf8.ValidString(text) {
		return nil, &Error{Message: "The document is not UTF-8; send it as UTF-8.", Code: codeParse}
	}
	tokens = max(tokens, 0) // to the parser, 0 means no limit
	m := mask(text)
	src := &ast.Source{Input: m.text}
	doc, err := parser.ParseQueryWithTokenLimit(src, tokens)
	if err != nil {
		failure := gqlerror.WrapIfUnwrapped(err)
		// gqlparser has only this text for its limit, not an error value.
		if failure.Message == fmt.Sprintf("exceeded token limit of %d", tokens) {
			return nil, ForLimit(codeTokens, tokens, "The document has more than %d tokens; send a shorter one.")
		}
		return nil, unparsed(text, m, failure)
	}
	// On the original text: the masked one may have other strings in place of these.
	if f := halfPair(text); f != nil {
		return nil, f
	}
	// From here on positions refer to the text as it was sent.
	src.Input = text // what positions refer to from here on
	if f := locate(text, m, doc); f != nil {
		return nil, f
	}
	if len(doc.Operations) == 0 {
		return nil, &Error{Message: "The document has no operation, only fragments; add a query or a mutation.", Code: codeParse}
	}
	return doc, nil
}

// unparsed returns the error of a text that does not parse. It points at the first character of
// the unexpected token, or at the character that begins no token. gqlparser's line and column
// have the errors that locate corrects, so the text is scanned once more for the token that has
// them, and the index of that token is right.
func unparsed(text string, m masked, failure *gqlerror.Error) *Error {
	f := &Error{Message: failure.Message, Code: codeParse}
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
			f.At = []Location{at.location(start)}
		case at.err != nil: // a number before it that runs into a name, which the parser took for two tokens
			return at.err
		case len(failure.Locations) > 0 && t.Pos.Line == failure.Locations[0].Line && t.Pos.Column == failure.Locations[0].Column:
			f.At = []Location{at.location(t.Pos.Start)}
		case t.Kind != lexer.EOF:
			continue
		}
		f.Message = Shorten(f.Message)
		return f
	}
}
