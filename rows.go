package frond

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"reflect"
	"strconv"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/schema/jsontext"
)

// Rows reads and writes the rows of a door as values of T. [Inside] and [From] make one. It
// may be used from many goroutines, as long as the context it was made from holds.
type Rows[T any] struct {
	door   *door
	caller facade.Caller
	fields []string // the fields to read; nil: all that the caller may read
	state  State    // takes the place of the caller's; nil: none does
	err    error    // why no call can be made
}

// Inside is the rows of the door with the type T, for the program itself: every field can be read and written,
// values are as they are kept, no collector scopes them, and computed fields are not made. For a built-in operation
// that the program replaces it calls the built-in one. ctx is the context of a command, a query, a hook or a
// computed field, or of [Test] or [App.Open].
func Inside[T any](ctx context.Context) Rows[T] {
	r := rowsOf[T](ctx)
	r.caller = facade.Inside(ctx)
	if r.door != nil {
		r.fields = r.door.row.selected
	}
	return r
}

// From is the rows of the door with the type T, with the caller's rights: the caller's
// collectors scope it, closed and hidden fields have their zero values, and computed fields are
// made. Values are the stored ones: an answer of the program is encoded (boundary.out) when it
// leaves.
func From[T any](ctx context.Context) Rows[T] {
	r := rowsOf[T](ctx)
	r.caller = facade.FromKept(ctx)
	return r
}

var errContext = kiterror.Errorf(InternalError, "this context is not a function's; hand on the function's own context")

func rowsOf[T any](ctx context.Context) (r Rows[T]) {
	s := sceneOf(ctx)
	if s == nil || s.app == nil {
		r.err = errContext
		return r
	}
	t := reflect.TypeFor[T]()
	if r.door = s.app.doors[t]; r.door == nil {
		r.err = kiterror.Errorf(InternalError, "no door has rows of type %s; write frond.Door[%[1]s](app, …) where the program starts", t)
	}
	if s.as {
		r.state = s.state
	}
	return r
}

// Find is the row with this id, a text or a whole number. A row that is missing, or that the
// caller may not see, is [NotFound]. Without an error the row is not nil.
func (r Rows[T]) Find(ctx context.Context, id any) (*T, error) {
	key, err := keyOf(id)
	if err != nil {
		return nil, err
	}
	res, err := r.call(ctx, "findById", facade.Invocation{ID: key})
	if err != nil {
		return nil, err
	}
	if res.Rows.Len() == 0 {
		return nil, kiterror.Errorf(NotFound, "there is no %s with the id %v", r.door.name, id)
	}
	return r.one(res)
}

// FindMany is the rows with these ids, in their order. Missing rows are left out. ids is a
// slice of texts or whole numbers, of at most 500.
func (r Rows[T]) FindMany(ctx context.Context, ids any) ([]T, error) {
	text, err := jsontext.Marshal(ids)
	if err != nil {
		return nil, err
	}
	res, err := r.call(ctx, "findByIds", facade.Invocation{Query: append(append([]byte(`{"ids":`), text...), '}')})
	if err != nil {
		return nil, err
	}
	return r.many(res)
}

// Page is one page of a list. Total is -1 unless [Counted] asks for it, and EndCursor is
// what [Behind] takes to read on.
type Page[T any] = facade.List[T]

// List is a page of the rows that meet every filter of what; without a [Limit] as many as the
// door's default, and never more than its maximum. A clause that the door does not take, such
// as a filter by a field that the caller may not see, is [ValidationFailed] and names it.
func (r Rows[T]) List(ctx context.Context, what ...Clause) (*Page[T], error) {
	res, err := r.list(ctx, what)
	if err != nil {
		return nil, err
	}
	items, err := r.many(res)
	if err != nil {
		return nil, err
	}
	return &Page[T]{Items: items, Total: res.Total, HasMore: res.HasMore, EndCursor: res.EndCursor()}, nil
}

// First is the first row of a list, or nil if it is empty.
func (r Rows[T]) First(ctx context.Context, what ...Clause) (*T, error) {
	res, err := r.list(ctx, append(what[:len(what):len(what)], Limit(1)))
	if err != nil || res.Rows.Len() == 0 {
		return nil, err
	}
	return r.one(res)
}

// Count is how many rows meet every filter of what.
func (r Rows[T]) Count(ctx context.Context, what ...Clause) (int64, error) {
	res, err := r.list(ctx, append(what[:len(what):len(what)], Limit(0), Counted()))
	if err != nil {
		return 0, err
	}
	return res.Total, nil
}

