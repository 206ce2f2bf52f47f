package mockdata

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/frondhost/frond/describe/sample"
	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// The results of a mock for operations without a handler. The output card and the call decide:
//
//	output                            answer
//	absent                            a count if the name begins like one, else true
//	an entity of the project          rows of it that have the values of the call
//	a view cut from such an entity    the same rows, and the view's other fields made up
//	any other card                    made up; a sent value is repeated in the field of its name
//
// At most twenty rows are answered; a made-up list or page has three values.

// answering returns a handler for an operation without one. If its output is an entity of this
// host, or was cut from one, it returns existing rows with the values that it was asked by. Any
// other output is invented from its card, with the sent values in members of the same name. The
// same call has the same result, as long as the rows are the same. It writes no rows. The
// handler is safe for concurrent use.
func (w *world) answering(served *catalog.Catalog, op *catalog.Operation) facade.Handler {
	base := w.rowsOf(served, op)
	return func(ctx context.Context, c *facade.Call) (any, error) {
		if op.Output == nil {
			return w.plain(op, c), nil
		}
		if base != nil {
			return w.found(ctx, base, op, c)
		}
		n := 1
		if op.Cardinality == catalog.Many || op.Cardinality == catalog.PageOf {
			n = 3
		}
		items := make([]json.RawMessage, n)
		for i := range items {
			items[i] = w.made(op.Output, nil, c, i)
		}
		return formed(op, items), nil
	}
}

// rowsOf returns the door whose rows an operation may return, or nil. A door without list
// cannot be searched, and a view without an entity has no rows.
func (w *world) rowsOf(served *catalog.Catalog, op *catalog.Operation) *catalog.Door {
	if op.Output == nil {
		return nil
	}
	key := op.Output.Key
	if d := op.Output.Card.Derived; d != nil {
		key = schema.EntityKey(d.From)
	}
	door := served.Door(key)
	if door == nil || door.Entity == nil || door.Operation("list") == nil || op.Output.View && op.Output.Card.Derived == nil {
		return nil
	}
	return door
}

// mostFound is how many rows an operation answers at most, as JSON.
const mostFound = "20"

// found answers rows that the caller may see, as they are kept: the façade cuts them to the
// output. It lists twice. The first list, with the caller's rights, decides which rows; the
// second, with the author's own, reads them whole, since an output may have fields that the
// caller's list hides.
func (w *world) found(ctx context.Context, base *catalog.Door, op *catalog.Operation, c *facade.Call) (any, error) {
	filter := asked(base, op, c)
	key := base.Entity.Primary.Name
	query := schema.Object{
		{Name: "limit", Value: json.RawMessage(mostFound)}, {Name: "total", Value: json.RawMessage("false")},
	}
	if filter != nil {
		query = append(query, schema.Member{Name: "filter", Value: filter})
	}
	seen, err := facade.From(ctx).Call(ctx, &facade.Call{Entity: base.Name, Operation: "list", Invocation: facade.Invocation{Query: query.AppendJSON(nil)}, Select: []string{key}})
	if err != nil {
		return nil, err
	}
	var ids []json.RawMessage
	for i := range seen.Rows.Len() {
		ids = append(ids, seen.Rows.Row(i).Get(key))
	}
	if len(ids) == 0 {
		// The output may not be null, so a search without a result is an error.
		if op.Cardinality == catalog.One {
			return nil, kiterror.Errorf(kiterror.NotFound, "no %s fits the request", base.Name)
		}
		return formed(op, nil), nil
	}
	among := schema.Object{{Name: key, Value: schema.Object{{Name: "in", Value: sample.List(ids)}}.AppendJSON(nil)}}.AppendJSON(nil)
	kept, err := facade.Inside(ctx).Call(ctx, &facade.Call{Entity: base.Name, Operation: "list", Invocation: facade.Invocation{
		Query: schema.Object{{Name: "filter", Value: among}, {Name: "limit", Value: json.RawMessage(mostFound)}, {Name: "total", Value: json.RawMessage("false")}}.AppendJSON(nil),
	}})
	if err != nil {
		return nil, err
	}
	items := make([]json.RawMessage, kept.Rows.Len())
	for i := range items {
		items[i] = kept.Rows.Row(i).JSON()
		if op.Output.View {
			items[i] = w.made(op.Output, items[i], c, i)
		}
	}
	return formed(op, items), nil
}

// asked returns the filter that a call amounts to: of a query all its values that name a field
// of the rows, of a command the id alone. nil asks for any row.
//
//	order.byStatus(status: "open")     {"status":{"eq":"open"}}
//	order.ship(orderId: "o1", note)    {"id":{"eq":"o1"}}
//
// A command's other values are those it writes; rows that have them already would be the wrong
// ones.
func asked(base *catalog.Door, op *catalog.Operation, c *facade.Call) json.RawMessage {
	var o schema.Object
	key := base.Entity.Primary.Name
	for _, part := range []json.RawMessage{c.Invocation.Params, c.Invocation.Query, c.Invocation.Body} {
		for name, value := range jsontext.Members(part) {
			field := name
			if strings.EqualFold(name, base.Name+"Id") || name == "id" {
				field = key
			}
			p := base.Entity.Property(field)
			switch {
			// No filter goes by such a name; of a value that the call has twice the first
			// counts.
			case p == nil || !p.Stored || !p.Readable() || o.Get(field) != nil:
			case p.Kind == schema.KindJSON || jsontext.IsNull(value) || field != key && op.Kind != catalog.Query:
			default:
				o = append(o, schema.Member{Name: field, Value: schema.Object{{Name: "eq", Value: value}}.AppendJSON(nil)})
			}
		}
	}
	if o == nil {
		return nil
	}
	return o.AppendJSON(nil)
}

