package resolvers_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"testing/synctest"
	"time"

	"github.com/graphql-go/graphql"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/compile"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/facade/rows"
	"github.com/frondhost/frond/facade/seed"
	"github.com/frondhost/frond/projection"
	"github.com/frondhost/frond/resolvers"
	"github.com/frondhost/frond/resolvers/binding"
	"github.com/frondhost/frond/store/storetest"
)

// A field that shows what another service knows asks a lookup, which is asked once
// for all rows.
func ExampleLookup() {
	project, _ := facade.Read(fstest.MapFS{
		"entities/warehouse.yaml": {Data: []byte("properties:\n  id: {type: string, x-kit: {role: {primary: true}}}\n  city: {type: string}\n")},
		"seeds/warehouse.yaml":    {Data: []byte("- {id: a, city: Bergen}\n- {id: b, city: Porto}\n- {id: c, city: Bergen}\n")},
	})
	compiled, err := compile.Project(project, nil)
	if err != nil {
		panic(err)
	}
	host, err := facade.New(compiled, storetest.NewStore(), nil)
	if err != nil {
		panic(err)
	}
	if _, err := seed.Write(context.Background(), host); err != nil {
		panic(err)
	}

	weather := binding.NewLookup(func(_ context.Context, cities []string) (map[string]string, error) {
		fmt.Println("asked for", cities)
		return map[string]string{"Bergen": "rain", "Porto": "sun"}, nil
	})
	b := projection.NewBuilder()
	if err := projection.RegisterAll(b, host.Catalog(), nil); err != nil {
		panic(err)
	}
	err = projection.RegisterType(b, "Warehouse", graphql.Fields{
		"weather": {Type: graphql.String, Resolve: func(p graphql.ResolveParams) (any, error) {
			var city string
			if err := json.Unmarshal(p.Source.(rows.Row).Get("city"), &city); err != nil {
				return nil, err
			}
			return weather.Load(p.Context, city), nil
		}},
	})
	if err != nil {
		panic(err)
	}
	schema, err := b.Build()
	if err != nil {
		panic(err)
	}
	engine, err := resolvers.NewEngine(schema, host, nil)
	if err != nil {
		panic(err)
	}
	const query = "{ warehouses(orderBy: [{id: ASC}]) { items { city weather } } }"
	fmt.Println(string(engine.Execute(context.Background(), &resolvers.Request{Query: query}).Body))
	// Output:
	// asked for [Bergen Porto]
	// {"data":{"warehouses":{"items":[{"city":"Bergen","weather":"rain"},{"city":"Porto","weather":"sun"},{"city":"Bergen","weather":"rain"}]}}}
}

// finder is a find that keeps what it was asked for.
type finder struct {
	mu    sync.Mutex
	calls [][]string
}

func (a *finder) find(_ context.Context, keys []string) (map[string]int, error) {
	a.mu.Lock()
	a.calls = append(a.calls, slices.Sorted(slices.Values(keys)))
	a.mu.Unlock()
	found := map[string]int{}
	for _, k := range keys {
		switch k {
		case "cyd":
		case "coded":
			return nil, kiterror.Errorf(kiterror.ServiceUnavailable, "ask again later")
		case "bare":
			return nil, errors.New("the secret of the disk")
		case "panic":
			panic("the secret of the stack")
		default:
			found[k] = len(k)
		}
	}
	return found, nil
}

// lookedUp has fields that ask a lookup.
func lookedUp(a *finder) func(b *projection.Builder) error {
	size := binding.NewLookup(a.find)
	text := func(p graphql.ResolveParams, name string) string {
		var s string
		_ = json.Unmarshal(p.Source.(rows.Row).Get(name), &s)
		return s
	}
	return func(b *projection.Builder) error {
		return errors.Join(
			projection.RegisterType(b, "Author", graphql.Fields{"size": {
				Type: graphql.Int, Args: graphql.FieldConfigArgument{"of": {Type: graphql.String}},
				Resolve: func(p graphql.ResolveParams) (any, error) {
					if of, ok := p.Args["of"].(string); ok {
						return size.Load(p.Context, of), nil
					}
					return size.Load(p.Context, text(p, "id")), nil
				},
			}}),
			projection.RegisterType(b, "Post", graphql.Fields{"size": {Type: graphql.Int, Resolve: func(p graphql.ResolveParams) (any, error) {
				return size.Load(p.Context, text(p, "title")), nil
			}}}),
		)
	}
}

