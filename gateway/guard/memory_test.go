package guard

import (
	"runtime"
	"runtime/debug"
	"testing"
	"testing/fstest"
	"time"
)

// TestMemoryOfTheProcess: the least limit of the groups that the process is in.
func TestMemoryOfTheProcess(t *testing.T) {
	for _, c := range []struct {
		name  string
		files map[string]string
		want  int64
	}{
		{"nothing", nil, 0},
		{"version 2, in a container", map[string]string{"proc/self/cgroup": "0::/\n", "sys/fs/cgroup/memory.max": "268435456\n"}, 256 << 20},
		{"version 2, a group above it has less", map[string]string{
			"proc/self/cgroup": "0::/a/b\n", "sys/fs/cgroup/a/memory.max": "1048576\n", "sys/fs/cgroup/a/b/memory.max": "2097152\n",
		}, 1 << 20},
		{"version 2, no limit", map[string]string{"proc/self/cgroup": "0::/\n", "sys/fs/cgroup/memory.max": "max\n"}, 0},
		{"version 1, the path is the host's", map[string]string{
			"proc/self/cgroup": "9:name=systemd:/\n4:cpu,memory:/docker/abc\n", "sys/fs/cgroup/memory/memory.limit_in_bytes": "536870912\n",
		}, 512 << 20},
		{"version 1, no limit", map[string]string{
			"proc/self/cgroup": "4:memory:/\n", "sys/fs/cgroup/memory/memory.limit_in_bytes": "9223372036854771712\n",
		}, 0},
		{"nonsense", map[string]string{"proc/self/cgroup": "what\n:\n::\n", "sys/fs/cgroup/memory.max": "-5\n"}, 0},
	} {
		fsys := fstest.MapFS{}
		for name, text := range c.files {
			fsys[name] = &fstest.MapFile{Data: []byte(text)}
		}
		if got := cgroupMemory(fsys); got != c.want {
			t.Errorf("%s: %d, want %d", c.name, got, c.want)
		}
	}
	meminfo := fstest.MapFS{"proc/meminfo": {Data: []byte("MemTotal:       24683520 kB\nMemFree: 1 kB\n")}}
	if got := machineMemory(meminfo); got != 24683520<<10 {
		t.Errorf("the machine has %d", got)
	}
	if got := machineMemory(fstest.MapFS{}); got != 0 {
		t.Errorf("a machine that does not say has %d", got)
	}
	if got := CollectorLimit(256 << 20); got != 160<<20 {
		t.Errorf("of 256 MiB the collector has %d", got)
	}
}

// TestCollectorPercent: a small heap grows to the least size, a large one to twice its own.
func TestCollectorPercent(t *testing.T) {
	for live, want := range map[uint64]int{0: 3100, 2 << 20: 1500, 8 << 20: 300, 16 << 20: 100, 1 << 30: 100} {
		if got := collectorPercent(live, 32<<20, false); got != want {
			t.Errorf("%d bytes in use: %d, want %d", live, got, want)
		}
	}
	if got := collectorPercent(64<<20, 32<<20, true); got != 50 {
		t.Errorf("at the start a large heap grows by %d percent", got)
	}
}

// TestCollectAt: collections of a small heap are further apart until it grows.
func TestCollectAt(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(100))
	collectAt(256 << 20)
	percent := func() int {
		p := debug.SetGCPercent(100)
		debug.SetGCPercent(p)
		return p
	}
	settles := func(what string, good func(int) bool) {
		t.Helper()
		for range 500 {
			runtime.GC()
			if good(percent()) {
				return
			}
			time.Sleep(time.Millisecond) // finalizers run in a goroutine of their own
		}
		t.Errorf("%s: GOGC is %d", what, percent())
	}
	settles("a small heap", func(p int) bool { return p > 400 })
	large := make([]byte, 200<<20)
	settles("a large heap", func(p int) bool { return p == 100 })
	runtime.KeepAlive(large)
}
