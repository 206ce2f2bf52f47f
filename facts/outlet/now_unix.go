//go:build unix

package outlet

import "syscall"

// writeNow writes as much as a connection accepts at once.
func writeNow(fd uintptr, text []byte) int {
	n, err := syscall.Write(int(fd), text)
	if err != nil {
		return 0
	}
	return n
}
