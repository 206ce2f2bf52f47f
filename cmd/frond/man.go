//go:build man

package main

import (
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra/doc"
)

// With the tag man, `frond man DIR VERSION TIME` writes a man page of each command into a folder:
// make release packs them. Released programs are built without the tag.
func init() {
	if len(os.Args) != 5 || os.Args[1] != "man" {
		return
	}
	at, err := time.Parse(time.RFC3339, os.Args[4])
	if err == nil {
		root := newRoot(&shell{})
		root.DisableAutoGenTag = true
		err = doc.GenManTree(root, &doc.GenManHeader{Section: "1", Source: "frond " + os.Args[3], Manual: "frond", Date: &at}, os.Args[2])
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}
