package client

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/frondhost/frond/envelope"
	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/facade/rows"
	"github.com/frondhost/frond/schema/jsontext"
)

const (
	findByIDs = "findByIds"
	maxIDs    = 500 // of one findByIds (docs/calls.md)
)

// findByIDs is the host's method that reads many rows by their ids, or "" where the call is
// another one, or the host is not known to have it. For one key a findById does.
func (c *eachCall) findByIDs() string {
	p, known := c.p, &c.host.known
	if p.call.Operation != "findById" || p.door == nil || p.entity() == nil || p.entity().Primary == nil || len(c.keys.keys) == 1 {
		return ""
	}
	switch m, documented := known.method(p.call.Entity, findByIDs); {
	case m != nil:
		return m.name
	case documented, p.door.Operation(findByIDs) == nil, known.lacks(envelope.MethodKey(p.call.Entity, findByIDs)):
		return ""
	}
	return p.name(known, findByIDs)
}

// byIDs reads the rows of all keys, 500 at once. Done is false where the host turns out
// not to serve the operation, or not to accept these keys.
func (c *eachCall) byIDs(ctx context.Context, method string) (done bool, err *kiterror.Error) {
	primary := c.p.entity().Primary
	fields := c.idFields(primary.Name)
	parts := partsOf(c.keys.keys, maxIDs, func(id json.RawMessage) int { return len(id) + 1 })
	refused := make([]bool, len(parts))
	runs := make([][]*rows.Rows, len(parts))
	err = parallel(ctx, len(parts), parallelPosts, func(ctx context.Context, i int) (err *kiterror.Error) {
		runs[i], refused[i], err = c.rowsOf(ctx, method, parts[i], fields)
		return err
	})
	if err != nil {
		return false, err
	}
	if slices.Contains(refused, true) {
		return false, nil
	}
	for _, part := range runs {
		for _, run := range part {
			if err := c.addRows(run, primary.Name); err != nil {
				return false, err
			}
		}
	}
	return true, nil
}

// addRows adds rows as the results of their keys.
func (c *eachCall) addRows(run *rows.Rows, primary string) *kiterror.Error {
	column := run.Layout().Index(primary)
	for i := range run.Len() {
		var id json.RawMessage
		if column >= 0 {
			id = run.Row(i).At(column)
		}
		if id == nil {
			// A row without its key cannot be assigned.
			return kiterror.Errorf(kiterror.BadGateway, "the host answered a row without its %s", primary)
		}
		if !c.keys.add(id, found{run: run, from: i, to: i + 1}) {
			return kiterror.Errorf(kiterror.BadGateway, "the host answered a row with another %s than the %d requested", primary, len(c.keys.keys))
		}
	}
	return nil
}

// idFields is the list of fields to request of findByIds, its key among them, or nil for
// all.
func (c *eachCall) idFields(primary string) json.RawMessage {
	m, _ := c.host.known.method(c.p.call.Entity, findByIDs)
	names := c.p.call.Select
	if m == nil || names == nil || !slices.Contains(m.query, "fields") {
		return nil
	}
	if !slices.Contains(names, primary) && !slices.Contains(names, catalog.AllFields) {
		names = append(names[:len(names):len(names)], primary)
	}
	if !c.p.hasFields(names) {
		return nil
	}
	return jsontext.AppendStrings(nil, names)
}

// rowsOf requests the rows of some ids; a null in the answer means that the row does not exist.
// An answer that is too large is requested in halves.
//
//	too large              halves, down to one id
//	unknown method         refused, and remembered
//	invalid ids or query   refused, for this call alone
//	another failure        err
func (c *eachCall) rowsOf(ctx context.Context, method string, ids []json.RawMessage, fields json.RawMessage) (runs []*rows.Rows, refused bool, err *kiterror.Error) {
	query := appendIDs(ids, fields)
	var found *rows.Rows
	answer, f := c.host.frame(ctx, c.p, c.host.options.MaxAnswer, method,
		func(dst []byte) []byte { return c.p.appendInvocation(dst, nil, query) },
		func(text []byte, at int) (end int) {
			ok := false
			if text[at] == '[' {
				found, end, ok = c.host.results.rows.ReadAt(text, at)
			}
			if !ok {
				found, end = nil, jsontext.Skip(text, at)
			}
			return end
		})
	if tooMuch(answer.Err, f) && len(ids) > 1 {
		half := len(ids) / 2
		runs, refused, err = c.rowsOf(ctx, method, ids[:half], fields)
		if err != nil || refused {
			return nil, refused, err
		}
		rest, refused, err := c.rowsOf(ctx, method, ids[half:], fields)
		return append(runs, rest...), refused, err
	}
	switch {
	case f != nil:
		return nil, false, f.err()
	case answer.Err == nil:
	case answer.Code == envelope.MethodNotFound, answer.Err.Code == kiterror.NotImplemented:
		c.host.known.setMissing(envelope.MethodKey(c.p.call.Entity, findByIDs))
		return nil, true, nil
	case answer.Code == envelope.InvalidParams, answer.Err.Code == kiterror.ValidationFailed, answer.Err.Code == kiterror.BadRequest:
		return nil, true, nil
	default:
		return nil, false, answer.Err
	}
	if found == nil {
		result := answer.Result
		if jsontext.KindOf(result) == jsontext.Object {
			result = jsontext.Get(result, "items")
		}
		found = c.host.results.present(result)
	}
	if found == nil {
		return nil, false, wrongForm(catalog.Many)
	}
	if err := c.host.conformance.check(c.p, &facade.Result{Form: facade.FormRows, Rows: found}); err != nil {
		return nil, false, err
	}
	return []*rows.Rows{found}, false, nil
}

// appendIDs is the query of a findByIds; fields may be nil.
//
//	{"ids":["p1","p2"],"fields":["id","name"]}
func appendIDs(ids []json.RawMessage, fields json.RawMessage) json.RawMessage {
	size := len(`{"ids":[],"fields":}`) + len(fields)
	for _, id := range ids {
		size += len(id) + 1
	}
	query := jsontext.AppendTexts(append(make([]byte, 0, size), `{"ids":`...), ids)
	if fields != nil {
		query = append(append(query, `,"fields":`...), fields...)
	}
	return append(query, '}')
}

// tooMuch says whether the answer would have been too large for one.
func tooMuch(refused *kiterror.Error, f *failure) bool {
	return f != nil && f.kind == tooLarge || refused != nil && refused.Code == kiterror.PayloadTooLarge
}
