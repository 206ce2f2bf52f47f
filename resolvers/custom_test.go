package resolvers_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/graphql-go/graphql"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/facade/rows"
	"github.com/frondhost/frond/projection"
	"github.com/frondhost/frond/resolvers"
	"github.com/frondhost/frond/resolvers/binding"
)

type sunshine struct {
	Hours int `json:"hours"`
	Sky   string
}

// handWritten registers fields of every kind beside the generated ones.
func handWritten(b *projection.Builder) error {
	sun := graphql.NewObject(graphql.ObjectConfig{Name: "Sun", Fields: graphql.Fields{
		"hours": {Type: graphql.NewNonNull(graphql.Int)},
		"sky":   {Type: graphql.String},
		"post": {Type: b.Type("Post").(graphql.Output), Resolve: func(p graphql.ResolveParams) (any, error) {
			return binding.Load(p.Context, "post", json.RawMessage(`2`)), nil
		}},
	}})
	rain := graphql.NewObject(graphql.ObjectConfig{Name: "Rain", Fields: graphql.Fields{
		"millimetres": {Type: graphql.Float},
	}})
	weather := graphql.NewUnion(graphql.UnionConfig{Name: "Weather", Types: []*graphql.Object{sun, rain}, ResolveType: func(p graphql.ResolveTypeParams) *graphql.Object {
		if _, ok := p.Value.(sunshine); ok {
			return sun
		}
		return rain
	}})
	level := graphql.NewEnum(graphql.EnumConfig{Name: "Level", Values: graphql.EnumValueConfigMap{"LOW": {Value: 1}, "HIGH": {Value: 9}}})
	box := graphql.NewInputObject(graphql.InputObjectConfig{Name: "Box", Fields: graphql.InputObjectConfigFieldMap{
		"n": {Type: graphql.Int}, "level": {Type: level, DefaultValue: 9}, "boxes": {Type: graphql.NewList(graphql.String)},
	}})
	author, post := b.Type("Author").(graphql.Output), b.Type("Post").(graphql.Output)
	row := func(p graphql.ResolveParams) rows.Row { return p.Source.(rows.Row) }
	text := func(v json.RawMessage) string { var s string; _ = json.Unmarshal(v, &s); return s }
	return errors.Join(
		projection.RegisterType(b, "Author", graphql.Fields{
			"greeting": {
				Type: graphql.NewNonNull(graphql.String), Args: graphql.FieldConfigArgument{"loud": {Type: graphql.Boolean, DefaultValue: false}},
				Resolve: func(p graphql.ResolveParams) (any, error) {
					s := "Hello " + text(row(p).Get("name"))
					if p.Args["loud"] == true {
						s = strings.ToUpper(s)
					}
					return s, nil
				},
			},
			"weather": {Type: weather, Resolve: func(p graphql.ResolveParams) (any, error) {
				switch text(row(p).Get("id")) {
				case "ada":
					return sunshine{Hours: 7, Sky: "blue"}, nil
				case "bob":
					return map[string]any{"millimetres": 2.5}, nil
				}
				return nil, nil
			}},
			"grumpy": {Type: graphql.String, Resolve: func(p graphql.ResolveParams) (any, error) { return nil, kiterror.Errorf(kiterror.Forbidden, "go away") }},
			"clumsy": {Type: graphql.String, Resolve: func(p graphql.ResolveParams) (any, error) { panic("the secret of the stack") }},
			"leaky":  {Type: graphql.String, Resolve: func(p graphql.ResolveParams) (any, error) { return nil, errors.New("the secret of the disk") }},
			"lazy":   {Type: graphql.String, Resolve: func(p graphql.ResolveParams) (any, error) { return func() (any, error) { return "later", nil }, nil }},
			"lazyFail": {Type: graphql.String, Resolve: func(p graphql.ResolveParams) (any, error) {
				return func() (any, error) { return nil, kiterror.Errorf(kiterror.Conflict, "too late") }, nil
			}},
			"empty": {Type: graphql.NewNonNull(graphql.String), Resolve: func(p graphql.ResolveParams) (any, error) { return nil, nil }},
		}),
		projection.RegisterType(b, "Post", graphql.Fields{
			"rival": {Type: post, Resolve: func(p graphql.ResolveParams) (any, error) {
				var id int
				_ = json.Unmarshal(row(p).Get("id"), &id)
				return binding.Load(p.Context, "post", json.RawMessage(fmt.Sprint(1+id%3))), nil
			}},
			"chatter": {Type: graphql.NewList(graphql.NewNonNull(b.Type("Comment"))), Resolve: func(p graphql.ResolveParams) (any, error) {
				return binding.LoadMany(p.Context, "comment", "post", row(p).Get("id")), nil
			}},
		}),
		projection.RegisterOperations(b, catalog.Query, graphql.Fields{
			"firstAuthors": {Type: graphql.NewList(author), Resolve: func(p graphql.ResolveParams) (any, error) {
				return []any{
					binding.Load(p.Context, "author", json.RawMessage(`"bob"`)), nil, binding.Load(p.Context, "author", json.RawMessage(`"nobody"`)),
				}, nil
			}},
			"popular": {Type: b.Type("PostConnection").(graphql.Output), Resolve: func(p graphql.ResolveParams) (any, error) {
				found, _ := rows.Read(rows.NewLayout([]string{"id", "title", "authorId"}), json.RawMessage(`[{"id":1,"title":"A","authorId":"ada"},{"id":2,"title":"B","authorId":"bob"}]`))
				return &facade.Result{Form: facade.FormPage, Rows: found, Page: facade.Page{Total: 2, HasMore: true, Cursors: []string{"a", "b"}}}, nil
			}},
			"echo": {Type: graphql.String, Args: graphql.FieldConfigArgument{
				"n": {Type: graphql.Int}, "f": {Type: graphql.Float}, "id": {Type: graphql.ID}, "s": {Type: graphql.NewList(graphql.String)},
				"level": {Type: level}, "box": {Type: box}, "json": {Type: b.Type("JSON").(graphql.Input)},
			}, Resolve: func(p graphql.ResolveParams) (any, error) {
				return fmt.Sprintf("%#v", p.Args), nil
			}},
			"numbers":  {Type: graphql.NewList(graphql.Int), Resolve: func(p graphql.ResolveParams) (any, error) { return []int{1, 2, 3}, nil }},
			"levels":   {Type: graphql.NewList(level), Resolve: func(p graphql.ResolveParams) (any, error) { return []any{1, nil, 9}, nil }},
			"notAList": {Type: graphql.NewList(graphql.Int), Resolve: func(p graphql.ResolveParams) (any, error) { return 7, nil }},
		}),
		projection.RegisterOperations(b, catalog.Command, graphql.Fields{
			"touch": {Type: graphql.Int, Args: graphql.FieldConfigArgument{"n": {Type: graphql.Int}}, Resolve: func(p graphql.ResolveParams) (any, error) { return p.Args["n"], nil }},
			"must": {Type: graphql.NewNonNull(graphql.Int), Resolve: func(p graphql.ResolveParams) (any, error) {
				return nil, kiterror.Errorf(kiterror.Conflict, "it must not")
			}},
		}),
	)
}

