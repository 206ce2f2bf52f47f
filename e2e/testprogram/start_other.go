//go:build !linux

package testprogram

import "os/exec"

func start(cmd *exec.Cmd) error { return cmd.Start() }
