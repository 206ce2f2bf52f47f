package postgres

import (
	"github.com/frondhost/frond/store/migration"
	"github.com/frondhost/frond/store/postgres/engine"
)

// Move implements [migration.Database]. Constraints and indexes are renamed with their tables and
// columns, in one short transaction a table. A search is dropped, and the next pass makes it.
func (m *migrator) Move(after *migration.Names, moves []migration.Move) error {
	later, err := m.compile(after)
	if err != nil {
		return err
	}
	for i := range moves {
		mv := &moves[i]
		t, to := m.tables.ByName[mv.Table], later.ByName[mv.To]
		w := work{table: t}
		if m.have[t.Plain] == nil || mv.Refused {
			m.add(mv.Step, w)
			continue
		}
		if t.Search != nil {
			ch := &change{Change: &migration.Change{Was: &migration.Table{Name: t.Plain}}, m: m, t: t}
			w.groups = ch.dropIndex(t.Search.Name)
		}
		w.groups = append(w.groups, one(m.move(mv, t, to)...))
		m.add(mv.Step, w)
	}
	return nil
}

// move are the statements that make the table t the table to.
func (m *migrator) move(mv *migration.Move, t, to *table) (sql []string) {
	p := m.have[t.Plain]
	relation := func(kind, from, to string) {
		if from != to {
			sql = append(sql, "ALTER "+kind+" "+m.Qualified(from)+" RENAME TO "+quote(to))
		}
	}
	part := func(kind, from, to string) {
		if from != to {
			sql = append(sql, "ALTER TABLE "+m.Qualified(mv.To)+" RENAME "+kind+" "+quote(from)+" TO "+quote(to))
		}
	}
	relation("TABLE", t.Plain, to.Plain)
	for _, c := range mv.Columns {
		part("COLUMN", c.From, c.To)
	}
	if p.primaryName == t.primaryName() {
		part("CONSTRAINT", p.primaryName, to.primaryName())
	}
	for i, c := range t.columns {
		was, is := p.column(c.Plain), to.columns[i]
		if was == nil || c.Plain == is.Plain {
			continue
		}
		for j := range was.Checks {
			keyword := was.Checks[j].Keyword
			part("CONSTRAINT", c.constraint(keyword), is.constraint(keyword))
			for k := range is.def.Checks {
				if is.def.Checks[k].Keyword == keyword {
					sql = append(sql, to.comment(is, &is.def.Checks[k]))
				}
			}
		}
		if was.reference == c.constraint(references) {
			part("CONSTRAINT", was.reference, is.constraint(references))
		}
	}
	for i := range t.Indexes {
		if _, there := p.indexes[t.Indexes[i].Name]; there {
			relation("INDEX", t.Indexes[i].Name, to.Indexes[i].Name)
		}
	}
	of := " WHERE schema = " + literal(m.schema) + ` AND "table" = ` + literal(t.Plain)
	sql = append(sql, "DELETE FROM "+engine.Bookkeeping+".names"+of)
	for _, c := range mv.Entries {
		sql = append(sql, m.nameSQL(c))
	}
	return append(sql, "UPDATE "+engine.Bookkeeping+`.definitions SET "table" = `+literal(to.Plain)+of)
}
