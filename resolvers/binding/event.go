package binding

import (
	"strings"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/rows"
	"github.com/frondhost/frond/schema/jsontext"
)

// AppendEvent appends the row of an event's own members to rows, those that the layout of rows
// has:
//
//	id, position, at, key    of every event
//	change                   CREATED, UPDATED, DELETED or LEFT
//	data                     what an event without a card carries
func AppendEvent(to *facade.Rows, r *facade.Revealed) {
	e := r.Event
	to.BeginRow()
	for i, name := range to.Layout().Fields {
		switch name {
		case "id":
			to.Put(i, jsontext.Quote(e.ID))
		case "position":
			to.Put(i, jsontext.Quote(e.Position.String()))
		case "at":
			to.End(i, rows.AppendDateTime(to.Begin(i), e.At))
		case "change":
			to.Put(i, jsontext.Quote(strings.ToUpper(string(r.Change))))
		case "key":
			if r.Key != nil {
				to.Put(i, r.Key)
			}
		case "data":
			if r.Data != nil {
				to.Put(i, r.Data)
			}
		}
	}
	to.EndRow()
}
