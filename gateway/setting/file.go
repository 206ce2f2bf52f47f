package setting

import (
	"errors"
	"io/fs"
	"path/filepath"
)

// File is the name of the settings' file in a project's folder.
const File = "gateway.yaml"

// Below is the path of a file that a setting names: it begins in dir, the project's
// folder, unless it is absolute.
func Below(dir, path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(dir, path)
}

// Reason is why a file operation failed, without the file's name: a fault has it already.
func Reason(err error) string {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err.Error()
	}
	return err.Error()
}
