// Package support is the part that every generated client needs in addition to its own types.
// Its source is copied into each generated package under that package's name, so that a client
// depends on facade and schema only.
package support

import (
	"context"
	"encoding/json"
	"reflect"
	"slices"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/access"
	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/facade/nested"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// Opt is an optional value; the zero Opt is absent. Whether it can also be null depends on
// T: Set[*string](nil) is null, Set(new("x")) is a value.
type Opt[T any] struct {
	value T
	given bool
}

// Set returns a present value.
func Set[T any](value T) Opt[T] { return Opt[T]{value, true} }

// Get returns the value, and whether it is present.
func (o Opt[T]) Get() (T, bool) { return o.value, o.given }

// IsZero says that the value is absent; encoding/json calls it for omitzero.
func (o Opt[T]) IsZero() bool { return !o.given }

// MarshalJSON writes the value; a nil slice is written as [].
func (o Opt[T]) MarshalJSON() ([]byte, error) {
	if v := reflect.ValueOf(o.value); v.Kind() == reflect.Slice && v.IsNil() && v.Type() != reflect.TypeFor[json.RawMessage]() {
		return []byte("[]"), nil
	}
	return json.Marshal(o.value)
}

// UnmarshalJSON reads a value; null is read as T reads it.
func (o *Opt[T]) UnmarshalJSON(data []byte) error {
	o.given = true
	return json.Unmarshal(data, &o.value)
}

// List is a slice that becomes a JSON list even if it is nil.
type List[T any] []T

// MarshalJSON writes nil as [].
func (l List[T]) MarshalJSON() ([]byte, error) {
	if l == nil {
		return []byte("[]"), nil
	}
	return json.Marshal([]T(l))
}

// Filter is a set of conditions that all have to hold: Filter{"price": Filter{"gte": 10}}.
// A nil Filter matches every row.
type Filter map[string]any

// ListQuery selects the rows of a list, their order and their number. The zero value is
// the first page in the default order.
type ListQuery struct {
	Filter Filter      `json:"filter,omitempty"`
	Sort   []string    `json:"sort,omitempty"`  // names of fields; - is descending
	Limit  Opt[int]    `json:"limit,omitzero"`  // rows of a page; 0 is none, for the total alone
	After  Opt[string] `json:"after,omitzero"`  // a cursor: the rows after it
	Before Opt[string] `json:"before,omitzero"` // a cursor: the last rows before it
	// Backward says whether Limit takes the last rows. Left out: it does if Before is sent
	// without After; both together are the range between them.
	Backward Opt[bool]   `json:"backward,omitzero"`
	Offset   int         `json:"offset,omitempty"`  // rows to leave out at the beginning
	Search   Opt[string] `json:"search,omitzero"`   // words that the rows have; sort by -rank for the best first
	Fields   []string    `json:"fields,omitempty"`  // the fields to answer; the others stay zero
	Total    Opt[bool]   `json:"total,omitzero"`    // false: do not count, Total is -1
	Count    string      `json:"count,omitempty"`   // exact, estimated or none; not together with Total
	Cursors  bool        `json:"cursors,omitempty"` // answer a cursor for every row
}

// CallOption is a query key of a call of a built-in operation: see [IfMatch], [Where],
// [Fields], [Max], [DryRun] and [Faults]. The zero CallOption is refused by the host.
type CallOption struct {
	name   string
	values []string
	where  Filter
	value  any
}

// IfMatch makes update and delete conditional: the row must have one of these versions,
// as its ETag gives them. A row with another version answers PRECONDITION_FAILED and
// stays as it is. Without a version the host refuses the call.
func IfMatch(versions ...string) CallOption { return CallOption{name: "ifMatch", values: versions} }

// Where makes update and delete conditional: the row must meet the filter when it is
// written. A row that does not answers PRECONDITION_FAILED and stays as it is. A nil filter
// is refused; several all have to hold.
func Where(filter Filter) CallOption { return CallOption{name: "where", where: filter} }

// Fields selects the fields of the answer; the others stay zero. Fields("*", "etag") is
// a whole row with its version.
func Fields(names ...string) CallOption { return CallOption{name: "fields", values: names} }

// Max bounds the rows of a write by a condition. If more meet it, the write fails; 100 unless sent.
func Max(rows int) CallOption { return CallOption{name: "max", value: rows} }

// DryRun judges and writes the rows of an import, and undoes it.
func DryRun() CallOption { return CallOption{name: "dryRun", value: true} }

// Faults is the number of faulty rows after which an import ends; 100 unless sent.
func Faults(rows int) CallOption { return CallOption{name: "faults", value: rows} }

// keyed names the unique key that a row is known by: sku, or listId,position.
func keyed(by string) CallOption { return CallOption{name: "by", value: by} }

// queryOf returns the query of a call: nil without options, so that the call has no query.
func queryOf(options []CallOption, more ...CallOption) any {
	if len(options)+len(more) == 0 {
		return nil
	}
	query := map[string]any{}
	for _, o := range slices.Concat(options, more) {
		before, again := query[o.name]
		switch {
		case o.name == "where" && again:
			query[o.name] = Filter{"and": []any{before, o.where}}
		case o.name == "where":
			query[o.name] = o.where
		case o.value != nil:
			query[o.name] = o.value
		default:
			values, _ := before.(List[string])
			query[o.name] = append(values, o.values...)
		}
	}
	return query
}

// Page is one page of a list (spec 2.7).
type Page[T any] struct {
	Items     []T      `json:"items"`
	Total     int64    `json:"total"` // -1: not counted
	HasMore   bool     `json:"hasMore"`
	EndCursor string   `json:"endCursor"` // "": there are no rows
	Cursors   []string `json:"cursors,omitempty"`
}

// UnmarshalJSON reads a list result, or the bare array that some hosts answer; the Total
// of an array is -1.
func (p *Page[T]) UnmarshalJSON(data []byte) error {
	if jsontext.KindOf(data) == jsontext.Array {
		*p = Page[T]{Total: -1}
		return json.Unmarshal(data, &p.Items)
	}
	type page Page[T]
	return json.Unmarshal(data, (*page)(p))
}

// Written is the answer of a write of the rows that meet a condition.
type Written[T any] struct {
	Count int `json:"count"`
	Items []T `json:"items"` // where [Fields] are selected; deleted rows as they were
}

// Upserted is a row, and whether the call created it.
type Upserted[T any] struct {
	Created bool `json:"created"`
	Item    T    `json:"item"`
}

// Imported is the report of an import. A row at fault is left out.
type Imported struct {
	Created  int  `json:"created"`
	Updated  int  `json:"updated"`
	Rows     int  `json:"rows"` // rows that were read
	Complete bool `json:"complete"`
	Faults   []struct {
		Row     int     `json:"row"`    // its place in the list
		Column  *string `json:"column"` // nil: the row as a whole
		Code    string  `json:"code"`
		Message string  `json:"message"`
	} `json:"faults"`
}

// items reads the rows of an answer.
func items[T any](text json.RawMessage, err error) ([]T, error) {
	page, err := one[struct{ Items []T }](text, err)
	if err != nil {
		return nil, err
	}
	return page.Items, nil
}

// conn makes the calls of a client, on behalf of a state; nil: anonymous.
type conn struct {
	caller facade.Caller
	state  access.State
}

// Call calls any operation, also one without a method here, or with members that its
// method does not have. It returns the result as JSON. The error is a *facade.Error.
func (c *conn) Call(ctx context.Context, entity, operation string, in facade.Invocation) (json.RawMessage, error) {
	if in.State == nil {
		in.State = c.state
	}
	res, err := c.caller.Call(ctx, &facade.Call{Entity: entity, Operation: operation, Invocation: in})
	if err != nil {
		return nil, err
	}
	return res.AppendJSON(nil), nil
}

// door is one door of a client.
type door struct {
	*conn
	name string
}

// ask calls an operation. A nil part is not sent.
func (d door) ask(ctx context.Context, operation string, params, query, body any) (json.RawMessage, error) {
	var in facade.Invocation
	for _, part := range []struct {
		value any
		text  *json.RawMessage
	}{{params, &in.Params}, {query, &in.Query}, {body, &in.Body}} {
		if part.value == nil {
			continue
		}
		text, err := json.Marshal(part.value)
		if err != nil {
			return nil, kiterror.Errorf(kiterror.ValidationFailed, "this cannot be sent: %w", err).At(d.name, operation)
		}
		*part.text = text
	}
	return d.conn.Call(ctx, d.name, operation, in)
}

// parts calls an operation whose params, query and body are members of one value: the
// names in params and query, and, where the operation has a body, all others.
func (d door) parts(ctx context.Context, operation string, in any, params, query []string, hasBody bool) (json.RawMessage, error) {
	p, q, b, err := split(in, params, query)
	if err != nil {
		return nil, kiterror.Errorf(kiterror.ValidationFailed, "this cannot be sent: %w", err).At(d.name, operation)
	}
	var sent [3]any
	if params != nil {
		sent[0] = p
	}
	if query != nil {
		sent[1] = q
	}
	if hasBody {
		sent[2] = b
	}
	return d.ask(ctx, operation, sent[0], sent[1], sent[2])
}

// split divides the members of a value among params, query and body, each an object.
func split(in any, params, query []string) (p, q, b json.RawMessage, err error) {
	text, err := json.Marshal(in)
	if err != nil {
		return nil, nil, nil, err
	}
	var of [3][]byte
	for name, value := range jsontext.Members(text) {
		i := 2
		switch {
		case slices.Contains(params, name):
			i = 0
		case slices.Contains(query, name):
			i = 1
		}
		of[i] = append(jsontext.AppendName(append(of[i], ','), name), value...)
	}
	for i, into := range []*json.RawMessage{&p, &q, &b} {
		if of[i] == nil {
			of[i] = []byte{','}
		}
		of[i][0] = '{'
		*into = append(of[i], '}')
	}
	return p, q, b, nil
}

// id is the params of an operation on one row.
type id[T any] struct {
	ID T `json:"id"`
}

// ids is the query of findByIds.
type ids[T any] struct {
	IDs List[T] `json:"ids"`
}

// read reads an answer. One that does not fit T is the host's fault: BAD_GATEWAY.
func read[T any](text json.RawMessage, err error) (value T, _ error) {
	if err == nil {
		if bad := json.Unmarshal(text, &value); bad != nil {
			err = kiterror.Errorf(kiterror.BadGateway, "the answer does not fit its type: %w", bad)
		}
	}
	return value, err
}

// one reads an answer that must not be null.
func one[T any](text json.RawMessage, err error) (*T, error) {
	value, err := read[*T](text, err)
	if err == nil && value == nil {
		err = kiterror.Errorf(kiterror.BadGateway, "the answer is null where a value has to be")
	}
	return value, err
}

// judges check values against the contract's cards, so that values that the host would refuse
// are not sent. They are compiled once, on first use.
type judges struct {
	of  map[string]*judge // by entity.op
	err error             // the contract cannot be read by the frond this is built with
}

// judge checks the parts of one operation's invocation.
type judge struct {
	entity, operation string
	parts             []judged
	within            []*catalog.Nested // relations whose rows are in the body
}

// judged is a part with its card.
type judged struct {
	card *schema.Entity
	mode schema.Mode
	at   string
}

// judgesOf compiles the cards of a contract's operations. An error is kept, and returned
// by every check.
func judgesOf(contract []byte) *judges {
	all := &judges{of: map[string]*judge{}}
	document, err := schema.ReadDiscovery(contract)
	if err != nil {
		all.err = err
		return all
	}
	var cards []schema.Source
	for _, frond := range document.Fronds {
		if !slices.ContainsFunc(frond.Doors, func(door schema.DiscoveredDoor) bool { return door.Nested != nil }) {
			continue
		}
		for _, door := range frond.Doors {
			if door.Schema != nil {
				cards = append(cards, schema.Source{Name: door.Name, Card: door.Schema})
			}
		}
	}
	set, err := schema.Compile(cards, nil, &schema.CompileOptions{Partial: true})
	if err != nil {
		all.err = err
		return all
	}
	for _, frond := range document.Fronds {
		for _, door := range frond.Doors {
			relations := within(set, &door)
			for _, op := range door.Ops {
				j := &judge{entity: door.Name, operation: op.Name}
				if op.Name == "create" || op.Name == "update" {
					j.within = relations
				}
				add := func(card *schema.Card, mode schema.Mode, at string) {
					if card == nil || all.err != nil {
						return
					}
					e, err := set.CompileView(schema.Source{Name: door.Name, Card: card})
					all.err = err
					j.parts = append(j.parts, judged{e, mode, at})
				}
				add(op.Params, schema.Plain, "/params")
				add(op.Query, schema.Plain, "/query")
				if op.Mode == "patch" {
					add(op.Input, schema.Patch, "/body")
				} else {
					add(op.Input, schema.Create, "/body")
				}
				all.of[door.Name+"."+op.Name] = j
			}
		}
	}
	return all
}

// patchOf returns the patch for an update that turns before into after; see
// [schema.Entity.PatchOf]. The error is VALIDATION_FAILED if a field was cleared that its card
// does not allow to be null.
func patchOf[Patch, Row any](all *judges, method string, before, after *Row) (patch Patch, err error) {
	if all.err != nil {
		return patch, kiterror.Errorf(kiterror.InternalError, "the contract cannot be read by this frond; write it again: %w", all.err)
	}
	var texts [2]json.RawMessage
	for i, row := range []*Row{before, after} {
		if texts[i], err = json.Marshal(row); err != nil {
			return patch, err
		}
	}
	j := all.of[method]
	card := j.parts[slices.IndexFunc(j.parts, func(p judged) bool { return p.at == "/body" })].card
	text := card.PatchOf(texts[0], texts[1])
	if _, details := card.Judge(schema.Patch, text, "/body"); len(details) > 0 {
		return patch, kiterror.Invalid(details[0].Path+" "+details[0].Message, details...).At(j.entity, j.operation)
	}
	return read[Patch](text, nil)
}

// check judges the input of a method: VALIDATION_FAILED with a detail for each fault.
func (all *judges) check(method string, in any, params, query []string) error {
	if all.err != nil {
		return kiterror.Errorf(kiterror.InternalError, "the contract cannot be read by this version of frond; generate it again: %w", all.err)
	}
	return all.of[method].check(all, in, params, query)
}

// check judges a value whose members are divided among the parts as split does. The host alone knows which
// rows there are.
func (j *judge) check(all *judges, in any, params, query []string) error {
	p, q, b, err := split(in, params, query)
	if err != nil {
		return kiterror.Errorf(kiterror.ValidationFailed, "this cannot be sent: %w", err).At(j.entity, j.operation)
	}
	mode := schema.Update
	if j.operation == "create" {
		mode = schema.Create
	}
	b, rows, details := nested.Cut(b, "/body", j.within, mode)
	for _, part := range j.parts {
		text := map[string]json.RawMessage{"/params": p, "/query": q, "/body": b}[part.at]
		if part.at == "/params" && params == nil || part.at == "/query" && query == nil {
			continue // an argument of its own: update's id
		}
		_, refused := part.card.Judge(part.mode, text, part.at)
		details = append(details, refused...)
	}
	if len(details) == 0 { // as the host, which judges rows after their owner
		for _, of := range rows {
			for _, row := range of.List {
				details = append(details, all.row(of.Relation, row)...)
			}
		}
	}
	if len(details) == 0 {
		return nil
	}
	return kiterror.Invalid(details[0].Path+" "+details[0].Message, details...).At(j.entity, j.operation)
}

// within are the relations whose rows the body of a door has.
func within(set *schema.Set, door *schema.DiscoveredDoor) (all []*catalog.Nested) {
	for _, name := range door.Nested {
		if p := set.Entity(door.Name).Property(name); p != nil && p.Link != nil && p.Link.Inverse != nil {
			rows := p.Link.Inverse.Owner
			all = append(all, &catalog.Nested{Name: name, By: p.Link.Inverse, Far: p.Link.Through, Door: &catalog.Door{Name: rows.Name, Entity: rows}})
		}
	}
	return all
}

// row judges a row by the card of its own door, without the key of its owner, which the host
// fills in.
func (all *judges) row(of *catalog.Nested, row nested.Row) (details []schema.Detail) {
	j := all.of[of.Door.Name+"."+row.Write.Operation()]
	if j == nil || row.Body == nil {
		return nil
	}
	for _, part := range j.parts {
		if part.at != "/body" {
			continue
		}
		_, refused := part.card.Judge(part.mode, row.Body, row.At)
		for _, d := range refused {
			if d.Pointer != row.At+"/"+jsontext.Token(of.By.Name) || d.Code != "required" {
				details = append(details, d.At(d.Pointer))
			}
		}
	}
	return details
}
