package resolvers

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/resolvers/graphqlerror"
)

// buffer is a response while it is written, kept for the next one.
type buffer struct {
	text    []byte
	path    []graphqlerror.Segment
	members []json.RawMessage // of nested objects, by field
	memos   []memo
	spans   []span

	exec    exec
	root    run // of a query
	results []result

	released atomic.Int32 // of who shares it; see Response.Release
}

// run is a run over the root of an operation, with room for what its fetches give.
// Of a mutation, the run before has been written by then.
func (b *buffer) run(u *unit) *run {
	n := len(u.fetches)
	if cap(b.results) < n {
		b.results = make([]result, n)
	}
	b.results = b.results[:n]
	for i := range b.results {
		b.results[i].reset()
	}
	b.root = run{unit: u, res: b.results}
	return &b.root
}

// forget lets go of the rows, once they are written: an answer may be long on its way.
func (b *buffer) forget() {
	b.exec, b.root = exec{}, run{}
	for i := range b.results[:cap(b.results)] {
		b.results[:cap(b.results)][i].reset()
	}
	clear(b.memos)
	b.memos, b.spans = b.memos[:0], b.spans[:0]
}

// reset empties a result and keeps its room.
func (res *result) reset() { *res = result{colRoom: res.colRoom, indexRoom: res.indexRoom} }

// sized is a list of n in a room that grows where it has to; what was in it stays there.
func sized[T int | int32](room *[]T, n int) []T {
	if cap(*room) < n {
		*room = make([]T, n)
	}
	return (*room)[:n]
}

// maxKeptBuffer is how large a buffer may have grown to be kept.
const maxKeptBuffer = 1 << 20

var buffers = sync.Pool{New: func() any { return new(buffer) }}

func newBuffer() *buffer { return buffers.Get().(*buffer) }

// size is about how much memory a buffer keeps.
func (b *buffer) size() int {
	n := cap(b.text) + 24*cap(b.members) + 16*cap(b.spans) + 24*cap(b.path)
	for i := range b.results[:cap(b.results)] {
		res := &b.results[:cap(b.results)][i]
		n += 8*cap(res.colRoom) + 4*cap(res.indexRoom)
	}
	return n
}

func (b *buffer) free() {
	if b.size() <= maxKeptBuffer {
		clear(b.members[:cap(b.members)]) // hold on to nobody's rows
		b.text, b.path, b.members = b.text[:0], b.path[:0], b.members[:0]
		b.released.Store(0)
		buffers.Put(b)
	}
}

// writer writes what was fetched, depth first, in the order of the selection: the
// text of columns is copied as it stands. A value that breaks its type is null
// where the type allows it, and takes what holds it along where it does not
// (specification 6.4.4); one fault says so, with the path.
//
// Its methods say whether what they wrote may stand. Where they say no, the fault
// is noted, and the caller takes back what it has written.
type writer struct {
	*buffer
	x      *exec
	faults []*graphqlerror.Error
	limit  int // of text; negative: none
	broke  map[*field]*graphqlerror.Error

	kept    int // room the text had to begin with
	charged int // bytes of it that the account was charged for
}

// tooLarge ends the writing of a response that is over the limit.
type tooLarge struct{}

// refusal ends the writing of a response that there is no room for.
type refusal struct{ *facade.Error }

// charge charges the account for the text. The room of an earlier answer counts as far
// as it is used.
func (w *writer) charge() {
	size := len(w.text)
	if c := cap(w.text); c > w.kept {
		size = c
	}
	if size > w.charged {
		w.reserve(size - w.charged)
		w.charged = size
	}
}

// reserve charges the account for n bytes, or ends the writing. A mutation is answered
// in any case.
func (w *writer) reserve(n int) {
	if w.x.mutation {
		w.x.account.Add(n)
	} else if err := w.x.account.Reserve(n); err != nil {
		panic(refusal{facade.AsError(err)})
	}
}

// chargeStep is how much text is written without being charged.
const chargeStep = 4 << 10

