package engine

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	sqlite3 "github.com/ncruces/go-sqlite3"
)

// The header of the file holds both (docs/decisions/sqlite.md), so that neither needs a table:
// application_id names the program of the file, user_version the form of the values in its columns.
const (
	applicationID = 0x66726e64 // "frnd": in the file's header, so that file(1) and we know whose it is
	formatVersion = 1          // of how values stand in columns; user_version
)

var (
	errForeign = errors.New("the file is another program's database")
	errNewer   = errors.New("the file was written by a newer version of this program")
	errEmpty   = errors.New("the file has 0 bytes, and this program did not leave it so")
)

// claim marks an empty database as this program's, and refuses one that is another's or of a
// newer format:
//
//	application_id   user_version   tables   result
//	0                0              none     marked as ours
//	0                0              some     errForeign
//	ours             1              any      accepted
//	ours             2 and more     any      errNewer
//	another          any            any      errForeign
//
// It runs in a transaction, so that two processes that open a new file agree.
func claim(c *Conn) error {
	id, version, err := marks(c)
	if err != nil {
		return err
	}
	things, err := c.Number("SELECT count(*) FROM sqlite_schema")
	if err != nil {
		return err
	}
	switch {
	case id == 0 && version == 0 && things == 0:
		if err := c.Once(fmt.Sprintf("PRAGMA application_id = %d", applicationID)); err != nil {
			return err
		}
		if err := c.Once(fmt.Sprintf("PRAGMA user_version = %d", formatVersion)); err != nil {
			return err
		}
	case id != applicationID:
		return errForeign
	case version > formatVersion:
		return errNewer
	}
	return nil
}

// marks reads both numbers of the file's header.
func marks(c *Conn) (id, version int64, err error) {
	if id, err = c.Number("PRAGMA application_id"); err == nil {
		version, err = c.Number("PRAGMA user_version")
	}
	return id, version, err
}

// making is the ending of a file next to a store, which exists until the store is marked as ours.
const making = ".making"

// beginFile distinguishes a store that lost its content from a new one. It refuses a file of 0 bytes
// without a log, unless a process was ended while it made the file, and returns the function
// to call when the file is marked as ours.
func beginFile(path string) (made func(), err error) {
	made = func() { _ = os.Remove(path + making) } // left behind it means a file that is not empty
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return made, os.WriteFile(path+making, nil, 0o644)
	case err != nil:
		return nil, err
	case info.Size() > 0 || !info.Mode().IsRegular():
		return made, nil
	}
	if log, err := os.Stat(path + "-wal"); err == nil && log.Size() > 0 {
		return made, nil
	}
	if _, err := os.Stat(path + making); err != nil {
		return nil, errEmpty
	}
	return made, nil
}

// unopenable returns the one sentence for a database that cannot be opened: where, why, and
// what to do. The cause can be found by errors.Is. The end of a context is returned as it is,
// since the store is not at fault.
//
//	the store at PATH cannot be opened: the file is read-only; give this user the right to write it and its folder
func unopenable(path string, err error) error {
	if path == "" {
		path = "in memory"
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	reason, remedy := reasons(err, "check the path, its folder's permissions and the disk", []reason{
		{errServed, err.Error(), "stop that process, call it at its address, or name another store (--store sqlite:PATH)"},
		{errForeign, errForeign.Error(), "name another path, or make a project of it with frond init DIR --from sqlite:FILE"},
		{errEmpty, errEmpty.Error(), "restore it from a backup, or remove the file to begin with a new store"},
		{errNewer, errNewer.Error(), "update the program or name another path"},
		{sqlite3.NOTADB, "the file is not a SQLite database", "name another path or move the file"},
		{sqlite3.CORRUPT, "the database is damaged", "restore it from a backup"},
		{sqlite3.BUSY, "another process holds it locked", "stop that process or name another path"},
		{sqlite3.READONLY, "the file is read-only", "give this user the right to write it and its folder"},
	})
	var pathErr *os.PathError
	switch {
	case reason != "":
	// SQLite says CANTOPEN for a folder, which names no cause.
	case isDir(path):
		reason, remedy = "it is a folder", "name a file in it, such as "+filepath.Join(path, "store.db")
	case errors.As(err, &pathErr):
		reason = pathErr.Err.Error()
	default:
		reason = err.Error()
	}
	return fmt.Errorf("the store at %s cannot be opened: %s; %s%w", path, reason, remedy, hidden{err})
}

// reason is why a file cannot be opened, where this is the cause, and what to do.
type reason struct {
	cause       error
	why, remedy string
}

// reasons finds the reason of an error among some, or returns "" and otherwise.
func reasons(err error, otherwise string, all []reason) (why, remedy string) {
	for _, r := range all {
		if errors.Is(err, r.cause) {
			return r.why, r.remedy
		}
	}
	return "", otherwise
}

// isDir says whether path is a folder that is there.
func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}
