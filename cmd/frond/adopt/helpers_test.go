package adopt_test

import (
	"io/fs"
	"testing/fstest"
)

// folder is files as a file system.
func folder(files map[string]string) fs.FS {
	all := fstest.MapFS{}
	for name, text := range files {
		all[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return all
}
