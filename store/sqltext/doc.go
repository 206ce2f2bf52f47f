// Package sqltext writes the SQL that every SQL store writes: filters, relations, orders, pages
// after a cursor, the terms of a write. It knows tables and columns as plain descriptions ([Table],
// [Column]) and no database driver; what one database writes otherwise is behind [Dialect].
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
// A [Reading] is the state of one [facade.Find]: its selection and order, the rows so far, and the
// keys of its cursors. A [Terms] compiles the conditions of a write. The store runs the statements
// and reads their columns.
//
// Values have one form for all databases ([Encode], [operand]): a date-time, for one, is UTC text
// with six decimals. A store converts a Value for its driver.
package sqltext
