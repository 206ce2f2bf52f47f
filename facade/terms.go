package facade

// terms is what has to hold for a write here, for the store to decide in its
// transaction: what the relations of the body lead to, and of a patch that reaches
// into nested objects what it makes of the row as it then stands.
func (t *trip) terms() *Terms {
	terms := &Terms{Points: t.points}
	if t.merging != nil {
		terms.Read, terms.Judge = t.merging.layout, t.merged
	}
	return terms
}

// orNone is nil for terms that ask for nothing.
func (w *Terms) orNone() *Terms {
	if w.Judge == nil && w.After == nil && w.Points == nil {
		return nil
	}
	return w
}