// All is every row of a list, read page by page while the loop runs. An error is the last pair.
// Rows written during the loop may be among them or not: each page is a read of its own, joined
// by cursors.
func (r Rows[T]) All(ctx context.Context, what ...Clause) iter.Seq2[*T, error] {
	return func(yield func(*T, error) bool) {
		for next := what; ; {
			page, err := r.List(ctx, next...)
			if err != nil {
				yield(nil, err)
				return
			}
			for i := range page.Items {
				if !yield(&page.Items[i], nil) {
					return
				}
			}
			if !page.HasMore {
				return
			}
			next = append(what[:len(what):len(what)], Behind(page.EndCursor))
		}
	}
}

func (r Rows[T]) list(ctx context.Context, what []Clause) (*facade.Result, error) {
	var q query
	for _, c := range what {
		c.add(&q)
	}
	text, err := q.text()
	if err != nil {
		return nil, err
	}
	return r.call(ctx, "list", facade.Invocation{Query: text})
}

// Set is fields and their values, by the names of the card. A nil value is null.
type Set map[string]any

// Create writes a new row and returns it as stored. values is a struct or a [Set]. Of a struct,
// a field with its zero value is left out, and the card's rules fill it (lifecycle.create),
// unless the card requires it and has no such rule; a Set is written as it is. A value that the
// card refuses is [ValidationFailed] with every detail, a taken unique value is [Conflict].
func (r Rows[T]) Create(ctx context.Context, values any) (*T, error) {
	body, err := r.body(values, true)
	if err != nil {
		return nil, err
	}
	return r.write(ctx, "create", facade.Invocation{Body: body})
}

// Update writes fields of a row, and returns the row as it is kept. values is a [Set], or a
// struct, whose fields with their zero values stay as they are. Members of nested objects are
// merged. A missing row is [NotFound]; one that does not meet every filter of where, at the
// time of the write, is [PreconditionFailed] and stays as it is.
func (r Rows[T]) Update(ctx context.Context, id, values any, where ...Filter) (*T, error) {
	key, err := keyOf(id)
	if err != nil {
		return nil, err
	}
	body, err := r.body(values, false)
	if err != nil {
		return nil, err
	}
	condition, err := conditionOf(where)
	if err != nil {
		return nil, err
	}
	return r.write(ctx, "update", facade.Invocation{ID: key, Query: condition, Body: body})
}

// conditionOf is the query of a write under filters that all have to hold, or nil.
func conditionOf(where []Filter) (json.RawMessage, error) {
	if len(where) == 0 {
		return nil, nil
	}
	all := And(where...)
	return append(append([]byte(`{"where":`), all.text()...), '}'), all.err
}

// CreateMany writes new rows in one transaction, and returns them in their order. values is a slice
// of values for [Rows.Create], at most 1,000. The details of [ValidationFailed] name the row by its
// index: /body/3/price. The door has this operation, and the ones below, if frond.yaml opens them
// (many).
func (r Rows[T]) CreateMany(ctx context.Context, values any) ([]T, error) {
	list := reflect.ValueOf(values)
	if list.Kind() != reflect.Slice {
		return nil, kiterror.Internal(fmt.Errorf("a %T is no list; give CreateMany a slice of structs or Sets", values))
	}
	rows := make([]json.RawMessage, list.Len())
	for i := range rows {
		var err error
		if rows[i], err = r.body(list.Index(i).Interface(), true); err != nil {
			return nil, err
		}
	}
	res, err := r.call(ctx, "createMany", facade.Invocation{Body: jsontext.AppendTexts(nil, rows)})
	if err != nil {
		return nil, err
	}
	return r.many(res)
}

// UpdateMany writes values, as [Rows.Update] takes them, to the rows that meet where, in one
// transaction, and returns their number. If more than most rows meet it (0 means 100), the error is
// [UnprocessableEntity] and no row changes. An empty where is refused.
func (r Rows[T]) UpdateMany(ctx context.Context, where Filter, most int, values any) (int64, error) {
	body, err := r.body(values, false)
	if err != nil {
		return 0, err
	}
	return r.writeMany(ctx, "updateMany", where, most, body)
}

// DeleteMany removes the rows that meet where, and bounds them as [Rows.UpdateMany] does.
func (r Rows[T]) DeleteMany(ctx context.Context, where Filter, most int) (int64, error) {
	return r.writeMany(ctx, "deleteMany", where, most, nil)
}

