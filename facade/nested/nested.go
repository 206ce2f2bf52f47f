// Package nested reads the writes of rows that a body has beside the fields of their owner
// (docs/nested.md):
//
//	{"reference": "A1", "lines": {"create": [{"sku": "A"}], "update": [{"id": "l1", "count": 2}], "delete": ["l2"]}}
//
// or, of a relation through rows in between, the ids of the rows that it shall lead to or not
// (docs/many-to-many.md):
//
//	{"name": "Moka", "tags": {"connect": ["t1"], "disconnect": ["t2"]}}
//
// It reads their form alone. The door of the rows judges and writes them.
package nested

import (
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// Write is the kind of a write.
type Write uint8

// The writes, in the order in which they are made: a row makes room before another one takes its key.
const (
	Delete Write = iota
	update
	Create
)

// Operation is the operation of the row's door.
func (w Write) Operation() string { return [...]string{"delete", "update", "create"}[w] }

// Row is one row to write.
type Row struct {
	Write Write
	At    string          // the pointer to it: /body/lines/create/1
	Owner int             // the place of its owner in a list of rows
	ID    json.RawMessage // as it was sent; nil of a new row; of the other side, where rows are in between
	Body  json.RawMessage // without the id
}

// Rows are the rows of one relation.
type Rows struct {
	Relation *catalog.Nested
	At       string // the pointer to it: /body/lines, of a list of owners /body/3/lines
	Owner    int    // the place of the owner in the list
	List     []Row
	// Set says that the rows missing from the list are deleted.
	Set bool
}

// Cut takes the members of relations out of a body, which at points to. rest is the body without them;
// details are the faults of their form. At creation an empty list stays in rest: it means no rows, as the absent member does.
func Cut(body json.RawMessage, at string, relations []*catalog.Nested, mode schema.Mode) (rest json.RawMessage, cut []*Rows, details []schema.Detail) {
	r := reader{}
	rest = schema.Rewrite(body, func(name string, value json.RawMessage) json.RawMessage {
		for _, relation := range relations {
			if relation.Name == name && !(mode == schema.Create && schema.IsEmptyList(value)) {
				r.rows = &Rows{Relation: relation, At: at + "/" + jsontext.Token(name)}
				r.read(value)
				cut = append(cut, r.rows)
				return nil
			}
		}
		return value
	})
	return rest, cut, r.details
}

// reader reads the members of a body.
type reader struct {
	rows    *Rows
	details []schema.Detail
}

func (r *reader) refuse(at, code, message string) {
	if len(r.details) < schema.MaxDetails {
		r.details = append(r.details, schema.Detail{Code: code, Message: message}.At(at))
	}
}

// read reads {"create": […], "update": […], "delete": […]}, {"connect": […], "disconnect": […]}, or
// {"set": […]}.
func (r *reader) read(value json.RawMessage) {
	members, links := "must be an object with create, update and delete, or with set", r.rows.Relation.Far != nil
	if links {
		members = "must be an object with connect and disconnect, or with set"
	}
	if jsontext.KindOf(value) != jsontext.Object {
		r.refuse(r.rows.At, "type", members)
		return
	}
	others := false
	for name, list := range jsontext.Members(value) {
		at := r.rows.At + "/" + jsontext.Token(name)
		var read func(at string, item json.RawMessage)
		id := func(write Write) {
			read = func(at string, item json.RawMessage) { r.add(Row{Write: write, At: at, ID: item}) }
		}
		r.rows.Set = r.rows.Set || name == "set" && !jsontext.IsNull(list)
		switch {
		case links && (name == "connect" || name == "set"):
			id(Create)
		case links && name == "disconnect", !links && name == "delete":
			id(Delete)
		case links:
			r.refuse(at, schema.UnknownKey, members)
			continue
		case name == "create":
			read = func(at string, item json.RawMessage) { r.row(at, item, false, true) }
		case name == "update":
			read = func(at string, item json.RawMessage) { r.row(at, item, true, false) }
		case name == "set":
			read = func(at string, item json.RawMessage) { r.row(at, item, true, true) }
		default:
			r.refuse(at, schema.UnknownKey, members)
			continue
		}
		others = others || name != "set" && !jsontext.IsNull(list)
		switch jsontext.KindOf(list) {
		case jsontext.Null:
		case jsontext.Array:
			for i, item := range jsontext.Elements(list) {
				read(at+"/"+strconv.Itoa(i), item)
			}
		default:
			r.refuse(at, "type", "must be a list")
		}
	}
	if r.rows.Set && others {
		r.refuse(r.rows.At, "set", "has set beside others; set states all rows, so send it alone")
	}
	if n := len(r.rows.List); n > catalog.MaxCreateMany {
		r.refuse(r.rows.At, "maxItems", fmt.Sprintf("must have at most %d rows, and has %d; send the rest in another call", catalog.MaxCreateMany, n))
		r.rows.List = nil
	}
}

// row reads a row with an id, or a new one, as far as it may be either.
func (r *reader) row(at string, item json.RawMessage, old, fresh bool) {
	if jsontext.KindOf(item) != jsontext.Object {
		r.refuse(at, "type", "must be an object with the fields of a row")
		return
	}
	key := r.rows.Relation.Door.Entity.Primary.Name
	id := jsontext.Get(item, key)
	switch {
	case !old, fresh && id == nil:
		r.add(Row{Write: Create, At: at, Body: item})
	case id == nil:
		r.refuse(at+"/"+jsontext.Token(key), "required", "is required: it is the id of the row to update")
	default:
		body := schema.Rewrite(item, func(name string, value json.RawMessage) json.RawMessage {
			if name == key {
				return nil
			}
			return value
		})
		r.add(Row{Write: update, At: at, ID: id, Body: body})
	}
}

func (r *reader) add(row Row) { r.rows.List = append(r.rows.List, row) }
