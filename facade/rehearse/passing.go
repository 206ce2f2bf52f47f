package rehearse

import (
	"context"
	"encoding/json"
	"strconv"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// PassOn has the host of a remote make calls as the words say, and answers their results. The token is that host's own. Of
// the rows that it names, those of doors with access rules of this host are left out: only the host of the rows can
// apply rules to a row as it would be. The error is NOT_IMPLEMENTED for a host that does not say that it rehearses.
func PassOn(ctx context.Context, w catalog.Words, f *facade.Facade, caller facade.Caller, calls []*facade.Call) (*Rehearsal, []*facade.Result, error) {
	for _, c := range calls {
		_, op := f.Catalog().Find(c.Entity, c.Operation)
		if op != nil && !op.Door.Frond.Rehearses {
			return nil, nil, kiterror.Errorf(kiterror.NotImplemented, "%s.%s runs at another host, which does not rehearse; send it without rehearse and approve", op.Door.Name, op.Name).At(op.Door.Name, op.Name)
		}
	}
	results, answer, err := f.PassOn(ctx, caller, calls, w.Members())
	if err != nil || w.Approve != "" {
		return nil, results, err
	}
	out := &Rehearsal{Token: jsontext.Unquote(jsontext.Get(answer, "rehearsal"))}
	if out.Token == "" {
		return nil, nil, kiterror.Errorf(kiterror.BadGateway, "the host answered a rehearsal without a token")
	}
	out.More, _ = strconv.Atoi(string(jsontext.Trim(jsontext.Get(answer, "more"))))
	state := calls[0].Invocation.State
	shown := func(entity string) bool {
		door := f.Catalog().Door(schema.EntityKey(entity))
		return door != nil && f.LeavesTo(ctx, state, door)
	}
	for _, c := range jsontext.Elements(jsontext.Get(answer, "changes")) {
		if entity := jsontext.Unquote(jsontext.Get(c, "entity")); shown(entity) {
			out.Changes = append(out.Changes, Change{
				Entity: entity, Key: jsontext.Get(c, "key"), Kind: kindOf(jsontext.Unquote(jsontext.Get(c, "change"))),
				Before: rowOrNil(jsontext.Get(c, "before")), After: rowOrNil(jsontext.Get(c, "after")),
			})
		}
	}
	for _, e := range jsontext.Elements(jsontext.Get(answer, "events")) {
		if entity := jsontext.Unquote(jsontext.Get(e, "entity")); entity == "" || shown(entity) {
			out.Events = append(out.Events, Event{Name: jsontext.Unquote(jsontext.Get(e, "name")), Entity: entity, Key: jsontext.Get(e, "key")})
		}
	}
	return out, results, nil
}

// kindOf is the change of a word.
func kindOf(word string) catalog.Change {
	for change, w := range kinds {
		if w == word {
			return change
		}
	}
	return catalog.Updated
}

// rowOrNil is a row; nil for null.
func rowOrNil(row json.RawMessage) json.RawMessage {
	if jsontext.IsNull(row) {
		return nil
	}
	return row
}
