//go:build !linux && !darwin && !freebsd

package engine

// freeDisk is not known here.
func freeDisk(string) int64 { return -1 }
