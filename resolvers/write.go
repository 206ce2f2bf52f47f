package resolvers

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/budget"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/resolvers/language"
)

// writer writes the response of one execution, depth first, in the order of the selection set.
// The text of a column is copied as it is. A value that does not fit its type is null where
// the type allows it; otherwise its parent is (GraphQL 6.4.4). One error reports it, with the
// path.
//
// A response is Begin, Root for each unit of the plan, and End; or one of Refusal, NoData and
// Abandon.
//
// Internal methods return whether their output is valid. If it is not, its error is recorded
// already, and the caller takes the output back.
//
// The zero value is ready for Begin, and may be used again: it keeps its memory. A writer
// belongs to one request at a time.
type writer struct {
	// text is the response so far, and the text of the last one until Begin.
	text []byte
	// path leads to the value that is being written, for errors.
	path    []language.Segment
	members []json.RawMessage // of nested objects, by field
	memos   []memo
	spans   []span

	x      *execution
	errs   []*language.Error // the first maxNoted
	more   int               // how many came after them
	limit  int               // of text; negative: none
	before int               // errs when the last Root began
	// broke are the errors of values that do not fit, by field: each is logged once and noted
	// for every row.
	broke map[*field]*language.Error

	kept    int // capacity of the text at the beginning
	charged int // bytes of it that the account was charged for
}

// Begin starts the response of an execution: {"data":{. limit is how many bytes it may have,
// negative: any number. The text of the response before is overwritten.
func (w *writer) Begin(x *execution, limit int) {
	*w = writer{text: w.text[:0], path: w.path[:0], members: w.members[:0], memos: w.memos[:0], spans: w.spans[:0], x: x, limit: limit, kept: cap(w.text)}
	w.text = append(w.text, dataStart...)
}

// dataStart is what every response with data begins with. Its last byte is taken back where
// data is null.
const dataStart = `{"data":{`

// Forget drops the rows and keeps the text, which may still be sent.
func (w *writer) Forget() {
	clear(w.memos)
	clear(w.members[:cap(w.members)])
	*w = writer{text: w.text, path: w.path[:0], members: w.members[:0], memos: w.memos[:0], spans: w.spans[:0]}
}

// Size returns about how many bytes of memory w keeps after Forget.
func (w *writer) Size() int {
	return cap(w.text) + 24*cap(w.members) + 16*cap(w.spans) + 24*cap(w.path)
}

// errTooLarge ends the writing of a response that is over the limit. Abandon makes a response
// of it.
var errTooLarge = errors.New("the response is larger than its limit")

// abort is the panic that ends the writing of a response, anywhere inside it. It does not
// leave the package.
type abort struct{ err error }

// charge charges the account for the text. Memory of an earlier response counts as far
// as it is used.
func (w *writer) charge() {
	size := len(w.text)
	// The text has outgrown the memory it began with; all of the new memory is this
	// response's.
	if c := cap(w.text); c > w.kept {
		size = c
	}
	// Only growth is charged: null takes text back, and its memory stays.
	if size > w.charged {
		w.reserve(size - w.charged)
		w.charged = size
	}
}

// reserve charges the account for n bytes, or aborts. A mutation is never aborted: its effects
// have to be reported.
func (w *writer) reserve(n int) {
	if w.x.Mutation {
		w.x.Account.Add(n)
	} else if err := w.x.Account.Reserve(n); err != nil {
		panic(abort{err})
	}
}

// chargeStep is how much text is written without being charged.
const chargeStep = 4 << 10

// Root writes the root fields of a run. ok is false if a null at a non-null field removed all
// of data; only the end may be written after that. err is errTooLarge, or the refusal of the
// budget.
func (w *writer) Root(r *run) (ok bool, err error) {
	defer caught(&err)
	w.before = len(w.errs)
	return w.fields(r, r.Unit.Selection, 0), nil
}

// caught turns an abort into its error. Other panics go on.
func caught(err *error) {
	if v := recover(); v != nil {
		a, ok := v.(abort)
		if !ok {
			panic(v)
		}
		*err = a.err
	}
}

// End ends the response, with its errors. ok says whether data is an object or null. The text
// is the writer's, and valid until the next Begin. err is as in Root: the errors too count
// against the limit.
func (w *writer) End(ok bool) (text []byte, err error) {
	defer caught(&err)
	w.charge()
	if ok {
		w.text = append(w.text, '}')
	} else {
		// A null went all the way up: data itself is null (GraphQL 6.4.4).
		w.text = append(w.text[:len(dataStart)-1], "null"...)
	}
	w.finish()
	if language.Exceeds(len(w.text), w.limit) {
		return nil, errTooLarge
	}
	return w.text, nil
}

// Abandon returns the response in place of one that ended with err: data is null. Besides
// errTooLarge, err may be a façade error, which keeps its code; one for a size becomes
// RESPONSE_TOO_LARGE.
func (w *writer) Abandon(err error) []byte {
	var refused *kiterror.Error
	switch {
	case errors.Is(err, errTooLarge):
		return w.NoData(responseFault(w.limit))
	case errors.As(err, &refused) && errors.Is(refused, budget.ErrOversize):
		return w.NoData(responseFault(oversize(refused)))
	}
	return w.NoData(w.x.Failed(err))
}

