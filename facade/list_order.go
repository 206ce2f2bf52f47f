package facade

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/frondhost/frond/facade/filter"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// maxSortKeys is how many keys an order has at most, the primary key aside.
const maxSortKeys = 8

// readSort reads "-createdAt,title" or a list of such keys. The primary key ends every
// order, so that it defines one order of the rows.
func (x *viewer) readSort(value json.RawMessage) order {
	names, ok := x.readNames("sort", "-createdAt,title", `["-createdAt", "title"]`, value)
	if !ok {
		return x.door.byID
	}
	names = splitList(strings.Join(names, ","))
	if len(names) > maxSortKeys {
		x.refuseQuery("sort", "maxItems", fmt.Sprintf("must have at most %d fields", maxSortKeys))
		return x.door.byID
	}
	e := x.door.Entity
	keys := make([]SortKey, 0, len(names)+1)
	for _, name := range names {
		bare, desc := strings.CutPrefix(name, "-")
		if !desc {
			bare = strings.TrimPrefix(bare, "+")
		}
		p := x.sortBy(bare)
		switch {
		case p == nil:
			x.refuseQuery("sort", schema.UnknownKey, fmt.Sprintf("names %s, which %s cannot be sorted by%s", kiterror.Quoted(bare), e.Name, x.instead(bare, x.sortable)))
			return x.door.byID
		case !filter.IsScalar(p):
			x.refuseQuery("sort", "operator", fmt.Sprintf("names %s, whose values have no order", p.Name))
			return x.door.byID
		case slices.ContainsFunc(keys, func(k SortKey) bool { return k.Field == p }):
			x.refuseQuery("sort", "uniqueItems", fmt.Sprintf("names %s twice; leave the second one out", p.Name))
			return x.door.byID
		}
		if len(keys) == 0 || keys[len(keys)-1].Field != e.Primary { // nothing is left to sort behind the primary key
			keys = append(keys, SortKey{p, desc})
		}
	}
	o := newOrder(e, keys)
	o.foreign = x.door.byID.foreign
	return o
}

// splitList is the names in a list that is separated by commas.
func splitList(s string) []string {
	parts := strings.Split(s, ",")
	out := parts[:0]
	for _, p := range parts {
		if p = strings.TrimSpace(p); p != "" {
			out = append(out, p)
		}
	}
	return out
}

// sortField is the field that a name means to sort by: its own name, or the key of a
// relation.
func sortField(e *schema.Entity, name string) *schema.Property {
	if p := e.Property(name); p != nil {
		return p
	}
	for _, p := range e.Fields {
		if p.Link != nil && !p.Link.Many && p.Link.Key == name {
			return p
		}
	}
	return nil
}

// sortBy is the field that a key of sort means, if it exists for the caller.
func (x *viewer) sortBy(name string) *schema.Property {
	e := x.door.Entity
	p := sortField(e, name)
	if a := e.Alias(name); p == nil && a != nil && name != a.Relation && x.readable(x.doorScope, a.Field) && x.Answers(a) {
		p = a.Field
	} else if p == nil || !x.readable(x.doorScope, p) {
		return nil
	}
	return p
}

// text is the order as a list of sort keys, without a primary key that newOrder added to the
// most that there may be.
func (o *order) text() json.RawMessage {
	keys := o.keys[:min(len(o.keys), maxSortKeys)]
	names := make([]string, len(keys))
	for i, k := range keys {
		if names[i] = k.Field.Name; k.Desc {
			names[i] = "-" + names[i]
		}
	}
	return jsontext.AppendStrings(nil, names)
}

// sortable lists the fields that the caller may sort by, for messages.
func (x *viewer) sortable() (names []string) {
	for _, p := range x.door.Entity.Fields {
		if filter.IsScalar(p) && x.readable(x.doorScope, p) {
			names = append(names, p.Name)
		}
	}
	return names
}
