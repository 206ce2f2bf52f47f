package facade

import (
	"encoding/json"
	"slices"
	"sync"

	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/schema/jsontext"
)

// RelationKeys are the keys of many rows, each of them once, for the one call of a relation:
//
//	rows    p1 (author a), p2 (author b), p3 (author a), p4 (null)
//	keys    a, b
//	Number  0, 1, 0, -1
//
// Where the rows hold lists of ids, the keys are the ids of all lists, and Pages makes the page
// of each row from the answer. It is for one goroutine.
type RelationKeys struct{ distinct jsontext.Distinct }

var relationKeys = sync.Pool{New: func() any { return new(RelationKeys) }}

// maxKeptKeys is how many keys a RelationKeys may have room for and still be kept. A larger one
// would hold its memory for as long as the process runs.
const maxKeptKeys = 16 << 10

// TakeRelationKeys returns RelationKeys without keys, for Release to take back.
func TakeRelationKeys() *RelationKeys { return relationKeys.Get().(*RelationKeys) }

// Release gives k back. Keys that Each returned stay valid.
func (k *RelationKeys) Release() {
	if cap(k.distinct.Texts()) > maxKeptKeys {
		return
	}
	k.distinct.Reset(0)
	relationKeys.Put(k)
}

// Number adds the key of each row: numbers[i] becomes the number of key(i), -1 for null and for
// a missing key.
func (k *RelationKeys) Number(numbers []int32, key func(row int) json.RawMessage) {
	k.distinct.Reset(len(numbers))
	for i := range numbers {
		numbers[i] = k.add(key(i))
	}
}

// Lists adds the ids in the lists of n rows.
func (k *RelationKeys) Lists(n int, list func(row int) json.RawMessage) {
	k.distinct.Reset(4 * n)
	for i := range n {
		for _, id := range jsontext.Elements(list(i)) {
			k.add(id)
		}
	}
}

// add returns the number of a key, or -1 for null and for a missing key.
func (k *RelationKeys) add(key json.RawMessage) int32 {
	// No JSON value but null begins with n.
	if len(key) == 0 || key[0] == 'n' {
		return -1
	}
	return int32(k.distinct.Add(key))
}

// Len returns the number of distinct keys.
func (k *RelationKeys) Len() int { return len(k.distinct.Texts()) }

// Each returns the batch of a call with these keys. They are copied, since the callee may keep
// them.
func (k *RelationKeys) Each(r *catalog.Relation, through *catalog.Through) Each {
	return Each{Field: r.Each, Keys: slices.Clone(k.distinct.Texts()), Through: through}
}

// Pages gives each of n rows its page of the rows that its own list of ids leads to. found are the
// groups of the keys. cut chooses from the ids of a row, of which there says whether their rows
// were found: [from, to) of those that were. A group counts places in order, which has the found
// rows. An id that a list holds twice counts once: its cursor could not say which of the two is
// meant.
func (k *RelationKeys) Pages(n int, list func(row int) json.RawMessage, found []Group, cut func(row int, ids []json.RawMessage, there []bool) (from, to int, page Page)) (groups []Group, order []int32) {
	groups = make([]Group, n)
	last := make([]int, len(found)) // by number of an id, the row that had it last, from 1
	var ids []json.RawMessage
	var there []bool
	var rows []int32
	for i := range n {
		ids, there, rows = ids[:0], there[:0], rows[:0]
		for _, id := range jsontext.Elements(list(i)) {
			at := k.add(id)
			// A null in the list, or an id that this list had before.
			if at < 0 || last[at] == i+1 {
				continue
			}
			last[at] = i + 1
			seen := found[at].From < found[at].To
			if ids, there = append(ids, id), append(there, seen); seen {
				rows = append(rows, int32(found[at].From))
			}
		}
		from, to, page := cut(i, ids, there)
		groups[i] = Group{From: len(order), To: len(order) + to - from, Page: page}
		order = append(order, rows[from:to]...)
	}
	return groups, order
}
