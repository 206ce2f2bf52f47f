package facade

import "slices"

// terms is what has to hold for a write here, for the store to decide in its
// transaction: what the relations of the body lead to, and of a patch that reaches
// into nested objects what it makes of the row as it then stands.
func (t *trip) terms() *Terms {
	terms := &Terms{Points: t.points}
	var read []string
	if t.cond != nil && !t.cond.any() {
		for _, p := range t.asVersion.versioned(t.door.Entity) {
			read = append(read, p.Name)
		}
	}
	if t.merging != nil {
		for _, name := range t.merging.fields {
			if !slices.Contains(read, name) {
				read = append(read, name)
			}
		}
	}
	if terms.Read = NewLayout(read); t.cond != nil || t.merging != nil {
		terms.Judge = t.judged
	}
	return terms
}

// judged is what is written of the row as it stands in the transaction.
func (t *trip) judged(current Row) (Record, error) {
	if t.cond != nil {
		if err := t.judgeVersion(current); err != nil {
			return nil, err
		}
	}
	if t.merging != nil {
		return t.merged(current)
	}
	return nil, nil
}

// orNone is nil for terms that ask for nothing.
func (w *Terms) orNone() *Terms {
	if w.Judge == nil && w.After == nil && w.Points == nil {
		return nil
	}
	return w
}
