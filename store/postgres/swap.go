package postgres

import (
	"context"
	"slices"
	"strings"

	"github.com/frondhost/frond/store/migration"
	"github.com/frondhost/frond/store/postgres/engine"
)

// changeType changes the type of a column while others use the table: a second column of the new
// type is filled in batches, and takes the place of the first one in a short transaction that
// has the table for itself. The second column has a name of its own, so that programs with older
// cards cannot mistake its values for values of the older type. Checks, the foreign key and
// indexes of the column are made again then, online. An interrupted change leaves its helpers,
// which the next plan removes.
//
//	ADD COLUMN "~new price" bigint, "~seen price" text
//	… batches: the new value, and its source
//	BEGIN; LOCK TABLE; the rows of later writes;
//	DROP COLUMN "price"; RENAME "~new price" TO "price_2"; the ledger of names; COMMIT
func (ch *change) changeType(s *migration.Step, d *migration.Difference) ([]group, error) {
	col := ch.t.byName(s.Column)
	from, to := d.WasColumn.Kind, d.Column.Kind
	// The values of the old type need no further checks.
	ch.Replaced[col.Plain] = true
	if d.Column.Primary {
		s.Refuse("it is the primary key, which other tables may point at", "keep the type, or move the rows to a new entity")
		return nil, nil
	}
	held := int64(0)
	if ch.Held > 0 {
		var err error
		if held, err = ch.Count("t." + col.Name + " IS NOT NULL"); err != nil {
			return nil, err
		}
	}
	if held == 0 {
		if ch.Held > 0 && col.def.NotNull && !col.def.Filled {
			s.NoValue(ch.Held)
			return nil, nil
		}
		return ch.swap(col, nil), nil
	}
	f := ch.Conversion(d.Column, from, to)
	if f == nil {
		s.NoConversion(held)
		return nil, nil
	}
	lost, err := ch.Fill(s, f)
	if err != nil || s.Refused {
		return nil, err
	}
	lossless := migration.Lossless(from, to)
	if condition := wholeNumber[from+" to "+to]; condition != "" {
		rounded, err := ch.Count("NOT (" + strings.ReplaceAll(condition, "$", "t."+col.Name) + ")")
		if err != nil {
			return nil, err
		}
		lossless = rounded == 0
	}
	if lost > 0 || !lossless || !f.Lossy {
		s.Convert(ch.Task, held, lost)
	}
	return ch.swap(col, &filling{Filling: f, column: col, to: shorten(helpers + "new " + col.Plain), seen: shorten(helpers + "seen " + col.Plain)}), nil
}

// wholeNumber has the conditions of values that are the same as integers and as numbers, by "from to to"; $ is the column. A number
// holds every integer up to 2^53.
var wholeNumber = map[string]string{
	"integer to number": "$ BETWEEN -9007199254740992 AND 9007199254740992",
	"number to integer": "$ = floor($) AND $ BETWEEN -9007199254740992 AND 9007199254740992",
}

// swap are the groups that replace a present column by one of the card's definition. f is nil
// if no row has a value.
func (ch *change) swap(was *column, f *filling) []group {
	is := ch.next.of(ch.next.Stored(was.Prop))
	second := is.def
	second.Name, second.NotNull, second.Default = shorten(helpers+"new "+was.Plain), false, ""
	seen := quote(shorten(helpers + "seen " + was.Plain))
	alter := ch.t.alter()
	groups := []group{one(
		alter+"DROP COLUMN IF EXISTS "+quote(second.Name), alter+"DROP COLUMN IF EXISTS "+seen,
		alter+"ADD COLUMN "+columnSQL(&second), alter+"ADD COLUMN "+seen+" text",
	)}
	if f != nil {
		groups = append(groups, group{fill: f})
	}
	end := []string{
		alter + "DROP COLUMN " + was.Name, alter + "DROP COLUMN " + seen,
		alter + "RENAME COLUMN " + quote(second.Name) + " TO " + is.Name,
		ch.forgetSQL(was.Plain), ch.m.nameSQL(ch.m.moved[was.Prop]),
	}
	if is.def.Default != "" {
		end = append(end, alter+"ALTER COLUMN "+is.Name+" SET DEFAULT "+is.def.Default)
		if is.def.NotNull && f == nil {
			end = append(end, "UPDATE "+ch.t.Name+" SET "+is.Name+" = "+is.def.Default)
		}
	}
	groups = append(groups, group{sql: end, swap: f})
	if is.def.NotNull {
		groups = append(groups, ch.neverNull(is.Plain, nil)...)
	}
	groups = append(groups, ch.holdAll(is)...)
	if is.refs != nil {
		groups = append(groups, one(ch.t.addReference(is, ch.m.schema)+" NOT VALID"), one(ch.t.validate(is.constraint(references))))
	}
	// Indexes on the column went with it.
	for i := range ch.t.Indexes {
		ix := &ch.t.Indexes[i]
		if now := ch.Was.Index(ix.Name); now != nil && now.Text == indexText(ix.Unique, columnsSQL(ix)) && slices.Contains(ix.All(), was.Column) {
			groups = append(groups, ch.makeIndex(&ch.next.Indexes[i])...)
		}
	}
	return groups
}

// swapped ends a change of a type, in a transaction that has the table for itself: what others
// wrote since the last pass is computed, and the columns change places.
func (s *access) swapped(ctx context.Context, c *engine.Conn, w work, g group) error {
	if err := c.Exec(strings.Join(g.begin(w.table), ";\n")); err != nil {
		return err
	}
	if _, err := s.pass(ctx, c, w, g.swap, func(int64) {}); err != nil {
		return err
	}
	return c.Exec(strings.Join(append(slices.Clip(g.sql), "COMMIT"), ";\n"))
}
