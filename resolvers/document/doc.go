// Package document reads the text of a GraphQL document.
//
// gqlparser parses it. This package corrects gqlparser's differences from the specification,
// and knows no schemas:
//
//	parse.go       Parse: from a text to a document, or to one error
//	strings.go     block strings and control characters that its lexer misreads (2.1.1, 2.9.4)
//	surrogates.go  escapes that are half a surrogate pair (2.9.4)
//	locate.go      positions at the beginning of each element (7.1.2)
//	unparsed.go    the place of the token that was not expected
//	canonical.go   arguments as one text, however they are written
package document
