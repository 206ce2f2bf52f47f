package main

import (
	"bufio"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/frondhost/frond/e2e/testprogram"
)

// The first signal begins the drain, the second one ends it.
func TestSecondSignalEndsAtOnce(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "entities"), 0o755); err != nil {
		t.Fatal(err)
	}
	card := "type: object\nproperties:\n  id: {type: string, x-kit: {role: {primary: true}}}\n"
	if err := os.WriteFile(filepath.Join(dir, "entities", "note.yaml"), []byte(card), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("frond", "gateway", dir, "--listen", "127.0.0.1:0", "--store", "memory", "--mode", "development", "--shutdown-delay", "1m")
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := testprogram.Start(cmd); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = cmd.Process.Kill() }()
	url := ""
	lines := bufio.NewScanner(stderr)
	for url == "" && lines.Scan() {
		if rest, ok := strings.CutPrefix(lines.Text(), "listening on "); ok {
			url = rest
		}
	}
	go func() { _, _ = io.Copy(io.Discard, stderr) }()

	signal := func() {
		if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
			t.Fatal(err)
		}
	}
	signal()
	// Bounded by the delay of a minute, after which nobody answers.
	for draining := false; !draining; {
		resp, err := http.Get(url + "/readyz")
		if err != nil {
			t.Fatalf("it does not serve during the delay: %v", err)
		}
		_ = resp.Body.Close()
		if draining = resp.StatusCode == http.StatusServiceUnavailable; !draining {
			time.Sleep(time.Millisecond)
		}
	}
	signal()
	_ = cmd.Wait() // how it ended is looked at here
	status, ok := cmd.ProcessState.Sys().(syscall.WaitStatus)
	if !ok || !status.Signaled() || status.Signal() != syscall.SIGTERM {
		t.Errorf("the second signal left it with %s", cmd.ProcessState)
	}
}
