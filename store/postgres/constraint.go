package postgres

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/store/postgres/engine"
	"github.com/frondhost/frond/store/sqltext"
)

// constraint returns the caller's error for a write to t that broke a constraint; any other
// error is returned as it is, and nil for nil. written are the written rows or fields of a row;
// it is empty for a removal.
//
//	UNIQUE, the primary key included          CONFLICT with the fields (facade.Taken)
//	NOT NULL and CHECK of the written table   VALIDATION_FAILED with the card's keyword
//	NOT NULL of a column that no card has     SERVICE_UNAVAILABLE: newer cards have added it
//	NOT NULL of another table                 CONFLICT: the row is in use (facade.InUse)
//	a foreign key of the written row          CONFLICT: it leads nowhere (facade.Dangling)
//	a foreign key to the written row          CONFLICT: the row is in use
//	a value that its type cannot hold         VALIDATION_FAILED
//	a policy of row-level security            FORBIDDEN
//	an exception of the database's functions  CONFLICT
//
// The names that the server gives are of tables and columns: the log has them, and the answer only
// in development (Options.NameRules).
func (s *access) constraint(t *table, written []facade.Record, err error) error {
	if err == nil {
		return nil
	}
	code, name, tableName, columnName := engine.Violated(err)
	if raised := engine.Raised(err); raised != "" {
		return s.unexplained(err, raised, "table", t.Plain, "raised", raised)
	}
	if code == "" {
		if engine.Policy(err) {
			return engine.Forbidden(err)
		}
		if engine.BadValue(err) {
			return kiterror.Errorf(kiterror.ValidationFailed, "the database cannot hold one of the values; send one within its field's bounds%w", maskedError{err})
		}
		return err
	}
	broken := s.tables.Load().ByName[tableName]
	if broken == nil || broken.Plain == t.Plain {
		broken = t // which may be of an older set of cards
	}
	v, known := broken.violations[name]
	switch code {
	case engine.Unique:
		if known && v.unique != nil {
			return kiterror.Taken(v.unique...)
		}
	case engine.Check:
		if known && v.field != nil && broken == t && !t.Sparse { // a CHECK that no card has cannot be explained
			return sqltext.Refuse(v.field, v.keyword)
		}
	case engine.NotNull:
		if c := broken.byName(columnName); c != nil && broken == t {
			return sqltext.Refuse(c.Prop, "required")
		} else if c != nil { // onDelete: set null met a field that takes no null
			return kiterror.InUse(c.Prop)
		}
		if why := s.db.Verify(context.Background()); why != nil && broken == t && !t.Sparse {
			return engine.Newer(errors.Join(why, err))
		}
	case engine.ForeignKey, engine.Restrict:
		if !known || v.field == nil {
			break
		}
		if broken == t && sets(written, v.field.Name) {
			return kiterror.Dangling(v.field)
		}
		return kiterror.InUse(v.field)
	}
	rule := cmp.Or(name, columnName)
	switch {
	case rule == "": // raised by a function of the database
		rule = engine.Text(err)
	case tableName != "": // a domain has no table
		rule += " of " + tableName
	}
	return s.unexplained(err, rule, "table", tableName, "constraint", name, "column", columnName, "code", code)
}

// unexplained returns the CONFLICT of a rule that no card describes. The log names it, and in development
// the answer.
func (s *access) unexplained(err error, rule string, logged ...any) error {
	s.db.Log().Warn("a rule of the database that no card describes refused a write", logged...)
	if rule = " (" + rule + ")"; !s.named {
		rule = ""
	}
	return kiterror.Errorf(kiterror.Conflict, "the values break a rule of the database that no card describes%s; change them%w", rule, maskedError{err})
}

// sets says whether one of the records has a value for the field.
func sets(records []facade.Record, field string) bool {
	return slices.ContainsFunc(records, func(r facade.Record) bool {
		return slices.ContainsFunc(r, func(m schema.Member) bool { return m.Name == field })
	})
}
