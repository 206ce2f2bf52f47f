package rehearse

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"slices"
	"sync"
	"time"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/filter"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/facade/rows"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// record is the rows that a command writes, each once, in the order of their first writes. It wraps the store that the
// command writes by. It keeps no row: a row is its key, and digests of its text before and after.
type record struct {
	facade *facade.Facade
	began  time.Time

	mu      sync.Mutex
	changes []*change
	at      map[rowOf]*change
	emitted []facade.Event
}

// rowOf names a row.
type rowOf struct {
	entity *schema.Entity
	key    string
}

// change is one row. A sum is nil where there is no row.
type change struct {
	entity        *schema.Entity
	key           json.RawMessage
	before, after []byte            // digests
	times         map[string]string // before, by field
	text          []byte            // of the change, without the parts that differ from run to run
}

// kind is what happens to the row.
func (c *change) kind() catalog.Change {
	switch {
	case c.before == nil:
		return catalog.Created
	case c.after == nil:
		return catalog.Deleted
	}
	return catalog.Updated
}

func newRecord(f *facade.Facade) *record { return &record{facade: f} }

// begin forgets everything: a transaction may run again.
func (r *record) begin() {
	r.changes, r.at, r.emitted, r.began = nil, map[rowOf]*change{}, nil, time.Now()
}

// trace is the trace of a call of the command.
func (r *record) trace() *facade.Trace {
	return &facade.Trace{
		Store: func(s facade.Store) facade.Store { return &recorded{s, r} },
		Emitted: func(events []facade.Event) {
			r.mu.Lock()
			defer r.mu.Unlock()
			r.emitted = append(r.emitted, events...)
		},
	}
}

// touch adds rows that are about to be written, with their texts of now.
func (r *record) touch(ctx context.Context, s facade.Store, e *schema.Entity, keys ...json.RawMessage) error {
	if e == catalog.FileEntity() {
		return nil // the state of a file is no row of a card
	}
	return readRows(ctx, s, e, r.fresh(e, keys), func(key, row json.RawMessage) { r.add(e, key, row) })
}

// fresh are the keys of rows that are not recorded yet.
func (r *record) fresh(e *schema.Entity, keys []json.RawMessage) (fresh []json.RawMessage) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, key := range keys {
		if r.at[rowOf{e, string(key)}] == nil {
			fresh = append(fresh, key)
		}
	}
	return fresh
}

// add adds a row, with its text of before; nil: the row is new.
func (r *record) add(e *schema.Entity, key, before json.RawMessage) {
	r.mu.Lock()
	defer r.mu.Unlock()
	row := rowOf{e, string(key)}
	if r.at[row] != nil {
		return
	}
	c := &change{entity: e, key: slices.Clone(key), before: sum(before), times: map[string]string{}}
	for name, value := range jsontext.Members(before) {
		if _, is := timeOf(value); is {
			c.times[name] = string(value)
		}
	}
	r.at[row] = c
	r.changes = append(r.changes, c)
}

// end reads the rows as they are now, and leaves out rows that are as they were.
func (r *record) end(ctx context.Context) error {
	made := r.made()
	byEntity := map[*schema.Entity][]json.RawMessage{}
	var entities []*schema.Entity
	for _, c := range r.changes {
		if byEntity[c.entity] == nil {
			entities = append(entities, c.entity)
		}
		byEntity[c.entity] = append(byEntity[c.entity], c.key)
	}
	for _, e := range entities {
		err := readRows(ctx, r.facade.Store(), e, byEntity[e], func(key, row json.RawMessage) {
			c := r.at[rowOf{e, string(key)}]
			c.after = sum(row)
			c.text = r.textOf(c, row, made)
		})
		if err != nil {
			return err
		}
	}
	r.changes = slices.DeleteFunc(r.changes, func(c *change) bool { return string(c.before) == string(c.after) })
	return nil
}

// made are the keys of new rows, each with its place among them: a generator makes other keys in another run.
func (r *record) made() map[rowOf]int {
	made := map[rowOf]int{}
	for _, c := range r.changes {
		if c.before == nil {
			made[rowOf{c.entity, string(c.key)}] = len(made)
		}
	}
	return made
}

