package document

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"
	"github.com/vektah/gqlparser/v2/parser"

	"github.com/frondhost/frond/resolvers/graphqlerror"
)

// Parse parses a document and gives its elements the positions that GraphQL 7.1.2 asks for.
// tokens is the largest number of tokens; 0 or less means any number. The error has the code
// GRAPHQL_PARSE_FAILED, or TOKEN_LIMIT_EXCEEDED; the document is nil then. A document without
// an operation is an error too, since it cannot be executed.
//
// It may be called from many goroutines. The size of the text is not limited here.
func Parse(text string, tokens int) (*ast.QueryDocument, *graphqlerror.Error) {
	if strings.TrimSpace(text) == "" {
		return nil, &graphqlerror.Error{Message: "The request has no query; send a document in the member query.", Code: graphqlerror.CodeParse}
	}
	// Positions count runes, and JSON messages quote the text: both need UTF-8.
	if !utf8.ValidString(text) {
		return nil, &graphqlerror.Error{Message: "The document is not UTF-8; send it as UTF-8.", Code: graphqlerror.CodeParse}
	}
	tokens = max(tokens, 0) // to the parser, 0 means no limit
	m := mask(text)
	src := &ast.Source{Input: m.text}
	doc, err := parser.ParseQueryWithTokenLimit(src, tokens)
	if err != nil {
		failure := gqlerror.WrapIfUnwrapped(err)
		// gqlparser has only this text for its limit, not an error value.
		if failure.Message == fmt.Sprintf("exceeded token limit of %d", tokens) {
			return nil, graphqlerror.ForLimit(graphqlerror.CodeTokens, tokens, "The document has more than %d tokens; send a shorter one.")
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
		return nil, &graphqlerror.Error{Message: "The document has no operation, only fragments; add a query or a mutation.", Code: graphqlerror.CodeParse}
	}
	return doc, nil
}