// TestLookup: one call for a level, whatever the number of rows, aliases, branches.
func TestLookup(t *testing.T) {
	a := &finder{}
	b := newBlogWith(t, lookedUp(a))
	for i := range 50 {
		b.create(t, "author", `{"id":"a%02d","name":"N","email":null,"age":null,"rating":null,"address":null}`, i)
	}
	fifty := make([]string, 50)
	for i := range fifty {
		fifty[i] = fmt.Sprintf("a%02d", i)
	}
	for _, c := range []struct {
		name, query string
		calls       [][]string
	}{
		{"a page of fifty", `{ authors(first: 50, orderBy: [{id: ASC}]) { items { size } } }`, [][]string{fifty}},
		{"aliases", `{ author(id: "bob") { size other: size(of: "x") again: size } }`, [][]string{{"bob", "x"}}},
		{"branches of one level", `{ a: author(id: "ada") { size } b: author(id: "bob") { size } post(id: 1) { size } }`, [][]string{{"Post 1", "ada", "bob"}}},
		{"relations beside one another", `{ posts(first: 4, orderBy: [{id: ASC}]) { items { author { size } editor { size } } } }`, [][]string{{"ada", "bob"}}},
		{"a key of an earlier level is there", `{ author(id: "bob") { size mentor { size } m: mentor { size(of: "bob") } } }`, [][]string{{"bob"}, {"ada"}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			a.calls = nil
			if got := b.do(c.query, ""); strings.Contains(got, "errors") {
				t.Fatal(got)
			}
			if fmt.Sprint(a.calls) != fmt.Sprint(c.calls) {
				t.Errorf("asked for %v, want %v", a.calls, c.calls)
			}
		})
	}
}

// TestLookupFails: what goes wrong is an error at every field that asked, and says
// no more than any other.
func TestLookupFails(t *testing.T) {
	b := newBlogWith(t, lookedUp(&finder{}))
	for key, want := range map[string]string{
		"cyd":   `{"data":{"author":{"size":null}}}`,
		"coded": `{"data":{"author":{"size":null}},"errors":[{"message":"ask again later","locations":[{"line":1,"column":23}],"path":["author","size"],"extensions":{"code":"SERVICE_UNAVAILABLE"}}]}`,
		"bare":  `{"data":{"author":{"size":null}},"errors":[{"message":"something went wrong on our side","locations":[{"line":1,"column":23}],"path":["author","size"],"extensions":{"code":"INTERNAL_ERROR"}}]}`,
		"panic": `{"data":{"author":{"size":null}},"errors":[{"message":"something went wrong on our side","locations":[{"line":1,"column":23}],"path":["author","size"],"extensions":{"code":"INTERNAL_ERROR"}}]}`,
	} {
		if got := untraced(b.do(`{ author(id: "ada") { size(of: "`+key+`") } }`, "")); got != want {
			t.Errorf("%s: got  %s\nwant %s", key, got, want)
		}
	}
	_, err := binding.NewLookup((&finder{}).find).Load(context.Background(), "ada")()
	if err == nil || kiterror.CodeOf(err) != kiterror.InternalError {
		t.Errorf("outside of a request: %v", err)
	}
}

// TestLookupWaitsForNoClock: dataloader would wait for more keys; nothing here does.
func TestLookupWaitsForNoClock(t *testing.T) {
	b := newBlogWith(t, lookedUp(&finder{}))
	synctest.Test(t, func(t *testing.T) { // time stands still while anything can run
		start := time.Now()
		if got := b.do(`{ authors { items { size } } }`, ""); strings.Contains(got, "errors") {
			t.Error(got)
		}
		if took := time.Since(start); took != 0 {
			t.Errorf("waited for %v", took)
		}
	})
}
