package graphqlhttp

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"

	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/resolvers/binding"
	"github.com/frondhost/frond/schema"
)

// sample is a document for one root field of a schema, for readers of /docs.
type sample struct {
	// Operation is the operation or the fact behind the field: product.list,
	// catalog.facts.productChanged.
	Operation string `json:"operation"`
	Field     string `json:"field"`
	Root      string `json:"root"` // query, mutation or subscription
	Document  string `json:"document"`
	// Values are values of variables, for an enum.
	Values map[string]string `json:"values,omitempty"`
}

// Samples returns, as JSON, a document for each root field that calls an operation or follows a
// fact, in the order of the schema. Required arguments and input are variables of the same names.
// shown says which operations and facts are listed; nil: all.
func Samples(s *binding.Schema, shown func(operation string) bool) json.RawMessage {
	all := []sample{}
	for _, root := range []*ast.Definition{s.AST.Query, s.AST.Mutation, s.AST.Subscription} {
		if root == nil {
			continue
		}
		for _, f := range root.Fields {
			b := s.Fields[root.Name][f.Name]
			one := sample{Field: f.Name, Root: strings.ToLower(root.Name)}
			switch {
			case b == nil || f.Directives.ForName("deprecated") != nil:
				continue
			case b.Kind == binding.Operation && root == s.AST.Subscription: // it takes @live, and is a query, too
				continue
			case b.Kind == binding.Operation:
				one.Operation = b.Operation.Door.Name + "." + b.Operation.Name
			case b.Kind == binding.Event:
				one.Operation = b.Frond + ".facts." + b.Fact
			default:
				continue
			}
			if shown == nil || shown(one.Operation) {
				if one.Document = sampleOf(s, f, one.Root); b.Operation != nil && b.IsNumbers() {
					one.Document = groupsOf(s, f)
				}
				one.Values = enumsOf(s, f)
				all = append(all, one)
			}
			if root == s.AST.Query && b.Operation != nil && b.IsList() {
				one.Operation, one.Values = b.Operation.Door.Name+"."+catalog.Aggregate, nil
				if one.Document = groupsOf(s, f); one.Document != "" && (shown == nil || shown(one.Operation)) {
					all = append(all, one)
				}
			}
		}
	}
	text, _ := json.Marshal(all) // texts alone
	return text
}

// enumsOf returns a value of each required argument of an enum, by the name of its variable: the second one, since the
// first of the keys of an upsert is the primary key.
func enumsOf(s *binding.Schema, f *ast.FieldDefinition) (values map[string]string) {
	for _, a := range f.Arguments {
		if of := s.AST.Types[a.Type.Name()]; a.Type.NonNull && a.DefaultValue == nil && of != nil && of.Kind == ast.Enum {
			if values == nil {
				values = map[string]string{}
			}
			values[a.Name] = of.EnumValues[min(1, len(of.EnumValues)-1)].Name
		}
	}
	return values
}

// groupsOf writes a document about the rows of a list and their groups; "" if its connection has no
// groups.
func groupsOf(s *binding.Schema, f *ast.FieldDefinition) string {
	groups := s.AST.Types[f.Type.Name()].Fields.ForName("groups")
	if groups == nil || s.Fields.Of(f.Type.Name(), "groups") == nil {
		return ""
	}
	keys := s.AST.Types[groups.Arguments.ForName("by").Type.Name()].Fields
	by := keys[min(1, len(keys)-1)].Name // the first one is mostly the primary key
	return fmt.Sprintf("query %sGroups {\n  %s {\n    aggregate {\n      count\n    }\n    groups(by: {%s: VALUE}, orderBy: {count: DESC}, first: 10) {\n      items {\n        key {\n          %[3]s\n        }\n        count\n      }\n      hasMore\n    }\n  }\n}\n", schema.GraphQLType(f.Name), f.Name, by)
}

// sampleOf writes the document of one field.
//
//	mutation UpdateProduct($id: ID!, $input: UpdateProductInput!) {
//	  updateProduct(id: $id, input: $input) {
//	    id
func sampleOf(s *binding.Schema, f *ast.FieldDefinition, root string) string {
	var variables, args []string
	for _, a := range f.Arguments {
		switch {
		case a.Type.NonNull && a.DefaultValue == nil || a.Name == "input":
			variables = append(variables, "$"+a.Name+": "+a.Type.String())
			args = append(args, a.Name+": $"+a.Name)
		case a.Name == "first":
			args = append(args, "first: 10")
		}
	}
	list := func(names []string) string {
		if len(names) == 0 {
			return ""
		}
		return "(" + strings.Join(names, ", ") + ")"
	}
	return fmt.Sprintf("%s %s%s {\n  %s%s%s\n}\n", root, schema.GraphQLType(f.Name), list(variables), f.Name, list(args), selected(s, s.AST.Types[f.Type.Name()], "  "))
}

// selected is the selection of a few fields of a type; "" of a type without fields.
func selected(s *binding.Schema, of *ast.Definition, indent string) string {
	if of == nil || of.IsLeafType() {
		return ""
	}
	lines := firstFields(s, of)
	switch items := of.Fields.ForName("items"); {
	case of.Kind == ast.Union || of.Kind == ast.Interface:
		lines = []string{"__typename"}
	case items != nil && of.Fields.ForName("endCursor") != nil:
		lines = []string{"total", "endCursor", "items" + selected(s, s.AST.Types[items.Type.Name()], indent+"  ")}
	default:
		for _, f := range of.Fields { // the row of an event
			if b := s.Fields[of.Name][f.Name]; b != nil && b.Kind == binding.EventRow {
				lines = append(lines, f.Name+selected(s, s.AST.Types[f.Type.Name()], indent+"  "))
			}
		}
	}
	return " {\n" + indent + "  " + strings.Join(lines, "\n"+indent+"  ") + "\n" + indent + "}"
}

// mostFirstFields is how many fields of a row a sample selects.
const mostFirstFields = 4

// firstFields are the first fields of a row that are values and take no arguments. A row
// without such a field gives __typename, since a selection cannot be empty (GraphQL spec 3.6).
func firstFields(s *binding.Schema, row *ast.Definition) (names []string) {
	for _, f := range row.Fields {
		b := s.Fields[row.Name][f.Name]
		if b != nil && b.Kind == binding.Column && b.Column != catalog.ETag && s.AST.Types[f.Type.Name()].IsLeafType() && f.Directives.ForName("deprecated") == nil && len(names) < mostFirstFields {
			names = append(names, f.Name)
		}
	}
	if names == nil {
		names = []string{"__typename"}
	}
	return names
}
