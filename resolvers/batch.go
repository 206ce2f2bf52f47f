package resolvers

import (
	"encoding/json"
	"errors"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/budget"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/resolvers/binding"
	"github.com/frondhost/frond/resolvers/language"
	"github.com/frondhost/frond/schema/jsontext"
)

// errNotRows reports a facade.Caller that broke its contract. It becomes an INTERNAL_ERROR.
var errNotRows = errors.New("the operation answered a value that is not the rows its output names")

// batch makes the one call of a relation for all parents. Keys are sent once each, and every
// parent points to the group of its key. For a relation whose ids are in the row, windows makes
// the groups of the parents afterwards.
func (x *execution) batch(r *run, f *fetch, res *result, call *calling, in *invocation) {
	parent := &r.Results[f.Parent.ID]
	relation := f.Binding.Relation
	if f.list != nil {
		if relation = f.list.Binding.Relation; relation.InRow() {
			x.batchLists(r, f, res, call)
			return
		}
	}
	keys := facade.TakeRelationKeys()
	defer keys.Release()
	at := func(i int) json.RawMessage { return parent.at(i, f.Key) }
	if relation.InRow() {
		keys.Lists(parent.Items, at)
	} else {
		res.Index = sized(&res.indexBuf, parent.Items)
		keys.Number(res.Index, at)
	}
	// There are no keys, so there is no call. Lists of ids still become empty pages, and a
	// window that contradicts itself is still an error.
	if keys.Len() == 0 {
		if relation.InRow() {
			x.windows(parent.Items, at, f, res, keys, in.Window)
		}
		return
	}
	// Charged before the call, since each key has a group even if the call returns no rows.
	if err := x.Account.Reserve(keys.Len()*budget.GroupSize + 4*parent.Items); err != nil {
		res.Err = x.Failed(err)
		return
	}
	call.each = keys.Each(relation, relation.Through(f.Parent.Entity, f.Parent.Operation))
	call.Each = &call.each
	out, err := x.Caller.Call(x.Ctx, &call.Call)
	if err == nil {
		err = out.Grouped(keys.Len())
	}
	if err != nil && kiterror.IsSumOverflow(err) && keys.Len() > 1 && !relation.InRow() {
		out, err = x.apart(res, f, call, err)
	}
	if err != nil {
		res.Err = x.Failed(err)
		return
	}
	res.lay(x, f, out)
	res.Groups = out.Groups
	// More parents than keys: some rows are written several times, and their text may be
	// copied.
	res.Repeats = parent.Items > keys.Len()
	if relation.InRow() {
		x.windows(parent.Items, at, f, res, keys, in.Window)
	}
}

// apart makes a call for the parents whose sums do not overflow, which a call for all of them failed by. The others
// have that failure.
func (x *execution) apart(res *result, f *fetch, call *calling, failed error) (*facade.Result, error) {
	all := call.each.Keys
	try := func(keys []json.RawMessage) (*facade.Result, error) {
		own := *call
		own.each.Keys, own.Call.Each = keys, &own.each
		out, err := x.Caller.Call(x.Ctx, &own.Call)
		if err == nil {
			err = out.Grouped(len(keys))
		}
		return out, err
	}
	over := make([]bool, len(all))
	var look func(from, to int) error
	look = func(from, to int) error {
		if to-from == 1 {
			over[from] = true
			return nil
		}
		middle := (from + to) / 2
		for _, half := range [2][2]int{{from, middle}, {middle, to}} {
			_, err := try(all[half[0]:half[1]])
			if kiterror.IsSumOverflow(err) {
				err = look(half[0], half[1])
			}
			if err != nil {
				return err
			}
		}
		return nil
	}
	if err := look(0, len(all)); err != nil {
		return nil, err
	}
	var whole []json.RawMessage
	for i, key := range all {
		if !over[i] {
			whole = append(whole, key)
		}
	}
	if len(whole) == 0 {
		return nil, failed
	}
	out, err := try(whole)
	if err != nil {
		return nil, err
	}
	groups := make([]facade.Group, len(all))
	for i, n := 0, 0; i < len(all); i++ {
		if over[i] {
			if res.GroupErrs == nil {
				res.GroupErrs = map[int32]*language.Error{}
			}
			res.GroupErrs[int32(i)] = x.Failed(failed) //nolint:gosec // fewer keys than that are read
			continue
		}
		groups[i] = out.Groups[n]
		n++
	}
	own := *out
	own.Groups = groups
	return &own, nil
}

// batchLists makes the one call of groups for parents whose rows have lists of ids.
func (x *execution) batchLists(r *run, f *fetch, res *result, call *calling) {
	parent := &r.Results[f.Parent.ID]
	call.each.Field, call.Each = f.list.Binding.Relation.Each, &call.each
	res.Index = sized(&res.indexBuf, parent.Items)
	for i := range res.Index {
		res.Index[i] = int32(i) //nolint:gosec // fewer rows than that are read
		for _, id := range jsontext.Elements(parent.at(i, f.Key)) {
			call.each.Keys = append(call.each.Keys, id)
		}
		call.each.Ends = append(call.each.Ends, len(call.each.Keys))
	}
	if err := x.Account.Reserve(len(call.each.Keys)*listKeySize + parent.Items*(budget.GroupSize+8)); err != nil {
		res.Err = x.Failed(err)
		return
	}
	out, err := x.Caller.Call(x.Ctx, &call.Call)
	if err == nil {
		err = out.Grouped(parent.Items)
	}
	if err != nil {
		res.Err = x.Failed(err)
		return
	}
	res.lay(x, f, out)
	res.Groups = out.Groups
}

// listKeySize is how many bytes a key of a list takes: its slice and its place.
const listKeySize = 32

// windows gives every parent its page of the rows that its own ids name.
func (x *execution) windows(n int, list func(int) json.RawMessage, f *fetch, res *result, keys *facade.RelationKeys, w binding.Window) {
	res.Index = sized(&res.indexBuf, n)
	for i := range res.Index {
		res.Index[i] = int32(i)
	}
	var position facade.Position
	if len(res.Groups) > 0 {
		position = res.Groups[0].Page.Position
	}
	res.Groups, res.order = keys.Pages(n, list, res.Groups, func(i int, ids []json.RawMessage, there []bool) (int, int, facade.Page) {
		from, to, page, err := binding.PageIDs(ids, there, w)
		if err != nil {
			if res.GroupErrs == nil {
				res.GroupErrs = map[int32]*language.Error{}
			}
			res.GroupErrs[int32(i)] = x.Failed(kiterror.AsError(err).At(f.Entity, f.Operation))
			return 0, 0, facade.Page{}
		}
		page.Position = position
		return from, to, page
	})
	res.Repeats = len(res.order) > res.Items
}