// TestHandWritten: fields with a Resolve of their own run in both engines alike.
func TestHandWritten(t *testing.T) {
	b := newBlogWith(t, handWritten)
	for _, q := range []string{
		`{ authors { items { id greeting a: greeting(loud: true) } } }`,
		`{ author(id: "ada") { greeting } }`,
		`{ authors { items { weather { __typename ... on Sun { hours sky } ... on Rain { millimetres } } } } }`,
		`{ authors { items { weather { ... on Sun { post { id author { name greeting } } } } } } }`,
		`{ authors { items { name lazy } } }`,
		`{ posts(first: 4) { items { id rival { id title author { name } rival { id } } } } }`,
		`{ posts(first: 4) { items { chatter { text author { name } post { id } } author { greeting } } } }`,
		`{ numbers levels }`,
		`{ popular { total hasMore endCursor items { title author { name greeting } rival { id } } edges { cursor node { id } } pageInfo { startCursor } } }`,
		`{ posts(first: 2) { items { author { mentor { greeting } } } } postLatest(n: 1) { author { greeting } } }`,
		`{ echo(n: 1, f: 2.5, id: 7, s: "a") }`,
		`{ echo(level: LOW) }`,
		`{ echo(box: {n: 1}) }`,
		`mutation { a: touch(n: 1) postPublish(id: 1) { author { greeting } } b: touch(n: 2) }`,
		`mutation { a: touch(n: 1) b: must }`,
	} {
		t.Run("", func(t *testing.T) { b.same(t, q, "") })
	}
	for _, c := range []struct{ name, query, want string }{
		{
			"an error with a code keeps it", `{ author(id: "ada") { id grumpy } }`,
			`{"data":{"author":{"id":"ada","grumpy":null}},"errors":[{"message":"go away","locations":[{"line":1,"column":26}],"path":["author","grumpy"],"extensions":{"code":"FORBIDDEN"}}]}`,
		},
		{
			"an error without one says nothing", `{ author(id: "ada") { leaky } }`,
			`{"data":{"author":{"leaky":null}},"errors":[{"message":"something went wrong on our side","locations":[{"line":1,"column":23}],"path":["author","leaky"],"extensions":{"code":"INTERNAL_ERROR"}}]}`,
		},
		{
			"nor does a panic", `{ author(id: "ada") { clumsy } }`,
			`{"data":{"author":{"clumsy":null}},"errors":[{"message":"something went wrong on our side","locations":[{"line":1,"column":23}],"path":["author","clumsy"],"extensions":{"code":"INTERNAL_ERROR"}}]}`,
		},
		{
			"an error of a thunk", `{ author(id: "ada") { lazyFail } }`,
			`{"data":{"author":{"lazyFail":null}},"errors":[{"message":"too late","locations":[{"line":1,"column":23}],"path":["author","lazyFail"],"extensions":{"code":"CONFLICT"}}]}`,
		},
		{
			"null for a required field", `{ author(id: "ada") { empty } }`,
			`{"data":{"author":null},"errors":[{"message":"Cannot return null for non-nullable field Author.empty.","locations":[{"line":1,"column":23}],"path":["author","empty"],"extensions":{"code":"INTERNAL_ERROR"}}]}`,
		},
		{
			"no list", `{ notAList }`,
			`{"data":{"notAList":null},"errors":[{"message":"something went wrong on our side","locations":[{"line":1,"column":3}],"path":["notAList"],"extensions":{"code":"INTERNAL_ERROR"}}]}`,
		},
		{
			"rows in a list, and none", `{ firstAuthors { id posts { total } } }`,
			`{"data":{"firstAuthors":[{"id":"bob","posts":{"total":5}},null,null]}}`,
		},
		{"an explicit null is there, an omitted argument is not", `query($n: Int, $m: Int) { echo(n: null, f: $n, box: {n: null, boxes: $m}) }`, ``},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := untraced(b.do(c.query, ""))
			if c.want != "" && got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
			if strings.Contains(got, "secret") {
				t.Errorf("%s tells a secret", got)
			}
		})
	}
	for _, c := range []struct{ query, variables, want string }{
		{`{ echo(n: null) }`, ``, `map[string]interface {}{"n":interface {}(nil)}`},
		{`query($n: Int) { echo(n: $n) }`, ``, `map[string]interface {}{}`},
		{`query($n: Int) { echo(n: $n) }`, `{"n":null}`, `map[string]interface {}{"n":interface {}(nil)}`},
		{`{ echo(box: {n: null}) }`, ``, `map[string]interface {}{"box":map[string]interface {}{"level":9, "n":interface {}(nil)}}`},
		{`{ echo(level: HIGH, json: {a: [1, null]}) }`, ``, `map[string]interface {}{"json":map[string]interface {}{"a":[]interface {}{1, interface {}(nil)}}, "level":9}`},
	} {
		var r struct{ Data struct{ Echo string } }
		decode(t, b.do(c.query, c.variables), &r)
		if r.Data.Echo != c.want {
			t.Errorf("%s %s\ngot  %s\nwant %s", c.query, c.variables, r.Data.Echo, c.want)
		}
	}
}

