package guard

import (
	"os"
	"runtime/debug"
	"strconv"
	"strings"
	"syscall"
)

// ForgetStart gives the memory that only the start of the program needed back to the system: the
// free heap, and the pages of the program's code and constants, most of which run once. The system
// maps a page again when it is used, from its cache of the file. It is for programs.
func ForgetStart() {
	debug.FreeOSMemory()
	self, err := os.Readlink("/proc/self/exe")
	if err != nil {
		return
	}
	maps, err := os.ReadFile("/proc/self/smaps")
	if err != nil {
		return // no such system: the pages stay
	}
	var from, to uint64 // of the mapping that the next lines describe; 0: one of another file, or that can be written
	for line := range strings.Lines(string(maps)) {
		fields := strings.Fields(line)
		switch {
		case len(fields) >= 5 && strings.Contains(fields[0], "-"): // 00401000-01e4a000 r-xp 00001000 fe:00 1234 /usr/bin/frond
			from, to = 0, 0
			if first, behind, _ := strings.Cut(fields[0], "-"); strings.HasSuffix(strings.TrimSpace(line), self) && strings.HasPrefix(fields[1], "r-") {
				from, _ = strconv.ParseUint(first, 16, 64) // the kernel wrote them
				to, _ = strconv.ParseUint(behind, 16, 64)
			}
		case from > 0 && fields[0] == "Anonymous:" && fields[1] == "0": // no page differs from the file, as those that the linker fills would
			_, _, _ = syscall.Syscall(syscall.SYS_MADVISE, uintptr(from), uintptr(to-from), syscall.MADV_DONTNEED) // else they stay
		}
	}
}
