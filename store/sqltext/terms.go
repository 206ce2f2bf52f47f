package sqltext

import (
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
	after  *Builder
	points []pointing
	// primary is the key of the table that is written.
	primary *Column
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

// Terms compiles the conditions of a write to t; nil without conditions. key and where are those of
// the row that is changed; a new row has no key yet. Free the result.
func (d *Database) Terms(t *Table, of *facade.Terms, key *Value, where *filter.Filter) (*Terms, error) {
	if of == nil {
		return nil, nil
	}
	m := &Terms{of: of, primary: t.Primary}
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
		alias := b.Alias()
		b.Text("SELECT count(*) FROM ", target.Name, " AS ", alias, " WHERE ")
		d.Dialect.OneOf(b, target.Primary, alias, Value{})
		b.reach = fewRows
		if err := b.also(p.Where, target, alias); err != nil {
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

// Judge reads the row before the write and passes it to Terms.Judge, whose error ends the write.
// there is false where no row has the key. set replaces the values of the caller; nil keeps them.
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

// CheckRelations checks that the relations of a row that will be written name rows that exist
// and that the caller may point at. The error is Dangling where one does not. was is the row
// before the write, the zero Row of a new one; own are the keys of the rows that are written
// with it, which count as existing.
func (m *Terms) CheckRelations(run Runner, was rows.Row, is facade.Record, own []Value) error {
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
			known = targets(p.Field, was.Get(p.Field.Name), nil)
		}
		ids := targets(p.Field, is.Get(p.Field.Name), known)
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

// CheckVisible checks that a row that was written meets Terms.After, so that it remains visible
// to its writer (docs/decisions/writes-and-versions.md). The error is Terms.Unmet where it does
// not.
func (m *Terms) CheckVisible(run Runner, key Value) error {
	if m == nil || m.after == nil {
		return nil
	}
	bindKey(m.after.Args, m.primary, key)
	n, err := run.Number(m.after.SQL, m.after.Args)
	if err == nil && n == 0 {
		err = m.of.Unmet
	}
	return err
}

// targets are the distinct keys that the value of a relation names, without known. A value of
// another type than the target's key stays in the list as a key that no row has.
func targets(p *schema.Property, value []byte, known []Value) []Value {
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
	if !p.Link.Many {
		add(value)
		return ids
	}
	for _, v := range jsontext.Elements(value) {
		add(v)
	}
	return ids
}

// Free gives the builders back; m may be nil.
func (m *Terms) Free() {
	if m == nil {
		return
	}
	for _, b := range []*Builder{m.look, m.after} {
		if b != nil {
			b.Free()
		}
	}
	for _, p := range m.points {
		p.count.Free()
	}
}
