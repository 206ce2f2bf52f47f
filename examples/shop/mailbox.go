package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"sync"
)

// mailbox is a file with one mail a line, each behind the id of its event.
//
// A file is no part of the store's transaction: a process may die after the line is written and
// before the consumer's position is committed, and the event is then handed over again. So send
// looks for the id first. A mail server has the same rule where it is given the id as the
// Message-ID, and one that has no such rule may send twice: that is all that can be had.
type mailbox struct {
	path string
	mu   sync.Mutex
}

// send writes a mail, unless the file has it. The mail is on disk when send returns.
func (m *mailbox) send(id, text string) (err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	sent, err := os.ReadFile(m.path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("the mails cannot be read: %w", err)
	}
	// A line without its end is of a process that died while it wrote.
	whole := sent[:bytes.LastIndexByte(sent, '\n')+1]
	for line := range bytes.Lines(whole) {
		if bytes.HasPrefix(line, []byte(id+" ")) {
			return nil
		}
	}
	file, err := os.OpenFile(m.path, os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("the mail cannot be written: %w", err)
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	line := id + " " + strings.ReplaceAll(text, "\n", " ") + "\n"
	if err := file.Truncate(int64(len(whole))); err != nil {
		return fmt.Errorf("the mail cannot be written: %w", err)
	}
	if _, err := file.WriteAt([]byte(line), int64(len(whole))); err != nil {
		return fmt.Errorf("the mail cannot be written: %w", err)
	}
	return file.Sync()
}
