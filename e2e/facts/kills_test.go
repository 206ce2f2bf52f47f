package facts

import (
	"bufio"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/frondhost/frond/e2e/testprogram"
	"github.com/frondhost/frond/store/postgres/pgtest"
)

// TestKills runs two gateways, two relays and two consumers over one store, each in a process
// of its own that is killed and started again, half of the times at a random moment and half at
// a step that was drawn before: ahead of a statement, or between two calls.
func TestKills(t *testing.T) {
	t.Run("sqlite", func(t *testing.T) { killAll(t, "sqlite:"+filepath.Join(t.TempDir(), "ledger.db")) })
	t.Run("postgres", func(t *testing.T) { killAll(t, pgtest.Database(t)) })
}

// killAll kills processes over one store as often as -kills says, and judges what is there.
func killAll(t *testing.T, name string) {
	_, s, err := host(t.Context(), name, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "lines")
	var killed atomic.Int64
	var processes sync.WaitGroup
	for _, role := range []string{"gateway", "gateway", "relay", "relay", "effects", "file"} {
		processes.Go(func() {
			for !t.Failed() && killed.Load() < int64(*kills) {
				if err := killOne(role, name, file); err != nil {
					t.Errorf("%s: %v", role, err)
					return
				}
				killed.Add(1)
			}
		})
	}
	processes.Wait()
	if t.Failed() {
		return
	}
	judge(t, name, file, killed.Load())
}

// process is a process of a role, which is not started.
func process(ctx context.Context, role, name, file string, env []string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, os.Args[0], "-test.run=^TestProcess$") //nolint:gosec // it is this test itself
	cmd.Env = append(append(os.Environ(), roleOf+"="+role, storeOf+"="+name, fileOf+"="+file), env...)
	return cmd
}

// start runs a program until ctx is done.
func start(ctx context.Context, name string, env ...string) error {
	return process(ctx, "program", name, "", env).Run()
}

// killOne starts a process and waits for its end by a kill.
func killOne(role, name, file string, env ...string) error {
	cmd := process(context.Background(), role, name, file, env)
	steps := rand.IntN(2) == 0
	if steps {
		cmd.Env = append(cmd.Env, fmt.Sprint(killAt, "=", 1+rand.IntN(600)))
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	var failed strings.Builder
	cmd.Stderr = &failed
	if err := testprogram.Start(cmd); err != nil {
		return err
	}
	said := bufio.NewScanner(out)
	for said.Scan() && said.Text() != "ready" {
		fmt.Fprintln(&failed, said.Text())
	}
	after := 5*time.Millisecond + rand.N(150*time.Millisecond)
	if role == "program" {
		after *= 4
	}
	if steps {
		after = 10 * time.Second // it kills itself, unless there are no more steps
	}
	timer := time.AfterFunc(after, func() { _ = cmd.Process.Kill() })
	defer timer.Stop()
	for said.Scan() {
		fmt.Fprintln(&failed, said.Text())
	}
	_ = cmd.Wait() // its state says it
	if status, ok := cmd.ProcessState.Sys().(syscall.WaitStatus); !ok || !status.Signaled() || status.Signal() != syscall.SIGKILL {
		return fmt.Errorf("the process ended by itself: %s\n%s", cmd.ProcessState, failed.String())
	}
	return nil
}
