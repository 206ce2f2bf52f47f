package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"

	"github.com/frondhost/frond/gateway"
)

// shell holds the input and output of a command. Tests give a command buffers and an
// environment of their own.
type shell struct {
	in      io.Reader
	out     io.Writer // data
	stderr  io.Writer // everything else
	environ []string
	json    bool // --json: data on one line, for another program
}

// write writes JSON to stdout: indented for a reader, on one line with --json. The text has to
// be JSON, and ends with a line end either way.
func (s *shell) write(text []byte) error {
	var b bytes.Buffer
	if s.json {
		// Compact and Indent keep the order of members and the spelling of numbers.
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

// say writes a value as JSON where --json asks for it, else a text with a line end.
func (s *shell) say(value any, text string) error {
	if s.json {
		return s.writeValue(value)
	}
	_, err := fmt.Fprintln(s.out, text)
	return err
}

// logger is the log of a command that ends at once: warnings and errors, or errors alone if the
// settings say so. A lower level has no effect: the log would mix with the command's own
// output.
func (s *shell) logger(config *gateway.Config) *slog.Logger {
	log := config.Log
	log.Level = max(log.Level, slog.LevelWarn)
	return gateway.NewLogger(s.stderr, log)
}

// count is a number of things in words: 1 fault, 2 faults. The noun is one whose plural ends
// with s.
func count(n int, what string) string {
	if n != 1 {
		what += "s"
	}
	return fmt.Sprintf("%d %s", n, what)
}
