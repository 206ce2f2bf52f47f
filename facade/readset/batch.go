package readset

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/budget"
	"github.com/frondhost/frond/facade/filter"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/facade/rows"
	"github.com/frondhost/frond/schema"
)

// Batch runs several executions of one document side by side and gathers their reads of a
// store. Each execution keeps its caller, its rules and its answer. When all of them wait for the
// store, reads that differ in one value alone become one statement:
//
//	book where author = 1 and deleted = false      findById 1
//	book where author = 2 and deleted = false      findById 2
//	→ Find with Each: author, [1, 2]               → Find with Each: id, [1, 2]
//
// The value belongs to an eq condition on a text or an integer, of the document's filter or of
// the caller's rules. Reads with Each join if the rest of them is equal, and equal reads are
// made once. All others are made one after the other.
type Batch struct {
	statements chan struct{}

	mu      sync.Mutex
	active  int // executions that neither wait for a read nor have ended
	waiting []*sharedRead
	timer   *time.Timer
}

// batchPatience is how long a read waits for the executions beside it: one may be held up
// elsewhere.
const batchPatience = 5 * time.Millisecond

// maxKeysOfBatch is how many keys one statement takes.
const maxKeysOfBatch = 5000

// NewBatch is for n executions. statements bounds how many reads are made at once, among
// all that share it.
func NewBatch(n int, statements chan struct{}) *Batch {
	return &Batch{active: n, statements: statements}
}

type batchKey struct{}

// Run runs one of the executions; do makes its calls with the context that it is given.
func (b *Batch) Run(ctx context.Context, do func(context.Context)) {
	defer b.leave() //nolint:contextcheck // each read has the context of its execution
	do(context.WithValue(ctx, batchKey{}, b))
}

// InBatch reports whether ctx belongs to an execution of a [Batch], which makes its calls
// one after the other.
func InBatch(ctx context.Context) bool { return ctx.Value(batchKey{}) != nil }

// find reads from s, together with others where ctx belongs to a [Batch].
func find(ctx context.Context, s facade.Store, q *facade.Find) (*facade.Found, error) {
	b, _ := ctx.Value(batchKey{}).(*Batch)
	if b == nil {
		return s.Find(ctx, q)
	}
	r := newSharedRead(ctx, s, q)
	b.mu.Lock()
	b.waiting = append(b.waiting, r)
	b.active--
	switch {
	case b.active <= 0:
		b.flush() //nolint:contextcheck // as above
	case b.timer == nil:
		b.timer = time.AfterFunc(batchPatience, func() { //nolint:contextcheck // as above
			b.mu.Lock()
			b.flush()
		})
		b.mu.Unlock()
	default:
		b.mu.Unlock()
	}
	<-r.done
	return r.found, r.err
}

// leave ends one execution.
func (b *Batch) leave() {
	b.mu.Lock()
	b.active--
	if b.active > 0 || len(b.waiting) == 0 {
		b.mu.Unlock()
		return
	}
	b.flush()
}

// flush answers the reads that wait. The caller holds b.mu; flush unlocks it.
func (b *Batch) flush() {
	all := b.waiting
	b.waiting = nil
	if b.timer != nil {
		b.timer.Stop()
		b.timer = nil
	}
	b.mu.Unlock()
	if len(all) == 0 {
		return
	}
	b.statements <- struct{}{}
	for _, group := range grouped(all, (*sharedRead).masked) {
		key := group[0].varying(group)
		for _, equal := range grouped(group, func(r *sharedRead) string { return r.without(key) }) {
			answer(equal, key)
		}
	}
	<-b.statements
	b.mu.Lock()
	b.active += len(all)
	b.mu.Unlock()
	for _, r := range all {
		close(r.done)
	}
}

// grouped returns the reads with equal texts, in their order.
func grouped(all []*sharedRead, text func(*sharedRead) string) (groups [][]*sharedRead) {
	at := map[string]int{}
	for _, r := range all {
		key := text(r)
		i, known := at[key]
		if !known {
			i = len(groups)
			at[key], groups = i, append(groups, nil)
		}
		groups[i] = append(groups[i], r)
	}
	return groups
}

