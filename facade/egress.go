package facade

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"sync"

	"github.com/frondhost/frond/facade/access"
	"github.com/frondhost/frond/facade/budget"
	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/facade/rows"
	"github.com/frondhost/frond/schema/jsontext"
)

// project is the last step: rows leave with the fields that the caller named and may read.
// Closed fields are gone, values are encoded, computed fields are added, and the null of a field
// that may be absent is left out. Rows that leave as they were read are not touched.
func (x *execution) project(ctx context.Context, res *Result) (*Result, error) {
	if x.sel == nil || res.Form == FormValue {
		return res, nil
	}
	var versions []string
	if x.call.Version || x.sel.etag {
		var err error
		if versions, err = versionsOf(x, res.Rows); err != nil {
			return nil, err
		}
		if x.call.Version {
			res.Versions = versions
		}
	}
	if res.Rows.Len() == 0 || !x.sel.rewrites(res.Rows) {
		if !x.inside && !x.kept {
			res.Rows = res.Rows.Outside()
		}
		return res, nil
	}
	made, failed, err := present(ctx, x, res.Rows)
	if err != nil {
		return nil, err
	}
	res.Failed = failed
	from := res.Rows
	if account := budget.AccountOf(ctx); x.op.Kind == catalog.Command {
		account.Add(from.Size()) // written is written
	} else if err := account.Reserve(from.Size()); err != nil {
		return nil, err
	}
	out := rows.New(x.sel.out, from.Len())
	for i := range from.Len() {
		row := from.Row(i)
		out.BeginRow()
		for j, c := range x.sel.columns {
			switch {
			case c.from < 0 && c.computed < 0:
				if versions[i] == "" {
					out.Put(j, []byte("null"))
				} else {
					out.Put(j, jsontext.Quote(versions[i]))
				}
			case c.from < 0:
				if made[c.computed] != nil {
					out.Put(j, made[c.computed][i])
				}
			case row.At(c.from) == nil, c.absent && isNull(row.At(c.from)):
			case c.encode != nil:
				value, err := outward(x.host.registry, c.encode, row.At(c.from))
				if err != nil {
					return nil, err
				}
				out.Put(j, value)
			default:
				out.Put(j, row.At(c.from))
			}
		}
		out.EndRow()
	}
	if !x.inside && !x.kept {
		out.MarkOutside()
	}
	res.Rows = out
	return res, nil
}

// present runs the selected presenters, each once for all rows. One that fails is
// INTERNAL_ERROR, or with Call.Partial an absent field, which Result.Failed names.
func present(ctx context.Context, x *execution, found *rows.Rows) (made [][]json.RawMessage, failed []FieldError, err error) {
	if len(x.sel.computed) == 0 {
		return nil, nil, nil
	}
	list := make([]rows.Row, found.Len())
	for i := range list {
		list[i] = found.Row(i)
	}
	ctx = authorContext(ctx, x, x.cause(ctx).within())
	made = make([][]json.RawMessage, len(x.sel.computed))
	for i, p := range x.sel.computed {
		if made[i] = madeBefore(x, p.Name, found.Len()); made[i] != nil {
			continue
		}
		if p.Headline {
			made[i] = headlines(ctx, x.list.search, p.Inputs, list)
			continue
		}
		values, err := p.Run(ctx, list)
		if err == nil && len(values) != len(list) {
			err = fmt.Errorf("it gave %d values for %d rows", len(values), len(list))
		}
		if err == nil {
			made[i] = values
			continue
		}
		if ctx.Err() != nil {
			return nil, nil, ctx.Err()
		}
		e := kiterror.Internal(fmt.Errorf("computed field %s.%s: %w", x.op.reader.entity.Name, p.Name, err))
		if !x.call.Partial {
			return nil, nil, e
		}
		failed = append(failed, FieldError{p.Name, e.At(x.door.Name, x.op.Name)})
	}
	return made, failed, nil
}

// madeBefore is a computed field of rows that a handler read through [From]: it was made
// from the rows as they are kept, and is not made again from what left. nil means that it
// has to be made.
func madeBefore(x *execution, name string, n int) []json.RawMessage {
	if x.before == nil || x.before.Len() != n || x.before.Layout().Index(name) < 0 {
		return nil
	}
	values := make([]json.RawMessage, n)
	for i := range values {
		if values[i] = x.before.Row(i).Get(name); values[i] == nil {
			return nil
		}
	}
	return values
}

