package sqlite

import (
	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
	"github.com/frondhost/frond/store/sqlite/engine"
)

// terms are the [facade.Terms] of a write as statements: what has to hold of the row as it is,
// of the row as it becomes, and of the rows that its relations name. They are compiled before
// the write queues, so that the one goroutine that writes only runs them; they run inside the
// write's transaction, so that no other write comes between.
type terms struct {
	// of are the terms themselves.
	of *facade.Terms
	// look reads the row as it stands; nil: nobody asks for it.
	look *builder
	// sel is what look selects.
	sel selection
	// after counts the rows with a key that meet After; its first argument is the key.
	after  *builder
	points []pointing
}

// pointing is one relation whose targets are counted; the statement's first argument is the
// JSON array of their keys:
//
//	SELECT count(*) FROM "author" AS t0 WHERE t0."id" IN (SELECT value FROM json_each(?)) AND …
type pointing struct {
	facade.Points
	count *builder
}

// terms compiles what has to hold for a write to t; nil where nothing has to. key and where
// are those of the row that is changed; a new row has no key yet. Free the result.
func (s *Store) terms(t *table, of *facade.Terms, key *engine.Value, where *facade.Filter) (*terms, error) {
	if of == nil {
		return nil, nil
	}
	m := &terms{of: of}
	err := m.compile(s, t, key, where)
	if err != nil {
		m.free()
		return nil, err
	}
	return m, nil
}

// compile writes the statements. look selects what Judge reads and, where a relation keeps its
// old targets without a check, the fields of those relations.
func (m *terms) compile(s *Store, t *table, key *engine.Value, where *facade.Filter) error {
	var fields []string
	if m.of.Judge != nil && m.of.Read != nil {
		fields = append(fields, m.of.Read.Fields...)
	}
	layout := m.of.Read
	for _, p := range m.of.Points {
		if !p.All && (layout == nil || layout.Index(p.Field.Name) < 0) {
			fields, layout = append(fields, p.Field.Name), facade.NewLayout(append(fields, p.Field.Name))
		}
		target, err := s.table(p.Field.Link.Target)
		if err != nil {
			return err
		}
		b := s.builder()
		m.points = append(m.points, pointing{p, b})
		alias := b.alias()
		b.text("SELECT count(*) FROM ", target.name, " AS ", alias, " WHERE ")
		b.column(alias, target.primary)
		b.text(" IN (SELECT value FROM json_each(")
		b.bind(engine.Value{})
		b.text("))")
		b.reach = fewRows
		if err := b.also(p.Where, target, alias); err != nil {
			return err
		}
	}
	if key != nil && (m.of.Judge != nil || len(m.of.Points) > 0) {
		if err := t.choose(&m.sel, layout, nil); err != nil {
			return err
		}
		m.look = s.builder()
		alias := m.look.alias()
		m.look.text("SELECT ")
		m.look.columns(&m.sel, alias)
		m.look.text(" FROM ", t.name, " AS ", alias)
		if err := m.look.oneRow(t, alias, *key, where); err != nil {
			return err
		}
	}
	if m.of.After != nil {
		m.after = s.builder()
		alias := m.after.alias()
		m.after.text("SELECT count(*) FROM ", t.name, " AS ", alias)
		return m.after.oneRow(t, alias, engine.Value{}, m.of.After)
	}
	return nil
}

// also writes one more condition.
func (b *builder) also(f *facade.Filter, t *table, alias string) error {
	if f != nil {
		b.text(" AND ")
		if err := b.filter(f, t, alias); err != nil {
			return err
		}
	}
	return b.ready()
}

// judge reads the row as it stands and passes it to Terms.Judge, whose error ends the write.
// there is false where no row has the key. set is what is to be written instead of what the
// caller gave, nil for just that.
func (m *terms) judge(c *engine.Conn) (current facade.Row, set facade.Record, there bool, err error) {
	if m == nil || m.look == nil {
		return current, nil, true, nil
	}
	rows := facade.NewRows(m.sel.layout, 1)
	if err := answer(c, m.look.sql, m.look.args, &m.sel, rows); err != nil || rows.Len() == 0 {
		return current, nil, false, err
	}
	current = rows.Row(0)
	if m.of.Judge != nil {
		set, err = m.of.Judge(current)
	}
	return current, set, true, err
}

// leads checks that the relations of what will be written lead to rows that exist and that the
// caller may point at: Dangling where one does not. was is the row as it stands, the zero Row
// of a new one; own are the keys of the rows that are written with it, which count as
// existing.
func (m *terms) leads(c *engine.Conn, was facade.Row, is facade.Record, own []engine.Value) error {
	if m == nil {
		return nil
	}
	for _, p := range m.points {
		var known []engine.Value
		switch {
		case m.look == nil && p.Field.Link.Target == p.Field.Owner:
			// The rows of this insert are not there yet, and may point at each other.
			known = own
		case m.look != nil && !p.All:
			// What the row pointed at before may stay, also where the caller may no longer see
			// it.
			known = targets(p.Field, was.Get(p.Field.Name), nil)
		}
		ids := targets(p.Field, is.Get(p.Field.Name), known)
		if len(ids) == 0 {
			continue
		}
		list := []byte{'['}
		for _, id := range ids {
			list = appendElement(list, id)
		}
		p.count.args[0] = engine.TextValue(string(append(list, ']')))
		n, err := c.Number(string(p.count.sql), p.count.args...)
		if err != nil {
			return err
		}
		if n < int64(len(ids)) {
			return facade.Dangling(p.Field)
		}
	}
	return nil
}

// stays checks that a row that was written meets Terms.After (it stays visible to who wrote
// it, docs/decisions/113), and returns Terms.Unmet where it does not.
func (m *terms) stays(c *engine.Conn, key engine.Value) error {
	if m == nil || m.after == nil {
		return nil
	}
	m.after.args[0] = key
	n, err := c.Number(string(m.after.sql), m.after.args...)
	if err == nil && n == 0 {
		err = m.of.Unmet
	}
	return err
}

// targets are the distinct keys that the value of a relation names, without known. A value of
// another type than the target's key stays in the list as a key that no row has.
func targets(p *schema.Property, value []byte, known []engine.Value) []engine.Value {
	var ids []engine.Value
	seen := map[engine.Value]bool{}
	for _, id := range known {
		seen[id] = true
	}
	add := func(v []byte) {
		a, fault := encode(p.Link.Target.Primary, v)
		if fault != "" {
			a = engine.Value{Kind: engine.Blob, S: string(v)} // of another kind: it is no row's
		}
		if a.Kind != engine.Null && !seen[a] {
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

// free gives the builders back; m may be nil.
func (m *terms) free() {
	if m == nil {
		return
	}
	for _, b := range []*builder{m.look, m.after} {
		if b != nil {
			b.free()
		}
	}
	for _, p := range m.points {
		p.count.free()
	}
}
