// Package sqltext writes the SQL that every SQL store writes: filters, relations, orders,
// pages behind a cursor, the terms of a write. It knows tables and columns as plain
// descriptions ([Table], [Column]) and no database driver; what one database writes
// otherwise is behind [Dialect].
//
// A [Builder] writes one statement. Its text follows from the shape of a call alone, so that
// equal shapes are equal texts and share a prepared statement. Everything that a caller sent
// is a bound [Value]:
//
//	b := db.Builder()
//	defer b.Free()
//	b.Text("SELECT count(*) FROM ", t.Name, " AS t0 WHERE ")
//	b.Filter(where, t, "t0")   // t0."price" < ?
//	… run b.SQL with b.Args
//
// A [Reading] is the state of one [facade.Find]: what is selected and in which order, the rows
// as they come, and the keys of which cursors are made. A [Terms] compiles what has to hold
// for a write. Running the statements and reading their columns is the store's own.
//
// Values have one form whatever the database ([Encode], [Operand]): a date-time, for one, is
// UTC text with six decimals. A store turns a Value into what its driver takes.
package sqltext
