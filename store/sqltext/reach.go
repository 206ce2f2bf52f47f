package sqltext

import (
	"github.com/frondhost/frond/facade/filter"
	"github.com/frondhost/frond/schema"
)

// reach says for how many rows a condition is judged. It decides whether the rows of a relation are
// looked up one by one or collected once (docs/decisions/sqlite.md).
type reach uint8

// The numbers of rows a condition is judged for.
const (
	everyRow   reach = iota // any number, as in a list
	sharedRows              // few, and several of them may lead to the same rows
	fewRows                 // those of given keys, each once
	singleRow               // the row of one key
)

// through returns the reach of the rows that a relation leads to. One row leads through a "one"
// relation to one row; everything else may lead to rows that several rows share.
func (r reach) through(many bool) reach {
	switch {
	case r == everyRow, r == singleRow && !many:
		return r
	}
	return sharedRows
}

// probes reports whether the rows of a relation are looked up row by row:
//
//	few rows, or one:   EXISTS (SELECT 1 FROM "song" AS t1 WHERE t1."album" = t0."id" AND …)
//	any number:         t0."id" IN (SELECT t1."album" FROM "song" AS t1 WHERE …)
//
// For any number of rows the set is computed once per statement. A lookup for each row would
// multiply with every relation that the condition goes through: 2,000 albums of 2,000 songs
// would be four million lookups.
func (r reach) probes(many bool) bool {
	if many {
		return r >= fewRows
	}
	return r != everyRow
}

// reachOf returns the reach of the condition of a list: singleRow where it names a row by its key,
// else everyRow.
func reachOf(f *filter.Filter, e *schema.Entity) reach {
	if f == nil {
		return everyRow
	}
	if f.Op == filter.Eq && f.Field == e.Primary {
		return singleRow
	}
	if f.Op == filter.And {
		for _, sub := range f.Sub {
			if reachOf(sub, e) == singleRow {
				return singleRow
			}
		}
	}
	return everyRow
}
