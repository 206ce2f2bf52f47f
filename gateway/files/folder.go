package files

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// folder is a storage in a folder of the file system: the bytes of a key are the file of its name.
type folder struct{ dir string }

// errNoFolder is the error of a folder that was there at the start.
var errNoFolder = errors.New("the folder is gone")

func openFolder(dir string) (*folder, error) {
	err := os.MkdirAll(dir, 0o700)
	if err == nil {
		var info fs.FileInfo
		if info, err = os.Stat(dir); err == nil && !info.IsDir() {
			err = errors.New(dir + " is not a folder")
		}
	}
	if err != nil {
		return nil, fmt.Errorf("the folder of files cannot be used: %w", err)
	}
	return &folder{dir}, nil
}

// path is the file of a key. The error of a key that leaves the folder is fs.ErrNotExist.
func (f *folder) path(key string) (string, error) {
	name := filepath.FromSlash(key)
	if !filepath.IsLocal(name) {
		return "", fs.ErrNotExist
	}
	return filepath.Join(f.dir, name), nil
}

// Write implements storage: the bytes go to another name first, and are on the disk when it returns. The row that names
// them is committed afterwards.
func (f *folder) Write(ctx context.Context, key, _ string, from io.Reader) error {
	if err := f.There(); err != nil {
		return err
	}
	path, err := f.path(key)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	part, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*.part")
	if err != nil {
		return err
	}
	_, err = io.Copy(part, from)
	if err = errors.Join(err, ctx.Err()); err == nil {
		err = part.Sync()
	}
	if err = errors.Join(err, part.Close()); err == nil {
		err = os.Rename(part.Name(), path)
	}
	if err != nil {
		_ = os.Remove(part.Name())
		return err
	}
	syncFolder(filepath.Dir(path))
	syncFolder(f.dir)
	return nil
}

// syncFolder makes the names in a folder outlast a crash of the machine. Windows refuses it, and the error is dropped.
func syncFolder(dir string) {
	if d, err := os.Open(dir); err == nil {
		_ = errors.Join(d.Sync(), d.Close())
	}
}

// Open implements storage.
func (f *folder) Open(_ context.Context, key string) (io.ReadSeekCloser, error) {
	path, err := f.path(key)
	if err != nil {
		return nil, err
	}
	file, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		if gone := f.There(); gone != nil {
			return nil, gone
		}
		return nil, fs.ErrNotExist
	}
	if err != nil {
		return nil, err
	}
	return file, nil
}

// Remove implements storage.
func (f *folder) Remove(_ context.Context, id string) error {
	path, err := f.path(id)
	if err != nil {
		return nil //nolint:nilerr // such a key has no bytes
	}
	return os.RemoveAll(path)
}

// There looks for the folder: a write would make it, and hide that its files are lost.
func (f *folder) There() error {
	if _, err := os.Stat(f.dir); errors.Is(err, fs.ErrNotExist) {
		return errNoFolder
	}
	return nil
}

// Each implements storage.
func (f *folder) Each(ctx context.Context, do func(key string, size int64) error) error {
	return filepath.WalkDir(f.dir, func(path string, entry fs.DirEntry, err error) error {
		if err = errors.Join(err, ctx.Err()); err != nil || entry.IsDir() {
			return skipGone(err)
		}
		info, err := entry.Info()
		if err != nil {
			return skipGone(err)
		}
		name, err := filepath.Rel(f.dir, path)
		if err != nil {
			return err
		}
		return do(filepath.ToSlash(name), info.Size())
	})
}

// skipGone leaves out a file that disappeared during a walk.
func skipGone(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// Held implements storage.
func (*folder) Held() int { return Copied }

// Close implements storage.
func (*folder) Close() error { return nil }
