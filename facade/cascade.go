package facade

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/filter"
	"github.com/frondhost/frond/facade/rows"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// Rows that a database removes or changes because another row is deleted (onDelete) are announced
// like those of a command of their own. The database does not say which they were, so they are
// read before, in the transaction of the delete.

// cascadePage is how many rows are read at once.
const cascadePage = 500

// touched collects the rows that go or change with a deleted one.
type touched struct {
	x    *execution
	list []written
	at   map[string]int // place in list by entity and key; -1: deleted, and not announced
}

// touchedBy are the rows that go or change when the row of the call is deleted. ctx stands in the
// transaction that deletes it.
func touchedBy(ctx context.Context, x *execution) ([]written, error) {
	t := &touched{x: x, at: map[string]int{x.door.Entity.Key + string(x.id): -1}}
	err := t.by(ctx, x.door.Entity, []json.RawMessage{x.id})
	return t.list, err
}

// by collects what rows of an entity touch when they are deleted.
func (t *touched) by(ctx context.Context, target *schema.Entity, ids []json.RawMessage) error {
	for _, c := range t.x.host.catalog.Cascades[target] {
		for chunk := range slices.Chunk(ids, cascadePage) {
			if err := t.along(ctx, c, chunk); err != nil {
				return err
			}
		}
	}
	return nil
}

// along collects the rows that one relation leads back to.
func (t *touched) along(ctx context.Context, c catalog.Cascade, ids []json.RawMessage) error {
	e := c.Field.Owner
	values := make([]any, len(ids))
	for i, id := range ids {
		values[i], _ = rows.Value(c.Field.Kind, id)
	}
	q := Find{
		Entity: e, Select: rows.NewLayout(catalog.StoredFields(e)), Where: &filter.Filter{Op: filter.In, Field: c.Field, Values: values},
		Sort: newOrder(e, nil).keys, Limit: cascadePage,
	}
	for {
		found, err := t.x.store().Find(ctx, &q)
		if err != nil {
			return err
		}
		var gone []json.RawMessage
		for i := range found.Rows.Len() {
			row := found.Rows.Row(i)
			if key := row.Get(e.Primary.Name); t.add(c, key, row.JSON()) {
				gone = append(gone, key)
			}
		}
		if err := t.by(ctx, e, gone); err != nil || !found.More {
			return err
		}
		q.From = nil
		for _, v := range jsontext.Elements(found.Keys[found.Rows.Len()-1]) {
			q.From = append(q.From, v)
		}
	}
}

// add adds a row, and reports whether it is deleted and was not known to be.
func (t *touched) add(c catalog.Cascade, key, row json.RawMessage) (gone bool) {
	id := c.Field.Owner.Key + string(key)
	at, known := t.at[id]
	switch {
	case known && (at < 0 || t.list[at].after == nil):
		return false
	case c.Null && known: // by a second relation
		t.list[at].after = withNull(t.list[at].after, c.Field.Name)
		return false
	case c.Null:
		t.at[id] = len(t.list)
		t.list = append(t.list, written{door: c.Door, before: row, after: withNull(row, c.Field.Name)})
		return false
	case known: // by this relation it goes
		t.list[at].after = nil
		return true
	case c.Door == nil:
		t.at[id] = -1
		return true
	}
	t.at[id] = len(t.list)
	t.list = append(t.list, written{door: c.Door, before: row})
	return true
}

// withNull is the text of a row with one field null.
func withNull(row json.RawMessage, field string) json.RawMessage {
	return schema.Rewrite(row, func(name string, value json.RawMessage) json.RawMessage {
		if name == field {
			return json.RawMessage("null")
		}
		return value
	})
}
