package resolvers

// Work is what it takes to measure and to validate a document, counted: how many
// selections, arguments, values, directives, spreads and uses of variables are looked at.
type Work struct{ Measured, Validated int }

// WorkOf counts the work of a text that parses.
func (e *Engine) WorkOf(text string) (w Work, ok bool) {
	doc, f := e.parse(text)
	if f != nil {
		return w, false
	}
	m := newMeter(&e.limits, doc)
	f = m.run(doc)
	w.Measured = m.steps
	if f != nil {
		return w, true
	}
	v := newValidation(e, doc)
	v.run()
	w.Validated = v.steps
	return w, true
}