// made returns a value of a card with the members of an existing row, and with the sent values
// under the card's names that no row has. i is the index among the values of one result.
func (w *world) made(card *schema.Entity, row json.RawMessage, c *facade.Call, i int) json.RawMessage {
	// The place in the stream of chance is the row and the whole request: the same call draws
	// the same values.
	place := string(schema.Object{{Name: "row", Value: or(row, null)}, {Name: "params", Value: or(c.Invocation.Params, null)}, {Name: "query", Value: or(c.Invocation.Query, null)}, {Name: "body", Value: or(c.Invocation.Body, null)}}.AppendJSON(nil))
	about := sample.NewSubject(card.Name, w.chance.At(card.Key, place, i))
	o := schema.ObjectOf(row)
	root := card.Card.AppendJSON(nil)
	for _, p := range card.Fields {
		if o.Get(p.Name) != nil || p.Link != nil && p.Link.Many && !p.Stored {
			continue
		}
		var value json.RawMessage
		for _, part := range []json.RawMessage{c.Invocation.Params, c.Invocation.Query, c.Invocation.Body} {
			// A sent value that the card refuses is not repeated.
			if sent := jsontext.Get(part, p.Name); sent != nil && row == nil && sample.Refusal(card, p, sent) == "" {
				value = sent
			}
		}
		m := &sample.Maker{Rand: w.chance.At(card.Key, p.Name, place, i), Root: root, About: about, Row: i}
		if value == nil {
			value, _ = m.Fitting(
				func() (json.RawMessage, bool) { return w.anyOf(p, m) },
				func(v json.RawMessage) string { return sample.Refusal(card, p, v) })
		}
		if value == nil && p.Shape.Nullable {
			value = null
		}
		if value != nil {
			o = append(o, schema.Member{Name: p.Name, Value: value})
		}
	}
	return o.AppendJSON(nil)
}

// anyOf returns a value of a field, of a one relation an id of an existing row. It reports
// false if it could not make one.
func (w *world) anyOf(p *schema.Property, m *sample.Maker) (json.RawMessage, bool) {
	if p.Axes.Relation != nil && !p.Axes.Relation.Many {
		if ids := w.idsFor(p, m); len(ids) > 0 {
			return sample.Pick(m.Rand, ids), true
		}
	}
	return m.Value(sample.ShapeOf(p), sample.NewName(p.Name))
}

// formed brings values into the form of the operation's cardinality: a list, a page that is the
// only one, or the first value, else null.
func formed(op *catalog.Operation, items []json.RawMessage) any {
	switch op.Cardinality {
	case catalog.Many:
		return sample.List(items)
	case catalog.PageOf:
		n, _ := json.Marshal(len(items))
		return json.RawMessage(schema.Object{
			{Name: "items", Value: sample.List(items)},
			{Name: "total", Value: n},
			{Name: "hasMore", Value: json.RawMessage("false")},
			{Name: "endCursor", Value: null},
		}.AppendJSON(nil))
	}
	if len(items) == 0 {
		return null
	}
	return items[0]
}

// plain is the result of an operation whose card has no shape (spec 2.5.1): a number if its
// name begins with count, total, sum or number, else true. The number depends on the params and
// the query.
func (w *world) plain(op *catalog.Operation, c *facade.Call) json.RawMessage {
	if words := schema.Words(op.Name); len(words) > 0 && slices.Contains([]string{"count", "total", "sum", "number"}, words[0]) {
		m := &sample.Maker{Rand: w.chance.At(op.Door.Name, op.Name, string(c.Invocation.Params), string(c.Invocation.Query))}
		v, _ := m.Number(sample.Shape{}, sample.NewName("count"), true)
		return v
	}
	return json.RawMessage("true")
}

// generator returns a replacement for an unregistered generator. It returns the values of the
// field p in rows 1001, 1002 and so on, which [Fill] hardly makes. It is safe for concurrent
// use.
func generator(e *schema.Entity, p *schema.Property, c sample.Chance) schema.Generator {
	root, shape := e.Card.AppendJSON(nil), sample.ShapeOf(p)
	var made atomic.Int64
	return func() (json.RawMessage, error) {
		n := int(made.Add(1))
		m := &sample.Maker{Rand: c.At("generate", e.Key, p.Name, n), Root: root, About: sample.NewSubject(e.Name, c.At(e.Key, n)), Row: 1000 + n, Unique: true}
		v, _ := m.Fitting(
			func() (json.RawMessage, bool) { return m.Value(shape, sample.NewName(p.Name)) },
			func(json.RawMessage) string { return "" })
		if v != nil {
			return v, nil
		}
		return nil, kiterror.Errorf(kiterror.InternalError, "no value could be invented for %s.%s", e.Name, p.Name)
	}
}

// or returns v, or otherwise where v is empty.
func or(v, otherwise json.RawMessage) json.RawMessage {
	if len(v) == 0 {
		return otherwise
	}
	return v
}
