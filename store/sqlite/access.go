package sqlite

import (
	"fmt"
	"sync/atomic"

	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/store"
	"github.com/frondhost/frond/store/migration"
	"github.com/frondhost/frond/store/sqlite/engine"
	"github.com/frondhost/frond/store/sqltext"
)

// access is a database and the tables that statements are written for.
type access struct {
	db     *engine.DB // nil: it is not open
	events eventLog
	// text writes the statements.
	text sqltext.Database
	// exact writes groups whose sums are exact for integers of any size.
	exact    sqltext.Database
	tables   atomic.Pointer[tables]
	changing atomic.Bool // this process makes the tables fit its cards
	older    atomic.Bool // newer cards have changed the tables
	named    bool        // answers name the constraints that no card describes
}

// tables are the compiled tables of the entities of the last Prepare.
type tables = store.Tables[*table]

// naming gives new tables and columns their names.
var naming = migration.Naming{Table: tableName, Column: columnName}

// newTables compiles the tables of entities under their names. Every entity of another program's
// database is mapped to one of its tables.
func newTables(db *engine.DB, entities []*schema.Entity, names *migration.Names) (*tables, error) {
	own := func(e *schema.Entity) bool { return !db.Foreign() || e.Table == nil }
	return store.NewTables(entities, names, own, func(e *schema.Entity, all *tables, stored func(key string) bool) (*table, error) {
		switch {
		case !db.Foreign():
			return newTable(e, all.Names, stored)
		case e.Table == nil:
			return nil, fmt.Errorf("entity %s has no table in this database; name one under tables in frond.yaml", e.Name)
		}
		return foreignTable(e, all.Foreign, db.Log(), stored)
	})
}

// fieldNames returns names of a field that its renames do not change.
func (s *access) fieldNames(e *schema.Entity, field string) []string {
	return s.tables.Load().FieldNames(e, field)
}

// table returns the table of an entity.
func (s *access) table(e *schema.Entity) (*table, error) { return s.tables.Load().Table(e) }
