package aggregate

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
	_ "time/tzdata" // zones have to be known wherever the program runs

	"github.com/frondhost/frond/facade/filter"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/format"
	"github.com/frondhost/frond/schema/jsontext"
)

// The bounds of one grouping.
const (
	maxKeys    = 8
	maxColumns = 32
	maxSort    = 8
)

// Spec is the query of a caller, its names taken apart. A nil Select is the count of rows.
type Spec struct {
	By, Select, Sort []string
	Having           json.RawMessage
	Zone             string // "": UTC
}

// SortKey is one key of an order of groups.
type SortKey struct {
	Field *schema.Property
	Desc  bool
}

// Host knows which fields exist for the caller.
type Host interface {
	filter.Host
	// Named is the field that a name means to the caller, or nil.
	Named(name string) *schema.Property
	// Names are the names that Named knows, for messages.
	Names() []string
}

// Reader reads groupings about the rows of an entity. It goes on after a fault, so that Details
// name all of them.
type Reader struct {
	Host    Host
	Entity  *schema.Entity
	Max     int // Details at most
	Details []schema.Detail
	// Conditions is how many conditions having has.
	Conditions int
}

// Read reads a grouping. Use the results only without details.
func (r *Reader) Read(ctx context.Context, q *Spec) (*Groups, []SortKey) {
	zone := r.zone(q.Zone)
	var columns []Column
	if r.fits("by", q.By, maxKeys) {
		for _, name := range q.By {
			columns = r.key(columns, name)
		}
	}
	if q.Select == nil {
		q.Select = []string{Count.String()}
	}
	if r.fits("select", q.Select, maxColumns) {
		for _, name := range q.Select {
			columns = r.value(columns, name)
		}
	}
	if len(r.Details) > 0 {
		return nil, nil
	}
	g := newGroups(r.Entity, columns, zone)
	if q.Having != nil {
		r.having(ctx, g, q.Having)
	}
	return g, r.sort(g, q.Sort)
}

// fits refuses a list that is too long.
func (r *Reader) fits(key string, names []string, most int) bool {
	if len(names) > most {
		r.refuse(key, "maxItems", fmt.Sprintf("must have at most %d names", most))
		return false
	}
	return true
}

// zone is the zone of a name of the IANA time zone database.
func (r *Reader) zone(name string) *time.Location {
	zone, ok := format.ParseZone(name)
	if !ok {
		r.refuse("zone", "zone", "is no time zone; write a name such as Europe/Paris, or leave it out for UTC")
		return time.UTC
	}
	return zone
}

// key adds a key of the group: "status", "placedAt:month".
func (r *Reader) key(columns []Column, sent string) []Column {
	name, word, cut := strings.Cut(sent, ":")
	p := r.Host.Named(name)
	if p == nil {
		return r.unknown("by", sent, name, columns)
	}
	unit := Value
	if cut {
		at := slices.Index(units[1:], word)
		if at < 0 {
			r.refuse("by", "enum", fmt.Sprintf("names %s by %s, which is no unit; the units are %s", name, schema.Quoted(word), strings.Join(units[1:], ", ")))
			return columns
		}
		unit = Unit(at + 1) //nolint:gosec // one of the units
	}
	switch {
	case r.Host.Converts(p):
		r.refuse("by", "operator", fmt.Sprintf("names %s, whose values are converted when they leave; leave it out", name))
	case !Key.On(p.Kind):
		r.refuse("by", "operator", fmt.Sprintf("names %s, whose values cannot be compared; leave it out", name))
	case !unit.cuts(p.Kind) && p.Kind == schema.KindDate:
		r.refuse("by", "operator", fmt.Sprintf("names %s by hour, and its dates have no time; write day or a longer unit", name))
	case !unit.cuts(p.Kind):
		r.refuse("by", "operator", fmt.Sprintf("names %s by %s, and its values are no dates; write %[1]s alone", name, word))
	case slices.ContainsFunc(columns, func(c Column) bool { return c.Of == p }):
		r.refuse("by", "uniqueItems", fmt.Sprintf("names %s twice; a field groups once", name))
	default:
		return append(columns, Column{Of: p, Func: Key, Unit: unit, name: name})
	}
	return columns
}

