package resolvers_test

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/graphql-go/graphql"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/rows"
	"github.com/frondhost/frond/projection"
	"github.com/frondhost/frond/resolvers"
)

type colour int

func colours(values any) *graphql.Enum {
	config := graphql.EnumValueConfigMap{"RED": {Value: colour(1)}, "BLUE": {Value: colour(2), DeprecationReason: "too cold"}}
	if values == "text" {
		config = graphql.EnumValueConfigMap{"RED": {Value: "r"}, "BLUE": {Value: "b"}}
	}
	return graphql.NewEnum(graphql.EnumConfig{Name: "Colour", Values: config})
}

func point() *graphql.InputObject {
	p := graphql.NewInputObject(graphql.InputObjectConfig{Name: "Point", Fields: graphql.InputObjectConfigFieldMap{
		"x": {Type: graphql.NewNonNull(graphql.Int)}, "y": {Type: graphql.Int, DefaultValue: 9},
	}})
	p.AddFieldConfig("next", &graphql.InputObjectFieldConfig{Type: p})
	return p
}

// TestDefaultsByHand: a default is given in Go, and arrives as it would had it been
// sent; one that no literal writes, or that does not fit, fails the start.
func TestDefaultsByHand(t *testing.T) {
	list := func(t graphql.Type) *graphql.List { return graphql.NewList(t) }
	for name, c := range map[string]struct {
		typ   graphql.Input
		value any
		want  string // the literal and what arrives; or the error
	}{
		"a number":               {graphql.Int, 7, `7 → 7`},
		"a pointer":              {graphql.Int, pointer(7), `7 → 7`},
		"a named number":         {graphql.Int, colour(7), `7 → 7`},
		"a large float":          {graphql.Float, 1e21, `1e+21 → 1e+21`},
		"false":                  {graphql.Boolean, false, `false → false`},
		"a text":                 {graphql.String, "a \"b\"\n\x01", `"a \"b\"\n\u0001" → "a \"b\"\n\x01"`},
		"an ID that is a number": {graphql.ID, 7, `7 → "7"`},
		"a list":                 {list(graphql.String), []string{"a", "b"}, `["a", "b"] → []interface {}{"a", "b"}`},
		"an array":               {list(graphql.Int), [2]int{1, 2}, `[1, 2] → []interface {}{1, 2}`},
		"a list of lists":        {list(list(graphql.Int)), [][]int{{1}, {}}, `[[1], []] → []interface {}{[]interface {}{1}, []interface {}{}}`},
		"a list of one":          {list(graphql.Int), 5, `5 → []interface {}{5}`},
		"required in required":   {graphql.NewNonNull(list(graphql.NewNonNull(graphql.Int))), []any{1}, `[1] → []interface {}{1}`},
		"an enum":                {colours(nil), colour(2), `BLUE → 2`},
		"an enum of texts":       {colours("text"), "b", `BLUE → "b"`},
		"a list of enums":        {list(colours(nil)), []colour{2, 1}, `[BLUE, RED] → []interface {}{2, 1}`},
		"an object":              {point(), map[string]any{"x": 1, "next": map[string]int{"x": 2}}, `{next: {x: 2}, x: 1} → map[string]interface {}{"next":map[string]interface {}{"x":2, "y":9}, "x":1, "y":9}`},
		"an object with null":    {point(), map[string]any{"x": 1, "y": nil}, `{x: 1, y: null} → map[string]interface {}{"x":1, "y":interface {}(nil)}`},

		"another type":           {graphql.Int, "x", `the default of Query.echo(a:) does not fit its type Int`},
		"no value of the enum":   {colours(nil), colour(7), `the default of Query.echo(a:) does not fit its type Colour`},
		"a field that is not":    {point(), map[string]any{"x": 1, "z": 1}, `Field "z" is not defined by type "Point"`},
		"a field that has to be": {point(), map[string]any{}, `Field "Point.x" of required type "Int!" was not provided`},
		"infinity":               {graphql.Float, math.Inf(1), `the default of a is a Go float64, which has no literal`},
		"a struct":               {point(), struct{ X int }{1}, `the default of a is a Go struct { X int }, which has no literal`},
	} {
		t.Run(name, func(t *testing.T) {
			b := projection.NewBuilder()
			err := projection.RegisterOperations(b, "query", graphql.Fields{"echo": {
				Type: graphql.String, Args: graphql.FieldConfigArgument{"a": {Type: c.typ, DefaultValue: c.value}},
				Resolve: func(p graphql.ResolveParams) (any, error) { return fmt.Sprintf("%#v", p.Args["a"]), nil },
			}})
			if err != nil {
				t.Fatal(err)
			}
			s, err := b.Build()
			if err != nil {
				if strings.Contains(c.want, " → ") || !strings.Contains(err.Error(), c.want) {
					t.Errorf("%v, want %s", err, c.want)
				}
				return
			}
			e, err := resolvers.NewEngine(s, fake{}, nil)
			if err != nil {
				t.Fatal(err)
			}
			var got struct {
				Echo string
				Type struct {
					Fields []struct {
						Args []struct{ DefaultValue *string }
					}
				} `json:"__type"`
			}
			a := asked(t, e, `{ echo __type(name: "Query") { fields { args { defaultValue } } } }`, ``)
			decode(t, string(a.Data), &got)
			literal := ""
			for _, f := range got.Type.Fields {
				for _, arg := range f.Args {
					if arg.DefaultValue != nil {
						literal = *arg.DefaultValue
					}
				}
			}
			if s := literal + " → " + got.Echo; s != c.want {
				t.Errorf("got  %s\nwant %s", s, c.want)
			}
		})
	}
}

