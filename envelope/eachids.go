package envelope

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/schema/jsontext"
)

// findByIDs is the host's name of the operation that reads many rows by their ids,
// or "" where the question is another one, or the host is not known to have it.
func (l *ladder) findByIDs() string {
	const operation = "findByIds"
	q, r := l.q, l.remote
	if q.call.Operation != "findById" || q.door == nil || q.entity() == nil || q.entity().Primary == nil || len(l.keys) == 1 {
		return ""
	}
	switch m, known := r.peer.method(q.call.Entity, operation); {
	case m != nil:
		return m.name
	case known, q.door.Operation(operation) == nil, r.peer.lacks(methodKey(q.call.Entity, operation)):
		return ""
	}
	return r.name(q, operation)
}

// byIDs reads the rows of all keys, 500 at once. Done is false where the host turns
// out not to serve the operation, or not to take these keys.
func (l *ladder) byIDs(ctx context.Context, method string) (done bool, err *facade.Error) {
	primary := l.q.entity().Primary
	fields := l.remote.idFields(l.q, primary.Name)
	parts := partsOf(l.keys, maxIDs, func(id json.RawMessage) int { return len(id) + 1 })
	refused := make([]bool, len(parts))
	runs := make([][]*facade.Rows, len(parts))
	err = abreast(ctx, len(parts), abreastPosts, func(ctx context.Context, i int) (err *facade.Error) {
		runs[i], refused[i], err = l.rowsOf(ctx, method, parts[i], fields)
		return err
	})
	if err != nil {
		return false, err
	}
	for _, no := range refused {
		if no {
			return false, nil
		}
	}
	for _, part := range runs {
		for _, run := range part {
			if err := l.take(run, primary.Name); err != nil {
				return false, err
			}
		}
	}
	return true, nil
}

// take takes rows as what was found for their keys.
func (l *ladder) take(run *facade.Rows, primary string) *facade.Error {
	column := run.Layout().Index(primary)
	for i := range run.Len() {
		var id json.RawMessage
		if column >= 0 {
			id = run.Row(i).At(column)
		}
		if id == nil {
			return facade.Errorf(facade.BadGateway, "the host answered a row without its %s", primary)
		}
		if at := l.places.Add(idOf(id)); at < len(l.found) { // else nobody has asked for it
			l.found[at] = found{run: run, from: i, to: i + 1}
		}
	}
	return nil
}

// idFields is the fields to ask findByIds for, its key among them, or nil for all.
func (r *Remote) idFields(q *question, primary string) json.RawMessage {
	const operation = "findByIds"
	m, _ := r.peer.method(q.call.Entity, operation)
	names := q.call.Select
	if m == nil || names == nil || !slices.Contains(m.query, "fields") {
		return nil
	}
	if !slices.Contains(names, primary) && !slices.Contains(names, facade.AllFields) {
		names = append(names[:len(names):len(names)], primary)
	}
	if !q.knowsFields(names) {
		return nil
	}
	return appendNames(nil, names)
}

// rowsOf asks for the rows of some ids; a null in the answer stands for a row that
// is not there. An answer that is too large is asked for in halves.
func (l *ladder) rowsOf(ctx context.Context, method string, ids []json.RawMessage, fields json.RawMessage) (runs []*facade.Rows, refused bool, err *facade.Error) {
	size := len(`{"ids":[],"fields":}`) + len(fields)
	for _, id := range ids {
		size += len(id) + 1
	}
	query := append(make([]byte, 0, size), `{"ids":[`...)
	for i, id := range ids {
		if i > 0 {
			query = append(query, ',')
		}
		query = append(query, id...)
	}
	query = append(query, ']')
	if fields != nil {
		query = append(append(query, `,"fields":`...), fields...)
	}
	query = append(query, '}')
	var rows *facade.Rows
	answer, a := l.remote.frame(ctx, l.q, l.remote.options.MaxAnswer, method,
		func(dst []byte) []byte { return l.q.appendInvocation(dst, nil, query) },
		func(text []byte, at int) (end int) {
			ok := false
			if text[at] == '[' {
				rows, end, ok = l.remote.results.rows.ReadAt(text, at)
			}
			if !ok {
				rows, end = nil, jsontext.Skip(text, at)
			}
			return end
		})
	if tooMuch(answer.failed, a) && len(ids) > 1 {
		half := len(ids) / 2
		runs, refused, err = l.rowsOf(ctx, method, ids[:half], fields)
		if err != nil || refused {
			return nil, refused, err
		}
		rest, refused, err := l.rowsOf(ctx, method, ids[half:], fields)
		return append(runs, rest...), refused, err
	}
	switch {
	case a != nil:
		return nil, false, a.err()
	case answer.failed == nil:
	case answer.code == MethodNotFound, answer.failed.Code == facade.NotImplemented:
		l.remote.peer.found(methodKey(l.q.call.Entity, "findByIds"))
		return nil, true, nil
	case answer.code == InvalidParams, answer.failed.Code == facade.ValidationFailed, answer.failed.Code == facade.BadRequest:
		return nil, true, nil
	default:
		return nil, false, answer.failed
	}
	if rows == nil {
		result := answer.result
		if jsontext.KindOf(result) == jsontext.Object {
			result = jsontext.Get(result, "items")
		}
		rows = l.remote.results.present(result)
	}
	if rows == nil {
		return nil, false, facade.Errorf(facade.BadGateway, "the host's answer is not what the operation gives: %s", facade.Many)
	}
	if err := l.remote.judge(l.q, &facade.Result{Form: facade.FormRows, Rows: rows}); err != nil {
		return nil, false, err
	}
	return []*facade.Rows{rows}, false, nil
}

// present is the rows of an array in which null stands for a row that is not there;
// nil: it is something else.
func (r *reader) present(array json.RawMessage) *facade.Rows {
	if jsontext.KindOf(array) != jsontext.Array {
		return nil
	}
	var objects []json.RawMessage
	for _, row := range jsontext.Elements(array) {
		switch jsontext.KindOf(row) {
		case jsontext.Object:
			objects = append(objects, row)
		case jsontext.Null:
		default:
			return nil
		}
	}
	rows, _ := r.collect(objects)
	return rows
}
