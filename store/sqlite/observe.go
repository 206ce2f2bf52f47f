package sqlite

import (
	"fmt"
	"strings"

	"github.com/frondhost/frond/store/dbschema"
	"github.com/frondhost/frond/store/sqlite/engine"
)

// seen counts the values of one column: how many there are of each type, and how many of them do
// not fit the declared type.
type seen struct {
	integers, reals, texts, blobs int64
	notBoolean                    int64 // integers other than 0 and 1
	large                         int64 // integers beyond 32 bits
	huge                          int64 // integers beyond those that a double distinguishes
	notDate                       int64 // texts that are no 2006-01-02
	notJSON                       int64
}

// tallies are the sums that [seen] is read from, in the order of its members; %[1]s is the
// column.
var tallies = []string{
	"typeof(%[1]s) = 'integer'", "typeof(%[1]s) = 'real'", "typeof(%[1]s) = 'text'", "typeof(%[1]s) = 'blob'",
	"typeof(%[1]s) = 'integer' AND %[1]s NOT IN (0, 1)",
	"typeof(%[1]s) = 'integer' AND %[1]s NOT BETWEEN -2147483648 AND 2147483647",
	"typeof(%[1]s) = 'integer' AND %[1]s NOT BETWEEN -9007199254740992 AND 9007199254740992",
	"typeof(%[1]s) = 'text' AND %[1]s NOT GLOB '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]'",
	"typeof(%[1]s) = 'text' AND NOT json_valid(%[1]s)",
}

// observedColumns is how many columns one statement looks at: SQLite's results have 2,000
// columns at most.
const observedColumns = 200

// observe corrects the types of a table's columns by the values of its rows. It reads the table
// once for every 200 columns. A view that cannot be read is unfit.
func (r *describing) observe(t *dbschema.Table) error {
	for from := 0; from < len(t.Columns); from += observedColumns {
		columns := t.Columns[from:min(from+observedColumns, len(t.Columns))]
		var b strings.Builder
		for i := range columns {
			name := quote(columns[i].Name)
			for j, sum := range tallies {
				if i+j > 0 {
					b.WriteString(", ")
				}
				fmt.Fprintf(&b, "total("+sum+")", name)
			}
		}
		err := r.conn.Each(func(st *engine.Stmt) {
			for i := range columns {
				n := func(j int) int64 { return st.ColumnInt64(i*len(tallies) + j) }
				settleType(&columns[i].Type, seen{n(0), n(1), n(2), n(3), n(4), n(5), n(6), n(7), n(8)})
			}
		}, "SELECT "+b.String()+" FROM "+quote(t.Name))
		if err != nil && t.View {
			t.Unfit = "it cannot be read: " + reason(err)
			return nil
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// settleType corrects a declared type by the values that are there:
//
//	no values              the declared type; an unknown one is unfit
//	bytes, several types   unfit
//	texts                  a date or JSON if it is declared and all are, else text
//	whole numbers          boolean if it is declared and all are 0 or 1; float if it is declared,
//	                       and no number needs more digits than a float has; else integer, of 64 bits if one is that large
//	other numbers          float
func settleType(t *dbschema.Type, s seen) {
	numbers := s.integers + s.reals
	unfit := func(why string) { t.Kind, t.Unfit = dbschema.Unfit, why }
	switch {
	case s.blobs > 0:
		unfit("it holds bytes, which a row of JSON cannot carry")
	case s.texts > 0 && numbers > 0:
		unfit(fmt.Sprintf("its rows hold values of several types: %d texts and %d numbers", s.texts, numbers))
	case s.texts > 0:
		declared := t.Kind
		t.Kind, t.Unfit = dbschema.Text, ""
		if declared == dbschema.Date && s.notDate == 0 || declared == dbschema.JSON && s.notJSON == 0 {
			t.Kind = declared
		}
	case s.reals > 0:
		t.Kind, t.Unfit = dbschema.Float, ""
	case s.integers > 0 && t.Kind == dbschema.Float && s.huge == 0, s.integers > 0 && t.Kind == dbschema.Boolean && s.notBoolean == 0:
	case s.integers > 0:
		if t.Kind != dbschema.Integer {
			t.Bits = 32
		}
		if t.Kind, t.Unfit = dbschema.Integer, ""; s.large > 0 {
			t.Bits = 64
		}
	case t.Kind == dbschema.Other:
		unfit("its declared type is unknown, and no row shows the type of its values")
	case t.Kind == dbschema.DateTime, t.Kind == dbschema.Time:
		t.Kind = dbschema.Text
	}
}
