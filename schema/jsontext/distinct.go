package jsontext

import (
	"bytes"
	"encoding/json"
	"hash/maphash"
)

// Distinct numbers texts from 0 in the order they are added, equal ones alike. It is
// a hash table of places in a list: no text is copied, and nothing is allocated for
// each of them. The zero value is ready; it is for one goroutine.
type Distinct struct {
	texts []json.RawMessage
	table []int32 // a place in texts and one; 0: free
}

var distinctSeed = maphash.MakeSeed() // nobody outside can choose texts that meet in it

// Texts are those that were added, each of them once. They are the table's own.
func (d *Distinct) Texts() []json.RawMessage { return d.texts }

// Reset empties d for about n texts, and lets go of those it had.
func (d *Distinct) Reset(n int) {
	clear(d.texts)
	d.texts = d.texts[:0]
	if cap(d.texts) < n {
		d.texts = make([]json.RawMessage, 0, n)
	}
	size := 16
	for size < 2*n {
		size *= 2
	}
	if cap(d.table) < size {
		d.table = make([]int32, size)
		return
	}
	d.table = d.table[:size]
	clear(d.table)
}

// Add is the number of a text, which is kept as it is.
func (d *Distinct) Add(text json.RawMessage) int {
	if 2*len(d.texts) >= len(d.table) {
		d.grow()
	}
	mask := uint64(len(d.table) - 1)
	for at := maphash.Bytes(distinctSeed, text) & mask; ; at = (at + 1) & mask {
		n := d.table[at]
		if n == 0 {
			d.texts = append(d.texts, text)
			d.table[at] = int32(len(d.texts))
			return len(d.texts) - 1
		}
		if bytes.Equal(d.texts[n-1], text) {
			return int(n - 1)
		}
	}
}

// grow doubles the table and enters the texts anew.
func (d *Distinct) grow() {
	d.table = make([]int32, max(16, 2*len(d.table)))
	mask := uint64(len(d.table) - 1)
	for i, text := range d.texts {
		at := maphash.Bytes(distinctSeed, text) & mask
		for d.table[at] != 0 {
			at = (at + 1) & mask
		}
		d.table[at] = int32(i + 1)
	}
}