// NoData returns the response whose data is null, for one reason: {"data":null,"errors":[…]}.
func (w *writer) NoData(why *language.Error) []byte {
	if cap(w.text) > maxKeptText {
		w.text = nil // not to be sent
	}
	w.text = append(w.text[:0], `{"data":null`...)
	w.errs = []*language.Error{why}
	w.finish()
	return w.text
}

// maxKeptText is the largest capacity, in bytes, of a text that NoData writes over instead of dropping it.
const maxKeptText = 1 << 20

// Refusal returns the response of a request without an execution: {"errors":[…]}, without data
// (GraphQL 7.1).
func (w *writer) Refusal(why []*language.Error) []byte {
	w.text = append(w.text[:0], `{"errors":`...)
	w.text = language.AppendList(w.text, why)
	w.text = append(w.text, '}')
	return w.text
}

// responseFault returns the error of a response that is larger than limit bytes.
func responseFault(limit int) *language.Error {
	return language.ForLimit(language.CodeResponse, limit, "The answer is larger than %d bytes; ask for less at a time.")
}

// oversize returns the limit that a response was too large for, from the details of the error.
func oversize(e *kiterror.Error) int {
	details, _ := e.Details.(map[string]any)
	limit, _ := details["limit"].(int64)
	return int(limit)
}

// Failed reports whether the response has errors.
func (w *writer) Failed() bool { return len(w.errs) > 0 }

// finish writes the errors and the end of the response. Without errors the member errors is
// left out (GraphQL 7.1).
func (w *writer) finish() {
	if len(w.errs) > 0 {
		if w.more > 0 {
			w.errs = append(w.errs, language.ForLimit(language.CodeErrors, maxNoted, fmt.Sprintf("%d more errors are left out after the first %%d.", w.more)))
		}
		w.text = append(w.text, `,"errors":`...)
		w.text = language.AppendList(w.text, w.errs)
	}
	w.text = append(w.text, '}')
}

// push and pop keep the path of the field being written.
func (w *writer) push(s language.Segment) { w.path = append(w.path, s) }
func (w *writer) pop()                    { w.path = w.path[:len(w.path)-1] }

// errorSize is roughly the smallest size of an error in a response.
const errorSize = 128

// maxNoted is how many errors of an execution a response has. A relation that fails is an error for
// every row, so that a short document could ask for very many.
const maxNoted = 100

// note adds an error at the current path, with the positions of the field, or counts it beyond
// maxNoted. One value may be noted for many rows; each entry is a copy of it.
func (w *writer) note(f *field, ft *language.Error) {
	if len(w.errs) == maxNoted {
		w.more++
		return
	}
	w.reserve(errorSize)
	// A copy: one error of a call is noted for many fields, each with its own place.
	at := *ft
	at.At = language.Positions(f.Positions...)
	at.Path = append([]language.Segment(nil), w.path...)
	w.errs = append(w.errs, &at)
}

// broken records that a value does not fit its type. It is logged once for a field of the
// document, for any number of rows.
func (w *writer) broken(f *field, format string, args ...any) {
	ft := w.broke[f]
	if ft == nil {
		ft = w.x.broken(fmt.Sprintf(format, args...))
		if w.broke == nil {
			w.broke = map[*field]*language.Error{}
		}
		w.broke[f] = ft
	}
	w.note(f, ft)
}

// null writes null for a value that began at start, with the error that made it null, if any.
// It returns false where the type does not allow null: without an error of its own, the null
// itself then is the error (GraphQL 6.4.4).
func (w *writer) null(f *field, out *outputType, start int, ft *language.Error) bool {
	switch {
	case ft != nil:
		w.note(f, ft)
	case out.NonNull:
		w.broken(f, "Cannot return null for non-nullable field %s.%s.", f.Type.Parent.Name, f.Type.Definition.Name)
	}
	if out.NonNull {
		return false
	}
	w.text = append(w.text[:start], "null"...)
	return true
}

// rewind replaces a value that began at start by null, because a part of it must not be null.
// Its error is noted already. It returns false where this value must not be null either, and
// the one around it has to be.
func (w *writer) rewind(out *outputType, start int) bool {
	if out.NonNull {
		return false
	}
	w.text = append(w.text[:start], "null"...)
	return true
}

// item writes one object of a unit or of a fetch's rows. It checks the limit and the budget:
// between two checks at most the text of one row is written.
func (w *writer) item(r *run, sel *selectionSet, res *result, i int) bool {
	if w.limit >= 0 && len(w.text) > w.limit {
		panic(abort{errTooLarge})
	}
	if len(w.text) >= w.charged+chargeStep {
		w.charge()
	}
	// Rows with several parents are copied, as long as no error has a path.
	if res.Repeats && len(w.errs) == 0 {
		return w.again(r, sel, res, i)
	}
	return w.object(r, sel, res, i)
}