// asksVersion reports whether a call may need the versions of rows. It may say yes without
// need, since it looks for the word alone.
func asksVersion(x *viewer) bool {
	c := x.call
	return c.Version || slices.Contains(c.Select, catalog.ETag) || bytes.Contains(c.Invocation.Query, []byte(catalog.ETag))
}

// scopeOfVersion is the scope of the rows whose versions are answered or compared: the scope of findById,
// for any operation that asks, so that a row has one version on every way to it. A version is made of the
// fields that the caller may read by findById and by the operation, and so does not disclose the others
// (docs/decisions/writes-and-versions.md). It is nil if the caller may not read the rows.
func scopeOfVersion(ctx context.Context, x *viewer) (*access.Scope, error) {
	door := x.door
	if x.op.OutDoor != nil {
		door = x.host.doors.of(x.op.OutDoor)
	}
	if door.Entity == nil || door.collector == nil {
		return access.Open, nil
	}
	op := door.Operation("findById")
	if op == nil || !op.Builtin {
		op = door.Reading()
	}
	if op == x.op.Operation && !x.inside {
		return x.doorScope, nil
	}
	s, err := door.collector.Scope(ctx, x.state, door.Door, op)
	switch {
	case err == nil:
		return &s, nil
	case kiterror.CodeOf(err) == kiterror.InternalError:
		return nil, err
	case x.inside: // the author's own code reads what its caller may not
		return access.Open, nil
	}
	return nil, nil
}