// value adds an aggregate: "count", "total.sum".
func (r *Reader) value(columns []Column, sent string) []Column {
	c, why := r.column(sent)
	switch {
	case why == "" && c.Func == Key:
		return r.unknown("select", sent, c.name, columns)
	case why != "":
		r.refuse("select", "operator", why)
		return columns
	case slices.ContainsFunc(columns, func(have Column) bool { return have.Func == c.Func && have.name == c.name }):
		return columns // it is answered once
	}
	return append(columns, c)
}

// column reads the name of an aggregate. why is the fault; a field that does not exist for
// the caller has no function.
func (r *Reader) column(sent string) (c Column, why string) {
	if sent == Count.String() {
		return Column{Func: Count}, ""
	}
	name, word := sent, ""
	if at := strings.LastIndexByte(sent, '.'); at >= 0 {
		name, word = sent[:at], sent[at+1:]
	}
	p := r.Host.Named(name)
	if p == nil {
		return Column{name: name}, ""
	}
	c = Column{Of: p, name: name}
	for _, f := range OfField {
		if f.String() == word {
			c.Func = f
		}
	}
	var has []string
	for _, f := range OfField {
		if f.On(p.Kind) {
			has = append(has, name+"."+f.String())
		}
	}
	like := strings.Join(has, ", ")
	switch {
	case r.Host.Converts(p):
		return c, fmt.Sprintf("names %s, whose values are converted when they leave; leave it out", name)
	case like == "":
		return c, fmt.Sprintf("names %s, whose values cannot be compared; leave it out", name)
	case word == "":
		return c, fmt.Sprintf("names %s without a function; write one of %s", name, like)
	case c.Func == Key:
		return c, fmt.Sprintf("names %s, which is no function; %s has %s", schema.Quoted(word), name, like)
	case !c.Func.On(p.Kind) && p.Kind == schema.KindBoolean:
		return c, fmt.Sprintf("names %s, which true and false do not have; write by: %s for the rows of each, or %s", sent, name, like)
	case !c.Func.On(p.Kind):
		return c, fmt.Sprintf("names %s, which its values do not have; %s has %s", sent, name, like)
	case name == Count.String() || name == keyName:
		return c, fmt.Sprintf("names %s, and a group has a member of its own of this name; rename the field", sent)
	}
	return c, ""
}

// sort reads an order; the keys of the group end it, so that it defines one order of the groups.
func (r *Reader) sort(g *Groups, names []string) (order []SortKey) {
	if !r.fits("sort", names, maxSort) {
		return nil
	}
	add := func(p *schema.Property, desc bool) bool {
		if slices.ContainsFunc(order, func(k SortKey) bool { return k.Field == p }) {
			return false
		}
		order = append(order, SortKey{p, desc})
		return true
	}
	desc := false
	for _, name := range names {
		var bare string
		if bare, desc = strings.CutPrefix(name, "-"); !desc {
			bare = strings.TrimPrefix(bare, "+")
		}
		p := g.named(bare)
		switch {
		case p == nil:
			r.refuse("sort", schema.UnknownKey, fmt.Sprintf("names %s, which is neither in by nor in select; name it there too, or leave it out", schema.Quoted(bare)))
		case !add(p, desc):
			r.refuse("sort", "uniqueItems", fmt.Sprintf("names %s twice; leave the second one out", bare))
		}
	}
	for i := range g.Keys {
		add(g.Columns[i].As, false)
	}
	return order
}

// named is the column that sort names: an aggregate as in select, or a key by its field.
func (g *Groups) named(name string) *schema.Property {
	if p := g.aggregate(name); p != nil {
		return p
	}
	return g.Entity.Property("key " + name)
}

// aggregate is the aggregate of a name as in select, or nil.
func (g *Groups) aggregate(name string) *schema.Property {
	if p := g.Entity.Property(name); p != nil && p.Index >= g.Keys {
		return p
	}
	return nil
}