// textOf is a change as a text that is the same in each run which makes the same change: keys of new rows are places,
// generated values and the time of the run are left out.
func (r *record) textOf(c *change, row json.RawMessage, made map[rowOf]int) []byte {
	text := append([]byte(c.entity.Key), 0)
	text = append(appendKey(text, c.entity, c.key, made), 0)
	text = append(text, c.before...)
	for name, value := range jsontext.Members(row) {
		text = append(append(text, 0), name...)
		switch p := c.entity.Property(name); {
		case p == c.entity.Primary: // it is there already
		case p != nil && p.Link != nil:
			text = appendKey(text, p.Link.Target, value, made)
		case p == nil:
			text = append(text, value...)
		case c.before == nil && p.Axes.Create != nil && p.Axes.Create.Generate != "", c.times[name] != string(value) && r.isNow(p, value):
		default:
			text = append(text, value...)
		}
	}
	return text
}

// isNow reports whether a value that a row did not have before is the time of the run.
func (r *record) isNow(p *schema.Property, value json.RawMessage) bool {
	at, is := timeOf(value)
	if !is { // such as a date
		return p.Axes.Create != nil && p.Axes.Create.Now || p.Axes.Update == schema.UpdateNow
	}
	return at.After(r.began.Add(-clock)) && at.Before(time.Now().Add(clock))
}

// timeOf is a value as a time, if it is the text of one.
func timeOf(value json.RawMessage) (at time.Time, is bool) {
	if jsontext.KindOf(value) != jsontext.String {
		return at, false
	}
	at, err := time.Parse(time.RFC3339Nano, jsontext.Unquote(value))
	return at, err == nil
}

// clock is how far a time may be from the run and count as the time of the run: stores round times, and have clocks of their own.
const clock = 2 * time.Second

// appendKey appends the key of a row of e, or a list of such keys. That of a new row is its place.
func appendKey(dst []byte, e *schema.Entity, key json.RawMessage, made map[rowOf]int) []byte {
	if jsontext.KindOf(key) == jsontext.Array {
		for _, one := range jsontext.Elements(key) {
			dst = append(appendKey(dst, e, one, made), ',')
		}
		return dst
	}
	if place, ok := made[rowOf{e, string(key)}]; ok {
		return append(dst, '#', byte(place), byte(place>>8), byte(place>>16))
	}
	return append(dst, key...)
}

// sum is the digest of a row; nil: there is none.
func sum(row json.RawMessage) []byte {
	if row == nil {
		return nil
	}
	s := sha256.Sum256(row)
	return s[:16]
}

// chunk is how many rows are read at once.
const chunk = 500

// readRows visits rows by their keys, in the order of these, with all that is stored of them; nil for a key without a row.
func readRows(ctx context.Context, s facade.Store, e *schema.Entity, keys []json.RawMessage, visit func(key, row json.RawMessage)) error {
	layout := rows.NewLayout(catalog.StoredFields(e))
	for some := range slices.Chunk(keys, chunk) {
		found, err := s.Find(ctx, &facade.Find{Entity: e, Select: layout, Limit: 1, NoKeys: true, Each: &facade.EachKey{Field: e.Primary, Values: some}})
		if err != nil {
			return err
		}
		for i, g := range found.Groups {
			if g.From == g.To {
				visit(some[i], nil)
			} else {
				visit(some[i], found.Rows.Row(g.From).JSON())
			}
		}
	}
	return nil
}

// recorded is a store whose writes are recorded.
type recorded struct {
	facade.Store
	record *record
}

// Insert implements [facade.Store].
func (s *recorded) Insert(ctx context.Context, e *schema.Entity, all []facade.Record, terms *facade.Terms, sel *rows.Layout) (*rows.Rows, error) {
	with := sel
	if sel.Index(e.Primary.Name) < 0 {
		with = rows.NewLayout(append(slices.Clone(sel.Fields), e.Primary.Name))
	}
	found, err := s.Store.Insert(ctx, e, all, terms, with)
	if err != nil {
		return nil, err
	}
	for i := range found.Len() {
		s.record.add(e, found.Row(i).Get(e.Primary.Name), nil)
	}
	if with == sel {
		return found, nil
	}
	own := rows.New(sel, found.Len())
	for i := range found.Len() {
		own.BeginRow()
		for j := range sel.Fields {
			own.Put(j, found.Row(i).At(j))
		}
		own.EndRow()
	}
	return own, nil
}

