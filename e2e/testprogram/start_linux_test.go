package testprogram_test

import (
	"bufio"
	"io"
	"os"
	"os/exec"
	"testing"

	"github.com/frondhost/frond/e2e/testprogram"
)

// child is the variable that makes this test the process which starts a program and then waits.
const child = "TESTPROGRAM_CHILD"

// TestEndedTestTakesItsPrograms kills a process of tests: the program that it started ends too,
// so that the pipe which both write to has an end.
func TestEndedTestTakesItsPrograms(t *testing.T) {
	if os.Getenv(child) != "" {
		cmd := exec.Command("sh", "-c", "echo started; exec sleep 600")
		cmd.Stdout = os.Stdout
		_ = testprogram.Run(cmd)
		return
	}
	cmd := exec.Command(os.Args[0], "-test.run=^TestEndedTestTakesItsPrograms$")
	cmd.Env = append(os.Environ(), child+"=1")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := testprogram.Start(cmd); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewReader(out)
	if line, err := lines.ReadString('\n'); line != "started\n" {
		t.Fatal(line, err)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	if rest, err := io.ReadAll(lines); err != nil || len(rest) > 0 {
		t.Errorf("%q %v", rest, err)
	}
	_ = cmd.Wait()
}