// sharedRead is a read that waits.
type sharedRead struct {
	ctx   context.Context //nolint:containedctx // of the execution that waits
	store facade.Store
	find  *facade.Find
	head  string           // all of find but its conditions and its keys
	parts []*filter.Filter // the conditions, all of which have to hold
	done  chan struct{}
	found *facade.Found
	err   error
}

func newSharedRead(ctx context.Context, s facade.Store, q *facade.Find) *sharedRead {
	if q.Key != nil { // a page of one row, whose key may vary
		q = &facade.Find{Entity: q.Entity, Select: q.Select, Where: q.Condition(), Sort: []facade.SortKey{{Field: q.Entity.Primary}}, Limit: 1, NoKeys: true}
	}
	r := &sharedRead{ctx: ctx, store: s, find: q, parts: conjuncts(q.Where, nil), done: make(chan struct{})}
	head := fmt.Appendf(nil, "%p %q %d %d %q %q %t%t%t%t%t%t", q.Entity, q.Select.Fields, q.Limit, q.Offset, q.From, q.Until, q.Including, q.Backward, q.Count, q.Estimate, q.Keys, q.NoKeys)
	if q.Rank != nil {
		head = fmt.Appendf(head, " rank %q %d", q.Rank.Text, len(q.Rank.Fields))
	}
	for _, key := range q.Sort {
		head = fmt.Appendf(head, " %s %t", key.Field.Name, key.Desc)
		head = derived(head, key.Derived)
	}
	head = allDerived(head, q.Where)
	if q.Group != nil {
		head = q.Group.Having.AppendJSON(fmt.Appendf(head, " groups %s ", q.Group.Entity.Key))
	}
	if q.Each != nil {
		head = fmt.Appendf(head, " each %s", q.Each.Field.Name)
		if q.Each.Through != nil {
			head = q.Each.Via.AppendJSON(fmt.Appendf(head, " through %s %s ", q.Each.Field.Owner.Key, q.Each.Through.Name))
		}
	}
	r.head = string(head)
	return r
}

// allDerived appends the derived values of a filter, whose text lacks the rows that the caller sees.
func allDerived(head []byte, f *filter.Filter) []byte {
	if f == nil {
		return head
	}
	head = derived(head, f.Derived)
	for _, sub := range f.Sub {
		head = allDerived(head, sub)
	}
	return allDerived(head, f.Via)
}

// derived appends a derived value with the rows that the caller sees on the way to it.
func derived(head []byte, d *filter.Derived) []byte {
	for ; d != nil; d = d.Next {
		head = fmt.Appendf(head, " behind %s ", d.As.Name)
		for _, seen := range []*filter.Filter{d.Where, d.Via} {
			head = allDerived(append(seen.AppendJSON(head), ' '), seen)
		}
	}
	return head
}

// conjuncts appends the conditions that all have to hold.
func conjuncts(f *filter.Filter, to []*filter.Filter) []*filter.Filter {
	switch {
	case f == nil:
		return to
	case f.Op != filter.And:
		return append(to, f)
	}
	for _, sub := range f.Sub {
		to = conjuncts(sub, to)
	}
	return to
}

// mayVary reports whether the value of a condition may become a key. With one group of all rows it
// may only where the group of no rows is known without asking.
func (r *sharedRead) mayVary(f *filter.Filter) bool {
	g := r.find.Group
	asked := g != nil && g.Keys == 0 && (g.Having != nil || len(r.find.Sort) > 0)
	return r.find.Each == nil && !asked && f.Op == filter.Eq && f.Field != nil && (f.Field.Kind == schema.KindString || f.Field.Kind == schema.KindInteger)
}

// masked is the text of the read without the values that may vary.
func (r *sharedRead) masked() string {
	text := []byte(r.head)
	for _, part := range r.parts {
		if r.mayVary(part) {
			text = append(append(text, " ="...), part.Field.Name...)
		} else {
			text = part.AppendJSON(append(text, ' '))
		}
	}
	return string(text)
}

// without is the text of the read without the value of the condition at i.
func (r *sharedRead) without(i int) string {
	text := []byte(r.head)
	for at, part := range r.parts {
		if text = append(text, ' '); at != i {
			text = part.AppendJSON(text)
		}
	}
	return string(text)
}