// TestHandWrittenBatches: what a level's fields load goes in one call, whatever the
// number of rows.
func TestHandWrittenBatches(t *testing.T) {
	b := newBlogWith(t, handWritten)
	b.do(`{ posts { items { rival { author { name } } } } }`, "")
	var got []string
	for _, c := range b.calls() {
		got = append(got, c.Entity+"."+c.Operation)
	}
	if s := strings.Join(got, " "); s != "post.list post.findById author.findById" {
		t.Errorf("calls: %s", s)
	}
}

// TestHandWrittenOnPages: a page is no row, and the start says so.
func TestHandWrittenOnPages(t *testing.T) {
	b := newBlogWith(t, nil)
	nb := projection.NewBuilder()
	if err := projection.RegisterAll(nb, b.facade.Catalog(), nil); err != nil {
		t.Fatal(err)
	}
	if err := projection.RegisterType(nb, "PostEdge", graphql.Fields{"since": {Type: graphql.String}}); err != nil {
		t.Fatal(err)
	}
	s, err := nb.Build()
	if err != nil {
		t.Fatal(err)
	}
	_, err = resolvers.NewEngine(s, b.facade, nil)
	if err == nil || !strings.Contains(err.Error(), "PostEdge.since") {
		t.Errorf("%v, want an error that names PostEdge.since", err)
	}
}