// having reads the conditions on groups, which name aggregates as the answer has them:
// {count: {gte: 5}, total: {sum: {gt: "100"}}, or: […]}.
func (r *Reader) having(ctx context.Context, g *Groups, text json.RawMessage) {
	flat := r.flatten(g, text, "/query/having")
	if len(r.Details) > 0 {
		return
	}
	p := filter.Parser{Host: r.Host, At: "/query/having", Max: r.Max}
	g.Having = p.Parse(ctx, g.Entity, filter.All, flat)
	r.Conditions = p.Conditions
	for _, d := range p.Details {
		for _, c := range g.Columns[g.Keys:] {
			if field, fn, ok := strings.Cut(c.As.Name, "."); ok {
				d.Pointer = strings.ReplaceAll(d.Pointer, "/"+jsontext.Token(c.As.Name)+"/", "/"+jsontext.Token(field)+"/"+fn+"/")
			}
		}
		r.Details = append(r.Details, d.At(d.Pointer))
	}
}

// flatten writes conditions with the names that select has: {"total.sum": {"gt": "100"}}. The
// parser of filters refuses values that are no objects.
func (r *Reader) flatten(g *Groups, text json.RawMessage, at string) json.RawMessage {
	if jsontext.KindOf(text) != jsontext.Object {
		return text
	}
	out := schema.Object{}
	for name, value := range jsontext.Members(text) {
		here := at + "/" + jsontext.Token(name)
		is := jsontext.KindOf(value)
		switch {
		case name == "not":
			out = append(out, schema.Member{Name: name, Value: r.flatten(g, value, here)})
		case (name == "and" || name == "or") && is == jsontext.Array:
			list := []byte{'['}
			n := 0
			for i, item := range jsontext.Elements(value) {
				list = append(jsontext.Comma(list), r.flatten(g, item, fmt.Sprint(here, "/", i))...)
				n++
			}
			out = append(out, schema.Member{Name: name, Value: append(list, ']')})
		case name == "and", name == "or", g.aggregate(name) != nil:
			out = append(out, schema.Member{Name: name, Value: value})
		case is == jsontext.Object && selects(g, name):
			for fn, conditions := range jsontext.Members(value) {
				if g.aggregate(name+"."+fn) == nil {
					r.unselected(here+"/"+jsontext.Token(fn), name+"."+fn)
					continue
				}
				out = append(out, schema.Member{Name: name + "." + fn, Value: conditions})
			}
		default:
			r.unselected(here, name)
		}
	}
	return out.AppendJSON(nil)
}

// selects reports whether an aggregate of a field is selected.
func selects(g *Groups, field string) bool {
	return slices.ContainsFunc(g.Columns[g.Keys:], func(c Column) bool { return c.Of != nil && c.name == field })
}

// unselected refuses a condition on what select does not name.
func (r *Reader) unselected(at, name string) {
	message := fmt.Sprintf("names %s, which is not in select; name it there too, or leave it out", schema.Quoted(name))
	r.add(schema.Detail{Code: schema.UnknownKey, Message: message}.At(at))
}

// unknown refuses a field that does not exist for the caller.
func (r *Reader) unknown(key, sent, name string, columns []Column) []Column {
	instead := "; leave it out"
	if here := r.spelled(sent); here != "" {
		name, instead = sent, "; write "+here
	} else if r.Host.Suggests() {
		instead = schema.Instead(name, r.Host.Names(), true)
	}
	r.refuse(key, schema.UnknownKey, fmt.Sprintf("names %s, which %s does not have%s", schema.Quoted(name), r.Entity.Name, instead))
	return columns
}

// spelled returns the name here of a key or a function in the spelling of other languages; "" for any
// other name:
//
//	avg(price), avg.price             price.avg
//	month(placedAt), placedAt.month   placedAt:month
func (r *Reader) spelled(sent string) string {
	name, word, _ := strings.Cut(strings.TrimSuffix(strings.Replace(sent, "(", ".", 1), ")"), ".")
	if r.Host.Named(name) == nil {
		name, word = word, name
	}
	switch isWord := func(f Func) bool { return f.String() == word }; {
	case r.Host.Named(name) == nil:
		return ""
	case slices.ContainsFunc(OfField, isWord):
		return name + "." + word
	case slices.Contains(units[1:], word):
		return name + ":" + word
	}
	return ""
}

// refuse refuses a key of the query.
func (r *Reader) refuse(key, code, message string) {
	r.add(schema.Detail{Path: key, Pointer: "/query/" + key, Code: code, Message: message})
}

func (r *Reader) add(d schema.Detail) {
	if len(r.Details) < r.Max {
		r.Details = append(r.Details, d)
	}
}
