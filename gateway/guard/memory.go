package guard

import (
	"bytes"
	"io/fs"
	"math"
	"os"
	"path"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"strconv"
	"strings"
	"sync/atomic"
)

// assumedMemory is the memory of the process, in bytes, where the system does not say.
const assumedMemory = 1 << 30

// processMemory is how many bytes this process may use: the least of GOMEMLIMIT (or
// debug.SetMemoryLimit), the limit of the control group and the machine's memory.
func processMemory() int64 {
	root := os.DirFS("/")
	least := int64(math.MaxInt64)
	for _, n := range []int64{debug.SetMemoryLimit(-1), cgroupMemory(root), machineMemory(root)} {
		if n > 0 {
			least = min(least, n)
		}
	}
	if least == math.MaxInt64 {
		return assumedMemory
	}
	return least
}

// LimitMemory sets the garbage collector's limit to [CollectorLimit] of the memory that the
// control group grants this process, so that it works harder before the process is killed. It
// leaves the limit alone if GOMEMLIMIT is set or the group has no limit. If there is room, the
// heap grows to [leastHeap] before it is collected. It is for programs: a library does not own its
// process.
//
// A start leaves much garbage: with start the heap grows less between collections until [ForgetStart], and
// the pages of code that have run are given back.
func LimitMemory(start bool) {
	starting.Store(start)
	if start {
		forgetCode()
	}
	limit := cgroupMemory(os.DirFS("/"))
	if limit > 0 && os.Getenv("GOMEMLIMIT") == "" && debug.SetMemoryLimit(-1) == math.MaxInt64 {
		debug.SetMemoryLimit(CollectorLimit(limit))
	}
	if os.Getenv("GOGC") == "" && processMemory() >= 8*leastHeap {
		collectAt(leastHeap)
	}
}

// ForgetStart gives the memory that only the start of the program needed back to the system: the free heap and
// pages of code. It is for programs.
func ForgetStart() {
	starting.Store(false)
	debug.FreeOSMemory()
	forgetCode()
}

// starting says that ForgetStart will be called.
var starting atomic.Bool

// leastHeap is the size, in bytes, below which the heap is not collected. A gateway keeps two or
// three megabytes between requests, and would collect every few hundred of them, which took five to
// ten percent of the processor time (docs/performance.md).
const leastHeap = 32 << 20

// smallestHeap is the heap, in bytes, that Go first collects with a GOGC of 100.
const smallestHeap = 4 << 20

// collectAt has every collection set GOGC to the percentage of the next one.
func collectAt(least uint64) {
	now := int(least * 100 / smallestHeap) // for the first collection
	debug.SetGCPercent(now)
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	var again func(*[16]byte)
	again = func(mark *[16]byte) {
		metrics.Read(live)
		next := collectorPercent(live[0].Value.Uint64(), least, starting.Load())
		if next > now+now/8 || next < now-now/8 { // setting it stops the world for a moment
			debug.SetGCPercent(next)
			now = next
		}
		runtime.SetFinalizer(mark, again)
	}
	runtime.SetFinalizer(new([16]byte), again) // runs after each collection
}

// collectorPercent returns the GOGC with which a heap of live bytes grows to least, or to twice its
// size if that is more. During the start it is half as much more.
func collectorPercent(live, least uint64, starting bool) int {
	growth := 100
	if starting {
		growth = 50
	}
	return max(growth, int(least*100/max(live, 1<<20))-100)
}

// CollectorLimit is the part of a process's memory, in bytes, that the garbage collector
// is limited to. The rest is for memory that it does not see: SQLite's, and the program.
func CollectorLimit(limit int64) int64 {
	const unseen = 32 << 20
	return max(limit/4*3-unseen, limit/2)
}

// cgroupMemory is the least limit of the control groups that this process is in, version 2 or
// 1; 0 without a limit.
func cgroupMemory(root fs.FS) int64 {
	text, err := fs.ReadFile(root, "proc/self/cgroup")
	if err != nil {
		return 0
	}
	least := int64(0)
	limit := func(file string) {
		text, err := fs.ReadFile(root, file)
		if err != nil {
			return
		}
		// Without a limit, version 2 says max, and version 1 a number next to 2^63.
		n, err := strconv.ParseInt(string(bytes.TrimSpace(text)), 10, 64)
		if err == nil && n > 0 && n < math.MaxInt64>>1 && (least == 0 || n < least) {
			least = n
		}
	}
	for line := range strings.Lines(string(text)) {
		_, rest, _ := strings.Cut(strings.TrimSpace(line), ":")
		controllers, group, ok := strings.Cut(rest, ":")
		if !ok {
			continue
		}
		var mount, file string
		switch {
		case controllers == "":
			mount, file = "sys/fs/cgroup", "memory.max"
		case strings.Contains(","+controllers+",", ",memory,"):
			mount, file = "sys/fs/cgroup/memory", "memory.limit_in_bytes"
		default:
			continue
		}
		// The path is a path of the host's tree; in a container the mounted tree may be its own
		// group alone. A group is limited by those above it too.
		for at := path.Clean("/" + group); ; at = path.Dir(at) {
			limit(path.Join(mount, at, file))
			if at == "/" {
				break
			}
		}
	}
	return least
}

// machineMemory is the memory of the machine as /proc/meminfo has it, or 0.
func machineMemory(root fs.FS) int64 {
	text, err := fs.ReadFile(root, "proc/meminfo")
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(text)) {
		if rest, ok := strings.CutPrefix(line, "MemTotal:"); ok {
			kib, err := strconv.ParseInt(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(rest), "kB")), 10, 64)
			if err != nil {
				return 0
			}
			return kib << 10
		}
	}
	return 0
}
