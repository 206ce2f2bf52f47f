package resolvers

import (
	"fmt"

	"github.com/vektah/gqlparser/v2/ast"

	"github.com/frondhost/frond/resolvers/binding"
)

// whole returns why the engine cannot execute a field of the schema, or nil. A page is made
// of rows while it is written, so there is no value of it that a function of the author's
// could be given.
func whole(s *binding.Schema, loaded *ast.Schema) error {
	if sub := loaded.Subscription; sub != nil {
		for _, f := range sub.Fields {
			if b := s.Fields.Of(sub.Name, f.Name); b == nil || b.Kind != binding.Event && b.Kind != binding.Operation {
				return fmt.Errorf("resolvers: the field %s.%s announces no fact and is no query of a card; leave it out", sub.Name, f.Name)
			}
		}
	}
	for name, fields := range s.Fields {
		def := loaded.Types[name]
		if def == nil || !ofPages(fields) {
			continue
		}
		for _, f := range def.Fields {
			if fields[f.Name] == nil {
				return fmt.Errorf("resolvers: the field %s.%s was added by hand, and a %s is no row; add it to the type of the row, or give a type of your own", name, f.Name, name)
			}
		}
	}
	return nil
}

// ofPages reports whether bindings are those of a connection, an edge or a PageInfo.
func ofPages(fields map[string]*binding.Field) bool {
	for _, b := range fields {
		return b.Kind >= binding.Items // they come together or not at all
	}
	return false
}
