package engine

import (
	"context"
	"errors"
	"testing"
	"time"
)

// TestReadersWaitForTheWriterInMemory: a reader that waits for a transaction goes when its context
// ends; another one reads after it.
func TestReadersWaitForTheWriterInMemory(t *testing.T) {
	d := database(t, Options{Memory: true})
	began, release, done := make(chan struct{}), make(chan struct{}), make(chan error)
	go func() {
		done <- d.Write(&Op{Ctx: t.Context(), Run: func(c *Conn) error {
			close(began)
			<-release
			return c.Exec("CREATE TABLE x (n)")
		}})
	}()
	<-began
	nothing := func(*Conn) error { return errors.New("the reader was inside beside the writer") }
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if err := d.Read(ctx, nothing); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a reader beside the writer: %v", err)
	}
	var n int64
	read := make(chan error)
	go func() {
		read <- d.Read(t.Context(), func(c *Conn) (err error) {
			n, err = c.Number("SELECT count(*) FROM sqlite_schema WHERE name = 'x'")
			return err
		})
	}()
	close(release)
	if err := errors.Join(<-done, <-read); err != nil || n != 1 {
		t.Errorf("the next reader: %d tables, %v", n, err)
	}
}
