//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package engine

import (
	"errors"
	"net"
	"syscall"
)

// hungUp says whether the other end of an idle connection has closed it or has sent an unexpected
// message, such as the reason why it is about to close it. It peeks without a read, in about a
// microsecond.
func hungUp(conn net.Conn) bool {
	if inner, ok := conn.(interface{ NetConn() net.Conn }); ok { // TLS
		conn = inner.NetConn()
	}
	raw, ok := conn.(syscall.Conn)
	if !ok {
		return false
	}
	control, err := raw.SyscallConn()
	if err != nil {
		return true
	}
	ended := false
	err = control.Read(func(fd uintptr) bool {
		var one [1]byte
		_, _, err := syscall.Recvfrom(int(fd), one[:], syscall.MSG_PEEK) // the descriptor does not block
		ended = err == nil || !errors.Is(err, syscall.EAGAIN) && !errors.Is(err, syscall.EINTR)
		return true
	})
	return ended || err != nil
}