// versionsOf are the versions of rows, as the selection that read them has it.
func versionsOf(x *execution, found *rows.Rows) ([]string, error) {
	out := make([]string, found.Len())
	for i := range out {
		var err error
		if out[i], err = x.door.keeper.version(x, found.Row(i)); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// maxFollowed is how many bytes the rows of an answer come to with their relations: as many as
// an answer of GraphQL. One row may be below a thousand others.
const maxFollowed = 64 << 20

// followRelations adds the selected relations to the rows of the answer. Each relation is one call
// for all rows, through the middleware and on the surface of this call; that call follows the
// relations below it.
func (x *execution) followRelations(ctx context.Context, res *Result) (*Result, error) {
	if len(x.relations) == 0 || res.Form == FormValue {
		return res, nil
	}
	found := make([]relatedRows, len(x.relations))
	errs := make([]error, len(x.relations))
	var wait sync.WaitGroup
	for i, r := range x.relations {
		follow := func() { found[i], errs[i] = followRelation(ctx, &x.viewer, r, res.Rows) }
		if x.transaction != nil || i == len(x.relations)-1 { // a transaction is for one goroutine
			follow()
		} else {
			wait.Go(follow)
		}
	}
	wait.Wait()
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	rows, err := withRelations(ctx, x, res.Rows, found)
	if err != nil {
		return nil, err
	}
	res.Rows = rows
	return res, nil
}

// relatedRows are the rows of one relation. The rows of row i are in Groups[Index[i]]: the
// places From to To, in order if that is not nil.
type relatedRows struct {
	rows   *rows.Rows
	groups []Group
	index  []int32
	order  []int32
}

// followRelation reads the rows that a relation of rows leads to.
func followRelation(ctx context.Context, x *viewer, r *selectedRelation, list *rows.Rows) (out relatedRows, err error) {
	keys := TakeRelationKeys()
	defer keys.Release()
	column := list.Layout().Index(r.Column)
	at := func(i int) json.RawMessage {
		if column < 0 {
			return nil
		}
		return list.Row(i).At(column)
	}
	out.index = make([]int32, list.Len())
	if r.InRow() {
		keys.Lists(len(out.index), at)
	} else {
		keys.Number(out.index, at)
	}
	found := &Result{}
	if keys.Len() > 0 {
		if err := budget.AccountOf(ctx).Reserve(keys.Len() * budget.GroupSize); err != nil {
			return out, err
		}
		if found, err = callRelation(ctx, x, r, keys); err != nil {
			return out, err
		}
	}
	out.rows, out.groups = found.Rows, found.Groups
	if r.InRow() {
		out.groups, out.order = keys.Pages(len(out.index), at, found.Groups, func(_ int, ids []json.RawMessage, there []bool) (from, to int, page Page) {
			for _, yes := range there {
				if yes {
					to++
				}
			}
			limit := r.rowLimit()
			return 0, min(to, limit), Page{HasMore: to > limit}
		})
		for i := range out.index {
			out.index[i] = int32(i)
		}
	}
	return out, nil
}

// callRelation makes the one call of a relation.
func callRelation(ctx context.Context, x *viewer, r *selectedRelation, keys *RelationKeys) (*Result, error) {
	each := keys.Each(r.Relation, r.Through(x.door.Name, x.op.Name))
	call := &Call{
		Entity: r.Door.Name, Operation: r.Operation, Select: r.fields, Each: &each, NoCursors: true, Partial: x.call.Partial,
		Invocation: Invocation{State: x.state, Trace: x.call.Invocation.Trace},
	}
	if r.Operation == "list" {
		call.Invocation.Query = fmt.Appendf(nil, `{"limit":%d,"total":false}`, r.rowLimit())
	}
	var caller Caller = x.host
	if x.catalogView != x.host.catalog {
		caller = &surface{x.host, x.catalogView}
	}
	res, err := caller.Call(ctx, call)
	if err == nil {
		err = res.Grouped(keys.Len())
	}
	return res, err
}

// rowLimit is how many rows of the relation a row shows.
func (r *selectedRelation) rowLimit() int { return cmp.Or(r.limit, maxRelated) }

// withRelations returns rows with the relations behind their fields, and without the columns that
// were read for the relations alone.
func withRelations(ctx context.Context, x *execution, from *rows.Rows, found []relatedRows) (*rows.Rows, error) {
	var names []string
	var columns []int
	for i, name := range from.Layout().Fields {
		if !slices.ContainsFunc(x.relations, func(r *selectedRelation) bool { return name == r.name || r.hide && name == r.Column }) {
			names, columns = append(names, name), append(columns, i)
		}
	}
	for _, r := range x.relations {
		names = append(names, r.name)
	}
	size := from.TextSize()
	for j, r := range x.relations {
		for i := range from.Len() {
			size += found[j].size(r, i)
		}
	}
	if size > maxFollowed {
		return nil, kiterror.Errorf(kiterror.PayloadTooLarge, "the rows with relations exceed %d bytes; ask for fewer rows or fields", maxFollowed)
	}
	if err := budget.AccountOf(ctx).Reserve(size); err != nil {
		return nil, err
	}
	to := rows.New(rows.NewLayout(names), from.Len())
	for i := range from.Len() {
		to.BeginRow()
		for at, column := range columns {
			if value := from.Row(i).At(column); value != nil {
				to.Put(at, value)
			}
		}
		for j, r := range x.relations {
			at := len(columns) + j
			to.End(at, found[j].appendTo(to.Begin(at), r, i))
		}
		to.EndRow()
	}
	if from.Crossed() {
		to.MarkOutside()
	}
	return to, nil
}

// group is the group of row i; empty for a row without a key.
func (f *relatedRows) group(i int) *Group {
	if at := f.index[i]; at >= 0 && int(at) < len(f.groups) {
		return &f.groups[at]
	}
	return &Group{}
}

// row is the row at a place of a group.
func (f *relatedRows) row(place int) json.RawMessage {
	if f.order != nil {
		place = int(f.order[place])
	}
	return f.rows.Row(place).JSON()
}

// size is about how many bytes appendTo appends.
func (f *relatedRows) size(r *selectedRelation, i int) int {
	g, n := f.group(i), len(`"":{"items":[],"hasMore":false},`)+len(r.name)
	for place := g.From; place < g.To; place++ {
		n += len(f.row(place)) + 1
	}
	return n
}

// appendTo appends the relation of row i: the row or null, or of a relation to many the page.
func (f *relatedRows) appendTo(dst []byte, r *selectedRelation, i int) []byte {
	g := f.group(i)
	if !r.Link.Many {
		if g.From == g.To {
			return append(dst, "null"...)
		}
		return append(dst, f.row(g.From)...)
	}
	dst = append(dst, `{"items":[`...)
	for place := g.From; place < g.To; place++ {
		if place > g.From {
			dst = append(dst, ',')
		}
		dst = append(dst, f.row(place)...)
	}
	dst = append(dst, `],"hasMore":`...)
	return append(strconv.AppendBool(dst, g.Page.HasMore), '}')
}

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
	return Each{Field: r.Each, Keys: slices.Clone(k.distinct.Texts()), Through: through, distinct: true}
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