// response executes a plan and writes {"data":…,"errors":…}.
func (w *writer) response(p *plan) (resp *Response) {
	defer func() {
		if v := recover(); v != nil {
			resp = w.instead(v)
		}
	}()
	w.text = append(w.text, `{"data":`...)
	start := len(w.text)
	w.text = append(w.text, '{')
	ok := true
	for _, u := range p.units {
		// A mutation's field is written before the next one runs: where it takes
		// the whole answer along, the rest is not executed.
		r := w.x.root(u)
		if err := w.x.refused(); err != nil {
			panic(refusal{err})
		}
		if ok = w.fields(r, u.sel, 0); !ok {
			break
		}
	}
	w.charge()
	if ok {
		w.text = append(w.text, '}')
	} else {
		w.text = append(w.text[:start], "null"...)
	}
	whole := w.finish()
	if over(len(whole.Body), w.limit) {
		panic(tooLarge{})
	}
	return whole
}

// instead is the response in place of one whose writing ended with a panic.
func (w *writer) instead(v any) (resp *Response) {
	if cap(w.text) > maxKeptBuffer {
		w.text = nil // not to be sent
	}
	w.text = append(w.text[:0], `{"data":null`...)
	switch v := v.(type) {
	case tooLarge:
		w.faults = []*graphqlerror.Error{responseFault(w.limit)}
	case refusal:
		if errors.Is(v.Error, facade.ErrOversize) {
			w.faults = []*graphqlerror.Error{responseFault(oversize(v.Error))}
			break
		}
		w.faults = []*graphqlerror.Error{w.x.failed(v.Error)}
		resp = w.finish()
		resp.Status, resp.RetryAfter = v.Code.Status(), v.RetryAfter()
		return resp
	default:
		w.faults = []*graphqlerror.Error{w.x.panicked(v)}
	}
	return w.finish()
}

func responseFault(limit int) *graphqlerror.Error {
	return graphqlerror.ForLimit(graphqlerror.CodeResponse, limit, "The answer is larger than %d bytes; ask for less at a time.")
}

// oversize is the limit that an answer was too large for.
func oversize(e *facade.Error) int {
	details, _ := e.Details.(map[string]any)
	limit, _ := details["limit"].(int64)
	return int(limit)
}

func (w *writer) finish() *Response {
	if len(w.faults) > 0 {
		w.text = append(w.text, `,"errors":`...)
		w.text = graphqlerror.AppendList(w.text, w.faults)
	}
	w.text = append(w.text, '}')
	return &Response{Body: w.text, Status: 200, Executed: true, buf: w.buffer}
}

// push and pop keep the path of what is being written.
func (w *writer) push(s graphqlerror.Segment) { w.path = append(w.path, s) }
func (w *writer) pop()                        { w.path = w.path[:len(w.path)-1] }

// faultSize is about what an error takes of a response, at least.
const faultSize = 128

// note notes a fault at the path, which the caller has completed.
func (w *writer) note(f *field, ft *graphqlerror.Error) {
	if w.limit >= 0 && len(w.faults)*faultSize > w.limit {
		panic(tooLarge{}) // a relation that fails is an error for every row
	}
	w.reserve(faultSize)
	at := *ft
	at.At = graphqlerror.Positions(f.at...)
	at.Path = append([]graphqlerror.Segment(nil), w.path...)
	w.faults = append(w.faults, &at)
}

// broken notes that a value breaks its type. It is logged once for a field of the
// document, however many rows it is broken in.
func (w *writer) broken(f *field, format string, args ...any) {
	ft := w.broke[f]
	if ft == nil {
		ft = w.x.broken(fmt.Sprintf(format, args...))
		if w.broke == nil {
			w.broke = map[*field]*graphqlerror.Error{}
		}
		w.broke[f] = ft
	}
	w.note(f, ft)
}

// null ends a value that is null, with the fault that made it so, if any. start is
// where the value began.
func (w *writer) null(f *field, out *outType, start int, ft *graphqlerror.Error) bool {
	switch {
	case ft != nil:
		w.note(f, ft)
	case out.nonNull:
		w.broken(f, "Cannot return null for non-nullable field %s.%s.", f.typ.parent.name, f.typ.def.Name)
	}
	if out.nonNull {
		return false
	}
	w.text = append(w.text[:start], "null"...)
	return true
}

// rewind takes a value back whose inside may not stand: its fault is noted.
func (w *writer) rewind(out *outType, start int) bool {
	if out.nonNull {
		return false
	}
	w.text = append(w.text[:start], "null"...)
	return true
}

// item writes one object of a unit or of a fetch's rows.
func (w *writer) item(r *run, sel *selection, res *result, i int) bool {
	if w.limit >= 0 && len(w.text) > w.limit {
		panic(tooLarge{})
	}
	if len(w.text) >= w.charged+chargeStep {
		w.charge()
	}
	if res.repeats && len(w.faults) == 0 {
		return w.again(r, sel, res, i)
	}
	return w.object(r, sel, res, i)
}

