package engine

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"time"

	"github.com/frondhost/frond/store/sqltext"
)

// Backups (docs/decisions/sqlite.md). A copy is made under a name that ends in .part, checked, made
// durable, and only then renamed, so that a file with the right name is always whole:
//
//	backup    PATH → VACUUM INTO to.part → integrity_check → fsync → rename to → fsync folder
//	restore   lock PATH, copy backup → PATH.restoring, PATH → PATH.replaced-TIME, rename
//
// Only failed copies are deleted: the store that a restore replaces is kept.

// Backup writes the store at path into a file of its own, as of one moment, also while other
// processes read and write it. The file is complete and on disk when Backup returns; it must
// not exist before. It returns the file's size in bytes. The error is a sentence for the
// operator.
func Backup(ctx context.Context, path, to string) (int64, error) {
	if _, err := os.Stat(path); err != nil {
		return 0, fmt.Errorf("there is no store at %s; start the gateway once, or write --store", path)
	}
	if _, err := os.Lstat(to); err == nil {
		return 0, fmt.Errorf("%s exists already; name a new file", to)
	}
	if err := copyStore(ctx, path, to); err != nil {
		return 0, fmt.Errorf("back up %s: %w", path, err)
	}
	info, err := os.Stat(to)
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}

// Restore puts a backup in the place of the store at path, which no process may serve during the
// call: it takes the lock of docs/decisions/sqlite.md and fails if another process has it. It
// replaces an existing store only if replace is true; kept is the new name of the old store, or
// "". path may be a symbolic link; the file it leads to is replaced.
func Restore(ctx context.Context, backup, path string, replace bool) (kept string, err error) {
	if _, err := os.Stat(backup); err != nil {
		return "", fmt.Errorf("there is no backup at %s; name a file that `frond backup` wrote", backup)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return "", err
	}
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target
	}
	lock, err := lockStore(path)
	if err != nil {
		return "", unopenable(path, err)
	}
	defer func() { _ = lock.Close() }() // the end of the process would do it too
	_, err = os.Stat(path)
	there := err == nil
	if there && !replace {
		return "", fmt.Errorf("there is a store at %s; write --replace, which keeps it beside the backup", path)
	}
	// The copy is in the store's own folder, so that the last rename stays within one file system
	// and is atomic.
	fresh := path + ".restoring"
	if err := os.Remove(fresh); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	if err := copyStore(ctx, backup, fresh); err != nil {
		return "", fmt.Errorf("restore %s: %w", backup, err)
	}
	if there {
		kept = path + ".replaced-" + time.Now().UTC().Format("20060102T150405Z")
		if err := setAside(ctx, path, kept); err != nil {
			return "", err
		}
	}
	if err := os.Rename(fresh, path); err != nil {
		return kept, err
	}
	return kept, syncPath(filepath.Dir(path))
}

// copyStore writes the store at from into a new file, whole and checked: VACUUM INTO reads one
// state of the database while others write, an integrity check reads the copy, and only then
// it gets its name. The copy has no log and no free pages.
func copyStore(ctx context.Context, from, to string) error {
	c, err := dialFile(ctx, from)
	if err != nil {
		return err
	}
	defer func() { _ = c.Close() }() // it has only read
	part := to + ".part"
	defer func() { _ = os.Remove(part) }() // nothing is left of a copy that failed
	if err := os.Remove(part); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := c.Exec("VACUUM INTO ?", sqltext.TextValue(part)); err != nil {
		return err
	}
	made, err := dialFile(ctx, part)
	if err != nil {
		return err
	}
	word := "nothing"
	err = made.Each(func(st *Stmt) { word = st.ColumnText(0) }, "PRAGMA integrity_check(1)")
	if err := errors.Join(err, made.Close()); err != nil {
		return err
	}
	if word != "ok" {
		return fmt.Errorf("the copy is damaged: %s", word)
	}
	if err := syncPath(part); err != nil {
		return err
	}
	if err := os.Rename(part, to); err != nil {
		return err
	}
	return syncPath(filepath.Dir(to))
}

// dialFile opens a store's file to read it. It refuses a missing file, another program's
// database and a newer version. The connection may write (mode=rw), because reading a file
// whose log was not emptied may have to recover it. Close it in the end.
func dialFile(ctx context.Context, path string) (*Conn, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	d := &DB{opts: Options{Path: path, BusyTimeout: 5 * time.Second, Memory: true}} // Memory: the file's journal stays as it is
	d.uri = (&url.URL{Scheme: "file", OmitHost: true, Path: filepath.ToSlash(path), RawQuery: "mode=rw"}).String()
	c, err := d.dial(ctx, false)
	if err != nil {
		return nil, unopenable(path, err)
	}
	// An older version of the format is read; there has been one version so far.
	id, version, err := marks(c)
	switch {
	case err != nil:
	case id != applicationID:
		err = errForeign
	case version > formatVersion:
		err = errNewer
	default:
		return c, nil
	}
	return nil, errors.Join(unopenable(path, err), c.Close())
}

// setAside renames a store that no process serves, with all that its log still holds. Opening and
// closing it moves the log into the file; a store that cannot be opened keeps its log under the new
// name too.
func setAside(ctx context.Context, path, to string) error {
	d, err := Open(ctx, Options{Path: path}) // closing the last connection empties the log
	if err == nil {
		err = d.Close()
	}
	if err != nil {
		// A store that cannot be opened is why somebody restores: it is kept as it is.
		if err := os.Rename(path+"-wal", to+"-wal"); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	for _, suffix := range []string{"-wal", "-shm"} {
		if err := os.Remove(path + suffix); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return os.Rename(path, to)
}

// syncPath makes a file, or the names in a folder, durable.
func syncPath(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}
