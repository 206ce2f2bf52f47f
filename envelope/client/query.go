package client

import (
	"encoding/json"
	"slices"

	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// queryKeys are the keys of query that the host accepts for the call's method; ok is
// false where neither its document nor the catalog says.
func (p *pending) queryKeys() (keys []string, ok bool) {
	switch {
	case p.method != nil:
		return p.method.query, true
	case p.op != nil && p.op.Query != nil && (!p.op.Builtin || p.call.Operation == "list"):
		return propertyNames(p.op.Query), true
	}
	return nil, false
}

// passes reports whether the host gets a key as the caller sent it, although its document does not say which keys it takes.
func (p *pending) passes(key string) bool { return p.op != nil && p.op.Passes(key) }

// propertyNames are the names of a compiled card's fields.
func propertyNames(e *schema.Entity) []string {
	names := make([]string, 0, len(e.Fields))
	for _, f := range e.Fields {
		names = append(names, f.Name)
	}
	return names
}

// hasFields says whether the host itself has all these fields: those computed on this
// side cannot be requested of it.
func (p *pending) hasFields(names []string) bool {
	for _, name := range names {
		switch {
		case name == catalog.ETag, name == catalog.AllFields: // requested only of hosts that declare versions
		case p.method != nil && p.method.fields != nil:
			if !slices.Contains(p.method.fields, name) {
				return false
			}
		case p.entity() == nil || p.entity().Property(name) == nil:
			return false
		}
	}
	return true
}

// listKeys are the keys of a list's query (docs/calls.md). A host may not know one of them, and
// some hosts ignore unknown keys instead of refusing them.
var listKeys = []string{"filter", "sort", "limit", "after", "before", "backward", "offset", "search", "fields", "total", "count", "cursors"}

// optionalKeys are list keys without which the answer has the same rows, or more that
// this side can cut.
var optionalKeys = []string{"total", "count", "fields", "cursors", "limit"}

// hostQuery is the query of the call as this host accepts it: with the fields that will be
// read, where the host accepts them, and without optional keys that it does not know. Another
// key that it does not know is refused: without a filter the host would answer other rows.
//
//	a key the host accepts, or one that is no key of lists   sent
//	after, where the host accepts offset                     kept for place
//	offset and after, where the host does not say            sent
//	an optional key, a null, offset 0                        left out
//	another key                                              VALIDATION_FAILED
func (p *pending) hostQuery(query json.RawMessage) (json.RawMessage, *kiterror.Error) {
	accepts, said := p.queryKeys()
	if p.op != nil && p.op.Open {
		return query, nil // it accepts anything
	}
	if said && p.kind == catalog.Query && p.call.Operation == "list" {
		if accepts == nil {
			accepts = []string{"limit"} // without an input card it accepts limit alone
		}
		var refused []schema.Detail
		kept := []byte{'{'}
		for name, value := range jsontext.Members(query) {
			switch {
			case slices.Contains(accepts, name), p.passes(name), !slices.Contains(listKeys, name), // an unknown key is the host's to refuse
				name == "after" && slices.Contains(accepts, "offset"):
				kept = append(jsontext.AppendName(jsontext.Comma(kept), name), value...)
			case jsontext.IsNull(value), slices.Contains(optionalKeys, name), name == "offset" && string(value) == "0":
			default:
				refused = append(refused, schema.Detail{
					Path: name, Pointer: "/query/" + jsontext.Token(name), Code: schema.UnknownKey,
					Message: "is not known to the host that answers this list; leave it out",
				})
			}
		}
		if len(refused) > 0 {
			return nil, kiterror.Invalid("the host that answers this list does not know "+refused[0].Path, refused...)
		}
		if query != nil {
			query = append(kept, '}')
		}
	}
	if !said || p.call.Select == nil || !slices.Contains(accepts, "fields") || jsontext.Get(query, "fields") != nil {
		return query, nil
	}
	if p.op != nil && p.op.Builtin && p.call.Operation != "list" && !slices.Contains(p.call.Select, catalog.ETag) {
		return query, nil // one row without its version: the same query as of hosts that know no fields
	}
	if names := p.call.Select; len(names) > 0 && p.hasFields(names) {
		return jsontext.With(query, "fields", jsontext.AppendStrings(nil, names)), nil
	}
	return query, nil
}
