// Package sqlite is the embedded store: it answers [facade.Store] over one
// SQLite file, or over a database in memory, through the native API of
// ncruces/go-sqlite3.
//
// Tables come from cards. [Store.Prepare] makes missing tables and columns, and applies changes
// that keep every value. Before its first change it refuses all others by name:
//
//	store, err := sqlite.Open(ctx, sqlite.Options{Path: ".frond/shop.db"})
//	…
//	err = store.Prepare(ctx, set.Entities)
//
// # Writing
//
// One goroutine owns the one connection that writes. Writes that wait at the same time share a
// transaction, and so its one fsync (synchronous=FULL): each runs in its own savepoint, so one that
// fails fails alone, and each caller is answered after the commit. An answered write survives kill
// -9.
//
// # Reading
//
// Readers run side by side, each on a connection of a pool, in WAL mode. A statement's text is made
// of the shape of a read alone and is prepared once per connection; all values of callers are
// bound. Rows are appended as JSON text straight from the columns, by encoders the card decides.
//
// # In the file
//
// A table is called as the entity's key, a column as its field; a name with signs beyond letters,
// digits, "_" and "-" is written as "~" and its bytes in hex. The database is its only record: a
// migration reads its CREATE statements. decimal columns carry the collation "decimal", which the
// sqlite3 shell knows too.
package sqlite