// object writes row i of a result in braces.
func (w *writer) object(r *run, sel *selectionSet, res *result, i int) bool {
	w.text = append(w.text, '{')
	if !w.row(r, sel, res, i) {
		return false
	}
	w.text = append(w.text, '}')
	return true
}

// fields writes the fields of item i of a run, without braces.
func (w *writer) fields(r *run, sel *selectionSet, i int) bool {
	return w.row(r, sel, &r.Results[0], i)
}

// row writes the fields of a selection over a row. It ends at the first null of a non-null
// field; the later fields are not written (GraphQL 6.4.4 allows to cancel them).
func (w *writer) row(r *run, sel *selectionSet, res *result, i int) bool {
	text := w.text // and back before another method writes
	for _, f := range sel.Fields {
		text = append(text, f.Key...)
		start := len(text)
		// By far the most fields are columns with a value that fits. They are written without
		// a path, which only errors need.
		var v json.RawMessage
		if f.Action == asColumn {
			if v = res.at(i, f.Slot); f.Output.Kind != language.Composite && len(v) > 0 && v[0] != 'n' {
				if longer, ok := language.AppendResult(text, f.Output.Kind, f.Output.Values, v); ok { // nearly every value there is
					text = longer
					continue
				}
			}
		}
		w.text = text
		ok := true
		switch f.Action {
		case asColumn:
			w.push(language.Segment{Key: f.Name})
			if v == nil && res.Missing != nil && res.Missing[f.Slot] != nil {
				ok = w.null(f, f.Output, start, res.Missing[f.Slot])
			} else {
				ok = w.json(f, f.Output, v)
			}
			w.pop()
		case asTypename:
			w.text = append(w.text, f.Text...)
		case asNodeID:
			ok = w.nodeID(f, res.at(i, f.Slot))
		default:
			w.push(language.Segment{Key: f.Name})
			switch f.Action {
			case asNested:
				ok = w.json(f, f.Output, res.at(i, f.Slot))
			case asFetched:
				ok = w.fetched(r, f, i)
			case asResolved:
				ok = w.tree(f, f.Output, &res.Trees[f.Custom.ID][i])
			case asSchema, asType:
				ok = w.introspect(f)
			}
			w.pop()
		}
		if !ok {
			return false
		}
		text = w.text
	}
	w.text = text
	return true
}

// fetched writes the rows or the value that a fetch gave to parent i. A parent without a key
// has the empty group: null, an empty list or an empty page, by the shape.
func (w *writer) fetched(r *run, f *field, i int) bool {
	start := len(w.text)
	if f.Fetch == nil {
		return w.null(f, f.Output, start, ungrouped)
	}
	res := &r.Results[f.Fetch.ID]
	if res.Err != nil {
		return w.null(f, f.Output, start, res.Err)
	}
	if f.Shape == anyValue {
		return w.json(f, f.Output, res.Value)
	}
	// Without an index all parents have the first group.
	g := int32(0)
	if res.Index != nil {
		g = res.Index[i]
	}
	if res.GroupErrs != nil && res.GroupErrs[g] != nil {
		return w.null(f, f.Output, start, res.GroupErrs[g])
	}
	var group facade.Group
	if g >= 0 && int(g) < len(res.Groups) {
		group = res.Groups[g]
	}
	switch f.Shape {
	case pageOfRows:
		return w.connection(r, f.Selection, res, &group, i) || w.rewind(f.Output, start)
	case allRows:
		return w.rows(r, f, f.Selection, res, &group) || w.rewind(f.Output, start)
	}
	// One row, and it is missing: null, or an error of a non-null field.
	if group.From >= group.To {
		return w.null(f, f.Output, start, nil)
	}
	return w.item(r, f.Selection, res, res.place(group.From)) || w.rewind(f.Output, start)
}

// rows writes a group as a list of objects. The index in a path counts within the group.
func (w *writer) rows(r *run, f *field, sel *selectionSet, res *result, g *facade.Group) bool {
	elem := f.Output.Elem
	w.text = append(w.text, '[')
	for k := g.From; k < g.To; k++ {
		if k > g.From {
			w.text = append(w.text, ',')
		}
		start := len(w.text)
		w.push(language.Segment{Index: k - g.From})
		ok := w.item(r, sel, res, res.place(k)) || w.rewind(elem, start)
		w.pop()
		if !ok {
			return false
		}
	}
	w.text = append(w.text, ']')
	return true
}

// nodeID writes the global id of a row with this primary key: base64url of entity:key
// (docs/decisions/graphql-schema.md), as binding.NodeIDOf does, but without a string for each row.
func (w *writer) nodeID(f *field, key []byte) bool {
	start := len(w.text)
	if len(key) == 0 || key[0] == 'n' {
		w.push(language.Segment{Key: f.Name})
		defer w.pop()
		return w.null(f, f.Output, start, nil)
	}
	// On the stack, for keys of the usual length.
	var space [128]byte
	id := append(append(space[:0], f.Type.Binding.Output.Key...), ':')
	id = append(id, key...)
	w.text = append(w.text, '"')
	w.text = base64.RawURLEncoding.AppendEncode(w.text, id)
	w.text = append(w.text, '"')
	return true
}
