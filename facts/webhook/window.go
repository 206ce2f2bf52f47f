package webhook

import "github.com/frondhost/frond/facade"

// window knows up to where everything that was read is done with: delivered, dead, or kept in
// the store to be tried again.
type window struct {
	marks []*mark // in the order of positions
	upto  facade.Position
}

// mark is a position that is passed once its event is done with.
type mark struct {
	at   facade.Position
	done bool
}

// add appends a position and returns its mark.
func (w *window) add(at facade.Position) *mark {
	m := &mark{at: at}
	w.marks = append(w.marks, m)
	return m
}

// pass moves over what is done with and returns the position.
func (w *window) pass() facade.Position {
	n := 0
	for ; n < len(w.marks) && w.marks[n].done; n++ {
		w.upto = w.marks[n].at
	}
	w.marks = w.marks[n:]
	return w.upto
}
