// Package pgtest starts PostgreSQL servers for tests out of the binaries that are
// installed on the machine, or those of the folder that PGTEST_BIN names, and pgbouncer in
// front of them. It is imported by tests and
// benchmarks only.
//
// Most tests need an empty database and nothing else:
//
//	url := pgtest.Database(t)
//
// The server behind it is shared by all packages of one `go test` run: the first test
// that needs it starts it (about a second), and a watchdog stops it and removes its
// files when the run has ended, however it ended. It does not wait for its disk (fsync is
// off) and has its files in /dev/shm, where that has 2 GB, so that tests are fast. A test that kills servers, replicates or measures durable
// writes starts a cluster of its own with [New].
//
// Servers listen on 127.0.0.1 alone, on free ports, with the locale C and the encoding
// UTF8. PostgreSQL refuses to run as root: a test that runs as root starts it as the unix
// user `postgres`, which Debian's package makes.
//
// Where the binaries are missing a test is skipped with the reason; with CI set in the
// environment it fails. POSIX systems only.
package pgtest
