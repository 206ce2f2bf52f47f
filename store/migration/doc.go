// Package migration is how a database's schema changes: what is there is compared with what
// the cards want, the differences become steps, and the steps are a [Plan] that people and
// programs read before anything happens (docs/migrations.md).
//
//	present []*Table                        what a store reads
//	Resolve(task, present, ledger)          Names: the table of an entity, the column of a field
//	wanted []*Table                         what the cards want, under those names
//	Compare(present, wanted)                []Difference, in the order they are applied
//	a store judges each by the rows         []Step: effect, SQL, flag, what a start does
//
// It knows no driver and runs no statement: a store reads its catalogue, counts rows, renders
// SQL and executes it. What steps mean, which of them wait for a flag and which a start
// applies are the same for every store and stand here.
package migration
