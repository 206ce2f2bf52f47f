package differential

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

// reference is graphql-js in a process of its own.
type reference struct {
	name string // the package: graphql is 16
	in   io.WriteCloser
	out  *bufio.Reader
}

// references starts both majors; they end with the test.
func references(t testing.TB) []*reference {
	t.Helper()
	dir := filepath.Join("..", "js")
	if _, err := exec.LookPath("node"); err != nil {
		missing(t, "node is not here")
	}
	if _, err := os.Stat(filepath.Join(dir, "node_modules", ".package-lock.json")); err != nil {
		missing(t, "e2e/js/node_modules is not here; `make js` installs it")
	}
	var list []*reference
	for _, name := range []string{"graphql", "graphql17"} {
		cmd := exec.CommandContext(t.Context(), "node", "differential.mjs", name)
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
		list = append(list, &reference{name, in, bufio.NewReaderSize(out, 1<<20)})
	}
	return list
}

// missing skips where a tool is not installed; CI installs them all.
func missing(t testing.TB, what string) {
	t.Helper()
	if os.Getenv("CI") != "" {
		t.Fatalf("%s, and CI has to have it", what)
	}
	t.Skip(what)
}

// ask gives the reference a world and requests, and returns how to read the answers:
// both majors work while the engine does.
func (r *reference) ask(w *world, requests []request) func() ([]string, error) {
	line, err := json.Marshal(map[string]any{"world": w.given(), "cases": requests})
	if err != nil {
		return func() ([]string, error) { return nil, err }
	}
	sent := make(chan error, 1)
	go func() {
		_, err := r.in.Write(append(line, '\n'))
		sent <- err
	}()
	return func() ([]string, error) {
		text, err := r.out.ReadBytes('\n')
		if err = errors.Join(<-sent, err); err != nil {
			return nil, fmt.Errorf("%s: %w", r.name, err)
		}
		var answers []string
		if err := json.Unmarshal(text, &answers); err != nil {
			return nil, fmt.Errorf("%s: %w", r.name, err)
		}
		if len(answers) != len(requests) {
			return nil, fmt.Errorf("%s: %d answers to %d questions", r.name, len(answers), len(requests))
		}
		return answers, nil
	}
}