// varying returns the condition whose values differ most among reads that are equal when masked;
// -1 if all are equal.
func (r *sharedRead) varying(group []*sharedRead) int {
	best, most := -1, 1
	for i, part := range r.parts {
		if !r.mayVary(part) {
			continue
		}
		values := map[any]bool{}
		for _, other := range group {
			values[other.parts[i].Values[0]] = true
		}
		if len(values) > most {
			best, most = i, len(values)
		}
	}
	return best
}

// answer answers reads that differ in the value of one condition, or in their keys. Where the
// one statement fails each is read by itself.
func answer(all []*sharedRead, key int) {
	if len(all) > 1 && readAtOnce(all, key) == nil {
		return
	}
	for _, r := range all {
		func() {
			defer func() {
				if p := recover(); p != nil {
					r.err = kiterror.Panicked(p)
				}
			}()
			r.found, r.err = r.store.Find(r.ctx, r.find)
		}()
	}
}

// errTooMany is the error of more keys than one statement takes.
var errTooMany = kiterror.Errorf(kiterror.PayloadTooLarge, "the reads have too many keys for one statement")

// readAtOnce makes one statement of reads, and gives each its part.
func readAtOnce(all []*sharedRead, key int) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = kiterror.Panicked(p)
		}
	}()
	first := all[0]
	q, places, values := *first.find, make([][]int, len(all)), []json.RawMessage(nil)
	known := map[string]int{}
	add := func(value json.RawMessage) int {
		i, found := known[string(value)]
		if !found {
			i = len(values)
			known[string(value)], values = i, append(values, value)
		}
		return i
	}
	for i, r := range all {
		switch {
		case q.Each != nil:
			for _, v := range r.find.Each.Values {
				places[i] = append(places[i], add(v))
			}
		case key >= 0:
			places[i] = []int{add(schema.AppendValue(nil, r.parts[key].Values[0]))}
		}
	}
	switch {
	case len(values) > maxKeysOfBatch:
		return errTooMany
	case q.Each != nil:
		each := *q.Each
		each.Values, q.Each = values, &each
	case key >= 0:
		q.Each = &facade.EachKey{Field: first.parts[key].Field, Values: values}
		q.Where = nil
		for _, part := range slices.Delete(slices.Clone(first.parts), key, key+1) {
			q.Where = filter.Both(q.Where, part)
		}
	}
	ctx, account, err := budget.AccountOf(first.ctx).Apart(first.ctx)
	if err != nil {
		return err
	}
	defer account.Close()
	found, err := first.store.Find(ctx, &q)
	if err != nil {
		return err
	}
	for i, r := range all {
		r.found = part(found, r.find, places[i])
		r.err = budget.AccountOf(r.ctx).Take(r.found.Rows)
	}
	return nil
}

// part is the answer to one read out of one for several: the groups at places, or all of it without
// places.
func part(f *facade.Found, q *facade.Find, places []int) *facade.Found {
	out := &facade.Found{Rows: rows.New(f.Rows.Layout(), 0), Total: f.Total, More: f.More}
	take := func(from, to int) {
		for i := from; i < to; i++ {
			out.Rows.CopyRow(f.Rows.Row(i))
			if f.Keys != nil {
				out.Keys = append(out.Keys, f.Keys[i])
			}
		}
	}
	if places == nil && q.Each == nil {
		take(0, f.Rows.Len())
		return out
	}
	for _, at := range places {
		g, from := f.Groups[at], out.Rows.Len()
		take(g.From, g.To)
		out.Groups = append(out.Groups, facade.FoundGroup{From: from, To: out.Rows.Len(), Total: g.Total, More: g.More})
	}
	if q.Each == nil {
		g := out.Groups[0]
		if q.Group != nil && q.Group.Keys == 0 && g.From == g.To && q.Limit > 0 { // a key without rows has no group
			q.Group.AppendNone(out.Rows)
		}
		out.Groups, out.More, out.Total = nil, g.More, -1
		if q.Count {
			out.Total = g.Total
		}
	}
	return out
}
