package sqlite

import (
	"context"

	"github.com/frondhost/frond/store/sqlite/engine"
)

// Backup writes the store at path into a file of its own, as of one moment, also while other
// processes read and write it. The file is complete and on disk when Backup returns; it must
// not exist before. It returns the file's size in bytes. It opens the file beside any [Store],
// and needs none.
func Backup(ctx context.Context, path, to string) (int64, error) {
	return engine.Backup(ctx, path, to)
}

// Restore puts a backup in the place of the store at path, which no process may serve during the
// call. An existing store is replaced only where replace is true; it keeps its rows under the new
// name kept. path may be without a file; then kept is "".
func Restore(ctx context.Context, backup, path string, replace bool) (kept string, err error) {
	return engine.Restore(ctx, backup, path, replace)
}