func (w *writer) object(r *run, sel *selection, res *result, i int) bool {
	w.text = append(w.text, '{')
	if !w.row(r, sel, res, i) {
		return false
	}
	w.text = append(w.text, '}')
	return true
}

// fields writes the fields of item i of a run.
func (w *writer) fields(r *run, sel *selection, i int) bool {
	return w.row(r, sel, &r.res[0], i)
}

// row writes the fields of a selection over a row.
func (w *writer) row(r *run, sel *selection, res *result, i int) bool {
	for _, f := range sel.fields {
		w.text = append(w.text, f.key...)
		start := len(w.text)
		ok := true
		switch f.do {
		case writeColumn:
			v := res.at(i, f.slot)
			if f.out.leaf != composite && len(v) > 0 && v[0] != 'n' {
				if text, ok := appendLeaf(w.text, f.out, v); ok { // nearly every value there is
					w.text = text
					continue
				}
			}
			w.push(graphqlerror.Segment{Key: f.name})
			if v == nil && res.missing != nil && res.missing[f.slot] != nil {
				ok = w.null(f, f.out, start, res.missing[f.slot])
			} else {
				ok = w.json(f, f.out, v)
			}
			w.pop()
		case writeTypename:
			w.text = append(w.text, f.text...)
		case writeNodeID:
			ok = w.nodeID(f, res.at(i, f.slot))
		default:
			w.push(graphqlerror.Segment{Key: f.name})
			switch f.do {
			case writeNested:
				ok = w.json(f, f.out, res.at(i, f.slot))
			case writeFetched:
				ok = w.fetched(r, f, i)
			case writeHand:
				ok = w.tree(f, f.out, &res.trees[f.hand.id][i])
			case writeSchema, writeType:
				ok = w.introspect(f)
			}
			w.pop()
		}
		if !ok {
			return false
		}
	}
	return true
}

// fetched writes what a fetch gave to parent i.
func (w *writer) fetched(r *run, f *field, i int) bool {
	res := &r.res[f.fetch.id]
	start := len(w.text)
	if res.fault != nil {
		return w.null(f, f.out, start, res.fault)
	}
	if f.shape == someValue {
		return w.json(f, f.out, res.value)
	}
	g := int32(0)
	if res.index != nil {
		g = res.index[i]
	}
	if res.faults != nil && res.faults[g] != nil {
		return w.null(f, f.out, start, res.faults[g])
	}
	var group facade.Group
	if g >= 0 && int(g) < len(res.groups) {
		group = res.groups[g]
	}
	switch f.shape {
	case connection:
		return w.connection(r, f.sub, res, &group) || w.rewind(f.out, start)
	case allRows:
		return w.rows(r, f, f.sub, res, &group) || w.rewind(f.out, start)
	}
	if group.From >= group.To {
		return w.null(f, f.out, start, nil)
	}
	return w.item(r, f.sub, res, res.place(group.From)) || w.rewind(f.out, start)
}

// place is the row at a place of a group.
func (res *result) place(i int) int {
	if res.order != nil {
		return int(res.order[i])
	}
	return i
}

// rows writes a group as a list of objects.
func (w *writer) rows(r *run, f *field, sel *selection, res *result, g *facade.Group) bool {
	elem := f.out.elem
	w.text = append(w.text, '[')
	for k := g.From; k < g.To; k++ {
		if k > g.From {
			w.text = append(w.text, ',')
		}
		start := len(w.text)
		w.push(graphqlerror.Segment{Index: k - g.From})
		ok := w.item(r, sel, res, res.place(k)) || w.rewind(elem, start)
		w.pop()
		if !ok {
			return false
		}
	}
	w.text = append(w.text, ']')
	return true
}

// nodeID writes the global id of a row with this primary key.
func (w *writer) nodeID(f *field, key []byte) bool {
	start := len(w.text)
	if len(key) == 0 || key[0] == 'n' {
		w.push(graphqlerror.Segment{Key: f.name})
		defer w.pop()
		return w.null(f, f.out, start, nil)
	}
	var room [128]byte
	id := append(append(room[:0], f.typ.binding.Output.Key...), ':')
	id = append(id, key...)
	w.text = append(w.text, '"')
	w.text = base64.RawURLEncoding.AppendEncode(w.text, id)
	w.text = append(w.text, '"')
	return true
}
