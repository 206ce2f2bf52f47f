// Package nodeprocess runs a JavaScript program of e2e/js beside a test: one line of JSON goes in
// and one comes out, as often as the test asks. The program stays, since starting node takes
// longer than most requests.
package nodeprocess

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// Process is a running program. One goroutine may ask it at a time.
type Process struct {
	name string
	in   io.WriteCloser
	out  *bufio.Reader
}

// Start starts a program of the folder e2e/js, which is ../js of the test, with arguments; it ends
// with the test. Where node or what `make js` installs is missing the test is skipped, and fails
// in CI.
func Start(t testing.TB, program string, args ...string) *Process {
	t.Helper()
	dir := filepath.Join("..", "js")
	_, err := exec.LookPath("node")
	if err == nil {
		_, err = os.Stat(filepath.Join(dir, "node_modules", ".package-lock.json"))
	}
	if err != nil {
		if os.Getenv("CI") != "" {
			t.Fatalf("%v; `make js` installs what CI has to have", err)
		}
		t.Skipf("%v; `make js` installs it", err)
	}
	cmd := exec.CommandContext(t.Context(), "node", append([]string{program}, args...)...) //nolint:gosec // a program of this project
	cmd.Dir, cmd.Stderr = dir, os.Stderr
	cmd.Env = append(os.Environ(), "NODE_ENV=production")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = in.Close()
		_ = cmd.Wait()
	})
	return &Process{program, in, bufio.NewReaderSize(out, 1<<20)}
}

// Ask writes a request as one line, and returns how to read the answer into a value: the program
// works meanwhile. The answer has to be read before the next request.
func (p *Process) Ask(request any) (answer func(into any) error) {
	line, err := json.Marshal(request)
	if err != nil {
		return func(any) error { return err }
	}
	sent := make(chan error, 1)
	go func() { // a program that has not read yet must not hold up the test
		_, err := p.in.Write(append(line, '\n'))
		sent <- err
	}()
	return func(into any) error {
		text, err := p.out.ReadBytes('\n')
		if err = errors.Join(<-sent, err); err == nil {
			err = json.Unmarshal(text, into)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
		return nil
	}
}
