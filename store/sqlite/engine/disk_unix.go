//go:build linux || darwin || freebsd

package engine

import "syscall"

// freeDisk returns the bytes that this user may still write where path is, -1 for a failure.
func freeDisk(path string) int64 {
	var s syscall.Statfs_t
	if err := syscall.Statfs(path, &s); err != nil {
		return -1
	}
	return int64(s.Bavail) * int64(s.Bsize) //nolint:unconvert,gosec // the types differ between systems; no disk has 2^63 bytes
}
