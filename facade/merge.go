package facade

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/frondhost/frond/facade/filter"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/facade/rows"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// A list in the order of values that rows elsewhere give is sorted here: the keys of all its rows are read, at most [maxKeys],
// then the values behind relations, and then the rows of the page.

// sorting is a row to be sorted.
type sorting struct {
	id     json.RawMessage
	values []json.RawMessage // of Find.Sort
	of     []int             // places in EachKey.Values
}

// merging reads a page of such a list, and what there is before it.
type merging struct {
	x *viewer
	// fetch reads rows by their primary keys, a group for each.
	fetch func(ctx context.Context, ids []json.RawMessage) (*Result, error)
	all   []*sorting // in order; nil: not read yet
}

// find answers a find. The next ones are about other pages of the same list.
func (m *merging) find(ctx context.Context, q *Find) (found *Found, err error) {
	if m.all == nil {
		if m.all, err = sortedRows(ctx, m.x, q); err != nil {
			return nil, err
		}
	}
	own := *q
	if own.From, err = placeOf(q.From, m.all, q.Backward); err == nil {
		own.Until, err = placeOf(q.Until, m.all, !q.Backward)
	}
	if err != nil {
		return nil, err
	}
	found = &Found{Total: -1}
	if q.Each == nil {
		page := m.page(&own, m.all)
		found.Total, found.More = page.Total, page.More
		return found, m.fill(ctx, q, found, []*mergedPage{page})
	}
	pages := make([]*mergedPage, len(q.Each.Values))
	for i := range pages {
		pages[i] = m.page(&own, slices.DeleteFunc(slices.Clone(m.all), func(r *sorting) bool { return !slices.Contains(r.of, i) }))
	}
	err = m.fill(ctx, q, found, pages)
	for _, page := range pages {
		found.Groups = append(found.Groups, page.FoundGroup)
	}
	return found, err
}

// fill fetches the rows of pages. A row that is gone since its key was read is left out.
func (m *merging) fill(ctx context.Context, q *Find, found *Found, pages []*mergedPage) error {
	places := map[string]int{}
	var ids []json.RawMessage
	for _, page := range pages {
		for _, r := range page.rows {
			if _, is := places[string(r.id)]; !is {
				places[string(r.id)] = len(ids)
				ids = append(ids, r.id)
			}
		}
	}
	found.Rows = rows.New(q.Select, 0)
	if len(ids) == 0 {
		return nil
	}
	fetched, err := m.fetch(ctx, ids)
	if err != nil {
		return err
	}
	found.Rows = rows.New(fetched.Rows.Layout(), len(ids))
	for _, page := range pages {
		page.From = found.Rows.Len()
		for _, r := range page.rows {
			if at := fetched.Groups[places[string(r.id)]]; at.From < at.To {
				found.Rows.CopyRow(fetched.Rows.Row(at.From))
				found.Keys = append(found.Keys, jsontext.AppendTexts(nil, r.values))
			}
		}
		page.To = found.Rows.Len()
	}
	return nil
}

// sortedRows returns the rows that meet a find, without its page, in its order.
func sortedRows(ctx context.Context, x *viewer, q *Find) ([]*sorting, error) {
	if q.Rank != nil {
		return nil, kiterror.Errorf(kiterror.NotImplemented, "rank and values of remote rows do not sort together; leave one out")
	}
	fields, where := []*schema.Property{q.Entity.Primary}, q.Condition()
	for _, k := range q.Sort {
		if k.Derived != nil {
			fields = append(fields, ownKey(k.Derived.Link))
		} else {
			fields = append(fields, k.Field)
		}
	}
	var owners func(row rows.Row) []int
	if q.Each != nil {
		by, of, err := ownersOf(ctx, x, q)
		if err != nil {
			return nil, err
		}
		fields, owners = append(fields, of), func(row rows.Row) (all []int) {
			leads := newKeys(of)
			leads.add(row.Get(of.Name))
			for _, key := range leads.values {
				all = append(all, by[key]...)
			}
			return all
		}
		var keys []any
		for key := range by {
			keys = append(keys, key)
		}
		where = filter.Both(where, filter.OneOf(of, keys, maxPairKeys))
	}
	read, err := allRows(ctx, x, q.Entity, fields, where)
	if err != nil {
		return nil, err
	}
	all := make([]*sorting, read.Len())
	for i := range all {
		all[i] = &sorting{id: read.Row(i).Get(q.Entity.Primary.Name)}
		if owners != nil {
			all[i].of = owners(read.Row(i))
		}
	}
	for _, k := range q.Sort {
		if err := addValues(ctx, x, k, read, all); err != nil {
			return nil, err
		}
	}
	slices.SortStableFunc(all, func(a, b *sorting) int { return compareValues(q.Sort, a.values, b.values) })
	return all, nil
}

