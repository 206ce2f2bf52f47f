// Package storetest is the suite that every [facade.Store] passes: it tests the promises of the
// port's comments over one small domain of authors, posts and comments. A store's own test calls it
// with a way to open an empty store:
//
//	func TestStore(t *testing.T) {
//		storetest.Run(t, storetest.Harness{Open: func(t testing.TB, entities []*schema.Entity) facade.Store {
//			store, err := sqlite.Open(t.Context(), sqlite.Options{Memory: true})
//			…
//			return store
//		}})
//	}
//
// It also has what tests of other packages share: [Store], a reference store that keeps rows
// in memory and is written to be obviously right; [Project], a small project with handlers,
// seeds and every axis of a card; and [Worst], documents that make their readers work. Only
// tests and bench import this package.
//
// The parts that only one store has (files, migrations, durability) have tests in its own package.
// The suite speaks of rows as JSON text and of fields by name, so a failure can be read without
// knowing any store.
//
// # Files
//
//	values, writes, terms        writes: values, constraints, terms of a write
//	reads, pages                 reads: filters, orders, pages, totals, groups
//	seeds, parallel, random      marks of seeds, many at once, random reads and writes
//	suite, world                 the list of tests, the domain and its short forms
//	transactions                 several calls as one
//	memory, transaction, filter  the reference store
//	project, testdata/project    the test project and its handlers
//	worst                        GraphQL documents that cost
//
// # Reading a failure
//
// A test's name is the promise that is broken, and a case has a name of its own: "ne holds for
// null (-want +got)" is followed by the ids that were expected and those that came. A random
// test prints its seed and the find; the rows of the reference store are those with a minus.
//
// # A new promise
//
// A new test is a function of (*testing.T, *world) in the list of suite.go. It runs against the
// reference store first, which has to follow the port's comment in an obvious way; then against
// every store.
package storetest
