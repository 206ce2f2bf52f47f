// Command frond serves and calls the operations that cards describe.
//
// Data goes to stdout and talk to stderr. It leaves with 0 when all went well,
// with 1 when an operation failed (the KitError is on stderr as JSON), with 2 for
// usage and configuration, and with 3 when a host cannot be reached.
package main

import (
	"bytes"
	"encoding/json"
	"io"
	"os"

	"github.com/frondhost/frond/gateway/program"
)

func main() { os.Exit(run()) }

func run() int {
	s := &shell{in: os.Stdin, out: os.Stdout, talk: os.Stderr, environ: os.Environ()}
	root := newRoot(s)
	root.SetArgs(os.Args[1:])
	return program.Run("frond", s.talk, root.ExecuteContext)
}

// shell is what a command reads from and writes to.
type shell struct {
	in      io.Reader
	out     io.Writer // data
	talk    io.Writer // everything else
	environ []string
	json    bool // --json: data on one line, for another program
}

// write writes data: indented for a reader, on one line with --json.
func (s *shell) write(text []byte) error {
	var b bytes.Buffer
	if s.json {
		if err := json.Compact(&b, text); err != nil {
			return err
		}
	} else if err := json.Indent(&b, text, "", "  "); err != nil {
		return err
	}
	b.WriteByte('\n')
	_, err := s.out.Write(b.Bytes())
	return err
}
