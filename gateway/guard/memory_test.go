package guard

import (
	"testing"
	"testing/fstest"
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
