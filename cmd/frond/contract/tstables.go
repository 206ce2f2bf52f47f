package contract

import (
	"bytes"
	"slices"
	"strings"

	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// doorTable is the client's data about each door.
//
//	{
//	  "product": {"frond": "catalog", "door": "product", "path": "/api/catalog/products", "key": "id",
//	    "ops": {"list": {"builtin": "list", "query": 1}, "retire": {"params": ["id"], "at": "retire"}}}
//	}
func (m *Model) doorTable() (string, error) {
	var doors record
	for _, d := range m.Doors {
		var o, ops record
		for _, op := range d.Ops {
			ops.object(op.Name, op.places())
		}
		o.text("frond", m.Frond)
		o.text("door", d.Name)
		o.text("path", d.Path)
		if d.Key != nil {
			o.text("key", d.Key.Name)
		}
		o.flag("etag", d.ETag)
		o.texts("big", d.Big)
		o.texts("shownBy", m.shownBy(d))
		o.text("changes", d.Changes)
		var files record
		for _, name := range d.Files {
			files.text(name, schema.Kebab(name))
		}
		if files != nil {
			o.object("files", files)
		}
		if op := d.updates(); op != nil {
			o.object("writes", writes(op.In, d.Entity))
		}
		o.object("ops", ops)
		doors.object(d.Member, o)
	}
	return doors.script()
}

// graphqlTable is the names of doors in GraphQL, which a page loads with that transport.
//
//	{"product": {"type": "Product", "one": "product", "many": "products", "id": "ID", "fields": {"id": 1}, "relations": {"category": {"door": "category"}}}}
func (m *Model) graphqlTable() (string, error) {
	var doors record
	for _, d := range m.Doors {
		if d.GraphQL == nil {
			continue
		}
		o := d.GraphQL.object()
		if d.Relations != nil && d.Relations.To != nil {
			o.object("relations", d.Relations.table())
		}
		doors.object(d.Name, o)
	}
	return doors.script()
}

// writes are the fields of a patch, with the declared members of the merged ones.
func writes(patch *Decl, e *schema.Entity) (o record) {
	var members func(fields []schema.Field) record
	members = func(fields []schema.Field) (o record) {
		for _, f := range fields {
			if f.Shape.Properties == nil {
				o.flag(f.Name, true)
			} else {
				o.object(f.Name, members(f.Shape.Properties))
			}
		}
		return o
	}
	for _, f := range patch.Fields {
		switch p := e.Property(f.Name); {
		case !p.Stored: // rows that are written with the row
		case p.Shape.Properties != nil && p.Axes.In.Name == "" && p.Axes.Out.Name == "":
			o.object(f.Name, members(p.Shape.Properties))
		default:
			o.flag(f.Name, true)
		}
	}
	return o
}

// record is an object of the script, whose members are written one after another.
type record schema.Object

// text adds a text, unless it is "".
func (r *record) text(name, text string) {
	if text != "" {
		*r = append(*r, schema.Member{Name: name, Value: jsontext.Quote(text)})
	}
}

// texts adds a list, unless it is nil.
func (r *record) texts(name string, list []string) {
	if list != nil {
		*r = append(*r, schema.Member{Name: name, Value: jsontext.AppendStrings(nil, list)})
	}
}

// flag adds the name with 1 if holds is true.
func (r *record) flag(name string, holds bool) {
	if holds {
		*r = append(*r, schema.Member{Name: name, Value: []byte("1")})
	}
}

// object adds an object.
func (r *record) object(name string, o record) {
	*r = append(*r, schema.Member{Name: name, Value: schema.Object(o).AppendJSON(nil)})
}

// script is the record as text, with line breaks.
func (r record) script() (string, error) {
	text, err := indent(schema.Object(r).AppendJSON(nil))
	return string(bytes.TrimSpace(text)), err
}

// object is the GraphQL of a door as data.
func (g *GraphQL) object() (o record) {
	one := strings.ToLower(g.Type[:1]) + g.Type[1:]
	var fields record
	for _, f := range g.Fields {
		if f.Select == f.Name {
			fields.flag(f.Name, true)
		} else {
			fields.text(f.Name, f.Select)
		}
	}
	o.text("type", g.Type)
	o.text("one", one)
	o.text("many", schema.Plural(one))
	o.text("id", g.ID)
	o.object("fields", fields)
	o.texts("absent", g.Absent)
	return o
}

// shownBy are the doors whose rows show rows of d: the lists that a change of d makes stale.
func (m *Model) shownBy(d *Door) (members []string) {
	for _, other := range m.Doors {
		if other != d && slices.Contains(other.Shows, d.Name) {
			members = append(members, other.Member)
		}
	}
	return members
}

// places is how a call is put together, for the client.
//
//	built in    {"builtin": "update"}
//	no card     {"open": 1}
//	named       {"params": ["id"], "parameters": [], "body": 1, "at": "retire"}
func (op *Op) places() (o record) {
	if op.Builtin {
		o.text("builtin", op.Name)
	}
	o.flag("query", op.Kind == catalog.Query)
	o.flag("open", op.Open)
	o.texts("params", op.Params)
	o.texts("parameters", op.Query)
	o.texts("big", op.Big)
	o.flag("body", !op.Builtin && op.Body)
	if !op.Builtin || op.Name == "findByIds" {
		o.text("at", schema.Kebab(op.Name))
	}
	return o
}

// factTable is the client's data about each fact.
//
//	{"orderPlaced": {"door": "order", "changes": "/api/sales/facts/orderPlaced", "key": "id", "big": ["weight"]}}
func (m *Model) factTable() (string, error) {
	var all record
	for _, f := range m.Facts {
		var o record
		o.text("door", f.Door)
		o.text("changes", f.Path)
		if f.Key != nil {
			o.text("key", f.Key.Name)
		}
		o.texts("big", f.Big)
		all.object(f.Name, o)
	}
	return all.script()
}

// table is the relations as data, for the transport that writes their selections.
func (r *Relations) table() (o record) {
	for _, to := range r.To {
		var one record
		one.text("door", to.Door)
		one.flag("many", to.Many)
		o.object(to.Name, one)
	}
	return o
}
