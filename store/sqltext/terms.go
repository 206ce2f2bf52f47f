package sqltext

import (
	"slices"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/filter"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/facade/rows"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// Terms are the [facade.Terms] of a write as statements: the conditions on the row before the
// write, on the row after it, and on the rows that its relations name. They are compiled before the
// write begins, so that its transaction only runs them; they run inside that transaction, so that
// no other write comes between. The methods of nil Terms hold for everything.
type Terms struct {
	// of are the terms themselves.
	of *facade.Terms
	// look reads the row before the write; nil: no condition needs it.
	look *Builder
	// sel is what look selects.
	sel Selection
	// after counts the rows with a key that meet After; its first argument is the key.
	after *Builder
	// all counts the rows with one of several keys that meet After; made when it is needed.
	all    *Builder
	table  *Table // that is written
	points []pointing
}

// pointing is one relation whose targets are counted; the statement's first argument is the
// list of their keys:
//
//	SELECT count(*) FROM "author" AS t0 WHERE t0."id" IN (SELECT value FROM json_each(?)) AND …
type pointing struct {
	facade.Points
	target *Column
	count  *Builder
}

// Runner runs statements inside the transaction of a write.
type Runner interface {
	// Rows appends the rows that a statement returns to rows.
	Rows(sql []byte, args []Value, sel *Selection, found *rows.Rows) error
	// Number returns the one integer that a statement returns.
	Number(sql []byte, args []Value) (int64, error)
}

// Terms compiles the conditions of a write to t; nil without conditions. key and where belong to
// the row to change; a new row has no key yet. Free the result.
func (d *Database) Terms(t *Table, of *facade.Terms, key *Value, where *filter.Filter) (*Terms, error) {
	if of == nil {
		return nil, nil
	}
	m := &Terms{of: of, table: t}
	err := m.compile(d, t, key, where)
	if err != nil {
		m.Free()
		return nil, err
	}
	return m, nil
}

// compile writes the statements. look selects what Judge reads and, where a relation keeps its
// old targets without a check, the fields of those relations.
func (m *Terms) compile(d *Database, t *Table, key *Value, where *filter.Filter) error {
	var fields []string
	if m.of.Judge != nil && m.of.Read != nil {
		fields = append(fields, m.of.Read.Fields...)
	}
	layout := m.of.Read
	for _, p := range m.of.Points {
		if !p.All && (layout == nil || layout.Index(p.Field.Name) < 0) {
			fields, layout = append(fields, p.Field.Name), rows.NewLayout(append(fields, p.Field.Name))
		}
		target, err := d.Table(p.Field.Link.Target)
		if err != nil {
			return err
		}
		b := d.Builder()
		m.points = append(m.points, pointing{p, target.Primary, b})
		if err := countAmong(b, target, p.Where); err != nil {
			return err
		}
	}
	if key != nil && (m.of.Judge != nil || len(m.of.Points) > 0) {
		if err := m.sel.Choose(t, layout, nil); err != nil {
			return err
		}
		m.look = d.Builder()
		if err := m.look.selectRow(t, &m.sel, *key, where); err != nil {
			return err
		}
	}
	if m.of.After != nil {
		m.after = d.Builder()
		alias := m.after.Alias()
		m.after.Text("SELECT count(*) FROM ", t.Name, " AS ", alias)
		return m.after.oneRow(t, alias, Value{}, m.of.After)
	}
	return nil
}

// countAmong writes the number of rows of t that meet a condition and have one of several keys, which
// are its first argument.
func countAmong(b *Builder, t *Table, where *filter.Filter) error {
	alias := b.Alias()
	b.Text("SELECT count(*) FROM ", t.Name, " AS ", alias, " WHERE ")
	b.db.Dialect.OneOf(b, t.Primary, alias, Value{})
	b.reach = fewRows
	return b.also(where, t, alias)
}

// Judge reads the row before the write and passes it to Terms.Judge, whose error ends the write.
// there is false if no row has the key. set replaces the values of the caller; nil keeps them.
func (m *Terms) Judge(run Runner) (current rows.Row, set facade.Record, there bool, err error) {
	if m == nil || m.look == nil {
		return current, nil, true, nil
	}
	found := rows.New(m.sel.Layout, 1)
	if err := run.Rows(m.look.SQL, m.look.Args, &m.sel, found); err != nil || found.Len() == 0 {
		return current, nil, false, err
	}
	current = found.Row(0)
	if m.of.Judge != nil {
		set, err = m.of.Judge(current)
	}
	return current, set, true, err
}

// CheckRelations checks that the relations of new values name rows that exist and that the caller
// may point at, in one statement for each relation. Otherwise the error is Dangling. was is the
// row before the write, the zero Row of new ones; own are the keys of the new rows, which count
// as existing.
func (m *Terms) CheckRelations(run Runner, was rows.Row, is []facade.Record, own []Value) error {
	if m == nil {
		return nil
	}
	for _, p := range m.points {
		var known []Value
		switch {
		case m.look == nil && p.Field.Link.Target == p.Field.Owner:
			// The rows of this insert are not there yet, and may point at each other.
			known = own
		case m.look != nil && !p.All:
			// The earlier targets of the row may stay, also where the caller may no longer see them.
			known = targets(p.Field, nil, was.Get(p.Field.Name))
		}
		values := make([][]byte, 0, len(is))
		if p.Of == nil {
			for _, record := range is {
				values = append(values, record.Get(p.Field.Name))
			}
		}
		for _, i := range p.Of {
			values = append(values, is[i].Get(p.Field.Name))
		}
		ids := targets(p.Field, known, values...)
		if len(ids) == 0 {
			continue
		}
		p.count.Args[0] = p.count.db.Dialect.Keys(p.target, ids)
		n, err := run.Number(p.count.SQL, p.count.Args)
		if err != nil {
			return err
		}
		if n < int64(len(ids)) {
			return kiterror.Dangling(p.Field)
		}
	}
	return nil
}

// CheckVisible checks that the written rows meet Terms.After, so that they remain visible to their
// writer (docs/decisions/writes-and-versions.md). Otherwise the error is Terms.Unmet.
func (m *Terms) CheckVisible(run Runner, keys ...Value) error {
	if m == nil || m.after == nil || len(keys) == 0 {
		return nil
	}
	b := m.after
	if len(keys) == 1 {
		bindKey(b.Args, m.table.Primary, keys[0])
	} else {
		if m.all == nil {
			m.all = b.db.Builder()
			if err := countAmong(m.all, m.table, m.of.After); err != nil {
				return err
			}
		}
		b = m.all
		b.Args[0] = b.db.Dialect.Keys(m.table.Primary, slices.Clone(keys)) // a clone, so that one key takes no allocation
	}
	n, err := run.Number(b.SQL, b.Args)
	if err == nil && n < int64(len(keys)) {
		err = m.of.Unmet
	}
	return err
}

// targets are the distinct keys that values of a relation name, without known. A value of
// another type than the target's key stays in the list as a key that no row has.
func targets(p *schema.Property, known []Value, values ...[]byte) []Value {
	var ids []Value
	seen := map[Value]bool{}
	for _, id := range known {
		seen[id] = true
	}
	add := func(v []byte) {
		a, fault := Encode(p.Link.Target.Primary, v)
		if fault != "" {
			a = BlobValue(string(v)) // of another kind: it is no row's
		}
		if a.Kind != Null && !seen[a] {
			seen[a] = true
			ids = append(ids, a)
		}
	}
	for _, value := range values {
		if !p.Link.Many {
			add(value)
			continue
		}
		for _, v := range jsontext.Elements(value) {
			add(v)
		}
	}
	return ids
}

// Free gives the builders back; m may be nil.
func (m *Terms) Free() {
	if m == nil {
		return
	}
	for _, b := range []*Builder{m.look, m.after, m.all} {
		if b != nil {
			b.Free()
		}
	}
	for _, p := range m.points {
		p.count.Free()
	}
}
