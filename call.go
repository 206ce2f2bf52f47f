package frond

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// InRehearsal reports whether the command of ctx is rehearsed, or explained: its writes are rolled back and its events do
// not leave. A handler or a hook that has another effect, such as a mail, leaves it out then.
func InRehearsal(ctx context.Context) bool { return facade.InDryRun(ctx) }

// Call calls an operation of a door of the program, such as post.publish, with the caller's
// rights (see [As]), and decodes its answer. in is a struct, a [Set] or nil: its members go
// into params, query or body as the operation's cards say, in any case. A member that no card
// knows is sent too, so that the operation refuses it. An answer of null is the zero Out.
func Call[Out any](ctx context.Context, method string, in any) (Out, error) {
	var out Out
	invocation, err := invocationOf(ctx, method, in)
	if err != nil {
		return out, err
	}
	return facade.Do[Out](ctx, facade.From(ctx), method, invocation)
}

func invocationOf(ctx context.Context, method string, in any) (call facade.Invocation, err error) {
	s := sceneOf(ctx)
	if s == nil || s.app == nil {
		return call, errContext
	}
	entity, name, _ := strings.Cut(method, ".")
	op := s.app.operation(entity, name)
	if op == nil {
		return call, kiterror.Errorf(NotFound, "no door of the program has an operation %s", method)
	}
	if s.as {
		call.State = s.state
	}
	if in == nil {
		return call, nil
	}
	text, err := jsontext.Marshal(in)
	if err != nil {
		return call, err
	}
	if jsontext.KindOf(text) != jsontext.Object {
		return call, fmt.Errorf("%s is called with a %s; give it a struct or a Set", method, reflect.TypeOf(in))
	}
	other := &call.Params
	if op.Input != nil {
		other = &call.Body
	}
	for name, value := range jsontext.Members(text) {
		to := other
		for _, part := range []struct {
			card *schema.Entity
			text *json.RawMessage
		}{{op.Params, &call.Params}, {op.Query, &call.Query}, {op.Input, &call.Body}} {
			if as := spelled(part.card, name); as != "" {
				name, to = as, part.text
				break
			}
		}
		put(to, name, value)
	}
	return call, nil
}

// spelled is the field of a card that a member is for, as the card spells it, or "".
func spelled(card *schema.Entity, name string) string {
	if card == nil {
		return ""
	}
	names := make([]string, len(card.Fields))
	for i, p := range card.Fields {
		names[i] = p.Name
	}
	return matching(names, name)
}

// put adds a member to an object.
func put(object *json.RawMessage, name string, value json.RawMessage) {
	out := []byte(*object)
	if out == nil {
		out = append(out, '{')
	} else {
		out[len(out)-1] = ','
	}
	*object = append(append(jsontext.AppendName(out, name), value...), '}')
}

// operation is an operation of a door of the program, or nil.
func (a *App) operation(entity, name string) *catalog.Operation {
	for _, d := range a.named {
		if compiled := d.compiled.Load(); compiled != nil && schema.EntityKey(d.name) == schema.EntityKey(entity) {
			return compiled.Operation(name)
		}
	}
	return nil
}
