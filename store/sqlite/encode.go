package sqlite

import (
	"math"
	"slices"
	"strconv"

	sqlite3 "github.com/ncruces/go-sqlite3"

	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
	"github.com/frondhost/frond/store/sqlite/engine"
	"github.com/frondhost/frond/store/sqltext"
)

// appendColumn appends the value of column i as JSON, by the encoder that the card decides.
// Text goes from SQLite's memory to dst without a string in between.
//
//	INTEGER 7        7, or true for a boolean
//	REAL 1.5         1.5
//	TEXT             "text"; JSON text unchanged; a date-time with Z and three or six decimals
//	NULL             null
func appendColumn(dst []byte, st *engine.Stmt, i int, c *sqltext.Column) []byte {
	if c.Odd != nil {
		return appendForeign(dst, st, i, c)
	}
	switch c.Prop.Kind {
	case schema.KindInteger, schema.KindBoolean:
		n := st.ColumnInt64(i)
		switch {
		case n == 0 && !c.NotNull && isNull(st, i):
			return append(dst, "null"...)
		case c.Prop.Kind == schema.KindInteger:
			return strconv.AppendInt(dst, n, 10)
		case n != 0:
			return append(dst, "true"...)
		}
		return append(dst, "false"...)
	case schema.KindNumber:
		f := st.ColumnFloat(i)
		if f == 0 && !c.NotNull && isNull(st, i) {
			return append(dst, "null"...)
		}
		return sqltext.AppendFloat(dst, f)
	}
	text := st.ColumnRawText(i)
	if text == nil {
		return append(dst, "null"...)
	}
	switch c.Prop.Kind {
	case schema.KindJSON:
		return append(dst, text...)
	case schema.KindDateTime:
		return sqltext.AppendTime(dst, text)
	}
	return jsontext.AppendText(dst, text)
}

// isNull is called only where the value reads as zero: asking for a column's type costs a call
// into SQLite.
func isNull(st *engine.Stmt, i int) bool { return st.ColumnType(i) == sqlite3.NULL }

// cells is the current row of a statement.
type cells struct{ *engine.Stmt }

var _ sqltext.Row = cells{}

// Int returns column i.
func (s cells) Int(i int) (n int64, has bool, err error) {
	n = s.ColumnInt64(i)
	return n, n != 0 || !isNull(s.Stmt, i), nil
}

// AppendCell appends column i as JSON.
func (s cells) AppendCell(dst []byte, i int, c *sqltext.Column) []byte {
	return appendColumn(dst, s.Stmt, i, c)
}

// AppendKey appends column i as a cursor has it: as a row does, and as it is stored where a row shows
// another value.
func (s cells) AppendKey(dst []byte, i int, c *sqltext.Column) []byte {
	if c.Beyond == nil {
		return s.AppendCell(dst, i, c)
	}
	v := sqltext.Value{}
	var kinds []schema.Kind // whose rows show the value as it is
	switch s.ColumnType(i) {
	case sqlite3.INTEGER:
		v = sqltext.IntValue(s.ColumnInt64(i))
		if kinds = []schema.Kind{schema.KindInteger}; v.I == int64(float64(v.I)) {
			kinds = append(kinds, schema.KindNumber)
		}
	case sqlite3.FLOAT:
		v = sqltext.FloatValue(s.ColumnFloat(i))
		if !math.IsInf(v.F, 0) {
			kinds = []schema.Kind{schema.KindNumber}
		}
	case sqlite3.TEXT:
		v = sqltext.TextValue(s.ColumnText(i))
		kinds = []schema.Kind{schema.KindString, schema.KindDecimal}
	case sqlite3.BLOB:
		v = sqltext.BlobValue(string(s.ColumnRawBlob(i)))
	}
	if slices.Contains(kinds, c.Prop.Kind) {
		return s.AppendCell(dst, i, c)
	}
	return sqltext.AppendStored(dst, v)
}
