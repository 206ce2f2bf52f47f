package facade

import (
	"bytes"
	"context"
	"encoding/json"

	"github.com/frondhost/frond/facade/rows"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// merge finds out whether a patch reaches into nested objects. It lays one that does over
// the row as it stands, which is up to the keeper of the row.
func (x *execution) merge(ctx context.Context, patch json.RawMessage) error {
	e := x.door.Entity
	m := &mergePatch{patch: patch, merged: patch, whole: x.call.Merge}
	for name, value := range jsontext.Members(patch) {
		if p := e.Property(name); p != nil && p.Stored && m.reaches(p) && jsontext.KindOf(value) == jsontext.Object {
			m.fields = append(m.fields, name)
		}
	}
	if m.fields == nil {
		return nil
	}
	x.merging = m
	return x.door.keeper.merge(ctx, x)
}

// merged is what a patch writes into the row as it stands in the transaction; nil where
// that is what was judged before.
func (x *execution) merged(current rows.Row) (Record, error) {
	body := x.merging.over(x.door.Entity, current.Get)
	if bytes.Equal(body, x.merging.merged) {
		return nil, nil
	}
	again := *x
	again.refusals = refusals{renamed: x.renamed}
	again.body = again.judge(x.door.Entity, schema.Update, body)
	if err := again.refusal(); err != nil {
		return nil, err
	}
	var err error
	if again.body, err = again.patched(x.door.Entity, again.body); err != nil {
		return nil, err
	}
	if x.amended != nil {
		again.body = laidOver(x.door.Entity, again.body, x.amended)
	}
	return again.body, again.refusal()
}
