package envelope

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"
	"strconv"
	"sync"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// How a call for many keys is taken apart. The frames of one post stay well under
// the cap of 1 MiB that a receiver has (spec 8).
const (
	maxIDs        = 500 // of one findByIds (DESIGN 5)
	maxPost       = 900 << 10
	abreastPosts  = 4  // batches and findByIds of one call at once
	abreastSingle = 16 // single calls of one call at once
)

// ladder is a call for many keys on its way down (DESIGN 8): findByIds where the
// door has it, else a JSON-RPC batch of single calls, else single calls side by side.
//
// A list for many keys goes as one list for each of them: limit, total and cursor
// are those of one parent, which no list over all parents can tell (decision 163).
type ladder struct {
	remote *Remote
	q      *question
	query  json.RawMessage
	method string
	keys   []json.RawMessage // distinct, each of a kind that a row can have
	places jsontext.Distinct // the place in keys of each key's value
	found  []found           // of each key
}

// found is the answer for one key: some rows of a run.
type found struct {
	run      *facade.Rows // nil: none were found
	from, to int
	page     facade.Page // of a list
}

// each answers a call for many keys. The first failure is the failure of the whole.
func (r *Remote) each(ctx context.Context, q *question, query json.RawMessage) (*facade.Result, *facade.Error) {
	list := q.call.Operation == "list"
	if !list && q.call.Operation != "findById" {
		return nil, facade.Errorf(facade.BadRequest, "%s.%s is not batched; only findById and list are", q.call.Entity, q.call.Operation)
	}
	l := &ladder{remote: r, q: q, query: query, method: r.name(q, q.call.Operation)}
	var field *schema.Property
	if e := q.entity(); e != nil {
		field = e.Property(q.call.Each.Field)
	}
	order := make([]int, len(q.call.Each.Keys))
	l.keys = make([]json.RawMessage, 0, len(order))
	l.places.Reset(len(order))
	for i, key := range q.call.Each.Keys {
		if order[i] = -1; !fits(field, key) {
			continue
		}
		if order[i] = l.places.Add(idOf(key)); order[i] == len(l.keys) {
			l.keys = append(l.keys, key)
		}
	}
	l.found = make([]found, len(l.keys))
	if takes, said := q.takesQuery(); list && len(l.keys) > 0 && said && !slices.Contains(takes, "filter") {
		return nil, facade.Errorf(facade.NotImplemented, "the host that answers %s.list takes no filter, so nothing can be listed by %s", q.call.Entity, q.call.Each.Field)
	}
	if err := l.descend(ctx); err != nil {
		return nil, err
	}
	form := facade.FormRow
	if list {
		form = facade.FormPage
	}
	query = q.call.Invocation.Query
	counted := jsontext.KindOf(jsontext.Get(query, "total")) != jsontext.False && jsontext.KindOf(jsontext.Get(query, "count")) != jsontext.False
	return l.gather(form, order, counted)
}

func (l *ladder) descend(ctx context.Context) *facade.Error {
	if len(l.keys) == 0 {
		return nil
	}
	if ids := l.findByIDs(); ids != "" {
		done, err := l.byIDs(ctx, ids)
		if done || err != nil {
			return err
		}
	}
	if try, sure := l.remote.peer.batches(); try && len(l.keys) > 1 {
		done, err := l.byBatch(ctx, sure)
		if done || err != nil {
			return err
		}
		if err := l.bySingle(ctx); err != nil {
			return err
		}
		l.remote.peer.batchRefused() // single calls work, and batches do not
		return nil
	}
	return l.bySingle(ctx)
}

// bySingle makes a call for every key.
func (l *ladder) bySingle(ctx context.Context) *facade.Error {
	return abreast(ctx, len(l.keys), abreastSingle, func(ctx context.Context, i int) *facade.Error {
		params, query := l.forKey(l.keys[i])
		result, err := l.remote.single(ctx, l.q, l.method, params, query)
		if err == nil {
			l.found[i] = foundIn(result)
		}
		return err
	})
}

// forKey is params and query of the single call for one key.
func (l *ladder) forKey(key json.RawMessage) (params, query json.RawMessage) {
	if l.q.call.Operation != "list" {
		return withMember(l.q.call.Invocation.Params, "id", key), l.query
	}
	condition := append(jsontext.AppendString([]byte{'{'}, l.q.filterKey()), `:{"eq":`...)
	condition = append(append(condition, key...), "}}"...)
	if own := jsontext.Get(l.query, "filter"); jsontext.KindOf(own) == jsontext.Object {
		both := append([]byte(`{"and":[`), own...)
		condition = append(append(append(both, ','), condition...), "]}"...)
	}
	return l.q.call.Invocation.Params, withMember(l.query, "filter", condition)
}

