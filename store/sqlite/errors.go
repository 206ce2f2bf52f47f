package sqlite

import (
	"errors"
	"strings"

	sqlite3 "github.com/ncruces/go-sqlite3"

	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/store/sqlite/engine"
	"github.com/frondhost/frond/store/sqltext"
)

// constraint returns the caller's error for a write to t that broke a constraint; any other error
// is returned unchanged.
//
//	UNIQUE, the primary key included          CONFLICT with the fields (facade.Taken)
//	NOT NULL and CHECK of the written table   VALIDATION_FAILED with the card's keyword
//	NOT NULL of another table                 CONFLICT: the row is in use (facade.InUse)
//	a constraint that no card describes       CONFLICT; the log names it, and in development the
//	                                          answer (Options.NameRules)
//
// A foreign key is not among them: it is judged when the write is done (see
// [Store.blameWrite]).
func (s *access) constraint(t *table, err error) error {
	if !errors.Is(err, sqlite3.CONSTRAINT) {
		return err
	}
	// The library keeps the message among other words: "sqlite3: constraint failed: <message>".
	_, message, _ := strings.Cut(err.Error(), "constraint failed: ")
	// SQLite gives no code for the constraint but its message, which names table and columns;
	// listViolations made the messages beforehand.
	v, ok := t.violations[message]
	if !ok {
		for _, other := range s.tables.Load().ByKey {
			if v, ok = other.violations[message]; ok {
				break
			}
		}
	}
	switch {
	case !ok && t.foreign && !engine.IsForeignKey(err):
		s.db.Log().Warn("a rule of the database that no card describes refused a write", "table", t.Entity.Table.Name, "constraint", message)
		rule := ""
		if s.named {
			rule = " (" + message + ")"
		}
		return kiterror.Errorf(kiterror.Conflict, "the values break a rule of the database that no card describes%s; change them, or describe the rule", rule)
	case !ok:
		return err
	case v.unique != nil:
		return kiterror.Taken(v.unique...)
	case v.field.Owner != t.Entity:
		// onDelete: set null met a field that takes no null: the row is held by it.
		return kiterror.InUse(v.field)
	}
	return sqltext.Refuse(v.field, v.keyword)
}
