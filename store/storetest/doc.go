// Package storetest is the suite every [facade.Store] passes: what the port's
// comments promise, tried out over one small domain of authors, posts and
// comments. A store's own test calls it with a way to open an empty store:
//
//	func TestStore(t *testing.T) {
//		storetest.Run(t, storetest.Harness{Open: func(t testing.TB, entities []*schema.Entity) facade.Store {
//			store, err := sqlite.Open(t.Context(), sqlite.Options{Memory: true})
//			…
//			return store
//		}})
//	}
//
// It also has what tests of other packages share: [Store], a reference store that
// keeps rows in memory and is written to be obviously right; [Project], a small
// project with handlers, seeds and every axis of a card; and [Worst], documents
// that make their readers work. Only tests and bench import this package.
//
// What a store alone can know of (files, migrations, durability) is tested beside
// the store. The suite speaks of rows as JSON text and of fields by name, so a
// failure can be read without knowing any store.
package storetest
