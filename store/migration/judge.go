package migration

import (
	"fmt"
	"slices"
	"strings"

	"github.com/frondhost/frond/facade/catalog"
)

// Rows reads the rows of one table, to judge its steps by them. Statements call the table t.
type Rows struct {
	DB Database
	// Table is the table as SQL names it, and Key its primary key as a text, of t.
	Table, Key string
}

// quote returns a name as SQL has it.
func quote(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }

// Count counts the rows that meet a condition.
func (r *Rows) Count(where string) (int64, error) {
	return r.DB.Number("SELECT count(*) FROM " + r.Table + " AS t WHERE " + where)
}

// against refuses a step if rows meet a condition.
func (r *Rows) against(s *Step, where, one, many, remedy string) error {
	n, err := r.Count(where)
	if err != nil || n == 0 {
		return err
	}
	s.Refuse(Count(n, one, many), remedy)
	s.Rows = n
	s.Keys, err = r.DB.List("SELECT " + r.Key + " FROM " + r.Table + " AS t WHERE " + where + fmt.Sprintf(" LIMIT %d", maxKeys))
	return err
}

// notNull refuses to make a column never null while rows hold null in it.
func (r *Rows) notNull(s *Step, column string) error {
	return r.against(s, "t."+quote(column)+" IS NULL", "%d row holds null", "%d rows hold null", "give those rows a value first, or let the field be null")
}

// check refuses a check that rows break.
func (r *Rows) check(s *Step, check *Check) error {
	return r.against(s, "NOT ("+check.Expression+")", "%d row breaks it", "%d rows break it", "change those rows first, or widen "+check.Keyword)
}

// points refuses a foreign key while the column has values that the referenced column lacks.
// The present tables may lack the referenced column.
func (r *Rows) points(s *Step, column string, present []*Table, to Reference) error {
	where := "t." + quote(column) + " IS NOT NULL"
	if i := slices.IndexFunc(present, func(t *Table) bool { return t.Name == to.Table }); i >= 0 && present[i].Column(to.Column) != nil {
		where += " AND NOT EXISTS (SELECT 1 FROM " + r.DB.Qualified(to.Table) + " AS p WHERE p." + quote(to.Column) + " = t." + quote(column) + ")"
	}
	return r.against(s, where, "%d row points at none", "%d rows point at none", "change those rows first, or remove role.relation")
}

// unique refuses a unique constraint on columns that rows share values of.
func (r *Rows) unique(s *Step, columns []string) error {
	names, held := make([]string, len(columns)), make([]string, len(columns))
	for i, name := range columns {
		names[i] = quote(name)
		held[i] = names[i] + " IS NOT NULL"
	}
	list := strings.Join(names, ", ")
	return r.against(s, "("+list+") IN (SELECT "+list+" FROM "+r.Table+" AS s WHERE "+strings.Join(held, " AND ")+" GROUP BY "+list+" HAVING count(*) > 1)",
		"%d row shares one", "%d rows share one with another", "change those rows first, or remove role.unique")
}

// NoConversion refuses to change the type of n values between kinds without a conversion.
func (s *Step) NoConversion(n int64) {
	s.Rows = n
	s.Refuse(Count(n, "%d row holds a value of the old type", "%d rows hold values of the old type")+", and there is no conversion",
		"keep the type, or write values: {"+s.Entity+"."+s.Field+": …} in frond.yaml")
}

// noResult refuses a step for n rows that b computes no value for. first is the error of the
// first of them.
func (s *Step) noResult(b *catalog.Backfill, n int64, first error) {
	remedy := "correct values in frond.yaml"
	if b.Text == "" {
		remedy = "write values: {" + s.Entity + "." + s.Field + ": …} in frond.yaml"
	}
	s.Rows = n
	s.Refuse(Count(n, "%d row gives no value", "%d rows give no value")+": "+first.Error(), "change those rows first, or "+remedy)
}

// reads returns the columns of a table that b reads, where column gives the name of a field's
// column. It refuses the step where the table has one of them not, and returns nil.
func (s *Step) reads(b *catalog.Backfill, was *Table, column func(field string) string) []*Column {
	read := make([]*Column, len(b.Reads))
	for i, field := range b.Reads {
		if read[i] = was.Column(column(field)); read[i] != nil {
			continue
		}
		names := make([]string, len(was.Columns))
		for j := range was.Columns {
			names[j] = was.Columns[j].Field
		}
		s.Refuse(fmt.Sprintf("the expression %q reads %s, which the rows do not have", b.Text, field), "correct values in frond.yaml; the columns are "+strings.Join(names, ", "))
		return nil
	}
	return read
}
