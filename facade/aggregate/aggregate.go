// Package aggregate reads the groupings of the built-in operation aggregate: how rows are grouped,
// and the values of each group.
//
//	{by: ["status", "placedAt:month"], select: ["count", "total.sum"], having: {count: {gte: 5}}, sort: "-total.sum"}
//
// [Reader] reads one for a caller, and a store answers [Groups]:
//
//	{"key": {"status": "paid", "placedAt": "2026-03-01T00:00:00+01:00"}, "count": 7, "total": {"sum": "81.50"}}
package aggregate

import (
	"strings"
	"time"

	"github.com/frondhost/frond/facade/filter"
	"github.com/frondhost/frond/schema"
)

// Func is the function of a column: the zero value is a key of the group.
type Func = filter.Func

// The functions.
const (
	Key           = filter.Key
	Count         = filter.Count
	CountDistinct = filter.CountDistinct
	Sum           = filter.Sum
	Avg           = filter.Avg
	Min           = filter.Min
	Max           = filter.Max
)

// OfField are the functions that a field may have, in the order in which they are listed.
var OfField = filter.OfField

// Unit is the period that a key of dates is cut to; the zero value is the date itself.
type Unit uint8

// The units. A week begins on Monday.
const (
	Value Unit = iota
	Hour
	Day
	Week
	Month
	Quarter
	Year
)

// units are their names.
var units = [...]string{Value: "", Hour: "hour", Day: "day", Week: "week", Month: "month", Quarter: "quarter", Year: "year"}

// String returns the name of the unit.
func (u Unit) String() string { return units[u] }

// cuts reports whether values of a kind are grouped by the unit.
func (u Unit) cuts(kind schema.Kind) bool {
	return u == Value || kind == schema.KindDateTime || kind == schema.KindDate && u != Hour
}

// Column is a value of a group.
type Column struct {
	// As is the column as orders and conditions name it: a field of Groups.Entity.
	As *schema.Property
	// Of is the field of the rows; nil: the column is the number of rows.
	Of   *schema.Property
	Func Func
	// Unit is the unit of a key. A period of days or more is a date: its first day in the zone. An
	// hour is the moment at which it begins.
	Unit Unit
	// Capped says that a sum of integers beyond 64 bits is the largest or the least integer: rows are ordered and
	// compared by it, and it is not answered.
	Capped bool

	name string // of the field, as it was sent
}

// Groups is how a store groups rows.
type Groups struct {
	// Entity has the columns as its fields.
	Entity *schema.Entity
	// Columns are the keys, Keys of them, and the aggregates behind them. Without keys all rows are
	// one group, even 0 rows.
	Columns []Column
	Keys    int
	// Having is a condition on groups, by fields of Entity, or nil.
	Having *filter.Filter
	// Zone is where the days of date-times begin.
	Zone *time.Location
}

// newGroups numbers the columns. key distinguishes groups of another kind in cursors.
func newGroups(of *schema.Entity, columns []Column, zone *time.Location) *Groups {
	g := &Groups{Columns: columns, Zone: zone}
	fields := make([]*schema.Property, len(columns))
	key := []string{of.Key}
	for i := range columns {
		c := &columns[i]
		c.As = &schema.Property{Field: &schema.Field{}}
		switch {
		case c.Func == Key:
			g.Keys++
			c.As.Name, c.As.Kind = "key "+c.name, keyKind(c)
			key = append(key, c.name+":"+c.Unit.String())
		case c.Of == nil:
			c.As.Name, c.As.Kind = Count.String(), schema.KindInteger
		default:
			c.As.Name, c.As.Kind = c.name+"."+c.Func.String(), c.Func.Kind(c.Of.Kind)
		}
		fields[i] = c.As
	}
	g.Entity = schema.Derive(of.Name, strings.Join(append(key, zone.String()), "/"), fields)
	return g
}

// keyKind is the kind of a key as stores have it.
func keyKind(c *Column) schema.Kind {
	switch {
	case c.Unit == Hour:
		return schema.KindDateTime
	case c.Unit != Value:
		return schema.KindDate
	}
	return c.Of.Kind
}

// Names are the names of the columns, for the layout of a store's answer.
func (g *Groups) Names() []string {
	names := make([]string, len(g.Columns))
	for i, c := range g.Columns {
		names[i] = c.As.Name
	}
	return names
}
