// Package replica decides which copy of a PostgreSQL database a read may go to: one that has
// replayed the writes of the reader, that is not late, and that answers.
//
// A write has a [Position] in the log of its server. A [Seal] makes the token of it that
// the writer is given ([consistency.Record]), and judges those that come back. A [Set]
// knows how far each replica was when it last reported, and chooses. The package has no
// connections: package engine asks the servers.
package replica
