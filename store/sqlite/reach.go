package sqlite

import (
	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/schema"
)

// reach is how many rows a condition is judged for. It decides how the rows behind
// a relation are looked for (docs/decisions/218).
type reach uint8

const (
	everyRow   reach = iota // any number, as in a list
	sharedRows              // few, and several of them may lead to the same rows
	fewRows                 // those of given keys, each once
	singleRow               // the row of one key
)

// through is the reach of the rows that a relation leads to.
func (r reach) through(many bool) reach {
	switch {
	case r == everyRow, r == singleRow && !many:
		return r
	}
	return sharedRows
}

// probes says whether the rows behind a relation are looked up row by row. Where any
// number of rows is judged, or several that share what they lead to, the keys that
// meet the condition are computed once instead: a lookup for each row multiplies
// with every relation it goes through.
func (r reach) probes(many bool) bool {
	if many {
		return r >= fewRows
	}
	return r != everyRow
}

// reachOf is the reach of a list's condition: one that names a row by its key.
func reachOf(f *facade.Filter, e *schema.Entity) reach {
	if f == nil {
		return everyRow
	}
	if f.Op == facade.Eq && f.Field == e.Primary {
		return singleRow
	}
	if f.Op == facade.And {
		for _, sub := range f.Sub {
			if reachOf(sub, e) == singleRow {
				return singleRow
			}
		}
	}
	return everyRow
}
