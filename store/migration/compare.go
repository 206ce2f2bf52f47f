package migration

import "slices"

// Difference is one difference between a table of the database and the table of a card. Table is
// the table of the card; Was is nil if the database lacks the table.
type Difference struct {
	Op         string
	Table, Was *Table
	// Column and WasColumn are set where the difference is one of a column; Column is nil for
	// one that no card describes, WasColumn for one that is new.
	Column, WasColumn *Column
	Check             *Check // of add-check and drop-check
	Index             *Index // of add-index, add-unique and drop-index

	// Others counts the other gateways whose cards define the table in another way.
	Others int64

	// older says that newer cards have defined the table, and skipped that a start leaves the difference.
	older, skipped bool
}

// compare lists in which way present differs from wanted, in the order in which the differences
// can be settled: table by table as wanted has them, columns before indexes. Tables that are
// not wanted are not in it ([unknown] lists them). wanted has the names of [resolve].
func compare(present, wanted []*Table) (all []Difference) {
	for _, t := range wanted {
		was := find(present, t.Name)
		switch {
		case was == nil:
			all = append(all, Difference{Op: CreateTable, Table: t})
		case was.Foreign:
			all = append(all, Difference{Op: CreateTable, Table: t, Was: was})
		default:
			all = append(all, columns(t, was)...)
			all = append(all, indexes(t, was)...)
		}
	}
	return all
}

// columns compares the columns of one table.
func columns(t, was *Table) (all []Difference) {
	add := func(op string, c, old *Column, check *Check) {
		all = append(all, Difference{Op: op, Table: t, Was: was, Column: c, WasColumn: old, Check: check})
	}
	for i := range t.Columns {
		c := &t.Columns[i]
		old := was.Column(c.Name)
		if old == nil {
			add(AddColumn, c, nil, nil)
			continue
		}
		if c.Primary != old.Primary {
			add(ChangeKey, c, old, nil)
			continue
		}
		if !c.sameType(old) {
			add(ChangeType, c, old, nil)
		}
		switch {
		case c.NotNull && !old.NotNull:
			add(SetNotNull, c, old, nil)
		case old.NotNull && !c.NotNull:
			add(DropNotNull, c, old, nil)
		}
		for j := range old.Checks {
			if check := &old.Checks[j]; !slices.Contains(c.Checks, *check) {
				add(DropCheck, c, old, check)
			}
		}
		for j := range c.Checks {
			if check := &c.Checks[j]; !slices.Contains(old.Checks, *check) {
				add(AddCheck, c, old, check)
			}
		}
		if c.References != old.References {
			if old.References != (Reference{}) {
				add(DropForeignKey, c, old, nil)
			}
			if c.References != (Reference{}) {
				add(AddForeignKey, c, old, nil)
			}
		}
	}
	for i := range was.Columns {
		if old := &was.Columns[i]; t.Column(old.Name) == nil {
			add(DropColumn, nil, old, nil)
		}
	}
	return all
}

// indexes compares the indexes of one table. An index that somebody else made is not compared.
func indexes(t, was *Table) (all []Difference) {
	for i := range was.Indexes {
		ix := &was.Indexes[i]
		if now := t.Index(ix.Name); ix.Own && (now == nil || now.Text != ix.Text) {
			all = append(all, Difference{Op: DropIndex, Table: t, Was: was, Index: ix})
		}
	}
	for i := range t.Indexes {
		ix := &t.Indexes[i]
		if old := was.Index(ix.Name); old != nil && old.Text == ix.Text {
			continue
		}
		op := AddIndex
		if ix.Unique {
			op = AddUnique
		}
		all = append(all, Difference{Op: op, Table: t, Was: was, Index: ix})
	}
	return all
}

// unknown lists the tables of present that no card describes, in their order.
func unknown(present, wanted []*Table) (names []string) {
	for _, t := range present {
		if find(wanted, t.Name) == nil {
			names = append(names, t.Name)
		}
	}
	return names
}

// byTable parts differences by their tables, in their order.
func byTable(all []Difference) (parts [][]Difference) {
	for len(all) > 0 {
		n := 1
		for n < len(all) && all[n].Table == all[0].Table {
			n++
		}
		parts, all = append(parts, all[:n]), all[n:]
	}
	return parts
}
