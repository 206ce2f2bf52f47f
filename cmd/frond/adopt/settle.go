package adopt

import (
	"slices"
	"strings"
	"unicode"

	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/store/dbschema"
)

// settle gives an entity another name in GraphQL if a name derived from its own is taken: by a
// name of every schema, or by an entity before it. A table called query becomes the type
// QueryRow.
func (b *builder) settle() {
	types, roots := map[string]bool{}, map[string]bool{"node": true, "nodes": true}
	for _, name := range reservedTypes {
		types[name] = true
	}
	for _, e := range b.project.Entities {
		own := schema.GraphQLType(e.Name)
		typ := own
		for n := 0; ; n++ {
			ofTypes, ofRoots := derivedNames(e, typ)
			if !anyOf(types, ofTypes) && !anyOf(roots, ofRoots) {
				add(types, ofTypes)
				add(roots, ofRoots)
				break
			}
			typ = own + strings.Repeat("Row", n+1)
		}
		if typ != own {
			e.GraphQL = typ
			b.note(named, e.Table.FullName(), "", "its type in GraphQL is %s, since a name of %s is taken", typ, own)
		}
	}
}

// reservedTypes are the names that every schema has, the filters of scalars included.
var reservedTypes = func() []string {
	scalars := []string{"Int", "Float", "String", "Boolean", "ID", "DateTime", "Date", "Time", "UUID", "JSON", "BigInt", "Decimal"}
	all := append([]string{"Query", "Mutation", "Subscription", "Node", "PageInfo", "SortDirection", "GroupValue", "GroupDate", "GroupDateTime", "Any", "Entity", "Service"}, scalars...)
	for _, s := range append(scalars, "Value") {
		all = append(all, s+"Filter", s+"ListFilter", s+"Aggregate", s+"Having", s+"GroupsOrderBy")
	}
	return all
}()

// derivedNames are the types and the root fields that are made for an entity whose type is
// called typ (docs/decisions/graphql-schema.md).
func derivedNames(e *Entity, typ string) (types, roots []string) {
	types = []string{typ, typ + "Input", "Create" + typ + "Input", "Update" + typ + "Input"}
	for _, suffix := range []string{"Connection", "Edge", "Filter", "ManyFilter", "OrderBy", "ManyOrderBy", "Aggregate", "Groups", "GroupsKey", "GroupsBy", "GroupsOrderBy", "Having"} {
		types = append(types, typ+suffix)
	}
	for _, f := range e.Fields {
		if f.Column != nil && f.Column.Type.Kind == dbschema.Enum {
			types = append(types, typ+schema.GraphQLType(f.Name), typ+schema.GraphQLType(f.Name)+"Filter")
		}
	}
	one := lowered(typ)
	many := schema.Plural(one)
	return types, []string{one, many, many + "ByIds", "create" + typ, "update" + typ, "delete" + typ}
}

// lowered is the name of a type as root fields have it: a run of capitals is one word.
func lowered(typ string) string {
	runes := []rune(typ)
	for i, r := range runes {
		if !unicode.IsUpper(r) || i > 0 && i+1 < len(runes) && unicode.IsLower(runes[i+1]) {
			break
		}
		runes[i] = unicode.ToLower(r)
	}
	return string(runes)
}

// anyOf says whether one of names is in taken.
func anyOf(taken map[string]bool, names []string) bool {
	return slices.ContainsFunc(names, func(name string) bool { return taken[name] })
}

// add enters names into taken.
func add(taken map[string]bool, names []string) {
	for _, name := range names {
		taken[name] = true
	}
}
