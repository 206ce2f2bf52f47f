package sqltext

import (
	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/schema"
)

// Reach says for how many rows a condition is judged. It decides whether the rows behind a
// relation are looked up one by one or collected once (docs/decisions/sqlite.md).
type Reach uint8

// The numbers of rows a condition is judged for.
const (
	EveryRow   Reach = iota // any number, as in a list
	SharedRows              // few, and several of them may lead to the same rows
	FewRows                 // those of given keys, each once
	SingleRow               // the row of one key
)

// through returns the reach of the rows that a relation leads to. One row leads through a "one"
// relation to one row; everything else may lead to rows that several rows share.
func (r Reach) through(many bool) Reach {
	switch {
	case r == EveryRow, r == SingleRow && !many:
		return r
	}
	return SharedRows
}

// probes says whether the rows behind a relation are looked up row by row:
//
//	few rows, or one:   EXISTS (SELECT 1 FROM "song" AS t1 WHERE t1."album" = t0."id" AND …)
//	any number:         t0."id" IN (SELECT t1."album" FROM "song" AS t1 WHERE …)
//
// For any number of rows the set is computed once per statement. A lookup for each row would
// multiply with every relation that the condition goes through: 2,000 albums of 2,000 songs
// would be four million lookups.
func (r Reach) probes(many bool) bool {
	if many {
		return r >= FewRows
	}
	return r != EveryRow
}

// ReachOf returns the reach of the condition of a list: SingleRow where it names a row by its key,
// else EveryRow.
func ReachOf(f *facade.Filter, e *schema.Entity) Reach {
	if f == nil {
		return EveryRow
	}
	if f.Op == facade.Eq && f.Field == e.Primary {
		return SingleRow
	}
	if f.Op == facade.And {
		for _, sub := range f.Sub {
			if ReachOf(sub, e) == SingleRow {
				return SingleRow
			}
		}
	}
	return EveryRow
}
