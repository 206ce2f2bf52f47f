package main

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"strings"
	"time"
)

// socket is a subscriber that costs little: it skips frames without looking at them.
type socket struct {
	conn net.Conn
	r    *bufio.Reader
}

func newSocket(conn net.Conn) *socket {
	return &socket{conn: conn, r: bufio.NewReaderSize(conn, 512)}
}

// openSocket connects, identifies itself with a payload, and subscribes.
func openSocket(address, payload, query string) (*socket, error) {
	conn, err := net.DialTimeout("tcp", address, 20*time.Second)
	if err != nil {
		return nil, err
	}
	s := newSocket(conn)
	_, err = io.WriteString(conn, "GET /graphql HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Protocol: graphql-transport-ws\r\n\r\n")
	for line := ""; err == nil && line != "\r\n"; {
		line, err = s.r.ReadString('\n')
	}
	if err == nil {
		err = s.send(`{"type":"connection_init","payload":` + payload + `}`)
	}
	if err == nil {
		var ack []byte
		if ack, err = s.next(true); err == nil && !strings.Contains(string(ack), "connection_ack") {
			err = fmt.Errorf("in place of an acknowledgement: %s", ack)
		}
	}
	if err == nil {
		err = s.send(fmt.Sprintf(`{"type":"subscribe","id":"1","payload":{"query":%q}}`, query))
	}
	if err != nil {
		_ = conn.Close()
		return nil, err
	}
	return s, nil
}

// send sends a text frame, masked with zeros.
func (s *socket) send(text string) error {
	head := []byte{0x81, 0x80 | byte(len(text))}
	if len(text) > 125 {
		head = binary.BigEndian.AppendUint16([]byte{0x81, 0x80 | 126}, uint16(len(text)))
	}
	_, err := s.conn.Write(append(append(head, 0, 0, 0, 0), text...))
	return err
}

// next reads a frame, and returns its text where it is wanted.
func (s *socket) next(wanted bool) ([]byte, error) {
	head, err := s.r.Peek(2)
	if err != nil {
		return nil, err
	}
	kind, n := head[0]&0xF, int(head[1]&0x7F)
	_, _ = s.r.Discard(2)
	if n == 126 {
		more, err := s.r.Peek(2)
		if err != nil {
			return nil, err
		}
		n = int(binary.BigEndian.Uint16(more))
		_, _ = s.r.Discard(2)
	}
	switch {
	case kind == 8:
		return nil, io.EOF
	case !wanted:
		_, err := s.r.Discard(n)
		return nil, err
	}
	text := make([]byte, n)
	_, err = io.ReadFull(s.r, text)
	return text, err
}

func (s *socket) close() {
	if s != nil {
		_ = s.conn.Close()
	}
}

// openStream sends a request whose answer is a stream, and reads the head of the answer.
func openStream(address, request string) (*socket, error) {
	conn, err := net.DialTimeout("tcp", address, 20*time.Second)
	if err != nil {
		return nil, err
	}
	s := newSocket(conn)
	if _, err = io.WriteString(conn, request); err == nil {
		var line string
		if line, err = s.r.ReadString('\n'); err == nil && !strings.Contains(line, " 200 ") {
			err = fmt.Errorf("the answer is %q", line)
		}
		for err == nil && line != "\r\n" {
			line, err = s.r.ReadString('\n')
		}
	}
	if err != nil {
		_ = conn.Close()
		return nil, err
	}
	return s, nil
}
