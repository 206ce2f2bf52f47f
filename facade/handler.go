package facade

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/facade/rows"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// handle hands the admitted call to the author's handler, and takes over its answer. A
// precondition of the caller is judged first.
func handle(ctx context.Context, x *execution) (*Result, error) {
	lent, there, err := beforeHandler(ctx, x)
	switch {
	case err != nil:
		return nil, err
	case !there && x.op.Name == "delete":
		return &Result{Form: FormValue, Value: json.RawMessage("false")}, nil
	case !there:
		return nil, kiterror.Errorf(kiterror.NotFound, "there is no %s with this id", x.door.Name)
	}
	x.pending = lent
	answer, err := x.op.handler(authorContext(ctx, x), admittedCall(x))
	if err != nil {
		return nil, err
	}
	return adopt(x, answer)
}

// admittedCall is the call as the author's code is given it: judged, decoded and filled.
func admittedCall(x *execution) *Call {
	in := x.call.Invocation
	in.State = x.state
	in.ID, in.Params = nil, in.ParamsJSON()
	if x.op.builtin == nil {
		in.Params, in.Query = x.params, x.query
	}
	if x.op.Input != nil {
		in.Body = x.body.AppendJSON(nil)
	}
	if x.condition != nil {
		in.Query = withWhere(x, in.Query)
	}
	return &Call{
		Entity: x.door.Name, Operation: x.op.Name, Invocation: in,
		Select: newNames(x.op.reader, x.call.Select), Cursors: x.call.Cursors, Partial: x.call.Partial, If: x.precondition,
	}
}

// authorContext is the context of the author's code: it says which façade runs it and for
// whom (see [From] and [Inside]).
func authorContext(ctx context.Context, x *execution) context.Context {
	at := &callContext{host: x.host, state: x.state, trace: x.call.Invocation.Trace, depth: x.depth, pending: x.pending, op: x.op, transaction: x.transaction}
	return WithState(context.WithValue(ctx, callContextKey{}, at), x.state)
}

// adopt makes a result of what a handler answered, in the form that its operation
// declares. Its rows are laid out as the selection reads them, so that the last step is
// the same for rows from anywhere.
func adopt(x *execution, answer any) (*Result, error) {
	text, from, page, err := textOf(answer)
	if err != nil {
		return nil, unfit(&x.viewer, err)
	}
	if x.sel == nil {
		if from.Len() > 0 && !from.Crossed() && !x.inside {
			// As they are kept, closed and hidden fields among them, they are not for callers.
			return nil, unfit(&x.viewer, fmt.Errorf("it answered rows it read inside, and the operation names no output; name the entity or a view, or answer values of your own"))
		}
		return &Result{Form: FormValue, Value: text}, nil
	}
	if from != nil && from.Crossed() {
		// Read through From: encoded already, and computed.
		x.before = from
		x.sel = pickOn(x, already, x.op.reader, x.resultScope, x.fields[0], x.fields[1])
	}
	out := &Result{Page: Page{Total: -1}}
	found := text
	null := jsontext.IsNull(text) || len(text) == 0
	kind := jsontext.KindOf(text)
	switch x.op.Cardinality {
	case catalog.One, catalog.Maybe:
		out.Form = FormRow
		switch {
		case null && x.op.Cardinality == catalog.One:
			return nil, unfit(&x.viewer, fmt.Errorf("it answered null, and its cardinality is one; declare it as maybe"))
		case null:
			found = json.RawMessage("[]")
		case kind != jsontext.Object:
			return nil, unfit(&x.viewer, fmt.Errorf("it answered no object"))
		}
	case catalog.Many:
		out.Form = FormRows
		if null {
			found = json.RawMessage("[]")
		} else if kind != jsontext.Array {
			return nil, unfit(&x.viewer, fmt.Errorf("it answered no array"))
		}
	case catalog.PageOf:
		out.Form = FormPage
		switch {
		case null:
			found, out.Total = json.RawMessage("[]"), 0
		case kind == jsontext.Array: // a bare array is accepted and becomes a page
			out.Total = int64(count(text))
		default:
			if found, err = readPage(text, &out.Page); err != nil {
				return nil, unfit(&x.viewer, err)
			}
			if page != nil {
				out.Page = *page
			}
		}
	}
	if from == nil {
		if found, err = renamedAnswer(x, found); err != nil {
			return nil, unfit(&x.viewer, err)
		}
	}
	read, ok := rows.Read(x.sel.stored, found)
	if !ok {
		return nil, unfit(&x.viewer, fmt.Errorf("it answered something else than rows"))
	}
	out.Rows = normal(read, x.sel)
	return out, nil
}

// unfit is the INTERNAL_ERROR of an answer that does not fit the operation.
func unfit(x *viewer, err error) error {
	return kiterror.Internal(fmt.Errorf("the handler of %s: %w", x.where(), err))
}

// textOf is an answer as checked JSON, and the rows and the page that it is, if it is
// rows.
func textOf(answer any) (text json.RawMessage, found *rows.Rows, page *Page, err error) {
	switch v := answer.(type) {
	case *Result:
		if v == nil {
			return nil, nil, nil, nil
		}
		if v.Form == FormPage && v.Groups == nil {
			page = &v.Page
		}
		return v.AppendJSON(nil), v.Rows, page, nil
	case *rows.Rows:
		return v.AppendJSON(nil), v, nil, nil
	case rows.Row:
		alone := v.Alone()
		if alone == nil {
			return nil, nil, nil, nil
		}
		return v.JSON(), alone, nil, nil
	case json.RawMessage:
		if len(jsontext.Trim(v)) == 0 {
			return nil, nil, nil, nil
		}
		return v, nil, nil, jsontext.Check(v)
	}
	text, err = jsontext.Marshal(answer)
	return text, nil, nil, err
}