// TestTypesByHand: what a hand-written field may bring along: interfaces, unions
// distinguished by IsTypeOf, lists of lists, scalars, enums with values of their own, and
// rows of generated types among them.
func TestTypesByHand(t *testing.T) {
	type circle struct{ R float64 }
	type square struct{ A int }
	b := newBlogWith(t, func(b *projection.Builder) error {
		shape := graphql.NewInterface(graphql.InterfaceConfig{Name: "Shape", Fields: graphql.Fields{"area": {Type: graphql.NewNonNull(graphql.Float)}}})
		round := graphql.NewObject(graphql.ObjectConfig{
			Name: "Circle", Interfaces: []*graphql.Interface{shape},
			IsTypeOf: func(p graphql.IsTypeOfParams) bool { _, ok := p.Value.(circle); return ok },
			Fields: graphql.Fields{
				"area": {Type: graphql.NewNonNull(graphql.Float), Resolve: func(p graphql.ResolveParams) (any, error) { return p.Source.(circle).R * 2, nil }},
				"r":    {Type: graphql.Float},
			},
		})
		edged := graphql.NewObject(graphql.ObjectConfig{
			Name: "Square", Interfaces: []*graphql.Interface{shape},
			IsTypeOf: func(p graphql.IsTypeOfParams) bool { _, ok := p.Value.(square); return ok },
			Fields: graphql.Fields{
				"area": {Type: graphql.NewNonNull(graphql.Float), Resolve: func(p graphql.ResolveParams) (any, error) {
					return nil, fmt.Errorf("squares are secret")
				}},
				"a": {Type: graphql.Int},
			},
		})
		either := graphql.NewUnion(graphql.UnionConfig{Name: "Either", Types: []*graphql.Object{round, edged}})
		colour := colours(nil)
		return projection.RegisterOperations(b, "query", graphql.Fields{
			"shapes":  {Type: graphql.NewList(shape), Resolve: func(graphql.ResolveParams) (any, error) { return []any{circle{1.5}, square{2}, nil}, nil }},
			"either":  {Type: either, Resolve: func(graphql.ResolveParams) (any, error) { return circle{1}, nil }},
			"neither": {Type: either, Resolve: func(graphql.ResolveParams) (any, error) { return 7, nil }},
			"grid": {Type: graphql.NewList(graphql.NewList(graphql.NewNonNull(round))), Resolve: func(graphql.ResolveParams) (any, error) {
				return [][]circle{{{1}, {2}}, {}}, nil
			}},
			"paint": {
				Type: graphql.NewList(colour), Args: graphql.FieldConfigArgument{"with": {Type: graphql.NewList(graphql.NewList(colour))}},
				Resolve: func(p graphql.ResolveParams) (any, error) { return p.Args["with"].([]any)[0], nil },
			},
		})
	})
	execute(t, b.engine, []execution{
		{"an interface", `{ shapes { __typename ... on Circle { area r } ... on Square { a } } }`, ``, `{"shapes":[{"__typename":"Circle","area":3,"r":1.5},{"__typename":"Square","a":2},null]}`},
		{"an interface's field", `{ shapes { area ... on Square { x: a } } }`, ``, `{"shapes":[{"area":3},null,null]} 1:12/shapes.1.area`},
		{"a union", `{ either { __typename ... on Shape { area } ... on Square { a } } }`, ``, `{"either":{"__typename":"Circle","area":2}}`},
		{"of no type", `{ neither { __typename } }`, ``, `{"neither":null} 1:3/neither`},
		{"a list of lists", `{ grid { r ... on Shape { area } } }`, ``, `{"grid":[[{"r":1,"area":2},{"r":2,"area":4}],[]]}`},
		{"enums", `query($c: Colour = RED) { paint(with: [[BLUE, $c]]) }`, ``, `{"paint":["BLUE","RED"]}`},
		{"possible types", `{ __type(name: "Shape") { possibleTypes { name } } }`, ``, `{"__type":{"possibleTypes":[{"name":"Circle"},{"name":"Square"}]}}`},
		{
			"deprecated values", `{ __type(name: "Colour") { enumValues(includeDeprecated: true) { name isDeprecated deprecationReason } } }`, ``,
			`{"__type":{"enumValues":[{"name":"BLUE","isDeprecated":true,"deprecationReason":"too cold"},{"name":"RED","isDeprecated":false,"deprecationReason":null}]}}`,
		},
	})
}

