// Package migration plans the changes of a database's schema: it compares the tables of the
// database with those of the cards and makes each difference a step. The steps are a [Plan] that
// people and programs read before it is applied (docs/migrations.md).
//
//	present []*Table                        the tables of the database
//	Resolve(task, present, ledger)          Names: the table of an entity, the column of a field
//	wanted []*Table                         the tables of the cards, under those names
//	Compare(present, wanted)                []Difference, in the order they are applied
//	a store judges each by the rows         []Step: effect, SQL, flag, treatment by a start
//
// It does not import a driver or run statements: a store reads its catalogue, counts rows, renders
// SQL and executes it. The meaning of steps, the flags that some need and the steps that a start
// applies are the same for every store, and defined here.
package migration
