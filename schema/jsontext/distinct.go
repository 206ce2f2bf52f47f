package jsontext

import (
	"bytes"
	"encoding/json"
	"hash/maphash"
)

// Distinct numbers texts from 0 in the order in which they are first added; equal texts
// have one number. Relations use it to find the distinct keys of many rows: texts are
// compared byte by byte, not by their JSON value.
//
// It is a hash table of indexes with linear probing. Texts are not copied, and adding one
// allocates nothing but the growth of the two slices. The zero value is ready to use. A
// Distinct is for one goroutine.
type Distinct struct {
	texts []json.RawMessage
	table []int32 // an index into texts plus one, 0 where free; its length is a power of two
}

// distinctSeed is random for each process, so that no caller can choose keys that collide.
var distinctSeed = maphash.MakeSeed()

// Texts returns the distinct texts by their numbers. The slice belongs to d and is valid
// until the next Reset.
func (d *Distinct) Texts() []json.RawMessage { return d.texts }

// Reset empties d and makes room for about n texts. It drops its references to the texts
// it had, so that their memory can be collected.
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

// Add returns the number of a text, which it refers to from then on where it is new: the
// caller must not change the bytes of text before the next Reset.
func (d *Distinct) Add(text json.RawMessage) int {
	if 2*len(d.texts) >= len(d.table) { // at most half full: probing stays short and ends
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

// grow doubles the table and enters all texts anew.
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
