package resolvers_test

import (
	"errors"
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/graphql-go/graphql"

	"github.com/frondhost/frond/projection"
)

type kindOfText string

type celsius float64

func (c celsius) String() string { return fmt.Sprintf("%g °C", float64(c)) }

func pointer[T any](v T) *T { return &v }

// TestResults: section 3.5, result coercion: what a Go value is as each type. ""
// says that it is an error and null.
func TestResults(t *testing.T) {
	for _, c := range []struct {
		value                         any
		int, float, text, boolean, id string
	}{
		{1, `1`, `1`, `"1"`, `true`, `"1"`},
		{0, `0`, `0`, `"0"`, `false`, `"0"`},
		{-7, `-7`, `-7`, `"-7"`, `true`, `"-7"`},
		{int8(3), `3`, `3`, `"3"`, `true`, `"3"`},
		{uint16(3), `3`, `3`, `"3"`, `true`, `"3"`},
		{pointer(5), `5`, `5`, `"5"`, `true`, `"5"`},
		{math.MaxInt32, `2147483647`, `2147483647`, `"2147483647"`, `true`, `"2147483647"`},
		{math.MinInt32, `-2147483648`, `-2147483648`, `"-2147483648"`, `true`, `"-2147483648"`},
		{int64(math.MaxInt32) + 1, ``, `2147483648`, `"2147483648"`, `true`, `"2147483648"`},
		{int64(math.MinInt32) - 1, ``, `-2147483649`, `"-2147483649"`, `true`, `"-2147483649"`},
		{uint64(math.MaxUint64), ``, `18446744073709551615`, `"18446744073709551615"`, `true`, `"18446744073709551615"`},
		{1.0, `1`, `1`, `"1"`, `true`, `"1"`},
		{1.5, ``, `1.5`, `"1.5"`, `true`, ``},
		{0.1, ``, `0.1`, `"0.1"`, `true`, ``},
		{-0.5, ``, `-0.5`, `"-0.5"`, `true`, ``},
		{float32(0.1), ``, `0.1`, `"0.1"`, `true`, ``},
		{1e300, ``, `1e+300`, `"1e+300"`, `true`, ``},
		{1e5, `100000`, `100000`, `"100000"`, `true`, `"100000"`},
		{math.NaN(), ``, ``, ``, ``, ``},
		{math.Inf(1), ``, ``, ``, ``, ``},
		{math.Inf(-1), ``, ``, ``, ``, ``},
		{true, `1`, `1`, `"true"`, `true`, ``},
		{false, `0`, `0`, `"false"`, `false`, ``},
		{"", ``, ``, `""`, ``, `""`},
		{"abc", ``, ``, `"abc"`, ``, `"abc"`},
		{"true", ``, ``, `"true"`, ``, `"true"`},
		{"123", `123`, `123`, `"123"`, ``, `"123"`},
		{"1.5", ``, `1.5`, `"1.5"`, ``, `"1.5"`},
		{"1.0", `1`, `1.0`, `"1.0"`, ``, `"1.0"`},
		{" 1", ``, ``, `" 1"`, ``, `" 1"`},
		{"0x10", ``, ``, `"0x10"`, ``, `"0x10"`},
		{"NaN", ``, ``, `"NaN"`, ``, `"NaN"`},
		{"é\n\"\u2028<", ``, ``, `"é\n\"\u2028<"`, ``, `"é\n\"\u2028<"`},
		{kindOfText("x"), ``, ``, `"x"`, ``, `"x"`},
		{pointer("p"), ``, ``, `"p"`, ``, `"p"`},
		{celsius(3), `3`, `3`, `"3 °C"`, `true`, `"3 °C"`},
		{time.Date(2025, 9, 3, 0, 0, 0, 0, time.UTC), ``, ``, `"2025-09-03T00:00:00Z"`, ``, `"2025-09-03T00:00:00Z"`},
		{map[string]any{"a": 1}, ``, ``, ``, ``, ``},
		{world{}, ``, ``, ``, ``, ``},
		{[]int{1}, ``, ``, ``, ``, ``},
		{[]byte("abc"), ``, ``, ``, ``, ``},
		{struct{ A int }{1}, ``, ``, ``, ``, ``},
		{func() {}, ``, ``, ``, ``, ``},
	} {
		e := spoken(t, `type Query { int: Int float: Float text: String boolean: Boolean id: ID }`,
			world{"int": c.value, "float": c.value, "text": c.value, "boolean": c.value, "id": c.value})
		for name, want := range map[string]string{"int": c.int, "float": c.float, "text": c.text, "boolean": c.boolean, "id": c.id} {
			got, data := say(e, `{ `+name+` }`, ``), want
			if want == "" {
				data = "null"
			}
			a := asked(t, e, `{ `+name+` }`, ``)
			if data = `{"` + name + `":` + data + `}`; !sameJSON(t, string(a.Data), data) || (len(a.Errors) > 0) != (want == "") {
				t.Errorf("%#v as %s: got %s, want %s", c.value, name, got, data)
			}
			if want == "" && a.places() != "1:3/"+name {
				t.Errorf("%#v as %s: the error is at %s", c.value, name, a.places())
			}
		}
	}
}

