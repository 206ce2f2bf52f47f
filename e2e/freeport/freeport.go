// Package freeport reserves TCP ports on 127.0.0.1 for tests that start a program again at the
// address it had. It is imported by tests, and by packages that only tests import.
//
// A port that the system chose (port 0) and that is free for a moment may go to anybody in
// between: to another test, or to the local end of an outgoing connection. The ports of this
// package are below those that the system chooses, and a UDP socket on the same number keeps
// each from the other processes that use this package, until it is released or the process
// ends.
package freeport

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"strconv"
	"testing"
)

// The ports that are reserved, unless the system chooses some of them: on Linux it begins at
// 32768, elsewhere at 49152.
const first, behind = 20_000, 32_768

// Take reserves a port until release is called, or this process ends. The port is free to
// listen on, any number of times.
func Take() (port int, release func(), err error) {
	limit := behind
	if text, err := os.ReadFile("/proc/sys/net/ipv4/ip_local_port_range"); err == nil {
		var low int
		if _, err := fmt.Sscan(string(text), &low); err == nil && low > first+1000 {
			limit = min(limit, low)
		}
	}
	for range 1000 {
		port = first + rand.IntN(limit-first)
		address := net.JoinHostPort("127.0.0.1", strconv.Itoa(port))
		held, err := net.ListenPacket("udp", address) //nolint:noctx // it is at once
		if err != nil {
			continue
		}
		l, err := net.Listen("tcp", address) //nolint:noctx // it is at once
		if err != nil {
			_ = held.Close()
			continue
		}
		_ = l.Close() // nobody has connected: the port is free at once
		return port, func() { _ = held.Close() }, nil
	}
	return 0, nil, errors.New("no port is free")
}

// Address reserves a port until the test ends, and returns it as 127.0.0.1:port.
func Address(t testing.TB) string {
	t.Helper()
	return net.JoinHostPort("127.0.0.1", strconv.Itoa(Port(t)))
}

// Port is [Address] without the host.
func Port(t testing.TB) int {
	t.Helper()
	port, release, err := Take()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(release)
	return port
}
