package resolvers

// memo holds the places of the texts of a result's rows, as one selection writes them: by row,
// from base on in the writer's spans.
type memo struct {
	res  *result
	sel  *selectionSet
	base int
}

// span is a part of the answer's text; the zero span means that the row is not written yet.
type span struct{ from, to int }

// maxMemos is how many memos there are in one response: they are searched one by one.
const maxMemos = 8

// again writes a row that many parents may refer to, such as the author of a thousand posts:
// its text is made once, and copied for every other parent. Errors have paths, which differ;
// after the first error no text is copied, so a copy never hides one.
func (w *writer) again(r *run, sel *selectionSet, res *result, i int) bool {
	at := w.memo(res, sel)
	if at < 0 {
		return w.object(r, sel, res, i)
	}
	// Written before: an unwritten row has the zero span.
	if s := w.spans[at+i]; s.to > 0 {
		w.text = append(w.text, w.text[s.from:s.to]...)
		return true
	}
	from := len(w.text)
	if !w.object(r, sel, res, i) {
		return false
	}
	// An error inside this row has the path of this parent; the next parent gets one of its
	// own.
	if len(w.errs) == 0 {
		w.spans[at+i] = span{from, len(w.text)}
	}
	return true
}

// memo returns the base of a result's memo for a selection, made at the first call, or -1 if
// there are too many.
func (w *writer) memo(res *result, sel *selectionSet) int {
	for _, m := range w.memos {
		if m.res == res && m.sel == sel {
			return m.base
		}
	}
	if len(w.memos) == maxMemos {
		return -1
	}
	// A span is two ints; the account is charged for one of each row.
	w.reserve(16 * res.Items)
	base := len(w.spans)
	for range res.Items {
		w.spans = append(w.spans, span{})
	}
	w.memos = append(w.memos, memo{res, sel, base})
	return base
}
