package engine

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/jackc/pgx/v5/pgproto3"
)

// TestWireReadsRows reads rows, of which one is longer than the room, from a connection that gives
// all at once, halves, or single bytes.
func TestWireReadsRows(t *testing.T) {
	long := []byte(strings.Repeat("x", 40*roomy))
	rows := [][][]byte{{[]byte("a"), nil, {}}, {long}, {}, {[]byte("b"), long[:roomy]}}
	var sent []byte
	for _, values := range rows {
		var err error
		if sent, err = (&pgproto3.DataRow{Values: values}).Encode(sent); err != nil {
			t.Fatal(err)
		}
	}
	for name, from := range map[string]func(io.Reader) io.Reader{
		"at once": func(r io.Reader) io.Reader { return r }, "halves": iotest.HalfReader, "bytes": iotest.OneByteReader, "its end with the data": iotest.DataErrReader,
	} {
		w := wire{from: from(bytes.NewReader(sent))}
		for i, want := range rows {
			kind, body, err := w.next()
			if err != nil || kind != 'D' {
				t.Fatalf("%s: message %d: %q, %v", name, i, kind, err)
			}
			got, err := w.row(body)
			if err != nil || len(got) != len(want) {
				t.Fatalf("%s: row %d: %d values, %v", name, i, len(got), err)
			}
			for k := range want {
				if !bytes.Equal(got[k], want[k]) || (got[k] == nil) != (want[k] == nil) {
					t.Errorf("%s: row %d: value %d is %.20q", name, i, k, got[k])
				}
			}
		}
		if w.shrink(); w.room != nil {
			t.Errorf("%s: %d bytes are kept", name, len(w.room))
		}
		if _, _, err := w.next(); !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("%s: behind the last message: %v", name, err)
		}
	}
}

// TestWireRefusesBytes reads bytes that are no messages and no rows.
func TestWireRefusesBytes(t *testing.T) {
	for _, sent := range []string{"D\x00\x00\x00\x03", "D\xff\xff\xff\xff"} {
		w := wire{from: strings.NewReader(sent)}
		if _, _, err := w.next(); !errors.Is(err, errGarbled) {
			t.Errorf("%q: %v", sent, err)
		}
	}
	for _, body := range []string{"", "\x00", "\x00\x01", "\x00\x01\x00\x00\x00\x02a", "\x00\x02\x00\x00\x00\x01a\x00\x00"} {
		if _, err := new(wire).row([]byte(body)); !errors.Is(err, errGarbled) {
			t.Errorf("%q: %v", body, err)
		}
	}
	if err := other('?'); !errors.Is(err, errGarbled) {
		t.Error(err)
	}
}
