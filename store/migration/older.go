package migration

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"github.com/frondhost/frond/store/sqltext"
)

// A store keeps a record of the definitions that cards have had of each table, the oldest first. A start whose definition of a
// table is in the record, and not its last, has older cards: it leaves the rules of that table as newer cards have made them. Only
// apply goes back.

// SkippedMessage is the line of the log for each difference that a start leaves.
const SkippedMessage = "the store differs from the cards and is left so: newer cards have changed it, or migrate is off; frond migrate apply makes it fit"

// maxDefinitions is how many definitions of a table the record keeps.
const maxDefinitions = 50

// definition is a short text for what cards ask of a table: two tables with one definition have the same rules. t has the names of a
// database without tables, so that renames by other cards do not change it.
func definition(t *Table) string {
	sum := sha256.New()
	columns := slices.SortedFunc(slices.Values(t.Columns), func(a, b Column) int { return cmp.Compare(a.Field, b.Field) })
	for _, c := range columns {
		fmt.Fprintf(sum, "%q %q %q %q %t %t %q %q\n", c.Field, c.Type, c.Collation, c.Mark, c.NotNull, c.Primary, c.Checks, c.References)
	}
	for _, ix := range t.Indexes {
		if ix.Unique {
			fmt.Fprintf(sum, "%q\n", ix.Columns)
		}
	}
	return hex.EncodeToString(sum.Sum(nil)[:8])
}

// date finds out which tables of the cards have an older definition than the last of the record, and which entries of the record the
// task adds: an apply makes its definitions the last ones, a start adds those that are new. served are the definitions of other gateways.
func (p *Planner) date(recorded map[string][]string, served []map[string]string, plain, wanted []*Table) (older map[string]bool) {
	older, p.Defined, p.Current, p.others = map[string]bool{}, map[string][]string{}, map[string]string{}, map[string]int64{}
	for i, t := range wanted {
		list, now := recorded[t.Name], definition(plain[i])
		p.Current[t.Name] = now
		for _, one := range served {
			if was := one[t.Name]; was != "" && was != now {
				p.others[t.Name]++
			}
		}
		at := slices.Index(list, now)
		last := at >= 0 && at == len(list)-1
		older[t.Name] = at >= 0 && !last && !p.Task.Changes.Newest
		p.Older = p.Older || older[t.Name]
		if last || p.Task.Unchanged || p.Task.Start && older[t.Name] {
			continue
		}
		list = append(slices.DeleteFunc(slices.Clone(list), func(was string) bool { return was == now }), now)
		p.Defined[t.Name] = list[max(0, len(list)-maxDefinitions):]
	}
	return older
}

// leave marks the differences that a start does not settle: rules of tables that newer cards have changed, and of a task that changes
// no table the rules that the store lacks. A start serves such a table as it is.
func (p *Planner) leave(db Database, older map[string]bool, all []Difference) []Difference {
	for i := range all {
		d := &all[i]
		d.older, d.Others = older[d.Table.Name], p.others[d.Table.Name]
		d.skipped = d.older && d.rule() || p.Task.Unchanged && d.wider()
	}
	if !p.Task.Start {
		return all
	}
	return slices.DeleteFunc(all, func(d Difference) bool {
		if d.skipped {
			s := d.Step()
			p.Plan.Skipped = append(p.Plan.Skipped, s.Where()+": "+s.Does)
			db.Accept(&d)
		}
		return d.skipped
	})
}

// rule reports whether the difference is one of the rules for columns that are there, or of their indexes.
func (d *Difference) rule() bool {
	switch d.Op {
	case SetNotNull, DropNotNull, AddCheck, AddForeignKey, DropForeignKey, AddUnique:
		return true
	case DropCheck:
		return d.Check.Keyword != Required
	case DropIndex:
		return d.Index.Text != "" && (d.Index.Unique || d.Table.Index(d.Index.Name) != nil)
	case AddIndex:
		was := d.Was.Index(d.Index.Name)
		return !d.search() && (was == nil || was.Text != "")
	}
	return false
}

// search reports whether the index belongs to a search, which finds its rows only through it.
func (d *Difference) search() bool { return strings.Contains(d.Index.Name, sqltext.SearchMark) }

// wider reports whether the table takes every value that the card takes, as far as the difference goes.
func (d *Difference) wider() bool {
	switch d.Op {
	case SetNotNull:
		return true
	case AddCheck:
		was := checkOf(d.WasColumn, d.Check.Keyword)
		return was == nil || was.wider(d.Check)
	case DropCheck:
		now := checkOf(d.Column, d.Check.Keyword)
		return now != nil && d.Check.wider(now)
	case AddForeignKey, DropForeignKey: // another onDelete lets the same values in
		was, now := d.WasColumn.References, d.Column.References
		return was == Reference{} || was.Table == now.Table && was.Column == now.Column
	case AddUnique, AddIndex, DropIndex: // nulls have another place in the order of an index whose column may be null
		was, now := d.Was.Index(d.Index.Name), d.Table.Index(d.Index.Name)
		if was == nil || now == nil {
			return was == nil && !d.search()
		}
		return was.Text != "" && was.Unique == now.Unique && slices.Equal(was.Columns, now.Columns)
	}
	return false
}

// Keep gives the definition of a column the rule that the table has in place of the card's.
func (d *Difference) Keep(c *Column) {
	switch d.Op {
	case SetNotNull, DropNotNull:
		c.NotNull = d.WasColumn.NotNull
	case AddCheck, DropCheck:
		c.Checks = d.WasColumn.Checks
	case AddForeignKey, DropForeignKey:
		c.References = d.WasColumn.References
	}
}
