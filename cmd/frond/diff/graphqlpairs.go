package diff

import (
	"cmp"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"

	"github.com/frondhost/frond/resolvers/binding"
	"github.com/frondhost/frond/schema"
)

// put notes that two types are one, unless either has a partner already.
func (w *schemaWalk) put(was, is string) bool {
	if w.types[was] != "" || w.back[is] != "" {
		return false
	}
	w.types[was], w.back[is] = is, was
	return true
}

// pairTypes finds the partner of each old type.
func (w *schemaWalk) pairTypes(was, is *binding.Schema) {
	w.roots = map[string]string{}
	if was != nil && is != nil {
		w.pairRoots(was, is)
	}
	for name := range w.was.Types {
		if w.is.Types[name] != nil {
			w.put(name, name)
		}
	}
	// From the roots down: a type whose name was removed is paired with the type at the same
	// place.
	seen := map[string]bool{}
	queue := []string{"Query", "Mutation"}
	for len(queue) > 0 {
		name := queue[0]
		queue = queue[1:]
		old, now := w.was.Types[name], w.is.Types[w.types[name]]
		if seen[name] || old == nil || now == nil {
			continue
		}
		seen[name] = true
		for _, f := range old.Fields {
			to := now.Fields.ForName(w.fieldName(old, now, f.Name))
			if to == nil {
				continue
			}
			w.follow(f.Type.Name(), to.Type.Name())
			queue = append(queue, f.Type.Name())
			for _, a := range f.Arguments {
				if b := to.Arguments.ForName(a.Name); b != nil {
					w.follow(a.Type.Name(), b.Type.Name())
					queue = append(queue, a.Type.Name())
				}
			}
		}
	}
}

// follow pairs two types at one place. It only pairs a type whose name has changed with the
// name of its door or its field: a place may have another type now, and both names may be new
// to the other side.
//
//	Item is Product           ItemFilter is ProductFilter, CreateItemInput is CreateProductInput
//	item.size is item.extent  ItemSize is ItemExtent
func (w *schemaWalk) follow(a, b string) {
	if a != b && w.types[a] == "" && w.is.Types[a] == nil && w.was.Types[b] == nil && w.renamedTo(a, b) {
		w.put(a, b)
	}
}

// renamedTo reports whether a type's new name follows from the names that have changed.
func (w *schemaWalk) renamedTo(a, b string) bool {
	for _, first := range w.renamed {
		step := strings.Replace(a, first[0], first[1], 1)
		if step == b {
			return true
		}
		for _, second := range w.renamed {
			if step != a && strings.Replace(step, second[0], second[1], 1) == b {
				return true
			}
		}
	}
	return false
}

// pairRoots pairs the root fields by their operations, and the types of rows by their doors.
func (w *schemaWalk) pairRoots(was, is *binding.Schema) {
	now := map[string]string{} // operation to "Query.item"
	for _, root := range []string{"Query", "Mutation"} {
		for name, f := range is.Fields[root] {
			if f.Operation != nil && f.Alias == "" {
				now[root+" "+keyOf(f.Operation)] = name
			}
		}
	}
	for _, root := range []string{"Query", "Mutation"} {
		for name, f := range was.Fields[root] {
			if f.Operation == nil {
				continue
			}
			key := w.pair.newName(schema.EntityKey(f.Operation.Door.Name)) + "." + f.Operation.Name
			if kept := is.Fields.Of(root, name); kept != nil && kept.Operation != nil && keyOf(kept.Operation) == key {
				continue // an alias answers the old name
			}
			if to, ok := now[root+" "+key]; ok && to != name {
				w.roots[root+"."+name] = to
			}
		}
	}
	rows := map[string]string{} // entity key to the type of its rows
	for name, e := range entitiesOf(is) {
		if !e.View && is.AST.Types[name] != nil && is.AST.Types[name].Kind == ast.Object {
			rows[e.Key] = name
		}
	}
	for name, e := range w.entities {
		if d := w.was.Types[name]; e.View || d == nil || d.Kind != ast.Object {
			continue
		}
		if to, ok := rows[w.pair.newName(e.Key)]; ok && w.put(name, to) && name != to {
			w.renamed = append(w.renamed, [2]string{name, to})
		}
		for _, f := range e.Fields {
			if to := w.pair.newField(e, f.Name); to != f.Name {
				w.renamed = append(w.renamed, [2]string{schema.GraphQLType(f.Name), schema.GraphQLType(to)})
			}
		}
	}
}

// entitiesOf finds whose fields a type has: of rows the entity that a binding gives, of the
// inputs of built-in operations the entity of their door.
func entitiesOf(b *binding.Schema) map[string]*schema.Entity {
	out := map[string]*schema.Entity{}
	if b == nil {
		return out
	}
	for typ, fields := range b.Fields {
		def := b.AST.Types[typ]
		if def == nil {
			continue
		}
		for name, f := range fields {
			field := def.Fields.ForName(name)
			if field == nil {
				continue
			}
			if f.Output != nil && (f.Kind == binding.Items || f.Kind == binding.EdgeNode || f.Kind == binding.ToOne || f.Kind == binding.Operation && !f.IsPage()) {
				out[field.Type.Name()] = f.Output
			}
			if f.Kind == binding.Operation && f.Operation.Builtin {
				for _, a := range field.Arguments {
					if a.Name == "filter" || a.Name == "orderBy" || a.Name == "input" {
						out[a.Type.Name()] = f.Operation.Door.Entity
					}
				}
			}
		}
	}
	return out
}

// groupsOf finds the entities of the groups of lists: of the types whose members are fields of their rows.
func groupsOf(b *binding.Schema) map[string]*schema.Entity {
	out := map[string]*schema.Entity{}
	if b == nil {
		return out
	}
	for name, list := range b.Fields["Query"] {
		if list.Kind != binding.Operation || !list.Operation.Builtin || !list.IsPage() {
			continue
		}
		connection := b.AST.Types[b.AST.Types["Query"].Fields.ForName(name).Type.Name()]
		for name, f := range b.Fields[connection.Name] {
			if f.Kind != binding.Groups {
				continue
			}
			groups := connection.Fields.ForName(name)
			for _, a := range groups.Arguments {
				if a.Name == "by" || a.Name == "having" || a.Name == "orderBy" {
					out[a.Type.Name()] = list.Operation.Door.Entity
				}
			}
			group := b.AST.Types[groups.Type.Name()].Fields.ForName("items").Type.Name()
			out[group] = list.Operation.Door.Entity
			out[b.AST.Types[group].Fields.ForName(binding.GroupKey).Type.Name()] = list.Operation.Door.Entity
		}
	}
	return out
}

// fieldName is the name that a field of an old type has in the new one: its own if the new type
// has it, else the one of its operation or of the renamed field of the card.
func (w *schemaWalk) fieldName(old, now *ast.Definition, name string) string {
	if to, ok := w.roots[old.Name+"."+name]; ok {
		return to
	}
	if now.Fields.ForName(name) != nil {
		return name
	}
	if to, ok := w.pair.names(cmp.Or(w.entities[old.Name], w.groups[old.Name]))[name]; ok {
		return to
	}
	return name
}
