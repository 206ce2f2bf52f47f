package postgres

import (
	"sync"
	"sync/atomic"

	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/store"
	"github.com/frondhost/frond/store/migration"
	"github.com/frondhost/frond/store/postgres/engine"
	"github.com/frondhost/frond/store/postgres/outbox"
	"github.com/frondhost/frond/store/sqltext"
)

// access is a database and the tables that statements are written for.
type access struct {
	db     *engine.DB
	outbox *outbox.Outbox
	// text writes the statements.
	text   sqltext.Database
	tables atomic.Pointer[tables]
	// changing says that this process makes the tables fit its cards.
	changing atomic.Bool
	// waiting is for a server that was down at the start.
	waiting waiting
	// serving shows other processes the tables that this one serves, and late fills rows of gateways with older cards.
	serving *serving
	// current are the definitions of the tables, by name.
	current atomic.Pointer[map[string]string]
	late    late
	// sorts says that the server cannot be kept from sorting, so that reads do without a [scan].
	sorts atomic.Bool
	named bool // answers name the constraints that no card describes
}

// tables are the compiled tables of the entities of the last Prepare.
type tables = store.Tables[*table]

// naming gives new tables and columns their names.
var naming = migration.Naming{Table: tableName, Column: columnName}

// newTables compiles the tables of entities that this program makes, in the given schema, under
// their names.
func newTables(entities []*schema.Entity, in string, names *migration.Names) (*tables, error) {
	return store.NewTables(entities, names, store.Own, func(e *schema.Entity, all *tables, stored func(key string) bool) (*table, error) {
		if e.Table != nil {
			return foreignTable(e, all.Foreign, in, stored)
		}
		return newTable(e, in, all.Names, stored)
	})
}

// fieldNames returns names of a field that its renames do not change.
func (s *access) fieldNames(e *schema.Entity, field string) []string {
	return s.tables.Load().FieldNames(e, field)
}

// table returns the table of an entity. Where the server was not there yet to be prepared, the error
// is SERVICE_UNAVAILABLE.
func (s *access) table(e *schema.Entity) (*table, error) {
	all := s.tables.Load()
	if t := all.ByEntity[e]; t != nil {
		return t, nil
	}
	if err := s.waiting.reason(); err != nil {
		return nil, err
	}
	return all.Table(e)
}

// serve answers calls over these tables from now on. A value beyond its card is logged once for its
// column.
func (s *access) serve(all *tables) {
	for _, t := range all.ByEntity {
		for _, c := range t.columns {
			said := sync.OnceFunc(func() {
				s.db.Log().Warn("a value is answered as null: it is infinite, no number, or outside the years 0000 to 9999", "table", t.Plain, "column", c.Name)
			})
			c.Decode = decoderOf(c.Column, said)
		}
	}
	s.tables.Store(all)
}
