package store

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/store/dbschema"
	"github.com/frondhost/frond/store/migration"
	"github.com/frondhost/frond/store/sqltext"
)

// Tables are the compiled tables of the entities of the last preparation. A preparation replaces
// them whole. Use [NewTables]; only [Tables.Adopt] changes them afterwards.
type Tables[T engineTable] struct {
	ByEntity map[*schema.Entity]T
	ByKey    map[string]T
	// ByName has the tables by their names in the database.
	ByName map[string]T
	// Order has the tables that this program makes, as the entities were given.
	Order []T
	// Names are the names of the tables in Order and of their columns.
	Names *migration.Names
	// Mapped are the entities, by key, whose tables another program made. Adopt compiles them, after
	// their description Foreign.
	Mapped  map[string]*schema.Entity
	Foreign *dbschema.Database

	compile Compile[T]
}

// FieldNames implements [facade.Abilities].
func (t *Tables[T]) FieldNames(e *schema.Entity, field string) []string {
	if t == nil || t.Names == nil || !Own(e) {
		return []string{e.Key + "." + field}
	}
	return t.Names.Lasting(e.Key, field)
}

// Own reports whether this program makes the table of an entity: its card is not mapped to one.
func Own(e *schema.Entity) bool { return e.Table == nil }

// Compile compiles the table of an entity: one of this program, under the names of t, or one of
// another program, after t.Foreign. stored says by key which entities have a table: a relation to
// any other entity gets no foreign key.
type Compile[T engineTable] func(e *schema.Entity, t *Tables[T], stored func(key string) bool) (T, error)

// NewTables compiles the tables that this program makes: the tables of the entities for which own
// is true. Views and entities without a primary key have no table. The error lists the faults of
// every card whose table cannot be made.
func NewTables[T engineTable](entities []*schema.Entity, names *migration.Names, own func(*schema.Entity) bool, compile Compile[T]) (*Tables[T], error) {
	t := &Tables[T]{
		ByEntity: map[*schema.Entity]T{}, ByKey: map[string]T{}, ByName: map[string]T{},
		Names: names, Mapped: map[string]*schema.Entity{}, compile: compile,
	}
	var made []*schema.Entity
	stored := map[string]bool{}
	for _, e := range entities {
		switch {
		case e.Primary == nil || e.View:
		case own(e):
			made, stored[e.Key] = append(made, e), true
		default:
			t.Mapped[e.Key] = e
		}
	}
	return t, t.add(made, func(key string) bool { return stored[key] })
}

// Adopt compiles the tables that another program made, which db describes.
func (t *Tables[T]) Adopt(db *dbschema.Database) error {
	t.Foreign = db
	var mapped []*schema.Entity
	for _, key := range slices.Sorted(maps.Keys(t.Mapped)) {
		mapped = append(mapped, t.Mapped[key])
	}
	return t.add(mapped, func(key string) bool { return t.Has(key) || t.Mapped[key] != nil })
}

// Take gives t the tables that Adopt has compiled of the same entities.
func (t *Tables[T]) Take(adopted *Tables[T]) {
	for key, e := range t.Mapped {
		t.enter(e, adopted.ByKey[key])
	}
	t.Foreign = adopted.Foreign
}

// add compiles and enters tables.
func (t *Tables[T]) add(entities []*schema.Entity, stored func(key string) bool) error {
	var faults []error
	for _, e := range entities {
		is, err := t.compile(e, t, stored)
		if err == nil && t.Foreign == nil {
			if other, taken := t.ByName[is.Base().Plain]; taken {
				err = fmt.Errorf("the entities %s and %s have the same table %s; rename one of them", other.Base().Entity.Name, e.Name, is.Base().Plain)
			}
			t.Order = append(t.Order, is)
		}
		if err != nil {
			faults = append(faults, err)
			continue
		}
		t.enter(e, is)
	}
	return errors.Join(faults...)
}

func (t *Tables[T]) enter(e *schema.Entity, is T) {
	t.ByEntity[e], t.ByKey[e.Key], t.ByName[is.Base().Plain] = is, is, is
}

// Has reports whether the entity with this key has a table.
func (t *Tables[T]) Has(key string) bool {
	_, has := t.ByKey[key]
	return has
}

// Table returns the table of an entity, which may be of an older set of cards than these: requests
// that began before a change still run on theirs. Such a table is compiled for the call alone. An
// INTERNAL_ERROR says that no set of cards had the entity.
func (t *Tables[T]) Table(e *schema.Entity) (is T, err error) {
	if is, known := t.ByEntity[e]; known {
		return is, nil
	}
	if e == nil || !t.Has(e.Key) && !t.Names.Has(e.Key) {
		name := "?"
		if e != nil {
			name = e.Name
		}
		return is, kiterror.Internal(fmt.Errorf("store: there is no table for %s; hand the entity to Prepare", name))
	}
	return t.compile(e, t, t.Has)
}

// Describe makes a function that finds the table of an entity one that returns its description,
// for [sqltext.Database].
func Describe[T engineTable](table func(*schema.Entity) (T, error)) func(*schema.Entity) (*sqltext.Table, error) {
	return func(e *schema.Entity) (*sqltext.Table, error) {
		t, err := table(e)
		if err != nil {
			return nil, err
		}
		return t.Base(), nil
	}
}
