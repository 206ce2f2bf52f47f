// Package engine runs SQL on one SQLite database for many goroutines: one connection
// writes and others read. It knows no entities and no cards; package sqlite makes the
// statements.
//
//	Write   waits in a queue; the writes that wait together share one transaction,
//	        and so one fsync, each in a savepoint of its own          writer.go
//	Read    takes a connection from a pool in which some are kept for short reads,
//	        and no request can hold all                             pool.go
//	Conn    prepares a statement once, binds values, interrupts it when its caller
//	        has gone or its time is used up                           conn.go, budget.go
//
// Around them: the file is watched, so that no write to a lost file is acknowledged (file.go), its
// log is emptied (checkpoint.go), one process serves it (file.go), and it is copied while it is in
// use (backup.go).
//
// Errors that pass by themselves leave as SERVICE_UNAVAILABLE, every other one that has
// no code of its own as INTERNAL_ERROR around the cause (failure.go).
package engine
