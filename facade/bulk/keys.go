package bulk

import "hash/maphash"

// keys knows the lines of the keys of the last rows of a file: of at least a million of them, in 50 MB at
// most. Keys are known by a hash of 64 bits.
type keys struct {
	seed       maphash.Seed
	now, older table
}

// table is a hash table with open addresses. A line of 0 is an empty place.
type table struct {
	hashes []uint64
	lines  []uint32
	size   int
}

const (
	firstPlaces = 1 << 10
	mostKeys    = 1 << 20 // of one table
)

// add adds the key of a line, and returns the line that has it already; 0: none is known.
func (k *keys) add(key string, line int) (first int) {
	if k.now.hashes == nil {
		k.seed, k.now = maphash.MakeSeed(), newTable(firstPlaces)
	}
	hash := maphash.String(k.seed, key)
	if at, found := k.now.find(hash); found {
		return int(k.now.lines[at])
	}
	if k.older.hashes != nil {
		if at, found := k.older.find(hash); found {
			return int(k.older.lines[at])
		}
	}
	switch {
	case k.now.size == mostKeys:
		k.older, k.now = k.now, newTable(firstPlaces)
	case 2*k.now.size >= len(k.now.hashes):
		k.now = k.now.grown()
	}
	k.now.put(hash, uint32(line))
	return 0
}

func newTable(places int) table {
	return table{hashes: make([]uint64, places), lines: make([]uint32, places)}
}

// find returns the place of a hash, or the empty one that it belongs at.
func (t *table) find(hash uint64) (at int, found bool) {
	mask := len(t.hashes) - 1
	for at = int(hash) & mask; t.lines[at] != 0; at = (at + 1) & mask {
		if t.hashes[at] == hash {
			return at, true
		}
	}
	return at, false
}

// put adds a hash that the table does not have.
func (t *table) put(hash uint64, line uint32) {
	at, _ := t.find(hash)
	t.hashes[at], t.lines[at] = hash, line
	t.size++
}

// grown is the table with twice as many places.
func (t *table) grown() table {
	next := newTable(2 * len(t.hashes))
	for i, line := range t.lines {
		if line != 0 {
			next.put(t.hashes[i], line)
		}
	}
	return next
}
