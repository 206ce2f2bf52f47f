package main

import (
	"bytes"
	"fmt"
	"net"
	"os"
	"os/exec"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
)

// Fan-out (fanout): 9,500 subscribers with the same rights and the same selection, on each of
// three surfaces. The clients are here, the gateway is a process of its own, and what counts is
// the processor time of that process, by event and subscriber:
//
//	alone     one event at a time: each delivery is a write of its own
//	together  events come faster than connections are written to, and leave in batches
//
// A bare server that writes the same bytes to as many connections, one after another, is what the
// system alone takes.
const (
	fanoutAlone    = 20  // events, four a second
	fanoutTogether = 400 // events, 200 a second
)

func benchFanout(int, time.Duration) error {
	fmt.Println("\nFan-out to", idleConnections, "subscribers, CPU µs a delivery (user and system)")
	size := 0
	for _, kind := range subscribers {
		var err error
		if size, err = fanout(kind.name, kind.open); err != nil {
			return err
		}
	}
	return bareWrites(size)
}

// fanout measures the subscribers of one surface, and returns the bytes of a delivery.
func fanout(name string, open func(address, user string) (*socket, error)) (size int, err error) {
	a, err := startAnnouncer()
	if err != nil {
		return 0, err
	}
	defer a.stop()
	all, err := openAll(idleConnections, func(int) (*socket, error) { return open(a.address, `{"id":"caller","roles":["reader"]}`) })
	defer closeAll(all)
	if err != nil {
		return 0, err
	}
	time.Sleep(time.Second)
	fmt.Printf("  %-12s", name)
	var read atomic.Int64
	for _, c := range all {
		go c.drain(&read)
	}
	for _, load := range []struct {
		name     string
		n, asked int
	}{{"alone", fanoutAlone, 4}, {"together", fanoutTogether, 200}} {
		before, arrived := processorTime(a.cmd.Process.Pid), read.Load()
		took, err := a.ask(fmt.Sprintf("emit %d %d 0", load.n, load.asked))
		if err != nil {
			return 0, err
		}
		for last := int64(-1); last != read.Load(); { // until it is quiet
			last = read.Load()
			time.Sleep(500 * time.Millisecond)
		}
		deliveries := float64(load.n * len(all))
		user, system := processorTime(a.cmd.Process.Pid).since(before)
		size = int(float64(read.Load()-arrived)/deliveries + .5)
		fmt.Printf("  %s %5.2f (%.2f + %.2f), %d bytes, in %s;", load.name, micros(user+system)/deliveries, micros(user)/deliveries, micros(system)/deliveries, size, took)
	}
	fmt.Println()
	return size, nil
}

// drain reads until the connection closes, and counts the bytes.
func (s *socket) drain(read *atomic.Int64) {
	buffer := make([]byte, 4<<10)
	for {
		n, err := s.r.Read(buffer)
		read.Add(int64(n))
		if err != nil {
			return
		}
	}
}

// openAll opens n connections, eight at a time.
func openAll(n int, open func(i int) (*socket, error)) ([]*socket, error) {
	all := make([]*socket, n)
	var group sync.WaitGroup
	var failed atomic.Pointer[error]
	for from := range 8 {
		group.Go(func() {
			for i := from; i < n; i += 8 {
				c, err := open(i)
				if err != nil {
					failed.Store(&err)
					return
				}
				all[i] = c
			}
		})
	}
	group.Wait()
	if err := failed.Load(); err != nil {
		return all, *err
	}
	return all, nil
}

func closeAll(all []*socket) {
	for _, c := range all {
		c.close()
	}
}

// bareWrites has a process write the same bytes to every connection, as often as alone does.
func bareWrites(size int) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	cmd := exec.Command(self, "writer", strconv.Itoa(size))
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	defer func() {
		_ = in.Close()
		_ = cmd.Wait()
	}()
	var address string
	if _, err := fmt.Fscanln(out, &address); err != nil {
		return err
	}
	var read atomic.Int64
	all, err := openAll(idleConnections, func(int) (*socket, error) {
		conn, err := net.Dial("tcp", address)
		if err != nil {
			return nil, err
		}
		return newSocket(conn), nil
	})
	defer closeAll(all)
	if err != nil {
		return err
	}
	for _, c := range all {
		go c.drain(&read)
	}
	time.Sleep(time.Second)
	before := processorTime(cmd.Process.Pid)
	if _, err := in.Write([]byte("\n")); err != nil {
		return err
	}
	deliveries := fanoutAlone * len(all)
	for read.Load() < int64(deliveries*size) {
		time.Sleep(100 * time.Millisecond)
	}
	user, system := processorTime(cmd.Process.Pid).since(before)
	fmt.Printf("  %-12s  alone %5.2f (%.2f + %.2f), %d bytes\n", "bare writes", micros(user+system)/float64(deliveries), micros(user)/float64(deliveries), micros(system)/float64(deliveries), size)
	return nil
}

// benchWriter is the process of bareWrites.
func benchWriter(size int) error {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	var mu sync.Mutex
	var all []net.Conn
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			mu.Lock()
			all = append(all, c)
			mu.Unlock()
		}
	}()
	fmt.Println(l.Addr())
	if _, err := os.Stdin.Read(make([]byte, 1)); err != nil {
		return err
	}
	text := bytes.Repeat([]byte("x"), size)
	mu.Lock()
	defer mu.Unlock()
	for range fanoutAlone {
		for _, c := range all {
			if _, err := c.Write(text); err != nil {
				return err
			}
		}
		time.Sleep(250 * time.Millisecond)
	}
	_, _ = os.Stdin.Read(make([]byte, 1)) // until the parent has measured
	return l.Close()
}

// usedTime is processor time of a process.
type usedTime struct{ user, system time.Duration }

func (u usedTime) since(before usedTime) (user, system time.Duration) {
	return u.user - before.user, u.system - before.system
}

// processorTime reads the time that a process has used so far; zero where the system does not say.
func processorTime(pid int) (used usedTime) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return used
	}
	fields := bytes.Fields(text[bytes.LastIndexByte(text, ')')+1:])
	const tick = 10 * time.Millisecond // USER_HZ is 100 on every architecture that Go has
	ticks := func(i int) time.Duration {
		n, _ := strconv.Atoi(string(fields[i]))
		return time.Duration(n) * tick
	}
	return usedTime{ticks(11), ticks(12)}
}

func micros(d time.Duration) float64 { return float64(d) / float64(time.Microsecond) }