// count is the number of items of an array.
func count(array json.RawMessage) (n int) {
	for range jsontext.Elements(array) {
		n++
	}
	return n
}

// readPage reads a list result (spec 2.7) that a handler answered.
func readPage(text json.RawMessage, page *Page) (items json.RawMessage, err error) {
	if jsontext.KindOf(text) != jsontext.Object {
		return nil, fmt.Errorf("it answered no list result")
	}
	for name, value := range jsontext.Members(text) {
		switch strings.ToLower(name) {
		case "items":
			items = value
		case "total":
			if n, ok := schema.Integer(value); ok {
				page.Total = n
			}
		case "hasmore":
			page.HasMore = jsontext.KindOf(value) == jsontext.True
		case "endcursor":
			if s := jsontext.Unquote(value); jsontext.KindOf(value) == jsontext.String && s != "" {
				page.Cursors = []string{s}
			}
		}
	}
	if jsontext.IsNull(items) {
		items = json.RawMessage("[]")
	}
	if jsontext.KindOf(items) != jsontext.Array {
		return nil, fmt.Errorf("it answered a list result without items")
	}
	return items, nil
}

// normal brings rows into the form that all rows have: date-times in UTC, nested objects
// with declared members alone. Rows without either are returned as they are.
func normal(read *rows.Rows, s *selection) *rows.Rows {
	same := true
	for _, p := range s.props {
		same = same && p.Kind != schema.KindDateTime && !closed(&p.Shape)
	}
	if same {
		return read
	}
	out := rows.New(s.stored, read.Len())
	for i := range read.Len() {
		row := read.Row(i)
		out.BeginRow()
		for j, p := range s.props {
			value := row.At(j)
			if value == nil {
				continue
			}
			if p.Kind == schema.KindDateTime {
				value = rows.NormalDateTime(value)
			} else if closed(&p.Shape) {
				value = prune(&p.Shape, value)
			}
			out.Put(j, value)
		}
		out.EndRow()
	}
	return out
}

// handleEach answers a batch of an operation whose built-in a handler replaces: the
// handler knows one call at a time, so it is called once for each distinct key.
func handleEach(ctx context.Context, x *execution) (*Result, error) {
	out := &Result{Form: FormRow, Page: Page{Total: -1}}
	if x.op.Name == "list" {
		out.Form = FormPage
	}
	each, made := x.each, make([]Group, len(x.each.values))
	var parts []*rows.Rows
	n := 0
	for i, key := range each.values {
		one := *x
		one.each = nil
		call := *x.call
		call.Each = nil
		if x.op.Name == "list" {
			call.Invocation.Query = withKey(call.Invocation.Query, each.field, key)
		} else {
			call.Invocation.ID = key
		}
		one.call = &call
		res, err := handle(ctx, &one)
		if err != nil {
			return nil, err
		}
		x.sel = one.sel
		parts = append(parts, res.Rows)
		made[i] = Group{From: n, To: n + res.Rows.Len(), Page: res.Page}
		n += res.Rows.Len()
	}
	out.Rows = rows.Join(x.sel.stored, parts)
	out.Groups = make([]Group, len(each.order))
	for i, at := range each.order {
		if at >= 0 {
			out.Groups[i] = made[at]
		}
	}
	return out, nil
}

// withKey is the query of list with one more condition: the field equals the key.
func withKey(query json.RawMessage, field *schema.Property, key json.RawMessage) json.RawMessage {
	name := field.Name
	if field.Link != nil {
		name = field.Link.Key
	}
	eq := schema.Object{{Name: "eq", Value: key}}.AppendJSON(nil)
	filter := schema.Object{{Name: name, Value: eq}}.AppendJSON(nil)
	var out schema.Object
	for name, value := range jsontext.Members(query) {
		if name == "filter" && !jsontext.IsNull(value) {
			both := append(append(append(append([]byte("["), value...), ','), filter...), ']')
			filter = schema.Object{{Name: "and", Value: both}}.AppendJSON(nil)
			continue
		}
		if name != "filter" {
			out = append(out, schema.Member{Name: name, Value: value})
		}
	}
	return schema.Object(append(out, schema.Member{Name: "filter", Value: filter})).AppendJSON(nil)
}

// handlerRunner answers an operation by the author's handler.
type handlerRunner struct{}

// by implements [runner].
func (handlerRunner) by() answerer { return byHandler }

// run implements [runner]: the handler is called once, or once for each key of a batch.
func (handlerRunner) run(ctx context.Context, x *execution) (*Result, error) {
	switch {
	case x.op.detached && x.transaction != nil:
		return nil, errDetached(&x.viewer)
	case x.each != nil && x.call.Each != nil:
		return handleEach(ctx, x)
	}
	return handle(ctx, x)
}

// errDetached is why a detached command does not run within a transaction.
func errDetached(x *viewer) error {
	return kiterror.Errorf(kiterror.InternalError, "%s is detached, and was called within the transaction of another command; "+
		"attach that one as detached too, or call %[1]s where its answer is there", x.where())
}