// TestResultsOfTypes: sections 3.6 to 3.12: lists, enums, custom scalars, non-null,
// unions and interfaces.
func TestResultsOfTypes(t *testing.T) {
	const sdl = `
type Query { v: Int vs: [Int] need: [Int!] all: [Int!]! grid: [[Int!]!] size: Size sizes: [Size!] any: Any anys: [Any]
  pet: Pet pets: [Pet!] one: One box: Box boxes: [[Box]] }
enum Size { SMALL BIG }
scalar Any
interface Pet { name: String! }
type Dog implements Pet { name: String! barks: Boolean }
type Cat implements Pet { name: String! }
type Box { n: Int! }
union One = Dog | Box`
	dog, cat := world{"__typename": "Dog", "name": "Rex", "barks": true}, world{"__typename": "Cat", "name": "Tom"}
	var none *int
	for _, c := range []struct {
		field string
		value any
		query string
		want  string // the data, then the places of errors
	}{
		{"v", nil, `{ v }`, `{"v":null}`},
		{"v", none, `{ v }`, `{"v":null}`},
		{"v", errors.New("no"), `{ v }`, `{"v":null} 1:3/v`},
		{"vs", []int{1, 2}, `{ vs }`, `{"vs":[1,2]}`},
		{"vs", []any{1, nil, "3"}, `{ vs }`, `{"vs":[1,null,3]}`},
		{"vs", []*int{pointer(1), nil}, `{ vs }`, `{"vs":[1,null]}`},
		{"vs", [2]int{1, 2}, `{ vs }`, `{"vs":[1,2]}`},
		{"vs", []int{}, `{ vs }`, `{"vs":[]}`},
		{"vs", []int(nil), `{ vs }`, `{"vs":null}`},
		{"vs", []any{1, "x", 3, 1.5}, `{ vs }`, `{"vs":[1,null,3,null]} 1:3/vs.1 1:3/vs.3`},
		{"vs", 1, `{ vs }`, `{"vs":null} 1:3/vs`},
		{"vs", "abc", `{ vs }`, `{"vs":null} 1:3/vs`},
		{"vs", world{}, `{ vs }`, `{"vs":null} 1:3/vs`},
		{"need", []any{1, nil, nil}, `{ need }`, `{"need":null} 1:3/need.1`},
		{"need", []any{1, "x"}, `{ need }`, `{"need":null} 1:3/need.1`},
		{"all", []any{1, nil}, `{ all }`, `null 1:3/all.1`},
		{"all", nil, `{ all }`, `null 1:3/all`},
		{"grid", [][]int{{1}, {}}, `{ grid }`, `{"grid":[[1],[]]}`},
		{"grid", []any{[]any{1, nil}}, `{ grid }`, `{"grid":null} 1:3/grid.0.1`},
		{"grid", []any{[]int{1}, nil}, `{ grid }`, `{"grid":null} 1:3/grid.1`},
		{"grid", []int{1}, `{ grid }`, `{"grid":null} 1:3/grid.0`},
		{"size", 2, `{ size }`, `{"size":"BIG"}`},
		{"size", 3, `{ size }`, `{"size":null} 1:3/size`},
		{"size", "BIG", `{ size }`, `{"size":null} 1:3/size`}, // the name is not the value here
		{"size", world{}, `{ size }`, `{"size":null} 1:3/size`},
		{"sizes", []int{1, 2, 9}, `{ sizes }`, `{"sizes":null} 1:3/sizes.2`},
		{"any", map[string]any{"a": []any{1, nil}}, `{ any }`, `{"any":{"a":[1,null]}}`},
		{"any", func() {}, `{ any }`, `{"any":null} 1:3/any`},
		{"any", math.NaN(), `{ any }`, `{"any":null} 1:3/any`},
		{"anys", []any{1, "a", nil}, `{ anys }`, `{"anys":[1,"a",null]}`},
		{"pet", dog, `{ pet { __typename name ... on Dog { barks } ... on Cat { x: name } } }`, `{"pet":{"__typename":"Dog","name":"Rex","barks":true}}`},
		{"pet", cat, `{ pet { ... on Pet { name ... on Pet { y: name } } ... on Dog { barks } } }`, `{"pet":{"name":"Tom","y":"Tom"}}`},
		{"pet", world{"__typename": "Box"}, `{ pet { name } }`, `{"pet":null} 1:3/pet`},
		{"pet", world{"__typename": "Nope"}, `{ pet { name } }`, `{"pet":null} 1:3/pet`},
		{"pet", world{}, `{ pet { name } }`, `{"pet":null} 1:3/pet`},
		{"pet", world{"__typename": "Dog"}, `{ pet { name } }`, `{"pet":null} 1:9/pet.name`},
		{"pets", []any{dog, cat, world{"__typename": "Dog"}}, `{ pets { name } }`, `{"pets":null} 1:10/pets.2.name`},
		{"pets", []any{dog, world{"__typename": "Box"}}, `{ pets { name } }`, `{"pets":null} 1:3/pets.1`},
		{"one", world{"__typename": "Box", "n": 1}, `{ one { __typename ... on Box { n } ... on Pet { name } } }`, `{"one":{"__typename":"Box","n":1}}`},
		{"one", dog, `{ one { ... on Pet { name } ... on Box { n } } }`, `{"one":{"name":"Rex"}}`},
		{"one", cat, `{ one { __typename } }`, `{"one":null} 1:3/one`},
		{"box", world{"n": nil}, `{ box { n } }`, `{"box":null} 1:9/box.n`},
		{"boxes", []any{[]any{world{"n": 1}, world{}, nil}, nil}, `{ boxes { n } }`, `{"boxes":[[{"n":1},null,null],null]} 1:11/boxes.0.1.n`},
		{"boxes", world{"n": 1}, `{ boxes { n } }`, `{"boxes":null} 1:3/boxes`},
	} {
		a := asked(t, spoken(t, sdl, world{c.field: c.value}), c.query, ``)
		got := string(a.Data)
		if len(a.Errors) > 0 {
			got += " " + a.places()
		}
		if got != c.want {
			t.Errorf("%v for %s\ngot  %s\nwant %s", c.value, c.query, got, c.want)
		}
	}
}

// TestIsTypeOf: an object type that says what it takes is asked.
func TestIsTypeOf(t *testing.T) {
	b := newBlogWith(t, func(b *projection.Builder) error {
		odd := graphql.NewObject(graphql.ObjectConfig{
			Name: "Odd", Fields: graphql.Fields{"n": {Type: graphql.Int}},
			IsTypeOf: func(p graphql.IsTypeOfParams) bool { return p.Value.(map[string]any)["n"].(int)%2 == 1 },
		})
		return projection.RegisterOperations(b, "query", graphql.Fields{"odds": {
			Type: graphql.NewList(odd),
			Resolve: func(graphql.ResolveParams) (any, error) {
				return []any{map[string]any{"n": 1}, map[string]any{"n": 2}}, nil
			},
		}})
	})
	a := asked(t, b.engine, `{ odds { n } }`, ``)
	if string(a.Data) != `{"odds":[{"n":1},null]}` || a.places() != "1:3/odds.1" {
		t.Errorf("%s %s", a.Data, a.places())
	}
}
