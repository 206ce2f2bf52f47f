package freeport_test

import (
	"fmt"
	"net"
	"testing"

	"github.com/frondhost/frond/e2e/freeport"
)

// TestReserved: no port is given out twice, and each can be listened on again and again, behind
// connections that were there.
func TestReserved(t *testing.T) {
	known := map[string]bool{}
	for range 200 {
		address := freeport.Address(t)
		if known[address] {
			t.Fatalf("%s was given out twice", address)
		}
		known[address] = true
	}
	address := fmt.Sprint("127.0.0.1:", freeport.Port(t))
	for range 3 {
		l, err := net.Listen("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		go func() {
			if c, err := l.Accept(); err == nil {
				_ = c.Close() // this end waits for what is still under way
			}
		}()
		c, err := net.Dial("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = c.Read(make([]byte, 1))
		_ = c.Close()
		_ = l.Close()
	}
}
