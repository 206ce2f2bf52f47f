package postgres

import (
	"bytes"
	"encoding/binary"
	"math"
	"strings"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/store/sqltext"
)

// What is known of the rows of a table that are answered to an insert.
const (
	unknown    int32 = iota // nothing
	faithful                // they were what was foreseen, so far
	unfaithful              // one was not
)

// compare notes whether a row came as it was foreseen.
func (t *table) compare(expected, rows *facade.Rows) {
	if expected == nil {
		return
	}
	if bytes.Equal(expected.AppendJSON(nil), rows.AppendJSON(nil)) {
		t.foresight.CompareAndSwap(unknown, faithful)
	} else {
		t.foresight.Store(unfaithful)
	}
}

// foreseen is the row that an INSERT of args, the values of all columns, answers; nil where that
// depends on how the database writes a value.
func (t *table) foreseen(args []sqltext.Value, sel *sqltext.Selection) *facade.Rows {
	if t.Sparse || len(args) != len(t.columns) {
		return nil
	}
	rows := facade.NewRows(sel.Layout, 1)
	rows.BeginRow()
	var raw []byte
	for i, c := range sel.Fields {
		dst, v := rows.Begin(i), args[t.Place(c)]
		if v.Kind == sqltext.Null {
			rows.End(i, append(dst, "null"...))
			continue
		}
		raw = appendValue(raw[:0], v)
		switch c.Prop.Kind {
		case schema.KindDecimal:
			return nil // it has other zeros
		case schema.KindDate, schema.KindDateTime:
			if strings.HasSuffix(v.S, " BC") {
				return nil
			}
			dst = sqltext.AppendTime(dst, raw)
		case schema.KindNumber:
			dst = c.Decode(dst, binary.BigEndian.AppendUint64(nil, math.Float64bits(v.F)))
		case schema.KindBoolean:
			dst = appendBoolean(dst, []byte{"ft"[v.I&1]})
		default:
			dst = c.Decode(dst, raw)
		}
		rows.End(i, dst)
	}
	rows.EndRow()
	return rows
}
