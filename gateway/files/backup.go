package files

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Backup copies the bytes of files from a storage into a folder, which is a storage itself then, and returns the
// number of files that it copied and of their bytes. Files that the folder has stay as they are: the bytes of an id do not change.
func Backup(ctx context.Context, url string, buckets Buckets, folder string) (copied int, bytes int64, err error) {
	s, err := openStorage(url, buckets)
	if err != nil {
		return 0, 0, describe(err)
	}
	defer func() { _ = s.Close() }()
	err = s.Each(ctx, func(key string, size int64) error {
		id, whole := idOf(key)
		if !whole {
			return nil
		}
		to := filepath.Join(folder, id, original)
		if there, err := os.Stat(to); err == nil && there.Size() == size {
			return nil
		}
		n, err := save(ctx, s, id, to)
		if errors.Is(err, fs.ErrNotExist) {
			return nil // it was removed meanwhile
		}
		if err == nil {
			copied, bytes = copied+1, bytes+n
		}
		return err
	})
	if err != nil {
		err = fmt.Errorf("the files cannot be copied to %s: %w", folder, err)
	}
	return copied, bytes, err
}

// save writes the bytes of a file to a path, all or none.
func save(ctx context.Context, s storage, id, to string) (n int64, err error) {
	from, err := s.Open(ctx, id+"/"+original)
	if err != nil {
		return 0, err
	}
	defer func() { _ = from.Close() }()
	if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
		return 0, err
	}
	part, err := os.Create(to + ".part")
	if err != nil {
		return 0, err
	}
	n, err = io.Copy(part, from)
	if err = errors.Join(err, part.Sync(), part.Close()); err == nil {
		err = os.Rename(part.Name(), to)
	}
	if err != nil {
		_ = os.Remove(part.Name())
	}
	return n, err
}

// idOf is the id of the file whose bytes a key has; not ok: they are other bytes, such as a smaller image.
func idOf(key string) (id string, ok bool) {
	id, ok = strings.CutSuffix(key, "/"+original)
	return id, ok && id != probeID && !strings.Contains(id, "/")
}