// TestHandWrittenObjects: an object may be given as JSON, as a struct, as a map or as a
// façade's result. Fields of a generated type are read from it as from a row, those
// below it included; fields by hand are given the value itself.
func TestHandWrittenObjects(t *testing.T) {
	const row = `{"id":"ada","name":"Ada","age":36,"address":{"street":"S","zip":"Z"}}`
	type place struct {
		Street string `json:"street"`
		Zip    string `json:"zip"`
	}
	type author struct {
		ID      string `json:"id"`
		Name    string `json:"name"`
		Age     int    `json:"age"`
		Address place  `json:"address"`
	}
	result := func(form facade.Form, found string) *facade.Result {
		r, ok := rows.Read(rows.NewLayout([]string{"id", "name", "age", "address"}), json.RawMessage(found))
		if !ok {
			t.Fatal(found)
		}
		return &facade.Result{Form: form, Rows: r}
	}
	given := map[string]any{
		"text":    json.RawMessage(row),
		"struct":  author{"ada", "Ada", 36, place{"S", "Z"}},
		"pointer": &author{"ada", "Ada", 36, place{"S", "Z"}},
		"map":     map[string]any{"id": "ada", "name": "Ada", "age": 36, "address": map[string]string{"street": "S", "zip": "Z"}},
		"result":  result(facade.FormRow, `[`+row+`]`),
		"value":   &facade.Result{Form: facade.FormValue, Value: json.RawMessage(row)},
		"nothing": result(facade.FormRow, `[]`),
		"null":    json.RawMessage(`null`),
		"array":   json.RawMessage(`[]`),
		"number":  7,
	}
	b := newBlogWith(t, func(b *projection.Builder) error {
		one, moon := b.Type("Author").(graphql.Output), graphql.NewObject(graphql.ObjectConfig{Name: "Moon", Fields: graphql.Fields{
			"name": {Type: graphql.String}, "age": {Type: graphql.Int},
		}})
		fields := graphql.Fields{}
		for name, value := range given {
			resolve := func(graphql.ResolveParams) (any, error) { return value, nil }
			fields[name+"Author"] = &graphql.Field{Type: one, Resolve: resolve}
			fields[name+"Later"] = &graphql.Field{Type: one, Resolve: func(graphql.ResolveParams) (any, error) {
				return func() (any, error) { return value, nil }, nil
			}}
			fields[name+"List"] = &graphql.Field{Type: graphql.NewList(one), Resolve: func(graphql.ResolveParams) (any, error) { return []any{value}, nil }}
			fields[name+"Moon"] = &graphql.Field{Type: moon, Resolve: resolve}
		}
		fields["authors2"] = &graphql.Field{Type: graphql.NewList(one), Resolve: func(graphql.ResolveParams) (any, error) {
			return result(facade.FormRows, `[`+row+`,{"id":"bob","name":"Bob"}]`), nil
		}}
		page := result(facade.FormPage, `[`+row+`]`)
		page.Page = facade.Page{Total: 7, HasMore: true, Cursors: []string{"c"}}
		fields["pageLater"] = &graphql.Field{Type: b.Type("AuthorConnection").(graphql.Output), Resolve: func(graphql.ResolveParams) (any, error) {
			return func() (any, error) { return page, nil }, nil
		}}
		fields["pages"] = &graphql.Field{Type: graphql.NewList(b.Type("AuthorConnection")), Resolve: func(graphql.ResolveParams) (any, error) {
			return []any{page}, nil
		}}
		fields["authors3"] = &graphql.Field{Type: graphql.NewList(one), Resolve: func(graphql.ResolveParams) (any, error) {
			return json.RawMessage(`[` + row + `,null,{"id":"bob","name":"Bob"}]`), nil
		}}
		return projection.RegisterOperations(b, catalog.Query, fields)
	})
	const whole = `{"id":"ada","name":"Ada","age":36,"address":{"zip":"Z"},"posts":{"total":4}}`
	for name, want := range map[string]string{
		"text": whole, "struct": whole, "pointer": whole, "map": whole, "result": whole, "value": whole,
		"nothing": `null`, "null": `null`, "array": `an error`, "number": `an error`,
	} {
		got := untraced(b.do(`{ `+name+`Author { id name age address { zip } posts { total } } }`, ""))
		if want == "an error" {
			if !strings.HasPrefix(got, `{"data":{"`+name+`Author":null},"errors":[`) || !strings.Contains(got, "INTERNAL_ERROR") {
				t.Errorf("%s: %s, want an error", name, got)
			}
			continue
		}
		if want := `{"data":{"` + name + `Author":` + want + `}}`; got != want {
			t.Errorf("%s\ngot  %s\nwant %s", name, got, want)
		}
		later := b.do(`{ `+name+`Later { id name age address { zip } posts { total } } `+name+`List { id name age address { zip } posts { total } } }`, "")
		if want := `{"data":{"` + name + `Later":` + want + `,"` + name + `List":[` + want + `]}}`; later != want {
			t.Errorf("%s, later and in a list\ngot  %s\nwant %s", name, later, want)
		}
	}
	for name, want := range map[string]string{"text": `{"name":"Ada","age":36}`, "struct": `{"name":"Ada","age":36}`, "pointer": `{"name":"Ada","age":36}`, "map": `{"name":"Ada","age":36}`, "null": `null`} {
		if got, want := b.do(`{ `+name+`Moon { name age } }`, ""), `{"data":{"`+name+`Moon":`+want+`}}`; got != want {
			t.Errorf("%s of a type by hand\ngot  %s\nwant %s", name, got, want)
		}
	}
	for query, want := range map[string]string{
		`{ pageLater { total hasMore items { id posts { total } } edges { cursor } } }`: `{"data":{"pageLater":{"total":7,"hasMore":true,"items":[{"id":"ada","posts":{"total":4}}],"edges":[{"cursor":"c"}]}}}`,
		`{ pages { total items { id } } }`:                                              `{"data":{"pages":[{"total":7,"items":[{"id":"ada"}]}]}}`,
		`{ authors2 { id posts { total } } }`:                                           `{"data":{"authors2":[{"id":"ada","posts":{"total":4}},{"id":"bob","posts":{"total":5}}]}}`,
		`{ authors3 { id } }`:                                                           `{"data":{"authors3":[{"id":"ada"},null,{"id":"bob"}]}}`,
	} {
		if got := b.do(query, ""); got != want {
			t.Errorf("%s\ngot  %s\nwant %s", query, got, want)
		}
	}
}
