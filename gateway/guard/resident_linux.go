package guard

import (
	"os"
	"strconv"
	"strings"
	"syscall"
)

// forgetCode gives the pages of the program's code and constants back to the system, most of which run once.
// The system maps a page again when it is used, from its cache of the file.
func forgetCode() {
	self, err := os.Readlink("/proc/self/exe")
	if err != nil {
		return // without it, and without maps, the pages stay
	}
	maps, err := os.ReadFile("/proc/self/smaps")
	if err != nil {
		return
	}
	for _, m := range unchanged(string(maps), self) {
		_, _, _ = syscall.Syscall(syscall.SYS_MADVISE, m.from, m.to-m.from, syscall.MADV_DONTNEED) // else they stay
	}
}

// mapping is a range of addresses.
type mapping struct{ from, to uintptr }

// unchanged returns the read-only mappings of a file of which no page differs from the file, as
// those that the linker fills do. smaps is the system's text about all mappings.
func unchanged(smaps, file string) (list []mapping) {
	var at mapping // that the lines are about; zero: one of another file, or that can be written
	for line := range strings.Lines(smaps) {
		fields := strings.Fields(line)
		switch {
		case len(fields) >= 5 && strings.Contains(fields[0], "-"): // 00401000-01e4a000 r-xp 00001000 fe:00 1234 /usr/bin/frond
			at = mapping{}
			if from, to, _ := strings.Cut(fields[0], "-"); strings.HasSuffix(strings.TrimSpace(line), " "+file) && strings.HasPrefix(fields[1], "r-") {
				first, _ := strconv.ParseUint(from, 16, 64) // the kernel wrote them
				behind, _ := strconv.ParseUint(to, 16, 64)
				at = mapping{uintptr(first), uintptr(behind)}
			}
		case at.to > 0 && len(fields) > 1 && fields[0] == "Anonymous:" && fields[1] == "0":
			list = append(list, at)
		}
	}
	return list
}
