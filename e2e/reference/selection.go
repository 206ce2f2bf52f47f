package reference

import (
	"slices"

	"github.com/graphql-go/graphql"
	"github.com/graphql-go/graphql/language/ast"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/resolvers/binding"
)

// columns returns the columns that a selection set over rows of typ reads. Nil is every
// column: a field that was registered by hand may read any. fields are the fields above the
// set.
func (e *executor) columns(info graphql.ResolveInfo, fields []*ast.Field, typ string) []string {
	columns, all := []string{}, false
	visit(info, fields, typ, func(f *ast.Field) {
		switch b := e.fields.Of(typ, f.Name.Value); {
		// It reads no column.
		case f.Name.Value == "__typename":
		case b == nil:
			all = true
		case !slices.Contains(columns, b.Column):
			columns = append(columns, b.Column)
		}
	})
	if all {
		return nil
	}
	return columns
}

// pageColumns sets the columns and extras that a call for a connection reads: the columns of
// items and of edges together, a cursor of each row, whether there are rows before the page,
// and the position of the log. total reports whether total is selected.
func (e *executor) pageColumns(c *facade.Call, info graphql.ResolveInfo, fields []*ast.Field, typ string) (total bool) {
	columns, all := []string{}, false
	add := func(of *ast.Field, typ string) {
		more := e.columns(info, []*ast.Field{of}, typ)
		all = all || more == nil
		for _, c := range more {
			if !slices.Contains(columns, c) {
				columns = append(columns, c)
			}
		}
	}
	visit(info, fields, typ, func(f *ast.Field) {
		b := e.fields.Of(typ, f.Name.Value)
		if b == nil {
			return
		}
		below := fieldType(info, typ, f)
		switch b.Kind {
		case binding.Total:
			total = true
		case binding.Position:
			c.Position = true
		case binding.Items, binding.WrittenRow:
			add(f, below)
		case binding.Edges:
			visit(info, []*ast.Field{f}, below, func(part *ast.Field) {
				switch b := e.fields.Of(below, part.Name.Value); {
				case b == nil:
				case b.Kind == binding.EdgeCursor:
					c.Cursors = true
				case b.Kind == binding.EdgeNode:
					add(part, fieldType(info, below, part))
				}
			})
		// Its cursors and hasPreviousPage cost the façade extra work, so they are asked for by
		// name.
		case binding.PageInfo:
			visit(info, []*ast.Field{f}, below, func(i *ast.Field) {
				if b := e.fields.Of(below, i.Name.Value); b != nil {
					c.Cursors = c.Cursors || b.Kind == binding.StartCursor
					c.Behind = c.Behind || b.Kind == binding.HasPreviousPage
				}
			})
		}
	})
	if c.Select = columns; all {
		c.Select = nil
	}
	return total
}

// fieldType returns the name of the type of a field of typ, without list and non-null, or ""
// for an unknown field.
func fieldType(info graphql.ResolveInfo, typ string, f *ast.Field) string {
	if o, ok := info.Schema.Type(typ).(*graphql.Object); ok {
		if def := o.Fields()[f.Name.Value]; def != nil {
			return graphql.GetNamed(def.Type).String()
		}
	}
	return ""
}

// visit calls do with every field that is selected below fields on an object of typ, as
// CollectFields does (specification 6.3.2).
func visit(info graphql.ResolveInfo, fields []*ast.Field, typ string, do func(*ast.Field)) {
	var walk func(set *ast.SelectionSet)
	// A fragment adds its fields once, as in CollectFields.
	seen := map[string]bool{}
	walk = func(set *ast.SelectionSet) {
		if set == nil {
			return
		}
		for _, s := range set.Selections {
			switch s := s.(type) {
			case *ast.Field:
				if included(info, s.Directives) {
					do(s)
				}
			case *ast.InlineFragment:
				if included(info, s.Directives) && applies(info, s.TypeCondition, typ) {
					walk(s.SelectionSet)
				}
			case *ast.FragmentSpread:
				f, _ := info.Fragments[s.Name.Value].(*ast.FragmentDefinition)
				if f != nil && !seen[s.Name.Value] && included(info, s.Directives) && applies(info, f.TypeCondition, typ) {
					seen[s.Name.Value] = true
					walk(f.SelectionSet)
				}
			}
		}
	}
	for _, f := range fields {
		walk(f.SelectionSet)
	}
}

// applies reports whether a fragment's type condition includes the object type typ
// (DoesFragmentTypeApply, GraphQL 6.3.2).
func applies(info graphql.ResolveInfo, condition *ast.Named, typ string) bool {
	if condition == nil || condition.Name.Value == typ {
		return true
	}
	o, _ := info.Schema.Type(typ).(*graphql.Object)
	abstract, ok := info.Schema.Type(condition.Name.Value).(graphql.Abstract)
	return ok && o != nil && info.Schema.IsPossibleType(abstract, o)
}

// included decides @skip and @include (GraphQL 3.13.1, 3.13.2). A variable without a value is
// false.
func included(info graphql.ResolveInfo, directives []*ast.Directive) bool {
	for _, d := range directives {
		if d.Name.Value != "skip" && d.Name.Value != "include" {
			continue
		}
		for _, a := range d.Arguments {
			yes := false
			switch v := a.Value.(type) {
			case *ast.BooleanValue:
				yes = v.Value
			case *ast.Variable:
				yes, _ = info.VariableValues[v.Name.Value].(bool)
			}
			if yes == (d.Name.Value == "skip") {
				return false
			}
		}
	}
	return true
}
