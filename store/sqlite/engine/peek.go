package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"

	sqlite3 "github.com/ncruces/go-sqlite3"
)

// Peek opens an existing database of any program with one connection that only reads: the file, its
// journal mode and its header stay as they are. The error is one sentence that names the path, the
// reason and what to do. Close the connection in the end.
func Peek(ctx context.Context, path string) (*Conn, error) {
	abs, err := filepath.Abs(path)
	if err == nil {
		var info fs.FileInfo
		if info, err = os.Stat(abs); err == nil && info.IsDir() {
			return nil, fmt.Errorf("%s is a folder; name a SQLite file", path)
		}
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s is not there; name a SQLite file", path)
	}
	if err != nil {
		return nil, fmt.Errorf("%s cannot be read: %w", path, err)
	}
	uri := (&url.URL{Scheme: "file", OmitHost: true, Path: filepath.ToSlash(abs)}).String()
	db, err := sqlite3.OpenFlags(uri, sqlite3.OPEN_READONLY|sqlite3.OPEN_URI)
	if err != nil {
		return nil, unreadable(path, err)
	}
	c := &Conn{db: db, stmts: map[string]*Stmt{}}
	db.SetInterrupt(ctx)
	// A file that is no database is only found out by reading it.
	if _, err := c.Number("SELECT count(*) FROM sqlite_schema"); err != nil {
		_ = c.Close() // the error at hand is the one to report
		return nil, unreadable(path, err)
	}
	return c, nil
}

// unreadable returns the sentence for a file that [Peek] cannot read.
func unreadable(path string, err error) error {
	const rights = "check the permissions of the file and of its folder"
	reason, remedy := reasons(err, "check the file and its permissions", []reason{
		{sqlite3.NOTADB, "it is not a SQLite database", "name another file"},
		{sqlite3.CORRUPT, "the database is damaged", "restore it from a backup"},
		{sqlite3.BUSY, "another process holds it locked", "try again when that process is done"},
		{sqlite3.CANTOPEN, "it cannot be opened", rights},
		{sqlite3.PERM, "it cannot be opened", rights},
		{sqlite3.AUTH, "it cannot be opened", rights},
	})
	return fmt.Errorf("%s cannot be read: %s; %s%w", path, cmp.Or(reason, err.Error()), remedy, hidden{err})
}
