package reference

import (
	"errors"

	"github.com/graphql-go/graphql"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/resolvers/binding"
)

// event is the source of the fields of an event. Its own members are the columns of row.
type event struct {
	*row
	revealed *facade.Revealed
}

// eventKey is where the root object of graphql.Do has the event that a subscription is executed
// for.
const eventKey = "event"

// ForEvent returns the RootObject with which graphql.Do executes a subscription for one event.
func ForEvent(r *facade.Revealed) map[string]any { return map[string]any{eventKey: r} }

// eventColumns are the members that an event may have, see [binding.AppendEvent].
var eventColumns = facade.NewLayout([]string{"id", "position", "at", "change", "key", "data"})

// eventOf returns the event of a root field of Subscription.
func eventOf(p graphql.ResolveParams) (any, error) {
	root, _ := p.Source.(map[string]any)
	r, ok := root[eventKey].(*facade.Revealed)
	if !ok {
		return nil, errors.New("a subscription is executed for an event, and there is none; pass ForEvent as the root object")
	}
	rows := facade.NewRows(eventColumns, 1)
	binding.AppendEvent(rows, r)
	return &event{sourceOf(rows.Row(0)).(*row), r}, nil
}
