package resolvers

import (
	"bytes"
	"encoding/json"
	"errors"
	"hash/maphash"
	"sync"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// The answers that a caller must not give; they are ours to look into.
var (
	errNotRows   = errors.New("the operation answered a value that is not the rows its output names")
	errNotGroups = errors.New("a call for many keys was not answered with a group for each")
)

// batch makes the one call of a relation for all parents.
func (x *exec) batch(r *run, f *fetch, res *result, call *facade.Call, in *invocation) {
	parent := &r.res[f.parent.id]
	d := dedupers.Get().(*deduper)
	defer dedupers.Put(d)
	if f.binding.Kind == ToManyIDs {
		d.reset(4 * parent.items)
		for i := range parent.items {
			for _, id := range jsontext.Elements(parent.at(i, f.key)) {
				d.add(id)
			}
		}
	} else {
		d.reset(parent.items)
		res.index = make([]int32, parent.items)
		for i := range parent.items {
			res.index[i] = d.add(parent.at(i, f.key))
		}
	}
	if len(d.keys) == 0 { // no row points anywhere
		if f.binding.Kind == ToManyIDs {
			x.windows(parent, f, res, d, in.window)
		}
		return
	}
	call.Each = &facade.Each{Field: f.each, Keys: kept(d.keys)}
	if f.binding.Kind == ToMany {
		call.Each.Through = through(f.binding.Link, f.parent.entity, f.parent.op)
	}
	out, err := x.e.caller.Call(x.ctx, call)
	switch {
	case err != nil:
		res.fault = x.failed(err)
		return
	case len(out.Groups) != len(d.keys) || out.Form == facade.FormValue:
		res.fault = x.failed(errNotGroups)
		return
	}
	res.lay(x, f, out)
	res.groups = out.Groups
	res.repeats = parent.items > len(d.keys)
	if f.binding.Kind == ToManyIDs {
		x.windows(parent, f, res, d, in.window)
	}
}

// through is the relation whose rows are asked for. Rows that no call of the plan
// gave are taken for ones that were asked for by their ids.
func through(l *schema.Link, entity, op string) *facade.Through {
	if entity == "" || op == "" {
		entity, op = l.Field.Owner.Key, "findById"
	}
	return &facade.Through{Entity: entity, Operation: op, Field: l.Field.Name}
}

// kept is a copy of keys for a caller to keep.
func kept(keys []json.RawMessage) []json.RawMessage {
	return append(make([]json.RawMessage, 0, len(keys)), keys...)
}

// windows gives every parent its page of the rows that its own ids name, each of
// them once: an id that stands twice would have one cursor for two places.
func (x *exec) windows(parent *result, f *fetch, res *result, d *deduper, w Window) {
	found := res.groups
	res.groups = make([]facade.Group, parent.items)
	res.index = make([]int32, parent.items)
	last := make([]int, len(found)) // by number of an id, the parent that had it last, from 1
	var ids []json.RawMessage
	var there []bool
	var rows []int32
	for i := range parent.items {
		ids, there, rows = ids[:0], there[:0], rows[:0]
		for _, id := range jsontext.Elements(parent.at(i, f.key)) {
			at := d.add(id)
			if at < 0 || last[at] == i+1 {
				continue
			}
			last[at] = i + 1
			seen := found[at].From < found[at].To
			if ids, there = append(ids, id), append(there, seen); seen {
				rows = append(rows, int32(found[at].From))
			}
		}
		from, to, page, err := PageIDs(ids, there, w)
		res.index[i] = int32(i)
		if err != nil {
			if res.faults == nil {
				res.faults = map[int32]*fault{}
			}
			res.faults[int32(i)] = x.failed(facade.AsError(err).At(f.entity, f.op))
			continue
		}
		res.groups[i] = facade.Group{From: len(res.order), To: len(res.order) + to - from, Page: page}
		res.order = append(res.order, rows[from:to]...)
	}
	res.repeats = len(res.order) > res.items
}

// deduper numbers distinct keys. It is a hash table of places in keys, kept from
// one batch to the next: no key is copied, and nothing is allocated per row.
type deduper struct {
	keys  []json.RawMessage
	table []int32 // a place in keys and one; 0: free
}

var (
	dedupers = sync.Pool{New: func() any { return new(deduper) }}
	hashSeed = maphash.MakeSeed()
)

// reset empties d for about n keys.
func (d *deduper) reset(n int) {
	clear(d.keys) // hold on to nobody's rows
	d.keys = d.keys[:0]
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

// add is the number of a key; -1 for null and for none.
func (d *deduper) add(key json.RawMessage) int32 {
	if len(key) == 0 || key[0] == 'n' {
		return -1
	}
	mask := uint64(len(d.table) - 1)
	for at := maphash.Bytes(hashSeed, key) & mask; ; at = (at + 1) & mask {
		n := d.table[at]
		if n == 0 {
			if 2*len(d.keys) >= len(d.table) {
				d.grow()
				return d.add(key)
			}
			d.keys = append(d.keys, key)
			d.table[at] = int32(len(d.keys))
			return int32(len(d.keys) - 1)
		}
		if bytes.Equal(d.keys[n-1], key) {
			return n - 1
		}
	}
}

func (d *deduper) grow() {
	d.table = make([]int32, 2*len(d.table))
	mask := uint64(len(d.table) - 1)
	for i, key := range d.keys {
		at := maphash.Bytes(hashSeed, key) & mask
		for d.table[at] != 0 {
			at = (at + 1) & mask
		}
		d.table[at] = int32(i + 1)
	}
}
