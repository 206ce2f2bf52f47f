package sqltext

import (
	"slices"

	"github.com/frondhost/frond/facade/rows"
)

// Selection lists the columns of a read: the table's column for each field of a layout, and after
// them the sort columns that the layout does not have, of which cursors are made.
type Selection struct {
	// Layout says which fields the rows have; a read that only counts has no fields.
	Layout *rows.Layout
	// Fields are the columns of the layout, in its order.
	Fields []*Column
	// Extra are sort columns for Found.Keys alone, after Fields in the statement.
	Extra []*Column
	// keys are, for each sort key, its place in Fields, or len(Fields) + its place in Extra.
	keys []int
	// beyond says that a sort column may hold values beyond its card, which rows show as null.
	beyond bool

	columnRoom [16]*Column // for Fields, where these are enough: a selection is not copied
	keyRoom    [4]int      // likewise for keys
}

// Choose compiles a layout and an order into s. A nil layout selects no field: the read counts, or
// looks whether rows are there. An INTERNAL_ERROR says that a field is not stored. s must not be
// copied afterwards: its slices point into it.
func (s *Selection) Choose(t *Table, layout *rows.Layout, order []SortKey) error {
	if layout == nil {
		layout = noFields
	}
	s.Layout, s.Fields = layout, s.columnRoom[:0]
	for _, name := range layout.Fields {
		c, err := t.Column(t.Entity.Property(name))
		if err != nil {
			return err
		}
		s.Fields = append(s.Fields, c)
	}
	if len(order) == 0 {
		return nil
	}
	s.keys = s.keyRoom[:0]
	for i, k := range order {
		c := k.Column
		if k.Of != nil {
			if c = k.Of; i > 0 && order[i-1].Of == c {
				continue // a cursor has the key as it is read, once
			}
		}
		s.beyond = s.beyond || c.Beyond != nil
		if at := layout.Index(c.Prop.Name); at >= 0 {
			s.keys = append(s.keys, at)
			continue
		}
		s.keys = append(s.keys, len(s.Fields)+len(s.Extra))
		s.Extra = append(s.Extra, c)
	}
	return nil
}

// keeps says that the keys of cursors are not in the rows alone, so that [Take] keeps them.
func (s *Selection) keeps() bool { return len(s.Extra) > 0 || s.beyond }

// noFields is the layout of a read without fields.
var noFields = rows.NewLayout(nil)

// Also selects a column in addition to the layout's, and returns its place in the select list.
func (s *Selection) Also(c *Column) int {
	if i := slices.Index(s.Fields, c); i >= 0 {
		return i
	}
	s.Extra = append(s.Extra, c)
	return len(s.Fields) + len(s.Extra) - 1
}

// Width is how many columns [Builder.Columns] writes.
func (s *Selection) Width() int { return max(1, len(s.Fields)+len(s.Extra)) }

// Columns writes the select list, t0."id", t0."title"; without any column it writes 1, since
// SQL needs one.
func (b *Builder) Columns(s *Selection, alias string) {
	for i, c := range s.Fields {
		Separate(b, i, ", ")
		b.Column(alias, c)
	}
	for i, c := range s.Extra {
		Separate(b, len(s.Fields)+i, ", ")
		b.Column(alias, c)
	}
	if len(s.Fields)+len(s.Extra) == 0 {
		b.Text("1")
	}
}
