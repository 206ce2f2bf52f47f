package resolvers

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/frondhost/frond/resolvers/binding"
	"github.com/frondhost/frond/resolvers/input"
	"github.com/vektah/gqlparser/v2/ast"
)

// question is what equal requests have in common, whole: two that differ in any of
// it never share an answer. An operation is its own, and the cache's for all who
// send its text.
type question struct {
	op        *operation
	variables string // as they were sent
	state     string // see appendPlain; "" is no state
}

// questions runs work once for whoever asks the same at once (DESIGN 8); the error
// says why ctx ended for one who waited. [singleflight.Group] is the one in use.
type questions interface {
	Do(ctx context.Context, q question, fly func(context.Context) *Response) (r *Response, aboard int, err error)
}

// question is what a request asks, and whether it may share its answer with those
// who ask the same: a query whose answer hangs on its text, its variables and its
// caller's state alone.
func (e *Engine) question(op *operation, r *Request) (q question, ok bool) {
	if e.questions == nil || !op.shared {
		return q, false
	}
	q.op = op
	if r.State != nil {
		var room [256]byte
		text, plain := appendPlain(room[:0], map[string]any(r.State), 0)
		if !plain {
			return q, false
		}
		q.state = string(text)
	}
	q.variables = string(r.Variables)
	return q, true
}

// share answers with work that began after the request came: of its own where
// nobody asks the same, else the next that begins.
func (e *Engine) share(ctx context.Context, q question, vars *input.Variables, r *Request) *Response {
	resp, aboard, err := e.questions.Do(ctx, q, func(ctx context.Context) *Response {
		resp := e.execute(ctx, q.op, vars, r)
		resp.by = r
		return resp
	})
	if err != nil { // only this one has given up
		return e.unfinished(ctx, r, err)
	}
	if aboard == 1 {
		return resp
	}
	own := *resp
	own.readers = int32(aboard)
	own.RodeAlong = own.by != r
	return &own
}

// shareable says whether an operation's answer hangs on nothing but what a
// [question] holds. A mutation is run for each who asks. A function of the author's
// is handed the request's context, and what it reads there nobody knows.
func (e *Engine) shareable(def *ast.OperationDefinition) bool {
	return def.Operation == ast.Query && every(def.SelectionSet, map[string]bool{}, e.bound)
}

// every says whether something holds for all fields of a selection.
func every(set ast.SelectionSet, seen map[string]bool, holds func(*ast.Field) bool) bool {
	for _, sel := range set {
		switch sel := sel.(type) {
		case *ast.Field:
			if !holds(sel) || !every(sel.SelectionSet, seen, holds) {
				return false
			}
		case *ast.InlineFragment:
			if !every(sel.SelectionSet, seen, holds) {
				return false
			}
		case *ast.FragmentSpread:
			if seen[sel.Name] {
				continue
			}
			seen[sel.Name] = true
			if !every(sel.Definition.SelectionSet, seen, holds) {
				return false
			}
		}
	}
	return true
}

// bound says whether a field is answered by the engine itself, whatever the type
// of the object turns out to be.
func (e *Engine) bound(f *ast.Field) bool {
	return e.bindings(f, func(b *binding.Field) bool { return b != nil })
}

// bindings says whether something holds for the bindings that a field may have.
func (e *Engine) bindings(f *ast.Field, holds func(*binding.Field) bool) bool {
	on := f.ObjectDefinition
	if strings.HasPrefix(f.Name, "__") || strings.HasPrefix(on.Name, "__") {
		return true
	}
	if !on.IsAbstractType() {
		return holds(e.schema.Fields.Of(on.Name, f.Name))
	}
	for _, def := range e.types.Schema.GetPossibleTypes(on) {
		if !holds(e.schema.Fields.Of(def.Name, f.Name)) {
			return false
		}
	}
	return true
}

// maxPlain is how deep a state may be and still be compared.
const maxPlain = 32

// appendPlain appends a value so that no other value has that text: each part tells
// its Go type and its length. It says no where there is anything but plain values:
// of a pointer or a type of the author's nobody knows what else it leads to. A nil
// list or map is as good as an empty one.
func appendPlain(dst []byte, v any, depth int) ([]byte, bool) {
	if depth > maxPlain {
		return dst, false
	}
	switch v := v.(type) {
	case nil:
		return append(dst, 'n'), true
	case bool:
		return strconv.AppendBool(dst, v), true
	case string:
		return appendSized(dst, 's', v), true
	case json.Number:
		return appendSized(dst, '#', string(v)), true
	case int:
		return append(strconv.AppendInt(append(dst, 'i'), int64(v), 10), ';'), true
	case int64:
		return append(strconv.AppendInt(append(dst, 'l'), v, 10), ';'), true
	case float64:
		return binary.BigEndian.AppendUint64(append(dst, 'd'), math.Float64bits(v)), true
	case []string:
		dst = appendCount(dst, 'S', len(v))
		for _, s := range v {
			dst = appendSized(dst, 's', s)
		}
		return dst, true
	case []any:
		dst = appendCount(dst, '[', len(v))
		var ok bool
		for _, item := range v {
			if dst, ok = appendPlain(dst, item, depth+1); !ok {
				return dst, false
			}
		}
		return dst, true
	case map[string]any:
		dst = appendCount(dst, '{', len(v))
		var ok bool
		for _, name := range slices.Sorted(maps.Keys(v)) {
			dst = appendSized(dst, 's', name)
			if dst, ok = appendPlain(dst, v[name], depth+1); !ok {
				return dst, false
			}
		}
		return dst, true
	}
	return dst, false
}

func appendCount(dst []byte, kind byte, n int) []byte {
	return append(strconv.AppendInt(append(dst, kind), int64(n), 10), ':')
}

func appendSized(dst []byte, kind byte, s string) []byte {
	return append(appendCount(dst, kind, len(s)), s...)
}
