package jsontext

import (
	"bytes"
	"encoding/json"
	"hash/maphash"
)

// Distinct numbers texts from 0 in the order they are added, equal ones alike: b, a, b are 0,
// 1, 0. The keys of a batch are made distinct with it. It is a hash table of places in a list
// (open addressing, linear probing): it does not copy texts or allocate for each of them. Texts
// are compared byte by byte, so "1" and "1.0" differ. The zero value is ready; it is for one
// goroutine.
type Distinct struct {
	texts []json.RawMessage
	table []int32 // an index into texts plus one, 0 where free; its length is a power of two
}

// distinctSeed is random for each process, so that no caller can choose keys that collide.
var distinctSeed = maphash.MakeSeed()

// Texts returns the added texts, each of them once, by number. The slice is the table's own: it
// is valid until the next Add or Reset.
func (d *Distinct) Texts() []json.RawMessage { return d.texts }

// Reset empties d and makes room for about n texts; more may be added. It lets go of the texts
// it had, so that a kept table does not hold the memory they were cut from.
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

// Add returns the number of a text. It refers to a new text from then on: the caller must not
// change the bytes of text before the next Reset.
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

// grow doubles the table and enters the texts again. The size is a power of two, so that a mask
// replaces a division, and at least half of it is free, so that a probe ends soon.
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
