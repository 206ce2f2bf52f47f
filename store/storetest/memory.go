package storetest

import (
	"bytes"
	"context"
	"encoding/json"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/filter"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/facade/rows"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// The reference store. It is one lock around maps of rows and does what facade.Store promises
// by the shortest code for it: a write changes the rows, looks whether everything still holds,
// and takes the change back where it does not. Nothing in it is fast, and it checks no value
// (see Harness.Trusting).

// Store keeps rows in memory: the plain implementation that other stores are tested against.
// Every call looks at every row. It is safe for concurrent use, one call at a time. Use
// [NewStore].
type Store struct {
	mu sync.Mutex
	contents
	committed facade.Broadcast
	values    map[string]versioned
	// failed is why a value of the present read cannot be made.
	failed error
}

// contents is the state that a transaction is undone to.
type contents struct {
	tables map[string]*table
	outbox outbox
}

// table is the rows of an entity, in the order in which they were inserted.
type table struct {
	entity *schema.Entity
	rows   []*row
}

// row is one row: the text of every stored field, null among them. Rows are compared by their
// address.
type row struct{ of map[string]json.RawMessage }

var _ facade.Store = (*Store)(nil)

// NewStore returns an empty store. It needs no entities: a table is made by its first use.
func NewStore() *Store {
	return &Store{contents: contents{tables: map[string]*table{}, outbox: newOutbox()}}
}

// Abilities implements [facade.Store]: transactions, events that commands emit, and key values.
func (s *Store) Abilities() facade.Abilities {
	return facade.Abilities{Transactor: s, Outbox: s, KeyValues: s}
}

// table returns the table of an entity, made when it is first used. s.mu is held.
func (s *Store) table(e *schema.Entity) *table {
	t := s.tables[e.Key]
	if t == nil {
		t = &table{entity: e}
		s.tables[e.Key] = t
	}
	return t
}

// Find reads rows, in these steps: filter, sort, and for each key or once the page, then the
// layout. Total is -1 where it was not asked for.
func (s *Store) Find(ctx context.Context, q *facade.Find) (*facade.Found, error) {
	release, err := s.hold(ctx)
	if err != nil {
		return nil, err
	}
	defer release()
	s.failed = nil
	found, err := s.find(q)
	if err == nil && s.failed != nil {
		return nil, s.failed
	}
	return found, err
}

// find is [Store.Find]. s.mu is held.
func (s *Store) find(q *facade.Find) (*facade.Found, error) {
	var met []*row
	if q.Key != nil {
		if r := s.byID(q.Entity, q.Key); r != nil && s.holds(q.Where, r) {
			met = append(met, r)
		}
		return &facade.Found{Rows: write(q.Select, met), Total: -1}, nil
	}
	for _, r := range s.table(q.Entity).rows {
		if s.holds(q.Where, r) {
			met = append(met, r)
		}
	}
	if q.Group != nil {
		return s.group(q, met)
	}
	if q.Rank != nil {
		met = withRank(q.Rank, q.Entity, met)
	}
	slices.SortStableFunc(met, func(a, b *row) int { return s.compareRows(q.Sort, a, b) })
	if q.Each == nil {
		rows, total, more := s.page(q, met)
		found := &facade.Found{Rows: write(q.Select, rows), Total: -1, More: more}
		if q.Count {
			found.Total = total
		}
		found.Keys = s.keys(q, rows, []facade.FoundGroup{{From: 0, To: len(rows)}})
		return found, nil
	}
	var all []*row
	var groups []facade.FoundGroup
	// One group for each key, in the order of the keys, also where it has no rows.
	for _, of := range s.ofKeys(q, met) {
		rows, total, more := s.page(q, of)
		if !q.Count {
			total = -1
		}
		groups = append(groups, facade.FoundGroup{From: len(all), To: len(all) + len(rows), Total: total, More: more})
		all = append(all, rows...)
	}
	return &facade.Found{Rows: write(q.Select, all), Total: -1, Groups: groups, Keys: s.keys(q, all, groups)}, nil
}

// ofKeys are the rows of each key of a find, or of each list of keys.
func (s *Store) ofKeys(q *facade.Find, met []*row) (list [][]*row) {
	for _, key := range q.Each.Values {
		var of []*row
		for _, r := range met {
			if s.hasKey(q.Each, key, r) {
				of = append(of, r)
			}
		}
		list = append(list, of)
	}
	if q.Each.Lists == nil {
		return list
	}
	joined := make([][]*row, len(q.Each.Lists))
	for i, places := range q.Each.Lists {
		for _, at := range places {
			joined[i] = append(joined[i], list[at]...)
		}
	}
	return joined
}

// hasKey reports whether a row is in the group of a key.
func (s *Store) hasKey(each *facade.EachKey, key json.RawMessage, r *row) bool {
	if each.Through == nil {
		v := r.of[each.Field.Name]
		return !jsontext.IsNull(v) && compareTexts(each.Field, v, key) == 0
	}
	id := r.of[each.Through.Link.Target.Primary.Name]
	return slices.ContainsFunc(s.table(each.Field.Owner).rows, func(link *row) bool {
		near, far := link.of[each.Field.Name], link.of[each.Through.Name]
		return !jsontext.IsNull(near) && !jsontext.IsNull(far) && compareTexts(each.Field, near, key) == 0 && compareTexts(each.Through, far, id) == 0 && s.holds(each.Via, link)
	})
}

// page cuts the page of a find out of sorted rows: the range between From and Until, then Offset,
// then Limit, from the end of the range where the reading is backward. total counts the rows before
// the cut; more reports whether the range goes on.
func (s *Store) page(q *facade.Find, rows []*row) (cut []*row, total int64, more bool) {
	total = int64(len(rows))
	// Backward means the rows before From, which are kept where they compare less.
	if q.From != nil {
		rows = slices.DeleteFunc(slices.Clone(rows), func(r *row) bool {
			c := s.compareToKey(q.Sort, r, q.From)
			return q.Backward && c > 0 || !q.Backward && c < 0 || c == 0 && !q.Including
		})
	}
	if q.Until != nil {
		rows = slices.DeleteFunc(slices.Clone(rows), func(r *row) bool {
			c := s.compareToKey(q.Sort, r, q.Until)
			return q.Backward && c < 0 || !q.Backward && c > 0 || c == 0
		})
	}
	if q.Backward {
		// Backward the offset counts from the end, and the rows stay in the order of Sort.
		rows = rows[:max(0, len(rows)-q.Offset)]
		n := min(max(q.Limit, 0), len(rows))
		return rows[len(rows)-n:], total, len(rows) > n
	}
	rows = rows[min(q.Offset, len(rows)):]
	n := min(max(q.Limit, 0), len(rows))
	return rows[:n], total, len(rows) > n
}

// write lays rows out as a selection has them.
func write(sel *rows.Layout, found []*row) *rows.Rows {
	out := rows.New(sel, len(found))
	for _, r := range found {
		out.BeginRow()
		for i, name := range sel.Fields {
			out.Put(i, r.of[name])
		}
		out.EndRow()
	}
	return out
}

// keys returns the values of the sort fields as JSON arrays, of all rows or of the ends of
// each group; nil for the others.
func (s *Store) keys(q *facade.Find, rows []*row, groups []facade.FoundGroup) []json.RawMessage {
	out := make([]json.RawMessage, len(rows))
	for i, r := range rows {
		end := slices.ContainsFunc(groups, func(g facade.FoundGroup) bool { return i == g.From || i == g.To-1 })
		if !q.Keys && !end {
			continue
		}
		key := []byte("[")
		for j, k := range q.Sort {
			if j > 0 {
				key = append(key, ',')
			}
			key = append(key, s.at(k, r)...)
		}
		out[i] = append(key, ']')
	}
	return out
}

// Insert writes rows, all or none. It appends them first and then checks each, since rows of
// one call may point at each other; the first failure cuts the table back.
func (s *Store) Insert(ctx context.Context, e *schema.Entity, records []facade.Record, terms *facade.Terms, sel *rows.Layout) (*rows.Rows, error) {
	release, err := s.hold(ctx)
	if err != nil {
		return nil, err
	}
	defer release()
	t := s.table(e)
	before := len(t.rows)
	// Points are judged before anything is written: a row does not make its own target one
	// that meets the condition.
	for i, record := range records {
		if err := s.checkRelations(termsOfRow(terms, i), e, nil, record, records); err != nil {
			return nil, err
		}
	}
	for _, record := range records {
		r := &row{map[string]json.RawMessage{}}
		for _, p := range e.Fields {
			if !p.Stored {
				continue
			}
			// A field that the record leaves out is null at creation.
			r.of[p.Name] = json.RawMessage("null")
			if v := record.Get(p.Name); v != nil {
				r.of[p.Name] = compact(v)
			}
		}
		t.rows = append(t.rows, r)
	}
	for _, r := range t.rows[before:] {
		err := s.check(t, r)
		if err == nil {
			err = s.checkVisible(terms, r)
		}
		if err != nil {
			t.rows = t.rows[:before]
			return nil, err
		}
	}
	return write(sel, t.rows[before:]), nil
}

// check returns the constraint that a row breaks, after it was added to its table: Taken for a
// value that another row has, Dangling for a relation to no row, else nil. A null is equal to
// nothing and points at nothing.
func (s *Store) check(t *table, r *row) error {
	// The primary key is a unique constraint, and is reported first.
	uniques := t.entity.Uniques
	if t.entity.Primary != nil {
		uniques = append([][]*schema.Property{{t.entity.Primary}}, uniques...)
	}
	for _, members := range uniques {
		for _, other := range t.rows {
			// Two rows collide where no member differs and none is null.
			if r != other && slices.IndexFunc(members, func(p *schema.Property) bool {
				return jsontext.IsNull(r.of[p.Name]) || jsontext.IsNull(other.of[p.Name]) || compareTexts(p, r.of[p.Name], other.of[p.Name]) != 0
			}) < 0 {
				return kiterror.Taken(members...)
			}
		}
	}
	for _, p := range t.entity.Fields {
		if p.Link == nil || p.Link.Many || jsontext.IsNull(r.of[p.Name]) {
			continue
		}
		if s.byID(p.Link.Target, r.of[p.Name]) == nil {
			return kiterror.Dangling(p)
		}
	}
	return nil
}

// byID returns the row with a key, nil where there is none. Keys are compared by value: 1.0 is
// the row 1.
func (s *Store) byID(e *schema.Entity, id json.RawMessage) *row {
	for _, r := range s.table(e).rows {
		if compareTexts(e.Primary, r.of[e.Primary.Name], id) == 0 {
			return r
		}
	}
	return nil
}

// Update changes one row, or only reads it where there is nothing to set. The result has no
// row where there is none with the key or it does not meet where.
func (s *Store) Update(ctx context.Context, e *schema.Entity, id json.RawMessage, where *filter.Filter, set facade.Record, terms *facade.Terms, sel *rows.Layout) (*rows.Rows, error) {
	release, err := s.hold(ctx)
	if err != nil {
		return nil, err
	}
	defer release()
	r := s.byID(e, id)
	if r == nil || !s.holds(where, r) {
		return rows.New(sel, 0), nil
	}
	if terms != nil && terms.Judge != nil {
		// Judge sees the row as it is under the lock. nil leaves set as the caller gave it.
		judged, err := terms.Judge(write(terms.Read, []*row{r}).Row(0))
		if err != nil {
			return nil, err
		}
		if judged != nil {
			set = judged
		}
	}
	if err := s.checkRelations(terms, e, r.of, set, nil); err != nil {
		return nil, err
	}
	// The row is changed in place, so that check and stays see the table as it would be.
	before := maps.Clone(r.of)
	for _, m := range set {
		r.of[m.Name] = compact(m.Value)
	}
	err = s.check(s.table(e), r)
	if err == nil {
		err = s.checkVisible(terms, r)
	}
	if err != nil {
		r.of = before
		return nil, err
	}
	return write(sel, []*row{r}), nil
}

// termsOfRow are the terms with the points that are about the i-th new row.
func termsOfRow(terms *facade.Terms, i int) *facade.Terms {
	if terms == nil {
		return nil
	}
	own := *terms
	own.Points = slices.DeleteFunc(slices.Clone(own.Points), func(p facade.Points) bool { return p.Of != nil && !slices.Contains(p.Of, i) })
	return &own
}

// checkRelations checks the relations that terms.Points names: the written values have to lead to
// rows that exist and meet the condition. before is the row as it was, nil where it is new; its
// targets may stay, unless the point says All. others are the new rows of the same call, which may
// point at each other.
func (s *Store) checkRelations(terms *facade.Terms, e *schema.Entity, before map[string]json.RawMessage, is facade.Record, others []facade.Record) error {
	if terms == nil {
		return nil
	}
	for _, p := range terms.Points {
		ids := func(v json.RawMessage) (ids []json.RawMessage) {
			if p.Field.Link.Many {
				for _, id := range jsontext.Elements(v) {
					ids = append(ids, id)
				}
			} else if len(v) > 0 && !jsontext.IsNull(v) {
				ids = append(ids, v)
			}
			return ids
		}
		target := p.Field.Link.Target
		var known []json.RawMessage
		if !p.All {
			known = ids(before[p.Field.Name])
		}
		for _, other := range others {
			if target == e {
				known = append(known, other.Get(e.Primary.Name))
			}
		}
		for _, id := range ids(is.Get(p.Field.Name)) {
			// The earlier targets of the row may stay, even where the caller no longer sees them.
			had := slices.ContainsFunc(known, func(other json.RawMessage) bool { return compareTexts(target.Primary, other, id) == 0 })
			if to := s.byID(target, id); !had && (to == nil || !s.holds(p.Where, to)) {
				return kiterror.Dangling(p.Field)
			}
		}
	}
	return nil
}

// checkVisible returns Unmet where a row that was written does not meet terms.After.
func (s *Store) checkVisible(terms *facade.Terms, r *row) error {
	if terms == nil {
		return nil
	}
	if terms.After != nil && !s.holds(terms.After, r) {
		return terms.Unmet
	}
	return nil
}

// Delete removes one row, and what onDelete says goes with it. It reports false, and removes
// nothing, where there is no such row or it does not meet where.
//
//	cascade           the pointing row goes too, and those that point at it
//	set-null          its field becomes null, where that may be
//	restrict          InUse, unless the pointing row goes already
//	not written       InUse, unless the pointing row goes by another relation
func (s *Store) Delete(ctx context.Context, e *schema.Entity, id json.RawMessage, where *filter.Filter, terms *facade.Terms) (bool, error) {
	release, err := s.hold(ctx)
	if err != nil {
		return false, err
	}
	defer release()
	r := s.byID(e, id)
	if r == nil || !s.holds(where, r) {
		return false, nil
	}
	if terms != nil && terms.Judge != nil {
		if _, err := terms.Judge(write(terms.Read, []*row{r}).Row(0)); err != nil {
			return false, err
		}
	}
	// going grows while it is walked, until no row cascades any more.
	going := []*row{r}     // the row and those that cascade with it
	var loosened []pointer // what is set to null
	for i := 0; i < len(going); i++ {
		for _, p := range s.pointing(going[i]) {
			switch {
			case slices.ContainsFunc(going, func(g *row) bool { return g == p.row }):
			case p.field.Axes.Relation.OnDelete == "cascade":
				going = append(going, p.row)
			case p.field.Axes.Relation.OnDelete == schema.SetNull && p.field.MayBeNull():
				loosened = append(loosened, p)
			case p.field.Axes.Relation.OnDelete == "restrict":
				return false, kiterror.InUse(p.field)
			}
		}
	}
	// Without a word of its own a relation holds the row too, unless its row goes as well.
	for _, g := range going {
		for _, p := range s.pointing(g) {
			stays := !slices.ContainsFunc(going, func(g *row) bool { return g == p.row })
			if word := p.field.Axes.Relation.OnDelete; stays && word != "cascade" && (word != schema.SetNull || !p.field.MayBeNull()) {
				return false, kiterror.InUse(p.field)
			}
		}
	}
	// Nothing was changed so far: a refusal above leaves all rows as they were.
	for _, p := range loosened {
		p.row.of[p.field.Name] = json.RawMessage("null")
	}
	for _, t := range s.tables {
		t.rows = slices.DeleteFunc(t.rows, func(r *row) bool {
			return slices.ContainsFunc(going, func(g *row) bool { return g == r })
		})
	}
	return true, nil
}

// pointer is a row that points at another, and the field it does so by.
type pointer struct {
	row   *row
	field *schema.Property
}

// pointing returns the rows that point at r by a relation to one row. Lists of ids hold no
// row: nothing keeps their targets.
func (s *Store) pointing(r *row) (all []pointer) {
	var of *schema.Entity
	for _, t := range s.tables {
		if slices.ContainsFunc(t.rows, func(o *row) bool { return o == r }) {
			of = t.entity
		}
	}
	for _, t := range s.tables {
		for _, p := range t.entity.Fields {
			if p.Link == nil || p.Link.Many || p.Link.Target.Key != of.Key {
				continue
			}
			for _, o := range t.rows {
				if !jsontext.IsNull(o.of[p.Name]) && compareTexts(p, o.of[p.Name], r.of[of.Primary.Name]) == 0 {
					all = append(all, pointer{o, p})
				}
			}
		}
	}
	return all
}

// compact returns a value without white space, so that equal values have equal texts.
func compact(v json.RawMessage) json.RawMessage {
	var b bytes.Buffer
	if json.Compact(&b, v) != nil {
		return v
	}
	return b.Bytes()
}

// moment returns a date-time's text as a time in UTC; the zero time for any other text.
func moment(s string) time.Time {
	t, _ := time.Parse(time.RFC3339Nano, s)
	return t.UTC()
}
