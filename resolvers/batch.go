package resolvers

import (
	"encoding/json"
	"errors"
	"slices"
	"sync"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/resolvers/binding"
	"github.com/frondhost/frond/resolvers/graphqlerror"
	"github.com/frondhost/frond/schema/jsontext"
)

// The answers that a caller must not give; they are ours to look into.
var (
	errNotRows   = errors.New("the operation answered a value that is not the rows its output names")
	errNotGroups = errors.New("a call for many keys was not answered with a group for each")
)

// batch makes the one call of a relation for all parents.
func (x *exec) batch(r *run, f *fetch, res *result, call *calling, in *invocation) {
	parent := &r.res[f.parent.id]
	d := dedupers.Get().(*deduper)
	defer d.free()
	if f.binding.Kind == binding.ToManyIDs {
		d.Reset(4 * parent.items)
		for i := range parent.items {
			for _, id := range jsontext.Elements(parent.at(i, f.key)) {
				d.add(id)
			}
		}
	} else {
		d.Reset(parent.items)
		res.index = sized(&res.indexRoom, parent.items)
		for i := range parent.items {
			res.index[i] = d.add(parent.at(i, f.key))
		}
	}
	if len(d.Texts()) == 0 { // no row points anywhere
		if f.binding.Kind == binding.ToManyIDs {
			x.windows(parent, f, res, d, in.window)
		}
		return
	}
	if err := x.account.Reserve(len(d.Texts())*facade.GroupSize + 4*parent.items); err != nil {
		res.fault = x.failed(err)
		return
	}
	call.each = facade.Each{Field: f.each, Keys: slices.Clone(d.Texts())}
	if f.binding.Kind == binding.ToMany {
		call.each.Through = f.binding.Through(f.parent.entity, f.parent.op)
	}
	call.Each = &call.each
	out, err := x.e.caller.Call(x.ctx, &call.Call)
	switch {
	case err != nil:
		res.fault = x.failed(err)
		return
	case len(out.Groups) != len(d.Texts()) || out.Form == facade.FormValue:
		res.fault = x.failed(errNotGroups)
		return
	}
	res.lay(x, f, out)
	res.groups = out.Groups
	res.repeats = parent.items > len(d.Texts())
	if f.binding.Kind == binding.ToManyIDs {
		x.windows(parent, f, res, d, in.window)
	}
}

// windows gives every parent its page of the rows that its own ids name, each of
// them once: an id that stands twice would have one cursor for two places.
func (x *exec) windows(parent *result, f *fetch, res *result, d *deduper, w binding.Window) {
	found := res.groups
	res.groups = make([]facade.Group, parent.items)
	res.index = sized(&res.indexRoom, parent.items)
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
		from, to, page, err := binding.PageIDs(ids, there, w)
		res.index[i] = int32(i)
		if err != nil {
			if res.faults == nil {
				res.faults = map[int32]*graphqlerror.Error{}
			}
			res.faults[int32(i)] = x.failed(facade.AsError(err).At(f.entity, f.op))
			continue
		}
		res.groups[i] = facade.Group{From: len(res.order), To: len(res.order) + to - from, Page: page}
		res.order = append(res.order, rows[from:to]...)
	}
	res.repeats = len(res.order) > res.items
}

// deduper numbers distinct keys, kept from one batch to the next: nothing is
// allocated per row.
type deduper struct{ jsontext.Distinct }

var dedupers = sync.Pool{New: func() any { return new(deduper) }}

// maxKeptKeys is for how many keys a deduper may have grown to be kept.
const maxKeptKeys = 16 << 10

// free lets go of the rows the keys stand in.
func (d *deduper) free() {
	if cap(d.Texts()) > maxKeptKeys {
		return
	}
	d.Reset(0)
	dedupers.Put(d)
}

// add is the number of a key; -1 for null and for none.
func (d *deduper) add(key json.RawMessage) int32 {
	if len(key) == 0 || key[0] == 'n' {
		return -1
	}
	return int32(d.Add(key))
}
