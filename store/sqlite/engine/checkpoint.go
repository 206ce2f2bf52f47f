package engine

import (
	"time"

	sqlite3 "github.com/ncruces/go-sqlite3"
)

// SQLite moves the write-ahead log into the database by itself, every 1000 pages, but restarts the
// log only at a moment when no reader uses it. A busy store would have a log without end, and a
// store that just wrote its first rows an empty database file. So the writer empties the log when
// it has been idle for a moment, and insists when the log has grown large.
const (
	// idleBefore is how long no write may have come before the log is emptied.
	idleBefore = time.Second
	// largeWAL is the size in bytes from which the log is emptied under load, and to which
	// SQLite cuts its file (journal_size_limit).
	largeWAL = 16 << 20
	// insistFor is how long writes may wait for readers to let go of a large log.
	insistFor = 100 * time.Millisecond
)

// checkpoint moves the log into the database and empties it, waiting at most wait for readers.
// It returns false if a reader still uses the log, so that there is more to do later. A store
// in memory has no log, and checkpoint does not touch the log of a lost file.
func (w *writer) checkpoint(wait time.Duration) bool {
	if w.conn == nil || w.db.file == nil || w.db.file.lost() != nil {
		return true
	}
	// The busy timeout bounds the wait of a checkpoint; it is set for this one alone.
	db := w.conn.db
	if err := db.BusyTimeout(wait); err != nil {
		return true
	}
	_, _, err := db.WALCheckpoint("main", sqlite3.CHECKPOINT_TRUNCATE)
	_ = db.BusyTimeout(w.db.opts.BusyTimeout) // it can only fail on a closed connection
	if diskFailure(err) {
		w.db.file.note(err)
	}
	w.db.file.measure()
	return err == nil
}

// relieve empties a log that has grown large, after a commit and in the writer's goroutine.
// Where a reader prevents it, it tries again when the log has grown by as much once more, not
// at every write.
func (w *writer) relieve() {
	f := w.db.file
	if f == nil || f.walSize.Load() < w.relieveAt {
		return
	}
	if w.checkpoint(insistFor) {
		w.relieveAt = largeWAL
	} else {
		w.relieveAt = f.walSize.Load() + largeWAL
	}
}
