package schema

import (
	"slices"
	"time"
)

// Day is the last day on which the name is answered: 2027-06-01.
func (a *FieldAlias) Day() string { return a.Until.Format(time.DateOnly) }

// Reason says why the name is not to be used any more, for schemas and documents.
func (a *FieldAlias) Reason() string {
	return "renamed to " + a.Field.Name + "; answered until " + a.Day()
}

// Past reports whether the last day is over.
func (a *FieldAlias) Past(now time.Time) bool { return now.After(a.Until.Add(time.Second - 1)) }

// AddAlias adds an old name of a field. It is for whoever compiles a project, before the entity
// is in use.
func (e *Entity) AddAlias(a *FieldAlias) { e.Aliases = append(e.Aliases, a) }

// Alias returns what an old name of a field, of a relation or of its key means, in that
// spelling, or nil.
func (e *Entity) Alias(name string) *FieldAlias {
	for _, a := range e.Aliases {
		if a.Name == name || name != "" && (a.Relation == name || a.Key == name) {
			return a
		}
	}
	return nil
}

// Derives reports whether the view took the field called name over from an entity.
func (e *Entity) Derives(from *Entity, name string) bool {
	d := e.Card.Derived
	return e.View && d != nil && d.From == from.Key && slices.Contains(d.Survived, name)
}
