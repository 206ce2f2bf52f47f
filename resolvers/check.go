package resolvers

// Problem is what keeps a document from being executed.
type Problem struct {
	Line, Column int // in the document, counted from 1; 0 where it is the whole document
	Code         string
	Message      string
}

// Check says what is wrong with a document before anybody asks for it: what a
// request would be refused for, its variables aside. Nil: every operation in it can
// be executed, and the document is kept as one that was asked for is.
func (e *Engine) Check(text string) []Problem {
	_, faults := e.prepare(text)
	var problems []Problem
	for _, f := range faults {
		p := Problem{Code: f.Code, Message: f.Message}
		if len(f.At) > 0 {
			p.Line, p.Column = f.At[0].Line, f.At[0].Column
		}
		problems = append(problems, p)
	}
	return problems
}
