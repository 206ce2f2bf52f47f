package envelope

import (
	"encoding/json"
	"slices"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// takesQuery is the keys of query that a method takes; ok is false where nobody says.
func (q *question) takesQuery() (keys []string, ok bool) {
	switch {
	case q.method != nil:
		return q.method.query, true
	case q.op != nil && q.op.Query != nil && (!q.op.Builtin || q.call.Operation == "list"):
		return fieldNames(q.op.Query), true
	}
	return nil, false
}

func fieldNames(e *schema.Entity) []string {
	names := make([]string, 0, len(e.Fields))
	for _, f := range e.Fields {
		names = append(names, f.Name)
	}
	return names
}

// knowsFields says whether names are all fields the host has of itself: what is
// computed on this side it must not be asked for.
func (q *question) knowsFields(names []string) bool {
	for _, name := range names {
		switch {
		case name == facade.ETag, name == facade.AllFields: // asked of hosts alone that have said they give versions
		case q.method != nil && q.method.fields != nil:
			if !slices.Contains(q.method.fields, name) {
				return false
			}
		case q.entity() == nil || q.entity().Property(name) == nil:
			return false
		}
	}
	return true
}

// listOwn are the keys of list's query (DESIGN 5). A host may not know one of them,
// and then it might not say so: some hosts ignore what they do not know.
var listOwn = []string{"filter", "sort", "limit", "after", "before", "backward", "offset", "fields", "total", "count", "cursors"}

// narrow is the query of a call as this host takes it: with the fields that are
// going to be read where it can be told them, without what it does not know and
// can do without. What it does not know and cannot be left out is refused: leaving
// out a filter would answer other rows.
func (q *question) narrow(query json.RawMessage) (json.RawMessage, *facade.Error) {
	takes, said := q.takesQuery()
	if q.op != nil && q.op.Open {
		return query, nil // it takes anything
	}
	if said && q.kind == facade.Query && q.call.Operation == "list" {
		if takes == nil {
			takes = []string{"limit"} // without an input card it takes first alone
		}
		var refused []schema.Detail
		kept := []byte{'{'}
		for name, value := range jsontext.Members(query) {
			switch {
			case slices.Contains(takes, name), !slices.Contains(listOwn, name), // a key of nobody's is the host's to refuse
				name == "after" && slices.Contains(takes, "offset"):
				if len(kept) > 1 {
					kept = append(kept, ',')
				}
				kept = append(jsontext.AppendString(kept, name), ':')
				kept = append(kept, value...)
			case jsontext.IsNull(value), name == "total", name == "count", name == "fields", name == "cursors", name == "limit", name == "offset" && string(value) == "0":
			default:
				refused = append(refused, schema.Detail{
					Path: name, Pointer: "/query/" + jsontext.Token(name), Code: schema.UnknownKey,
					Message: "is not known to the host that answers this list; leave it out",
				})
			}
		}
		if len(refused) > 0 {
			return nil, facade.Invalid("the host that answers this list does not know "+refused[0].Path, refused...)
		}
		if query != nil {
			query = append(kept, '}')
		}
	}
	if !said || q.call.Select == nil || !slices.Contains(takes, "fields") || jsontext.Get(query, "fields") != nil {
		return query, nil
	}
	if q.op != nil && q.op.Builtin && q.call.Operation != "list" && !slices.Contains(q.call.Select, facade.ETag) {
		return query, nil // one row, and its version is not wanted: as hosts without it are asked
	}
	if names := q.call.Select; len(names) > 0 && q.knowsFields(names) {
		return withMember(query, "fields", appendNames(nil, names)), nil
	}
	return query, nil
}

func appendNames(dst []byte, names []string) []byte {
	dst = append(dst, '[')
	for i, name := range names {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = jsontext.AppendString(dst, name)
	}
	return append(dst, ']')
}
