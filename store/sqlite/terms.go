package sqlite

import (
	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
	"github.com/frondhost/frond/store/sqlite/engine"
)

// terms are a write's [facade.Terms] as statements. They are written before the
// write queues, so that the one goroutine that writes only runs them.
type terms struct {
	of     *facade.Terms
	look   *builder  // reads the row as it stands; nil: nobody asks for it
	sel    selection // of look
	after  *builder  // counts the rows with a key that meet After; its first argument is the key
	points []pointing
}

// pointing is one relation whose targets are counted; the statement's first argument
// is the JSON array of their keys.
type pointing struct {
	facade.Points
	count *builder
}

// terms compiles what has to hold for a write to t. key and where are those of the
// row that is changed; a new row has no key yet.
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

// judge reads the row as it stands and has it judged; there is false where it is
// not. set is what is written of it, nil where that is what was given.
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

// leads says whether the relations of what is going to be written lead to rows that
// are there. The row as it was is the zero Row where it is new; own are the keys of
// the rows that are written with it.
func (m *terms) leads(c *engine.Conn, was facade.Row, is facade.Record, own []engine.Value) error {
	if m == nil {
		return nil
	}
	for _, p := range m.points {
		var known []engine.Value
		switch {
		case m.look == nil && p.Field.Link.Target == p.Field.Owner:
			known = own
		case m.look != nil && !p.All:
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

// stays says whether a row that was written meets what it has to.
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

// targets are the distinct keys that the value of a relation names, without those
// that are known.
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
