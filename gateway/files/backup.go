package files

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Backup copies the bytes of files from a storage into the folder dir, which is a storage itself then, and returns the
// number of files that it copied and of their bytes. Files that the folder has stay as they are: the bytes of an id do not change.
func Backup(ctx context.Context, url string, buckets Buckets, dir string) (copied int, bytes int64, err error) {
	s, err := openStorage(url, buckets)
	if err != nil {
		return 0, 0, describe(err)
	}
	defer func() { _ = s.Close() }()
	to := &folder{dir: dir}
	err = s.Each(ctx, func(key string, size int64) error {
		id, whole := idOf(key)
		if !whole {
			return nil
		}
		if there, err := os.Stat(filepath.Join(dir, id, original)); err == nil && there.Size() == size {
			return nil
		}
		from, err := s.Open(ctx, key)
		if errors.Is(err, fs.ErrNotExist) {
			return nil // it was removed in between
		}
		if err != nil {
			return err
		}
		defer func() { _ = from.Close() }()
		if err := errors.Join(os.MkdirAll(dir, 0o700), to.Write(ctx, key, "", from)); err != nil {
			return err
		}
		copied, bytes = copied+1, bytes+size
		return nil
	})
	if err != nil {
		err = fmt.Errorf("the files cannot be copied to %s: %w", dir, err)
	}
	return copied, bytes, err
}

// idOf is the id of the file whose bytes a key has; not ok: they are other bytes, such as a smaller image.
func idOf(key string) (id string, ok bool) {
	id, ok = strings.CutSuffix(key, "/"+original)
	return id, ok && id != probeID && !strings.Contains(id, "/")
}
