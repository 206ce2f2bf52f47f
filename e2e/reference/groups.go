package reference

import (
	"github.com/graphql-go/graphql"
	"github.com/graphql-go/graphql/language/ast"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/resolvers/binding"
	"github.com/frondhost/frond/schema/jsontext"
)

// listed is the list that the pages of a level come from: groups of its rows are asked for by the same
// filter, for the rows that the pages belong to.
type listed struct {
	binding *binding.Field
	args    map[string]any
	above   *level // nil: a root field
	batches map[*ast.Field]*relationBatch
}

func newListed(b *binding.Field, args map[string]any, above *level) *listed {
	return &listed{b, args, above, map[*ast.Field]*relationBatch{}}
}

// pages are the pages of the list without their rows, one for each row above.
func (l *listed) pages() []any {
	pages := make([]any, len(l.above.rows))
	for i := range pages {
		pages[i] = &page{list: l, i: i}
	}
	return pages
}

// ungrouped is the error of a connection that no list answers.
var ungrouped = kiterror.Errorf(kiterror.NotImplemented, "the rows of this connection are chosen one by one; ask the list of their type for aggregate and groups, with a filter")

// grouped returns a thunk for aggregate or groups of a page.
func (e *executor) grouped(b *binding.Field, of *page, p graphql.ResolveParams) (any, error) {
	if of.list == nil {
		return nil, ungrouped
	}
	at := p.Info.FieldASTs[0]
	todo := of.list.batches[at]
	if todo == nil {
		todo = &relationBatch{run: func() ([]any, error) { return e.groupsOf(b, of.list, p) }}
		of.list.batches[at] = todo
	}
	return thunk(func() (any, error) { return todo.value(of.i) }), nil
}

// groupsOf makes the call for the pages of a level.
func (e *executor) groupsOf(b *binding.Field, l *listed, p graphql.ResolveParams) ([]any, error) {
	entity := ""
	if l.above == nil {
		entity = l.binding.Entity()
	} else {
		entity = l.binding.Door.Name
	}
	c := e.call(p.Context, entity, "aggregate")
	query, err := e.groupQuery(b, l, p)
	if err != nil {
		return nil, err
	}
	c.Invocation.Query = mustJSON(query)
	value := func(there *level, g facade.Group) any {
		if b.Kind == binding.Groups {
			return &page{rows: there.cut(g.From, g.To), Page: g.Page}
		}
		return there.row(g.From)
	}
	if l.above != nil {
		keys := l.above.keys(l.binding.Column)
		c.Each = &facade.Each{Field: l.binding.Relation.Each, Keys: keys, Through: l.binding.Relation.Through("", "")}
		if l.binding.Kind == binding.ToManyIDs {
			c.Each.Keys = nil
			for _, ids := range keys {
				for _, id := range jsontext.Elements(ids) {
					c.Each.Keys = append(c.Each.Keys, id)
				}
				c.Each.Ends = append(c.Each.Ends, len(c.Each.Keys))
			}
		}
		return e.groups(c, b, p, value)
	}
	res, callErr := e.caller.Call(p.Context, c)
	if callErr != nil {
		return nil, callErr
	}
	there := newLevel(res)
	return []any{value(there, facade.Group{To: len(there.rows), Page: res.Page})}, nil
}

// groupQuery is the query of aggregate: the arguments of groups, those of its list, and the functions that
// are selected or named.
func (e *executor) groupQuery(b *binding.Field, l *listed, p graphql.ResolveParams) (map[string]any, error) {
	query := map[string]any{}
	functions := e.functions(b, p)
	for _, a := range b.Args {
		value, sent := p.Args[a.Name]
		if !sent {
			continue
		}
		text, err := mustJSON(value), (*kiterror.Error)(nil)
		switch a.Into {
		case binding.IntoGroupBy:
			text, err = binding.GroupBy(text)
		case binding.IntoGroupSort:
			text, functions, err = binding.GroupSort(text, functions)
		case binding.IntoHaving:
			functions = binding.GroupHaving(text, functions)
		}
		if err != nil {
			return nil, err
		}
		query[a.Key] = text
	}
	for _, a := range l.binding.Args {
		if value, sent := l.args[a.Name]; sent && l.binding.Kind != binding.ToManyIDs && a.Into == binding.IntoQuery && a.Key != "offset" {
			query[a.Key] = value
		}
	}
	if len(functions) > 0 {
		query["select"] = functions
	}
	return query, nil
}

// functions are those that the selection of aggregate or of groups names.
func (e *executor) functions(b *binding.Field, p graphql.ResolveParams) (names []string) {
	typ := graphql.GetNamed(p.Info.ReturnType).String()
	of := func(fields []*ast.Field, typ string) {
		visit(p.Info, fields, typ, func(f *ast.Field) {
			column := e.fields.Of(typ, f.Name.Value)
			switch {
			case column == nil || column.Column == binding.GroupKey:
			case f.SelectionSet == nil:
				names = binding.With(names, column.Column)
			default:
				n := len(names)
				below := fieldType(p.Info, typ, f)
				visit(p.Info, []*ast.Field{f}, below, func(fn *ast.Field) {
					if fn.Name.Value != "__typename" {
						names = binding.With(names, column.Column+"."+e.fields.Of(below, fn.Name.Value).Column)
					}
				})
				if len(names) == n {
					names = binding.With(names, column.Column+".countDistinct")
				}
			}
		})
	}
	if b.Kind == binding.Aggregate {
		of(p.Info.FieldASTs, typ)
		return names
	}
	visit(p.Info, p.Info.FieldASTs, typ, func(f *ast.Field) {
		if part := e.fields.Of(typ, f.Name.Value); part != nil && part.Kind == binding.Items {
			of([]*ast.Field{f}, fieldType(p.Info, typ, f))
		}
	})
	return names
}

// groupsAlone reports whether nothing but groups is selected of a list, so that its rows are not read.
func (e *executor) groupsAlone(b *binding.Field, p graphql.ResolveParams) bool {
	groups, rows := b.IsNumbers(), false
	if b.IsList() || b.Kind == binding.ToManyIDs {
		typ := graphql.GetNamed(p.Info.ReturnType).String()
		visit(p.Info, p.Info.FieldASTs, typ, func(f *ast.Field) {
			part := e.fields.Of(typ, f.Name.Value)
			is := part != nil && (part.Kind == binding.Aggregate || part.Kind == binding.Groups)
			groups, rows = groups || is, rows || !is && f.Name.Value != "__typename"
		})
	}
	return groups && !rows
}
