package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"

	"github.com/frondhost/frond/gateway"
)

// shell is what a command reads from and writes to.
type shell struct {
	in      io.Reader
	out     io.Writer // data
	stderr  io.Writer // everything else
	environ []string
	json    bool // --json: data on one line, for another program
}

// write writes JSON to stdout: indented for a reader, on one line with --json.
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

// writeValue writes a value as JSON.
func (s *shell) writeValue(value any) error {
	text, err := json.Marshal(value)
	if err != nil {
		return err
	}
	return s.write(text)
}

// logger is the log of a command that ends at once: warnings, unless the settings ask for
// more.
func (s *shell) logger(config *gateway.Config) *slog.Logger {
	log := config.Log
	log.Level = max(log.Level, slog.LevelWarn)
	return gateway.NewLogger(s.stderr, log)
}

// count is a number of things in words: 1 fault, 2 faults.
func count(n int, what string) string {
	if n != 1 {
		what += "s"
	}
	return fmt.Sprintf("%d %s", n, what)
}
