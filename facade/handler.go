package facade

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/facade/rows"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// HandleQuery attaches a typed handler to an operation that reads. In is decoded
// from one object: the members of params, then of query, then of the body; Out is
// marshalled. See [Handle].
func HandleQuery[In, Out any](door DoorRef, name string, fn func(ctx context.Context, in In) (Out, error)) {
	door.handle(name, Query, typed(fn))
}

// HandleCommand attaches a typed handler to an operation that writes, as
// [HandleQuery] does to one that reads.
func HandleCommand[In, Out any](door DoorRef, name string, fn func(ctx context.Context, in In) (Out, error)) {
	door.handle(name, Command, typed(fn))
}

func typed[In, Out any](fn func(ctx context.Context, in In) (Out, error)) Handler {
	return func(ctx context.Context, c *Call) (any, error) {
		var in In
		if err := json.Unmarshal(together(&c.Invocation), &in); err != nil {
			// The cards let it through: it is the Go type that does not fit them.
			return nil, kiterror.Internal(fmt.Errorf("%T does not take what the cards of %s.%s admit: %w", in, c.Entity, c.Operation, err))
		}
		return fn(ctx, in)
	}
}

// together is one object with the members of params, query and body.
func together(in *Invocation) json.RawMessage {
	var all schema.Object
	for _, part := range []json.RawMessage{in.Params, in.Query, in.Body} {
		for name, value := range jsontext.Members(part) {
			all = append(all, schema.Member{Name: name, Value: value})
		}
	}
	return all.AppendJSON(nil)
}

// handle hands the admitted call to the author's handler, and takes over what it
// answers.
func (t *trip) handle(ctx context.Context) (*Result, error) {
	if t.each != nil && t.call.Each != nil {
		return t.handleEach(ctx)
	}
	lent, there, err := t.beforeHandler(ctx)
	switch {
	case err != nil:
		return nil, err
	case !there && t.op.Name == "delete":
		return &Result{Form: FormValue, Value: json.RawMessage("false")}, nil
	case !there:
		return nil, kiterror.Errorf(kiterror.NotFound, "there is no %s with this id", t.door.Name)
	}
	t.lent = lent
	answer, err := t.op.handler(t.station(ctx), t.admitted())
	if err != nil {
		return nil, err
	}
	return t.adopt(answer)
}

// admitted is the call as the author's code is given it: judged, decoded and filled.
func (t *trip) admitted() *Call {
	in := t.call.Invocation
	in.State = t.state
	if t.op.builtin == nil {
		in.Params, in.Query = t.params, t.query
	}
	if t.op.Input != nil {
		in.Body = t.body.AppendJSON(nil)
	}
	return &Call{
		Entity: t.door.Name, Operation: t.op.Name, Invocation: in,
		Select: t.call.Select, Cursors: t.call.Cursors, Partial: t.call.Partial, If: t.cond,
	}
}

// station is the context of the author's code: it knows which façade runs it and
// for whom (see [From] and [Inside]).
func (t *trip) station(ctx context.Context) context.Context {
	at := &station{facade: t.facade, state: t.state, trace: t.call.Invocation.Trace, depth: t.depth, lent: t.lent, op: t.op}
	return WithState(context.WithValue(ctx, stationKey{}, at), t.state)
}

// adopt makes a result of what a handler answered: of the form its operation
// declares, the rows laid out as the selection reads them, so that what follows is
// the same for rows from anywhere.
func (t *trip) adopt(answer any) (*Result, error) {
	text, from, page, err := textOf(answer)
	if err != nil {
		return nil, t.unfit(err)
	}
	if t.sel == nil {
		if from.Len() > 0 && !from.Crossed() && !t.inside {
			// As they are kept, closed and hidden fields among them, they are not for callers.
			return nil, t.unfit(fmt.Errorf("it answered rows it read inside, and the operation names no output; name the entity or a view, or answer values of your own"))
		}
		return &Result{Form: FormValue, Value: text}, nil
	}
	if from != nil && from.Crossed() {
		// Read through From: encoded already, and computed.
		t.before = from
		t.sel = t.pickOn(already, t.op.reader, t.seeOut, t.call.Select, t.list.fields)
	}
	out := &Result{Page: Page{Total: -1}}
	rows := text
	null := jsontext.IsNull(text) || len(text) == 0
	kind := jsontext.KindOf(text)
	switch t.op.Cardinality {
	case One, Maybe:
		out.Form = FormRow
		switch {
		case null && t.op.Cardinality == One:
			return nil, t.unfit(fmt.Errorf("it answered null, and its cardinality is one; declare it as maybe"))
		case null:
			rows = json.RawMessage("[]")
		case kind != jsontext.Object:
			return nil, t.unfit(fmt.Errorf("it answered no object"))
		}
	case Many:
		out.Form = FormRows
		if null {
			rows = json.RawMessage("[]")
		} else if kind != jsontext.Array {
			return nil, t.unfit(fmt.Errorf("it answered no array"))
		}
	case PageOf:
		out.Form = FormPage
		switch {
		case null:
			rows, out.Total = json.RawMessage("[]"), 0
		case kind == jsontext.Array: // a bare array is accepted and becomes a page
			out.Total = int64(count(text))
		default:
			if rows, err = readPage(text, &out.Page); err != nil {
				return nil, t.unfit(err)
			}
			if page != nil {
				out.Page = *page
			}
		}
	}
	if from == nil {
		if rows, err = t.answered(rows); err != nil {
			return nil, t.unfit(err)
		}
	}
	read, ok := ReadRows(t.sel.stored, rows)
	if !ok {
		return nil, t.unfit(fmt.Errorf("it answered something else than rows"))
	}
	out.Rows = normal(read, t.sel)
	return out, nil
}

func (t *trip) unfit(err error) error {
	return kiterror.Internal(fmt.Errorf("the handler of %s: %w", t.where(), err))
}

// textOf is an answer as checked JSON, with the rows and the page it was, if it
// was rows.
func textOf(answer any) (text json.RawMessage, rows *Rows, page *Page, err error) {
	switch v := answer.(type) {
	case *Result:
		if v == nil {
			return nil, nil, nil, nil
		}
		if v.Form == FormPage && v.Groups == nil {
			page = &v.Page
		}
		return v.AppendJSON(nil), v.Rows, page, nil
	case *Rows:
		return v.AppendJSON(nil), v, nil, nil
	case Row:
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

// normal is rows with their date-times in the form all rows have them in, and
// their nested objects with the members that are declared; rows without either are
// left as they are.
func normal(read *Rows, s *selection) *Rows {
	same := true
	for _, p := range s.props {
		same = same && p.Kind != schema.KindDateTime && !closed(&p.Shape)
	}
	if same {
		return read
	}
	out := NewRows(s.stored, read.Len())
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
