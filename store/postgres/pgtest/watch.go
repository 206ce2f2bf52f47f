//go:build unix

package pgtest

import (
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
)

// watchdog is a shell script that waits until the process $2, which began at $3, is gone
// and then ends every server whose pid is in a file below the folder $1 and removes the
// folder. It ends, too, when the folder vanishes. Where there is no /proc, a process whose
// pid exists is running.
const watchdog = `
alive() {
  if [ -d /proc/self ]; then
    set -- "$2" $(cat "/proc/$1/stat" 2>/dev/null)
    [ "$4" != Z ] && [ "${23}" = "$1" ]
  else
    kill -0 "$1" 2>/dev/null
  fi
}
while [ -d "$1" ] && alive "$2" "$3"; do sleep 1; done
for file in "$1"/agent.pid "$1"/*/agent.pid; do
  [ -f "$file" ] && kill -KILL "$(head -n 1 "$file")" 2>/dev/null
done
for file in "$1"/*/data/postmaster.pid "$1"/*/pgbouncer.pid; do
  [ -f "$file" ] && kill -QUIT "$(head -n 1 "$file")" 2>/dev/null
done
sleep 1
rm -rf "$1"
`

// watch starts the watchdog over the servers in dir, which lasts as long as the process
// pid. It is not ended by a Ctrl-C for the tests, nor by kill -9 of this process.
func watch(dir string, pid int) error {
	cmd := exec.Command("sh", "-c", watchdog, "pgtest-watchdog", dir, strconv.Itoa(pid), began(pid))
	cmd.Dir = "/"
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("the watchdog of the servers: %w", err)
	}
	go func() { _ = cmd.Wait() }()
	return nil
}

// began returns when a process began, in the clock ticks of Linux, and "" where there is
// no such process or no /proc. Two processes never share both it and the pid.
func began(pid int) string {
	fields := stat(pid)
	if len(fields) < 22 {
		return ""
	}
	return fields[21]
}

// stat returns the fields of /proc/PID/stat: the pid, the name in parentheses, the state…
// A name with a space in it shifts them; the programs looked at here have none.
func stat(pid int) []string {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return nil
	}
	return strings.Fields(string(text))
}
