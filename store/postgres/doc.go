// Package postgres keeps the rows of entities in PostgreSQL: it answers [facade.Store] over
// a server that several gateways may share.
//
// Tables come from cards. [Store.Prepare] makes missing tables and columns, and refuses other
// changes by name:
//
//	store, err := postgres.Open(postgres.Options{URL: "postgres://shop@db.test/shop"})
//	…
//	err = store.Prepare(ctx, set.Entities)
//
// # Writing
//
// A write without conditions is one statement; every other one is a transaction, serializable where
// it reads other rows than the one it locks, and run again where another one came between. An
// answered write is committed. A connection that breaks during a commit is reported as an unknown
// outcome (details {outcome: unknown}).
//
// # Reading
//
// A statement's text is made of the shape of a read alone, and is prepared once for each
// connection. Values go out and rows come in as bytes of the wire: columns are appended to the
// answer as JSON text, by decoders that the column's type decides.
//
// # In the database
//
// A table is called as the entity's key, a column as its field; all are in one schema (?schema= of
// the URL, else public). The program's own tables are in the schema frond. Texts have the collation
// "C", so that they are ordered as in SQLite.
package postgres