// filterKey is what the field of Each is called in a filter: a relation goes by its key name.
func (q *question) filterKey() string {
	if e := q.entity(); e != nil {
		if p := e.Property(q.call.Each.Field); p != nil && p.Link != nil {
			return p.Link.Key
		}
	}
	return q.call.Each.Field
}

// abreast does n things, at most so many at once, and ends the others at the first
// failure, which it answers.
func abreast(ctx context.Context, n, most int, do func(ctx context.Context, i int) *facade.Error) *facade.Error {
	if n == 1 {
		return do(ctx, 0)
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var first *facade.Error
	var once sync.Once
	var workers sync.WaitGroup
	next := make(chan int, n)
	for i := range n {
		next <- i
	}
	close(next)
	for range min(n, most) {
		workers.Go(func() {
			for i := range next {
				if ctx.Err() != nil {
					return
				}
				if err := do(ctx, i); err != nil {
					once.Do(func() { first = err; cancel() })
					return
				}
			}
		})
	}
	workers.Wait()
	if first == nil && ctx.Err() != nil {
		return facade.AsError(ctx.Err())
	}
	return first
}

// withMember is an object with one member set, the others as they were.
func withMember(object json.RawMessage, name string, value json.RawMessage) json.RawMessage {
	out := append(jsontext.AppendString([]byte{'{'}, name), ':')
	out = append(out, value...)
	for n, v := range jsontext.Members(object) {
		if n != name {
			out = append(jsontext.AppendString(append(out, ','), n), ':')
			out = append(out, v...)
		}
	}
	return append(out, '}')
}

func foundIn(r *facade.Result) found {
	return found{run: r.Rows, to: r.Rows.Len(), page: r.Page}
}

// gather is what was found for distinct keys as one result with a group for every
// key that was sent: order says which of them is whose, -1 is nobody's.
func (l *ladder) gather(form facade.Form, order []int, counted bool) (*facade.Result, *facade.Error) {
	if err := l.oneRun(); err != nil {
		return nil, err
	}
	r := &facade.Result{Form: form, Groups: make([]facade.Group, len(order))}
	nobody := facade.Group{}
	if form == facade.FormPage {
		r.Total = -1 // nobody has counted all of them together
		if !counted {
			nobody.Page.Total = -1
		}
	}
	for i, at := range order {
		if r.Groups[i] = nobody; at >= 0 {
			f := &l.found[at]
			r.Groups[i] = facade.Group{From: f.from, To: f.to, Page: f.page}
		}
	}
	for i := range l.found {
		if r.Rows = l.found[i].run; r.Rows != nil {
			return r, nil
		}
	}
	r.Rows = l.remote.results.none()
	return r, nil
}

// oneRun copies what was found into one run of rows, unless it stands in one already.
func (l *ladder) oneRun() *facade.Error {
	var run *facade.Rows
	several, n := false, 0
	for i := range l.found {
		if f := &l.found[i]; f.run != nil {
			several = several || run != nil && run != f.run
			run = f.run
			n += f.to - f.from
		}
	}
	if !several {
		return nil
	}
	objects := make([]json.RawMessage, 0, n)
	for i := range l.found {
		f := &l.found[i]
		from := len(objects)
		for row := f.from; row < f.to; row++ {
			objects = append(objects, f.run.Row(row).JSON())
		}
		f.from, f.to = from, len(objects)
	}
	rows, ok := l.remote.results.collect(objects)
	if !ok {
		return facade.Errorf(facade.BadGateway, "the host's rows have too little in common")
	}
	for i := range l.found {
		l.found[i].run = rows
	}
	return nil
}

// fits says whether a row can have the key: batches are made from rows, and what
// one of them points at is not the caller's fault. No field: nobody knows.
func fits(field *schema.Property, key json.RawMessage) bool {
	kind := jsontext.KindOf(key)
	if kind == jsontext.Null || kind == jsontext.Invalid {
		return false
	}
	if field == nil {
		return true
	}
	switch field.Kind {
	case schema.KindString, schema.KindDate, schema.KindDateTime, schema.KindDecimal:
		return kind == jsontext.String
	case schema.KindInteger:
		_, ok := schema.Integer(key)
		return ok
	case schema.KindNumber:
		return kind == jsontext.Number
	case schema.KindBoolean:
		return kind == jsontext.True || kind == jsontext.False
	}
	return true
}

// idOf is a key's value in one spelling, to tell rows and keys apart by.
func idOf(v json.RawMessage) json.RawMessage {
	v = jsontext.Trim(v)
	switch jsontext.KindOf(v) {
	case jsontext.String:
		if bytes.IndexByte(v, '\\') >= 0 {
			return jsontext.Quote(jsontext.Unquote(v))
		}
	case jsontext.Number:
		if n, ok := schema.Integer(v); ok {
			return strconv.AppendInt(nil, n, 10)
		}
	}
	return v
}
