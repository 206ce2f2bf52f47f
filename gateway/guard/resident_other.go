//go:build !linux

package guard

import "runtime/debug"

// ForgetStart gives the free heap back to the system.
func ForgetStart() { debug.FreeOSMemory() }
