package resolvers

import (
	"github.com/frondhost/frond/resolvers/language"
)

// Work is what it takes to measure and to validate a document, counted: how many
// selections, arguments, values, directives, spreads and uses of variables are looked at.
type Work struct{ Measured, Validated int }

// WorkOf counts the work of a text that parses.
func (e *Engine) WorkOf(text string) (w Work, ok bool) {
	doc, f := language.Parse(text, e.limits.Tokens)
	if f != nil {
		return w, false
	}
	found := e.rules.Validate(doc)
	return Work{Measured: found.Measured, Validated: found.Validated}, true
}
