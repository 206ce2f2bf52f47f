package sqlite

import (
	"strconv"

	sqlite3 "github.com/ncruces/go-sqlite3"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
	"github.com/frondhost/frond/store/sqlite/engine"
)

// selection is what a read returns: the table's column for each field of a layout, and behind
// them the sort columns that the layout does not have, of which cursors are made.
type selection struct {
	// layout says which fields the rows have; noFields for none.
	layout *facade.Layout
	// fields are the columns of the layout, in its order.
	fields []*column
	// extra are sort columns for Found.Keys alone, behind fields in the statement.
	extra []*column
	// keys are, for each sort key, its place in fields, or len(fields) + its place in extra.
	keys []int

	columnRoom [16]*column // for fields, where these are enough: a selection is not copied
	keyRoom    [4]int      // likewise for keys
}

// choose compiles a layout and an order into s. A nil layout selects no field: the read
// counts, or looks whether rows are there. An INTERNAL_ERROR says that a field is not stored.
// s must not be copied afterwards: its slices stand in it.
func (t *table) choose(s *selection, layout *facade.Layout, order []sortKey) error {
	if layout == nil {
		layout = noFields
	}
	s.layout, s.fields = layout, s.columnRoom[:0]
	for _, name := range layout.Fields {
		c, err := t.column(t.entity.Property(name))
		if err != nil {
			return err
		}
		s.fields = append(s.fields, c)
	}
	if len(order) == 0 {
		return nil
	}
	s.keys = s.keyRoom[:0]
	for _, k := range order {
		if at := layout.Index(k.column.prop.Name); at >= 0 {
			s.keys = append(s.keys, at)
			continue
		}
		s.keys = append(s.keys, len(s.fields)+len(s.extra))
		s.extra = append(s.extra, k.column)
	}
	return nil
}

// noFields is the layout of a read without fields.
var noFields = facade.NewLayout(nil)

// columns writes the select list, t0."id", t0."title"; without any column it writes 1, since
// SQL needs one.
func (b *builder) columns(s *selection, alias string) {
	for i, c := range s.fields {
		if i > 0 {
			b.text(", ")
		}
		b.column(alias, c)
	}
	for i, c := range s.extra {
		if i > 0 || len(s.fields) > 0 {
			b.text(", ")
		}
		b.column(alias, c)
	}
	if len(s.fields)+len(s.extra) == 0 {
		b.text("1")
	}
}

// width is how many columns [builder.columns] writes.
func (s *selection) width() int { return max(1, len(s.fields)+len(s.extra)) }

// row appends the row a statement stands on; the selection begins at its column first.
func (s *selection) row(rows *facade.Rows, st *engine.Stmt, first int) {
	rows.BeginRow()
	for i, c := range s.fields {
		rows.End(i, appendColumn(rows.Begin(i), st, first+i, c))
	}
	rows.EndRow()
}

// appendColumn appends the value of column i as JSON, by the encoder that the card decides.
// Text goes from SQLite's memory to dst without a string in between.
//
//	INTEGER 7        7, or true for a boolean
//	REAL 1.5         1.5
//	TEXT             "text"; JSON text as it stands; a date-time with Z and three or six decimals
//	NULL             null
func appendColumn(dst []byte, st *engine.Stmt, i int, c *column) []byte {
	switch c.prop.Kind {
	case schema.KindInteger, schema.KindBoolean:
		n := st.ColumnInt64(i)
		switch {
		case n == 0 && !c.notNull && isNull(st, i):
			return append(dst, "null"...)
		case c.prop.Kind == schema.KindInteger:
			return strconv.AppendInt(dst, n, 10)
		case n != 0:
			return append(dst, "true"...)
		}
		return append(dst, "false"...)
	case schema.KindNumber:
		f := st.ColumnFloat(i)
		if f == 0 && !c.notNull && isNull(st, i) {
			return append(dst, "null"...)
		}
		return appendFloat(dst, f)
	}
	text := st.ColumnRawText(i)
	if text == nil {
		return append(dst, "null"...)
	}
	switch c.prop.Kind {
	case schema.KindJSON:
		return append(dst, text...)
	case schema.KindDateTime:
		return appendTime(dst, text)
	}
	return jsontext.AppendText(dst, text)
}

// isNull is called only where the value reads as zero: asking for a column's type costs a call
// into SQLite.
func isNull(st *engine.Stmt, i int) bool { return st.ColumnType(i) == sqlite3.NULL }
