package execution

import (
	"encoding/json"
	"errors"
	"slices"
	"sync"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/resolvers/binding"
	"github.com/frondhost/frond/resolvers/graphqlerror"
	"github.com/frondhost/frond/resolvers/plan"
	"github.com/frondhost/frond/schema/jsontext"
)

// What a facade.Caller must not answer. Each becomes an INTERNAL_ERROR.
var (
	errNotRows   = errors.New("the operation answered a value that is not the rows its output names")
	errNotGroups = errors.New("a call for many keys was not answered with a group for each")
)

// batch makes the one call of a relation for all parents. Keys are sent once each, and every
// parent is pointed to the group of its key:
//
//	parents   p1 (author a), p2 (author b), p3 (author a), p4 (null)
//	keys      a, b
//	Index     0, 1, 0, -1
//
// For ToManyIDs the keys are the ids of all lists, and windows makes the groups of the parents
// afterwards.
func (x *Execution) batch(r *Run, f *plan.Fetch, res *Result, call *calling, in *plan.Invocation) {
	parent := &r.Results[f.Parent.ID]
	d := dedupers.Get().(*deduper)
	defer d.free()
	if f.Binding.Kind == binding.ToManyIDs {
		d.Reset(4 * parent.Items)
		for i := range parent.Items {
			for _, id := range jsontext.Elements(parent.At(i, f.Key)) {
				d.add(id)
			}
		}
	} else {
		d.Reset(parent.Items)
		res.Index = sized(&res.indexRoom, parent.Items)
		for i := range parent.Items {
			res.Index[i] = d.add(parent.At(i, f.Key))
		}
	}
	// No row has a key, so there is no call. Lists of ids still become empty pages, and a
	// window that contradicts itself is still an error.
	if len(d.Texts()) == 0 { // no row points anywhere
		if f.Binding.Kind == binding.ToManyIDs {
			x.windows(parent, f, res, d, in.Window)
		}
		return
	}
	// Charged before the call, since a group for each key is held whatever the call finds.
	if err := x.Account.Reserve(len(d.Texts())*facade.GroupSize + 4*parent.Items); err != nil {
		res.Err = x.Failed(err)
		return
	}
	// The keys are cloned: the callee may keep them, and the deduper is used again.
	call.each = facade.Each{Field: f.Each, Keys: slices.Clone(d.Texts())}
	if f.Binding.Kind == binding.ToMany {
		call.each.Through = f.Binding.Through(f.Parent.Entity, f.Parent.Operation)
	}
	call.Each = &call.each
	out, err := x.Caller.Call(x.Ctx, &call.Call)
	switch {
	case err != nil:
		res.Err = x.Failed(err)
		return
	// A store or a remote that answers otherwise would put rows below the wrong parents.
	case len(out.Groups) != len(d.Texts()) || out.Form == facade.FormValue:
		res.Err = x.Failed(errNotGroups)
		return
	}
	res.lay(x, f, out)
	res.Groups = out.Groups
	// More parents than keys: some rows are written several times, and their text may be
	// copied.
	res.Repeats = parent.Items > len(d.Texts())
	if f.Binding.Kind == binding.ToManyIDs {
		x.windows(parent, f, res, d, in.Window)
	}
}

// windows gives every parent its page of the rows that its own ids name. An id that a list
// holds twice counts once: its cursor could not say which of the two is meant.
func (x *Execution) windows(parent *Result, f *plan.Fetch, res *Result, d *deduper, w binding.Window) {
	found := res.Groups
	res.Groups = make([]facade.Group, parent.Items)
	res.Index = sized(&res.indexRoom, parent.Items)
	last := make([]int, len(found)) // by number of an id, the parent that had it last, from 1
	var ids []json.RawMessage
	var there []bool
	var rows []int32
	for i := range parent.Items {
		ids, there, rows = ids[:0], there[:0], rows[:0]
		for _, id := range jsontext.Elements(parent.At(i, f.Key)) {
			at := d.add(id)
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
		from, to, page, err := binding.PageIDs(ids, there, w)
		if len(found) > 0 {
			page.Position = found[0].Page.Position
		}
		res.Index[i] = int32(i)
		if err != nil {
			if res.GroupErrs == nil {
				res.GroupErrs = map[int32]*graphqlerror.Error{}
			}
			res.GroupErrs[int32(i)] = x.Failed(facade.AsError(err).At(f.Entity, f.Operation))
			continue
		}
		res.Groups[i] = facade.Group{From: len(res.order), To: len(res.order) + to - from, Page: page}
		res.order = append(res.order, rows[from:to]...)
	}
	res.Repeats = len(res.order) > res.Items
}

// deduper numbers distinct keys. It is kept from one batch to the next, so nothing is
// allocated per row.
type deduper struct{ jsontext.Distinct }

var dedupers = sync.Pool{New: func() any { return new(deduper) }}

// maxKeptKeys is how many keys a deduper may have room for and still be kept. A larger one
// would hold its memory for as long as the process runs.
const maxKeptKeys = 16 << 10

// free keeps the deduper for another batch, without the rows that its keys are parts of. One
// that has grown too large is dropped.
func (d *deduper) free() {
	if cap(d.Texts()) > maxKeptKeys {
		return
	}
	d.Reset(0)
	dedupers.Put(d)
}

// add returns the number of a key, or -1 for null and for a missing key.
func (d *deduper) add(key json.RawMessage) int32 {
	// No JSON value but null begins with n.
	if len(key) == 0 || key[0] == 'n' {
		return -1
	}
	return int32(d.Add(key))
}
