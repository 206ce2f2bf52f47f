package resolvers

// Problem is one reason why a document cannot be executed.
type Problem struct {
	Line, Column int // in the document, counted from 1; 0 where it is the whole document
	Code         string
	Message      string
}

// Check validates a document before any request sends it. It returns what a request with
// this document would be refused for, except for its variables. Nil: every operation of the
// document can be executed, and the document is in the cache.
func (e *Engine) Check(text string) []Problem {
	_, errs := e.prepare(text)
	var problems []Problem
	for _, f := range errs {
		p := Problem{Code: f.Code, Message: f.Message}
		if len(f.At) > 0 {
			p.Line, p.Column = f.At[0].Line, f.At[0].Column
		}
		problems = append(problems, p)
	}
	return problems
}
