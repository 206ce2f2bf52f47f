package sqlite

import (
	"errors"
	"sync"
	"time"

	sqlite3 "github.com/ncruces/go-sqlite3"

	"github.com/frondhost/frond/store/sqltext"
)

// The SQL functions that groups are made by. All of them are null for null.

// errOverflow ends a statement whose sum of integers exceeds 64 bits. SQLite's own sum has the same
// message, and no code.
var errOverflow = errors.New("integer overflow")

// adding is an aggregate function that adds.
type adding struct {
	sum sqltext.Sum
	end func(sqlite3.Context, *sqltext.Sum)
}

// Step adds a value.
func (a *adding) Step(_ sqlite3.Context, args ...sqlite3.Value) {
	if args[0].Type() != sqlite3.NULL {
		a.sum.Add(args[0].Text()) // a decimal of another program may be a number
	}
}

// Value gives the result.
func (a *adding) Value(ctx sqlite3.Context) { a.end(ctx, &a.sum) }

// resultOf gives a text; "" is null.
func resultOf(ctx sqlite3.Context, text string) {
	if text != "" {
		ctx.ResultText(text)
	}
}

// plain is frond_plain: a decimal in the shortest text of its value.
func plain(ctx sqlite3.Context, args ...sqlite3.Value) {
	if args[0].Type() != sqlite3.NULL {
		ctx.ResultText(sqltext.PlainDecimal(args[0].Text()))
	}
}

// quarter is frond_quarter: the first day of the quarter of a month, 2026-05.
func quarter(ctx sqlite3.Context, args ...sqlite3.Value) {
	month, err := time.Parse("2006-01", args[0].Text())
	if err != nil {
		return
	}
	ctx.ResultText(month.AddDate(0, -(int(month.Month())-1)%3, 0).Format(time.DateOnly))
}

// moment is frond_moment: a date-time of another program in the form of this one's, null for any
// other text.
func moment(ctx sqlite3.Context, args ...sqlite3.Value) {
	if args[0].Type() != sqlite3.TEXT {
		return
	}
	if text, ok := sqltext.NormalTime(args[0].Text()); ok {
		ctx.ResultText(text)
	}
}

// zones are the time zones of earlier calls, by their names.
var zones sync.Map

// zoneOf is the zone of a name; the façade has looked it up before.
func zoneOf(name string) *time.Location {
	if zone, ok := zones.Load(name); ok {
		return zone.(*time.Location)
	}
	zone, err := time.LoadLocation(name)
	if err != nil {
		return nil
	}
	zones.Store(name, zone)
	return zone
}

// inZone is frond_day or frond_hour: what cut makes of a moment in a zone.
func inZone(cut func(dst []byte, local time.Time) []byte) sqlite3.ScalarFunction {
	return func(ctx sqlite3.Context, args ...sqlite3.Value) {
		if args[0].Type() != sqlite3.TEXT {
			return
		}
		at, err := time.Parse(sqltext.TimeLayout, args[0].Text())
		zone := zoneOf(args[1].Text())
		if err != nil || zone == nil {
			return
		}
		var room [32]byte
		ctx.ResultRawText(cut(room[:0], at.In(zone)))
	}
}

// appendHour appends the moment at which the hour of a clock began.
func appendHour(dst []byte, local time.Time) []byte {
	past := time.Duration(local.Minute())*time.Minute + time.Duration(local.Second())*time.Second + time.Duration(local.Nanosecond())
	return local.Add(-past).UTC().AppendFormat(dst, sqltext.TimeLayout)
}