func (r Rows[T]) writeMany(ctx context.Context, operation string, where Filter, most int, body json.RawMessage) (int64, error) {
	query := append([]byte(`{"where":`), where.text()...)
	if most != 0 {
		query = strconv.AppendInt(append(query, `,"max":`...), int64(most), 10)
	}
	if where.err != nil {
		return 0, where.err
	}
	r.fields = nil // rows would be answered too
	res, err := r.call(ctx, operation, facade.Invocation{Query: append(query, '}'), Body: body})
	if err != nil {
		return 0, err
	}
	return res.Total, nil
}

// Upsert writes the row that has the values' unique key by, such as sku, or list,position for a compound
// one. It updates the row, or creates a missing one, which created reports. values is as for
// [Rows.Create]. A key of a row that the caller may not see is [Conflict].
func (r Rows[T]) Upsert(ctx context.Context, by string, values any) (row *T, created bool, err error) {
	body, err := r.body(values, true)
	if err != nil {
		return nil, false, err
	}
	query := append(jsontext.AppendString([]byte(`{"by":`), by), '}')
	res, err := r.call(ctx, "upsert", facade.Invocation{Query: query, Body: body})
	if err != nil {
		return nil, false, err
	}
	row, err = r.one(res)
	return row, res.Created, err
}

// body is the values of a write, as JSON.
func (r *Rows[T]) body(values any, create bool) (json.RawMessage, error) {
	if r.err != nil {
		return nil, r.err
	}
	v := reflect.ValueOf(values)
	for v.Kind() == reflect.Pointer && !v.IsNil() {
		v = v.Elem()
	}
	switch {
	case v.Kind() == reflect.Map:
		return jsontext.Marshal(values)
	case v.Kind() != reflect.Struct:
		return nil, kiterror.Internal(fmt.Errorf("a %T is written to %s; give it a struct or a Set", values, r.door.name))
	case v.Type() == r.door.row.typ:
		return r.door.row.body(v, create)
	}
	other := recordOf(v.Type())
	other.spell(r.door.card)
	return other.body(v, create)
}

// Delete removes a row. A missing row is [NotFound]; one that does not meet every filter of
// where, at the time of the write, is [PreconditionFailed] and stays.
func (r Rows[T]) Delete(ctx context.Context, id any, where ...Filter) error {
	key, err := keyOf(id)
	if err != nil {
		return err
	}
	condition, err := conditionOf(where)
	if err != nil {
		return err
	}
	res, err := r.call(ctx, "delete", facade.Invocation{ID: key, Query: condition})
	if err == nil && string(res.Value) != "true" {
		err = kiterror.Errorf(NotFound, "there is no %s with the id %v", r.door.name, id)
	}
	return err
}

func (r Rows[T]) write(ctx context.Context, operation string, in facade.Invocation) (*T, error) {
	res, err := r.call(ctx, operation, in)
	if err != nil {
		return nil, err
	}
	return r.one(res)
}

// call makes the one call behind every method. A caller set by [As] brings its own state.
func (r *Rows[T]) call(ctx context.Context, operation string, in facade.Invocation) (*facade.Result, error) {
	if r.err != nil {
		return nil, r.err
	}
	in.State = r.state
	call := &facade.Call{Entity: r.door.name, Operation: operation, Invocation: in}
	if operation != "delete" {
		call.Select = r.fields
	}
	return r.caller.Call(ctx, call)
}

// one is the first row of an answer.
func (r *Rows[T]) one(res *facade.Result) (*T, error) {
	row := new(T)
	if err := r.door.row.decode(res.Rows.Row(0), reflect.ValueOf(row).Elem()); err != nil {
		return nil, kiterror.Internal(err)
	}
	return row, nil
}

// many is every row of an answer.
func (r *Rows[T]) many(res *facade.Result) ([]T, error) {
	list := make([]T, res.Rows.Len())
	for i := range list {
		if err := r.door.row.decode(res.Rows.Row(i), reflect.ValueOf(&list[i]).Elem()); err != nil {
			return nil, kiterror.Internal(err)
		}
	}
	return list, nil
}

// keyOf is an id as JSON.
func keyOf(id any) (json.RawMessage, error) {
	switch id := id.(type) {
	case string:
		return jsontext.Quote(id), nil
	case int:
		return strconv.AppendInt(nil, int64(id), 10), nil
	case int64:
		return strconv.AppendInt(nil, id, 10), nil
	}
	return jsontext.Marshal(id)
}
