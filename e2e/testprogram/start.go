package testprogram

import (
	"bytes"
	"os/exec"
)

// Start starts a program as [exec.Cmd.Start] does. On Linux the program ends with this process,
// however the process ends: a test that fails, the time limit of `go test`, a kill.
func Start(cmd *exec.Cmd) error { return start(cmd) }

// Run starts a program by [Start] and waits for its end.
func Run(cmd *exec.Cmd) error {
	if err := Start(cmd); err != nil {
		return err
	}
	return cmd.Wait()
}

// CombinedOutput runs a program by [Run] and returns its stdout and stderr.
func CombinedOutput(cmd *exec.Cmd) ([]byte, error) {
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err := Run(cmd)
	return out.Bytes(), err
}