// addValues adds the values of a key of the order to the rows.
func addValues(ctx context.Context, x *viewer, k SortKey, read *rows.Rows, all []*sorting) error {
	value := func(row rows.Row) json.RawMessage { return row.Get(k.Field.Name) }
	if d := k.Derived; d != nil {
		own := ownKey(d.Link)
		leads := newKeys(own)
		for i := range all {
			leads.add(read.Row(i).Get(own.Name))
		}
		there, err := readBehind(ctx, x, d, leads.values, false)
		if err != nil {
			return err
		}
		value = func(row rows.Row) json.RawMessage { return there.of(d, row.Get(own.Name)) }
	}
	for i := range all {
		all[i].values = append(all[i].values, value(read.Row(i)))
	}
	return nil
}

// ownersOf returns for each value of a field the places in EachKey.Values of the keys that lead to the rows with it.
func ownersOf(ctx context.Context, x *viewer, q *Find) (by map[any][]int, of *schema.Property, err error) {
	by = map[any][]int{}
	keys, places := make([]any, len(q.Each.Values)), map[any]int{}
	for i, text := range q.Each.Values {
		keys[i], _ = q.Each.Field.Kind.Value(text)
		places[keys[i]] = i
	}
	if q.Each.Through == nil {
		for key, at := range places {
			by[key] = []int{at}
		}
		return by, q.Each.Field, nil
	}
	near, far := q.Each.Field, q.Each.Through
	between, err := allRows(ctx, x, near.Owner, []*schema.Property{near, far}, filter.Both(q.Each.Via, filter.OneOf(near, keys, maxPairKeys)))
	if err != nil {
		return nil, nil, err
	}
	for i := range between.Len() {
		from, why := near.Kind.Value(between.Row(i).Get(near.Name))
		to, none := far.Kind.Value(between.Row(i).Get(far.Name))
		if at, is := places[from]; is && why == "" && none == "" && !slices.Contains(by[to], at) {
			by[to] = append(by[to], at)
		}
	}
	return by, q.Entity.Primary, nil
}

func compareValues(sort []SortKey, a, b []json.RawMessage) int {
	for i, k := range sort {
		c := filter.Compare(k.Field.Kind, a[i], b[i])
		if k.Desc {
			c = -c
		}
		if c != 0 {
			return c
		}
	}
	return 0
}

// placeOf returns the values of a cursor, with those that were too long for it as the row of its key has them.
func placeOf(from []json.RawMessage, all []*sorting, backward bool) ([]json.RawMessage, error) {
	if !slices.ContainsFunc(from, isCut) {
		return from, nil
	}
	for _, r := range all {
		if string(r.id) == string(from[len(from)-1]) && isAtCursor(from, r.values) {
			return r.values, nil
		}
	}
	return nil, errCursorGone(backward)
}

// mergedPage is a page, before its rows are fetched.
type mergedPage struct {
	FoundGroup
	rows []*sorting
}

// page returns the page of rows in order.
func (m *merging) page(q *Find, of []*sorting) *mergedPage {
	page := &mergedPage{FoundGroup: FoundGroup{Total: -1}}
	if q.Count {
		page.Total = int64(len(of))
	}
	if q.From != nil {
		of = slices.DeleteFunc(slices.Clone(of), func(r *sorting) bool {
			c := compareValues(q.Sort, r.values, q.From)
			return q.Backward && c > 0 || !q.Backward && c < 0 || c == 0 && !q.Including
		})
	}
	if q.Until != nil {
		of = slices.DeleteFunc(slices.Clone(of), func(r *sorting) bool {
			c := compareValues(q.Sort, r.values, q.Until)
			return q.Backward && c < 0 || !q.Backward && c > 0 || c == 0
		})
	}
	n := min(max(q.Limit, 0), max(0, len(of)-q.Offset))
	page.More = len(of)-q.Offset > n
	if q.Backward { // the offset counts from the end, and the rows stay in the order of Sort
		end := max(0, len(of)-q.Offset)
		page.rows = of[end-n : end]
	} else {
		begin := min(q.Offset, len(of))
		page.rows = of[begin : begin+n]
	}
	return page
}
