package postgres

import (
	"context"
	"slices"
	"strings"

	"github.com/frondhost/frond/store/migration"
	"github.com/frondhost/frond/store/postgres/engine"
)

// changeType changes the type of a column while others use the table: a second column of the
// new type is filled in batches, and takes the place of the first one in a short transaction
// that has the table for itself. It has a name of its own, so that programs with older cards
// cannot take its values for those of the older type. Checks, the foreign key and indexes of the
// column are made again then, online. An interrupted change leaves its helpers, which the next
// plan removes.
//
//	ADD COLUMN "~new price" bigint, "~seen price" text
//	… batches: the new value, and its source
//	BEGIN; LOCK TABLE; the rows that were written since;
//	DROP COLUMN "price"; RENAME "~new price" TO "price_2"; the ledger of names; COMMIT
func (ch *change) changeType(s *migration.Step, d *migration.Difference) ([]group, error) {
	col := ch.t.byName(s.Column)
	from, to := d.WasColumn.Kind, d.Column.Kind
	// Whatever comes of it, nothing else is asked of values of the old type.
	ch.filled[col.name], ch.swapped[col.name] = true, true
	if d.Column.Primary {
		s.Refuse("it is the primary key, which other tables may point at", "keep the type, or move the rows to a new entity")
		return nil, nil
	}
	held := int64(0)
	if ch.rows > 0 {
		var err error
		if held, err = ch.held.Count("t." + quote(s.Column) + " IS NOT NULL"); err != nil {
			return nil, err
		}
	}
	var f *filling
	if held > 0 {
		if f = ch.conversion(col, from, to); f == nil {
			s.NoConversion(held)
			return nil, nil
		}
		f.to, f.seen = shorten(helpers+"new "+col.name), shorten(helpers+"seen "+col.name)
		rows := s.Rows
		s.Rows = 0
		if err := ch.try(s, f); err != nil || s.Refused {
			return nil, err
		}
		lost, keys := s.Rows, s.Keys
		s.Rows, s.Keys = rows, nil
		lossless := migration.Lossless(from, to)
		if from == "integer" && to == "number" { // a number holds every integer up to 2^53
			rounded, err := ch.held.Count("t." + quote(s.Column) + " NOT BETWEEN -9007199254740992 AND 9007199254740992")
			if err != nil {
				return nil, err
			}
			lossless = rounded == 0
		}
		if lost > 0 || !lossless || f.value.Text != "" {
			s.Convert(ch.task, held, lost)
			s.Keys = keys
		}
	}
	if f == nil && ch.rows > 0 && col.notNull && col.fill == "" {
		s.NoValue(ch.rows)
		return nil, nil
	}
	return ch.swap(col, f), nil
}

// swap are the groups that put a column of the card's definition in the place of the one that
// is there. f is nil where no row has a value.
func (ch *change) swap(was *column, f *filling) []group {
	is := ch.next.of(ch.next.Stored(was.Prop))
	second := is.definition
	second.name, second.notNull = shorten(helpers+"new "+was.name), false
	seen := quote(shorten(helpers + "seen " + was.name))
	alter := ch.t.alter()
	groups := []group{one(
		alter+"DROP COLUMN IF EXISTS "+quote(second.name), alter+"DROP COLUMN IF EXISTS "+seen,
		alter+"ADD COLUMN "+second.sql(), alter+"ADD COLUMN "+seen+" text",
	)}
	if f != nil {
		groups = append(groups, group{fill: f})
	}
	end := []string{
		alter + "DROP COLUMN " + was.Name, alter + "DROP COLUMN " + seen,
		alter + "RENAME COLUMN " + quote(second.name) + " TO " + is.Name,
		ch.forgetSQL(was.name), ch.nameSQL(ch.moved[was.Prop]),
	}
	if is.fill != "" {
		end = append(end, alter+"ALTER COLUMN "+is.Name+" SET DEFAULT "+is.fill)
		if is.notNull && f == nil {
			end = append(end, "UPDATE "+ch.t.Name+" SET "+is.Name+" = "+is.fill)
		}
	}
	groups = append(groups, group{sql: end, swap: f})
	if is.notNull {
		groups = append(groups, ch.neverNull(is.name)...)
	}
	for _, ck := range is.checks {
		groups = append(groups, ch.hold(ck)...)
	}
	if is.refs != nil {
		groups = append(groups, one(ch.t.addReference(is, ch.schema)+" NOT VALID"), one(ch.t.validate(is.refs.name)))
	}
	// Indexes on the column went with it.
	for i, ix := range ch.t.indexes {
		if now := ch.was.Index(ix.name); now != nil && now.Text == indexText(ix.unique, ch.t.columnsSQL(ix)) && slices.Contains(ix.columns, was.name) {
			groups = append(groups, ch.makeIndex(ch.next.indexes[i])...)
		}
	}
	return groups
}

// swapped ends a change of a type, in a transaction that has the table for itself: what others
// wrote since the last pass is computed, and the columns change places.
func (s *Store) swapped(ctx context.Context, c *engine.Conn, w work, g group) error {
	if err := c.Exec(strings.Join(g.begin(w.table), ";\n")); err != nil {
		return err
	}
	if _, err := s.pass(ctx, c, w, g.swap, func(int64) {}); err != nil {
		return err
	}
	return c.Exec(strings.Join(append(slices.Clip(g.sql), "COMMIT"), ";\n"))
}
