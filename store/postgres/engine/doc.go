// Package engine speaks to a PostgreSQL server: connections and their pool, statements and
// their budget of time, transactions and what errors mean. It knows no cards and no tables.
//
// Connections are made by pgconn, which knows addresses, TLS and authentication as libpq does.
// The messages of the extended query protocol are sent here, so that what belongs together
// (a statement's text, its values, the begin and the end of a transaction) is one round trip,
// and rows are read from the bytes that came.
package engine
