package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// A file is a file of an archive, with its path there.
type file struct {
	path string
	mode fs.FileMode
	data []byte
	user int // owner and group; 0 is root
}

// below returns the files of a folder, by their paths in it, in order.
func below(dir string) (files []file, err error) {
	err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		name, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		data, err := os.ReadFile(path)
		files = append(files, file{path: filepath.ToSlash(name), mode: 0o644, data: data})
		return err
	})
	return files, err
}

// pack writes the archive of a platform with its program, and the list of what the program contains.
func (r *release) pack(p platform, program string) error {
	data, err := os.ReadFile(program)
	if err != nil {
		return err
	}
	files := append([]file{{path: filepath.Base(program), mode: 0o755, data: data}}, r.papers...)
	name, write := r.name(p)+".tar.gz", tarGzip
	if p.os == "windows" {
		name, write = r.name(p)+".zip", zipped
	}
	archive, err := write(files, r.date)
	if err != nil {
		return err
	}
	if err := r.write(name, archive); err != nil {
		return err
	}
	bill, err := r.bill(p, program)
	if err != nil {
		return err
	}
	if err := r.write(r.name(p)+".cdx.json", bill); err != nil || p.os != "linux" {
		return err
	}
	return r.deb(p, data)
}

// write writes a file of the release.
func (r *release) write(name string, data []byte) error {
	return os.WriteFile(filepath.Join(r.out, name), data, 0o644)
}

// tarGzip returns an archive of files and of the folders above them, all of one time.
func tarGzip(files []file, at time.Time) ([]byte, error) {
	var out bytes.Buffer
	zip := gzip.NewWriter(&out)
	if err := tarred(zip, files, at); err != nil {
		return nil, err
	}
	err := zip.Close()
	return out.Bytes(), err
}

// tarred writes a tar.
func tarred(w io.Writer, files []file, at time.Time) error {
	out := tar.NewWriter(w)
	var made []string
	for _, f := range files {
		for i := range f.path {
			dir := f.path[:i+1]
			if f.path[i] != '/' || slices.Contains(made, dir) || dir == "./" || dir == f.path {
				continue
			}
			made = append(made, dir)
			if err := out.WriteHeader(&tar.Header{Typeflag: tar.TypeDir, Name: dir, Mode: 0o755, ModTime: at, Format: tar.FormatUSTAR}); err != nil {
				return err
			}
		}
		h := &tar.Header{Typeflag: tar.TypeReg, Name: f.path, Mode: int64(f.mode.Perm()), Size: int64(len(f.data)), Uid: f.user, Gid: f.user, ModTime: at, Format: tar.FormatUSTAR}
		if strings.HasSuffix(f.path, "/") {
			h.Typeflag = tar.TypeDir
		}
		if err := out.WriteHeader(h); err != nil {
			return err
		}
		if _, err := out.Write(f.data); err != nil {
			return err
		}
	}
	return out.Close()
}

// zipped returns a zip of files.
func zipped(files []file, at time.Time) ([]byte, error) {
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	for _, f := range files {
		h := &zip.FileHeader{Name: f.path, Method: zip.Deflate, Modified: at}
		h.SetMode(f.mode)
		w, err := z.CreateHeader(h)
		if err == nil {
			_, err = w.Write(f.data)
		}
		if err != nil {
			return nil, err
		}
	}
	err := z.Close()
	return out.Bytes(), err
}
