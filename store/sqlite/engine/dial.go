package engine

import (
	"context"
	"fmt"

	sqlite3 "github.com/ncruces/go-sqlite3"

	"github.com/frondhost/frond/facade/kiterror"
)

// dial opens a connection; all connections of a database are opened here. The busy timeout comes
// first: the pragmas after it may already wait for a lock.
//
//	foreign_keys        ON      SQLite ignores them otherwise
//	temp_store          MEMORY  a container's root may be read-only; a change of tables sorts in files if it can
//	synchronous         FULL    a commit is durable before it is answered
//	journal_mode        WAL     readers and the writer do not wait for each other; not in memory
//	journal_size_limit  16 MiB  see largeWAL
//	query_only          ON      readers only: a reader cannot write
//	hard_heap_limit     32 MiB  readers only: see readerMemory
func (d *DB) dial(ctx context.Context, reader bool) (_ *Conn, err error) {
	if err := d.file.lost(); err != nil {
		return nil, fmt.Errorf("%w%w", errLost, hidden{err}) // opening would make a new, empty one
	}
	db, err := sqlite3.OpenContext(ctx, d.uri)
	if err != nil {
		return nil, err
	}
	c := &Conn{db: db, stmts: map[string]*Stmt{}, Limit: d.opts.Statement, slow: d.opts.Slow, slowLog: d.slowLog, measure: d.opts.Measure, log: d.log}
	defer func() {
		if err != nil {
			_ = c.Close() // the error at hand is the one to report
		}
	}()
	if err := db.BusyTimeout(d.opts.BusyTimeout); err != nil {
		return nil, err
	}
	pragmas := "PRAGMA foreign_keys = ON; PRAGMA temp_store = MEMORY; PRAGMA synchronous = FULL;"
	if !d.opts.Memory {
		pragmas += fmt.Sprintf(" PRAGMA journal_mode = WAL; PRAGMA journal_size_limit = %d;", largeWAL)
	}
	if reader {
		pragmas += fmt.Sprintf(" PRAGMA query_only = ON; PRAGMA hard_heap_limit = %d;", readerMemory)
	}
	if err := db.Exec(pragmas); err != nil {
		return nil, err
	}
	if d.opts.Extend != nil {
		if err := d.opts.Extend(db, reader); err != nil {
			return nil, err
		}
	}
	c.trace, c.modules = d.opts.Trace, d.opts.Modules
	return c, nil
}

// readerMemory is how many bytes SQLite may take for one connection that reads
// (docs/decisions/budgets.md). A sort without an index keeps every row before the page's last, and
// the memory stays with the connection. The connection that writes builds indexes and has no
// limit.
const readerMemory = 32 << 20

// outOfMemory says whether a read has panicked because its memory was not enough: the library
// turns NOMEM into a panic whose value is an error of its text.
func outOfMemory(panicked any) bool {
	err, ok := panicked.(error)
	return ok && err.Error() == sqlite3.NOMEM.Error() // what the library panics with has no name
}

// errSort returns the caller's error for such a read: BAD_REQUEST with what to do instead.
func errSort() error {
	return kiterror.Errorf(kiterror.BadRequest, "the sort exceeds a read's memory; narrow the filter, or sort by indexed fields")
}
