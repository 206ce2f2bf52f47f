// Package migration plans the changes of a database's schema: it compares the database's tables
// with the cards' tables and makes each difference a step. The steps are a [Plan] that people
// and programs read before it is applied (docs/migrations.md).
//
//	Planner.Present                      the tables of the database
//	resolve(task, present, ledger)       Names: the table of an entity, the column of a field
//	Database.Compile(names)              the tables of the cards, under those names
//	compare(present, wanted)             []Difference, in the order they are applied
//	Change.Judge(difference)             Step: its effect by the rows, its flag, its refusal
//	Database.Create, Alter, Rename       Step.SQL
//
// It does not import a driver: an engine implements [Database], over which [Planner.Make] takes these
// steps, renders the SQL of each and executes it. The meaning of steps, the flags that some need and
// the steps that a start applies are the same for every store, and defined here.
package migration
