package sqlite

import (
	"time"

	sqlite3 "github.com/ncruces/go-sqlite3"

	"github.com/frondhost/frond/facade/aggregate"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/store/sqltext"
)

// groups writes the statement of groups.
func (r *reading) groups() error {
	if r.Find.Each == nil {
		return r.Grouped(r.b, "", nil)
	}
	c, keys, err := r.eachKeys()
	if err != nil {
		return err
	}
	number := "k.key"
	if r.Find.Each.Lists != nil {
		number = "l.key"
	}
	return r.Grouped(r.b, number, func(alias string) { r.join(r.b, c, keys, alias, false) })
}

// Grouped writes a column of groups:
//
//	a key             t0."status", frond_plain(t0."price"), substr(t0."day", 1, 7) || '-01'
//	countDistinct     count(DISTINCT t0."status")
//	sum, avg          sum(t0."quantity"), frond_avg(t0."price") of decimals
//	min, max          min(t0."price")
func (d dialect) Grouped(b *sqltext.Builder, c *aggregate.Column, of, column *sqltext.Column, alias string, zone *time.Location) {
	if c.As.Kind == schema.KindDecimal {
		column.Name, column.Collation = column.Plain+" COLLATE "+decimalCollation, decimalCollation
	}
	if of == nil {
		return
	}
	if of.Folds && c.Func != aggregate.CountDistinct {
		column.Name, column.Collation = column.Plain+" COLLATE "+of.Collation, of.Collation
	}
	if of.Beyond != nil { // a cursor has the value as it is stored
		column.Beyond = func(b *sqltext.Builder, _ string) { b.Truth(false) }
	}
	value := func() { carried(b, of, alias) }
	function := func(name string) {
		b.Text(name, "(")
		value()
		b.Text(")")
	}
	isDecimal := of.Prop.Kind == schema.KindDecimal
	switch c.Func {
	case aggregate.Key:
		switch {
		case c.Unit != aggregate.Value:
			period(b, c, value, zone)
		case isDecimal:
			function("frond_plain")
		default:
			value()
		}
	case aggregate.CountDistinct:
		function("count(DISTINCT ")
		b.Text(")")
	default:
		name := functions[c.Func]
		switch {
		case isDecimal && name.ofDecimals != "":
			function(name.ofDecimals)
		case d.exact && c.Func == aggregate.Sum && of.Prop.Kind == schema.KindInteger:
			if c.Capped {
				function("frond_capped")
			} else {
				function("frond_sum")
			}
		default:
			function(name.plain)
		}
	}
}

// functions are the SQL functions of values. Decimals have functions of their own where SQLite
// would compute with binary numbers.
var functions = map[aggregate.Func]struct{ plain, ofDecimals string }{
	aggregate.Sum: {"sum", "frond_total"}, aggregate.Avg: {"avg", "frond_avg"}, aggregate.Min: {plain: "min"}, aggregate.Max: {plain: "max"},
}

// carried writes the value of a column where its card carries it, and null elsewhere: a column of
// another program may hold values of any type. A whole double is an integer, as in rows.
func carried(b *sqltext.Builder, c *sqltext.Column, alias string) {
	if c.Odd == nil {
		b.Column(alias, c)
		return
	}
	around := func(before, after string) {
		b.Text(before)
		b.Column(alias, c)
		b.Text(after)
	}
	switch c.Prop.Kind {
	case schema.KindDateTime:
		around("frond_moment(", ")")
	case schema.KindInteger:
		around("CASE typeof(", ") WHEN 'integer' THEN ")
		around("", " WHEN 'real' THEN CASE WHEN abs(")
		around("", ") <= 9007199254740991 AND CAST(")
		around("", " AS INTEGER) = ")
		around("", " THEN CAST(")
		around("", " AS INTEGER) END END")
	case schema.KindNumber:
		around("CASE WHEN typeof(", ") IN ('integer', 'real') AND ")
		around("", " NOT IN (9e999, -9e999) THEN CAST(")
		around("", " AS REAL) END")
	default:
		if sqltext.Carried(b, alias, c); c.Beyond != nil && c.Folds {
			b.Text(" COLLATE ", c.Collation) // which an expression has not
		}
	}
}

// period writes the first day of a period, or the moment at which an hour begins. In UTC a date is
// the beginning of the text; elsewhere frond_day makes it.
func period(b *sqltext.Builder, c *aggregate.Column, value func(), zone *time.Location) {
	moment, utc := c.Of.Kind == schema.KindDateTime, zone.String() == "UTC"
	zoned := func(function string) {
		b.Text(function, "(")
		value()
		b.Text(", ")
		b.Bind(sqltext.TextValue(zone.String()))
		b.Text(")")
	}
	part := func(to string) {
		b.Text("substr(")
		if moment && !utc {
			zoned("frond_day")
		} else {
			value()
		}
		b.Text(", 1, ", to, ")")
	}
	switch c.Unit {
	case aggregate.Hour:
		if !utc {
			zoned("frond_hour")
			return
		}
		part("13")
		b.Text(" || ':00:00.000000Z'")
	case aggregate.Day:
		part("10")
	case aggregate.Week: // on the Monday six days before the date, or after that
		b.Text("date(")
		part("10")
		b.Text(", '-6 days', 'weekday 1')")
	case aggregate.Month:
		part("7")
		b.Text(" || '-01'")
	case aggregate.Quarter:
		b.Text("frond_quarter(")
		part("7")
		b.Text(")")
	case aggregate.Year:
		part("4")
		b.Text(" || '-01-01'")
	}
}

// extendGroups gives a connection the functions that groups are made by.
func extendGroups(db *sqlite3.Conn) error {
	const pure = sqlite3.DETERMINISTIC | sqlite3.INNOCUOUS
	for name, f := range map[string]sqlite3.ScalarFunction{"frond_plain": plain, "frond_quarter": quarter, "frond_moment": moment} {
		if err := db.CreateFunction(name, 1, pure, f); err != nil {
			return err
		}
	}
	for name, cut := range map[string]func(dst []byte, local time.Time) []byte{
		"frond_day":  func(dst []byte, local time.Time) []byte { return local.AppendFormat(dst, time.DateOnly) },
		"frond_hour": appendHour,
	} {
		if err := db.CreateFunction(name, 2, pure, inZone(cut)); err != nil {
			return err
		}
	}
	for name, end := range map[string]func(sqlite3.Context, *sqltext.Sum){
		"frond_sum": func(ctx sqlite3.Context, s *sqltext.Sum) {
			switch n, has, ok := s.Int(); {
			case !ok:
				ctx.ResultError(errOverflow)
			case has:
				ctx.ResultInt64(n)
			}
		},
		"frond_capped": func(ctx sqlite3.Context, s *sqltext.Sum) {
			if n, has := s.Capped(); has {
				ctx.ResultInt64(n)
			}
		},
		"frond_total": func(ctx sqlite3.Context, s *sqltext.Sum) { resultOf(ctx, s.Text()) },
		"frond_avg":   func(ctx sqlite3.Context, s *sqltext.Sum) { resultOf(ctx, s.Avg()) },
	} {
		if err := db.CreateWindowFunction(name, 1, pure, func() sqlite3.AggregateFunction { return &adding{end: end} }); err != nil {
			return err
		}
	}
	return nil
}