// TestAuthorsTypesReadRows: ResolveType, IsTypeOf and Resolve of an author's types are given rows
// as the façade's, by the engine and by graphql.Do alike, and nothing of the executors.
func TestAuthorsTypesReadRows(t *testing.T) {
	found := threeRows()
	var seen []string
	note := func(v any) { seen = append(seen, fmt.Sprintf("%T", v)) }
	b := newBlogWith(t, func(b *projection.Builder) error {
		post := b.Type("Post").(*graphql.Object)
		mine := graphql.NewObject(graphql.ObjectConfig{
			Name: "Mine", IsTypeOf: func(p graphql.IsTypeOfParams) bool { note(p.Value); return true },
			Fields: graphql.Fields{"name": {Type: graphql.String, Resolve: func(p graphql.ResolveParams) (any, error) {
				return string(p.Source.(rows.Row).Get("id")), nil
			}}},
		})
		either := graphql.NewUnion(graphql.UnionConfig{Name: "Either", Types: []*graphql.Object{post, mine}, ResolveType: func(p graphql.ResolveTypeParams) *graphql.Object {
			note(p.Value)
			return post
		}})
		gives := func(v any) graphql.FieldResolveFn {
			return func(graphql.ResolveParams) (any, error) { return v, nil }
		}
		return projection.RegisterOperations(b, catalog.Query, graphql.Fields{
			"row":   {Type: either, Resolve: gives(found.Row(0))},
			"later": {Type: either, Resolve: gives(func() (any, error) { return found.Row(0), nil })},
			"rows":  {Type: graphql.NewList(either), Resolve: gives(found)},
			"mine":  {Type: mine, Resolve: gives(found.Row(1))},
		})
	})
	for _, c := range []struct{ name, query, want string }{
		{"a row", `{ row { ... on Post { title } } }`, `{"row":{"title":"A"}}`},
		{"a row of a thunk", `{ later { ... on Post { title } } }`, `{"later":{"title":"A"}}`},
		{"rows and a relation below", `{ rows { ... on Post { author { id } title } } }`, `{"rows":[{"author":{"id":"ada"},"title":"A"},{"author":{"id":"bob"},"title":"B"},{"author":{"id":"ada"},"title":"C"}]}`},
		{"an object of the author's", `{ mine { name } }`, `{"mine":{"name":"2"}}`},
	} {
		seen = nil
		if got := b.do(c.query, ""); got != `{"data":`+c.want+`}` {
			t.Errorf("%s: %s", c.name, got)
		}
		byEngine := seen
		seen = nil
		text, _ := json.Marshal(graphql.Do(graphql.Params{Schema: b.reference(), RequestString: c.query, Context: t.Context()}))
		if string(text) != `{"data":`+c.want+`}` {
			t.Errorf("%s, graphql.Do: %s", c.name, text)
		}
		for _, typ := range append(byEngine, seen...) {
			if typ != "rows.Row" {
				t.Errorf("%s: a function of the author's was given a %s", c.name, typ)
			}
		}
		if len(byEngine) == 0 || len(seen) != len(byEngine) {
			t.Errorf("%s: the engine asked %d times, graphql.Do %d", c.name, len(byEngine), len(seen))
		}
	}
}

// TestSeveralRowsAreNoObject: rows where one object is expected, and one row or a page where a
// list is, fail the field; neither the first row nor a part of the page stands for the rest.
func TestSeveralRowsAreNoObject(t *testing.T) {
	found := threeRows()
	b := newBlogWith(t, func(b *projection.Builder) error {
		post := b.Type("Post").(*graphql.Object)
		fields := graphql.Fields{}
		for name, v := range map[string]any{
			"several": &facade.Result{Form: facade.FormRows, Rows: found}, "rows": found, "slice": []rows.Row{found.Row(0), found.Row(1)},
			"two": &facade.Result{Form: facade.FormRow, Rows: found}, "later": func() (any, error) { return found, nil },
		} {
			fields[name] = &graphql.Field{Type: post, Resolve: func(graphql.ResolveParams) (any, error) { return v, nil }}
		}
		for name, v := range map[string]any{
			"row": &facade.Result{Form: facade.FormRow, Rows: found}, "page": &facade.Result{Form: facade.FormPage, Rows: found},
		} {
			fields[name] = &graphql.Field{Type: graphql.NewList(post), Resolve: func(graphql.ResolveParams) (any, error) { return v, nil }}
		}
		return projection.RegisterOperations(b, catalog.Query, fields)
	})
	for _, name := range []string{"several", "rows", "slice", "two", "later", "row", "page"} {
		a := asked(t, b.engine, `{ x: `+name+` { title } }`, "")
		if string(a.Data) != `{"x":null}` || len(a.Errors) != 1 || a.Errors[0].Extensions.Code != "INTERNAL_ERROR" {
			t.Errorf("%s: %s %+v", name, a.Data, a.Errors)
		}
	}
}

// threeRows are posts that no store holds.
func threeRows() *rows.Rows {
	found, _ := rows.Read(rows.NewLayout([]string{"id", "title", "authorId"}),
		json.RawMessage(`[{"id":1,"title":"A","authorId":"ada"},{"id":2,"title":"B","authorId":"bob"},{"id":3,"title":"C","authorId":"ada"}]`))
	return found
}
