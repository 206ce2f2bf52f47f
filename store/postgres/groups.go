package postgres

import (
	"time"

	"github.com/frondhost/frond/facade/aggregate"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/store/sqltext"
)

// groups writes the statement of groups.
func (r *reading) groups() error {
	if r.Find.Each == nil {
		return r.Grouped(r.b, "", nil)
	}
	if err := eachKeys(r); err != nil {
		return err
	}
	return r.Grouped(r.b, "k.n", func(alias string) { joinKeys(r, r.keyed, dialect{}.Keys(r.keyed, r.keys), alias) })
}

// Grouped writes a column of groups:
//
//	a key             t0."status", trim_scale(t0."price"), date_trunc('month', t0."at" AT TIME ZONE $1)::date
//	countDistinct     count(DISTINCT t0."status")
//	sum               sum(t0."quantity")::bigint
//	avg               of decimals see [average]
//	min, max          min(t0."price")
func (dialect) Grouped(b *sqltext.Builder, c *aggregate.Column, of, column *sqltext.Column, alias string, zone *time.Location) {
	describeGroup(c, of, column)
	if of == nil {
		return
	}
	function := func(name, end string) {
		b.Text(name)
		sqltext.Carried(b, alias, of)
		b.Text(end)
	}
	switch c.Func {
	case aggregate.Key:
		switch {
		case c.Unit != aggregate.Value:
			period(b, c, of, alias, zone)
		case classOf(of) == asDecimal:
			function("trim_scale(", ")")
		default:
			sqltext.Carried(b, alias, of)
		}
	case aggregate.CountDistinct:
		function("count(DISTINCT ", ")")
	case aggregate.Sum:
		switch c.As.Kind {
		case schema.KindInteger:
			if c.Capped {
				function("(CASE WHEN abs(sum(", ")) <= 9223372036854775807")
				function(" THEN sum(", ")")
				function(" ELSE sign(sum(", ")) * 9223372036854775807 END)::bigint")
				return
			}
			function("sum(", ")::bigint")
		case schema.KindNumber:
			function("sum(", "::double precision)")
		default:
			function("sum(", ")")
		}
	case aggregate.Avg:
		switch of.Prop.Kind {
		case schema.KindInteger:
			function("(sum(", ")::double precision / ")
			function("nullif(count(", "), 0))")
		case schema.KindNumber:
			function("avg(", "::double precision)")
		default:
			average(b, of, alias)
		}
	case aggregate.Min, aggregate.Max:
		extreme(c.Func, of, function)
	}
}

// extreme writes the smallest or the largest value. PostgreSQL has no such function for many types,
// whose values are sorted:
//
//	min(t0."price")   (array_agg(t0."mac" ORDER BY t0."mac" DESC) FILTER (WHERE t0."mac" IS NOT NULL))[1]
func extreme(f aggregate.Func, of *sqltext.Column, function func(name, end string)) {
	class := asText // of a key of several columns
	if of.Parts == nil {
		class = classOf(of)
	}
	switch {
	case class == asUUID: // its text has the same order
		function(f.String()+"(", "::text)")
	case class == asOther && of.Fits == nil && !extremes[baseType(of.Type)]:
		direction := ""
		if f == aggregate.Max {
			direction = " DESC"
		}
		function("(array_agg(", "")
		function(" ORDER BY ", direction+")")
		function(" FILTER (WHERE ", " IS NOT NULL))[1]")
	default:
		function(f.String()+"(", ")")
	}
}

// extremes are the types of [asOther] that have min and max.
var extremes = map[string]bool{"inet": true, "interval": true, "money": true}

// average writes the average of decimals, with six places more than the longest of them, its halves rounded
// to the larger amount. PostgreSQL's own has as many places as it likes; here sums and counts are divided as
// integers:
//
//	sign(S) * div(2 * |S| * 10^(places+6) + n, 2 * n) * 10^-(places+6)
func average(b *sqltext.Builder, of *sqltext.Column, alias string) {
	of1 := func(before, after string) {
		b.Text(before)
		sqltext.Carried(b, alias, of)
		b.Text(after)
	}
	of1("(sign(sum(", ")) * div(2 * abs(")
	of1("sum(", ")) * ('1e' || ")
	of1("(max(scale(", ")) + 6))::numeric + ")
	of1("count(", "), 2 * ")
	of1("count(", ")) * ('1e-' || ")
	of1("(max(scale(", ")) + 6))::numeric)")
}

// period writes the first day of a period, or the moment at which an hour begins.
func period(b *sqltext.Builder, c *aggregate.Column, of *sqltext.Column, alias string, zone *time.Location) {
	named := func() {
		b.Bind(sqltext.TextValue(zone.String()))
		b.Text("::text")
	}
	moment := func() {
		sqltext.Carried(b, alias, of)
		if t := baseType(of.Type); t == "timestamp" || t == "timestamp without time zone" {
			b.Text(" AT TIME ZONE 'UTC'")
		}
	}
	b.Text("date_trunc('", c.Unit.String(), "', ")
	switch {
	case c.Unit == aggregate.Hour: // in a zone, so that an hour which the clock repeats is two
		moment()
		b.Text(", ")
		named()
		b.Text(")")
		return
	case c.Of.Kind == schema.KindDateTime:
		moment()
		b.Text(" AT TIME ZONE ")
		named()
	default:
		sqltext.Carried(b, alias, of)
		b.Text("::timestamp")
	}
	b.Text(")::date")
}

// describeGroup gives a column of groups the type that it has for the statement around them.
func describeGroup(c *aggregate.Column, of, column *sqltext.Column) {
	switch {
	case c.Func == aggregate.Key && c.Unit == aggregate.Value, c.Func == aggregate.Min, c.Func == aggregate.Max:
		column.Type, column.Collation, column.Fits = of.Type, of.Collation, of.Fits
		if of.Parts != nil || classOf(of) == asUUID && c.Func != aggregate.Key {
			column.Type = "text"
		}
	case c.Unit == aggregate.Hour:
		column.Type = "timestamp with time zone"
	case c.Unit != aggregate.Value:
		column.Type = "date"
	default:
		column.Type = map[schema.Kind]string{schema.KindInteger: "bigint", schema.KindNumber: "double precision", schema.KindDecimal: "numeric"}[c.As.Kind]
	}
	decoded(column)
}