// Update implements [facade.Store].
func (s *recorded) Update(ctx context.Context, e *schema.Entity, id json.RawMessage, where *filter.Filter, set facade.Record, terms *facade.Terms, sel *rows.Layout) (*rows.Rows, error) {
	if len(set) > 0 || terms != nil {
		if err := s.record.touch(ctx, s.Store, e, id); err != nil {
			return nil, err
		}
	}
	return s.Store.Update(ctx, e, id, where, set, terms, sel)
}

// Delete implements [facade.Store].
func (s *recorded) Delete(ctx context.Context, e *schema.Entity, id json.RawMessage, where *filter.Filter, terms *facade.Terms) (bool, error) {
	if err := s.goes(ctx, e, id); err != nil {
		return false, err
	}
	return s.Store.Delete(ctx, e, id, where, terms)
}

// Abilities implements [facade.Store].
func (s *recorded) Abilities() facade.Abilities {
	own := s.Store.Abilities()
	if write := own.WriteAll; write != nil {
		own.WriteAll = func(ctx context.Context, e *schema.Entity, ids []json.RawMessage, sets []facade.Record, terms *facade.Terms, sel *rows.Layout) (*rows.Rows, error) {
			touch := s.goes
			if sets != nil {
				touch = func(ctx context.Context, e *schema.Entity, keys ...json.RawMessage) error {
					return s.record.touch(ctx, s.Store, e, keys...)
				}
			}
			if err := touch(ctx, e, ids...); err != nil {
				return nil, err
			}
			return write(ctx, e, ids, sets, terms, sel)
		}
	}
	return own
}

// goes records rows that are about to be deleted, and those that go or change with them.
func (s *recorded) goes(ctx context.Context, e *schema.Entity, keys ...json.RawMessage) error {
	if s.record.facade.FollowedElsewhere(e) {
		return kiterror.Errorf(kiterror.NotImplemented, "rows of another host follow the rows of %s that are deleted, and cannot be a part of a rehearsal; send the command without rehearse and approve", e.Name)
	}
	if err := s.record.touch(ctx, s.Store, e, keys...); err != nil {
		return err
	}
	for _, p := range s.record.facade.Pointers(e) {
		relation := p.Axes.Relation
		if p.Link.Many || relation.OnDelete != schema.SetNull && relation.OnDelete != "cascade" || s.record.facade.Catalog().RemoteOf(p.Owner) != "" {
			continue
		}
		for some := range slices.Chunk(keys, chunk) {
			if err := s.behind(ctx, p, some); err != nil {
				return err
			}
		}
	}
	return nil
}

// behind records the rows that point at rows which are about to be deleted. A row that is recorded already is not followed again.
func (s *recorded) behind(ctx context.Context, p *schema.Property, keys []json.RawMessage) error {
	e := p.Owner
	in := &filter.Filter{Op: filter.In, Field: p}
	for _, key := range keys {
		value, _ := p.Kind.Value(key)
		in.Values = append(in.Values, value)
	}
	q := &facade.Find{Entity: e, Select: rows.NewLayout([]string{e.Primary.Name}), Where: in, Sort: []facade.SortKey{{Field: e.Primary}}, Limit: chunk}
	for {
		found, err := s.Store.Find(ctx, q)
		if err != nil {
			return err
		}
		var pointing []json.RawMessage
		for i := range found.Rows.Len() {
			pointing = append(pointing, found.Rows.Row(i).Get(e.Primary.Name))
		}
		switch fresh := s.record.fresh(e, pointing); {
		case len(fresh) == 0:
		case p.Axes.Relation.OnDelete == "cascade":
			err = s.goes(ctx, e, fresh...)
		default:
			err = s.record.touch(ctx, s.Store, e, fresh...)
		}
		if err != nil || !found.More {
			return err
		}
		q.From = jsontext.List(found.Keys[found.Rows.Len()-1])
	}
}
