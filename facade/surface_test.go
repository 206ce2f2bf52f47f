package facade_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/compile"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/facade/project"
	"github.com/frondhost/frond/facade/remote"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/store/storetest"
)

// shopOf is three doors that point at each other, with surfaces as written.
func shopOf(surfaces string) map[string]string {
	return map[string]string{
		"fronds/catalog/entities/product.yaml": `
type: object
properties:
  id: {type: string, x-kit: {role: {primary: true}}}
  name: {type: string}
  categoryId: {type: string, x-kit: {role: {relation: {to: category, kind: one}}}}
  reviews: {x-kit: {role: {relation: {to: review, kind: many}}}}
  tags: {x-kit: {role: {relation: {to: category, kind: many}}}, type: array}
`,
		"fronds/catalog/entities/category.yaml": `
type: object
properties:
  id: {type: string, x-kit: {role: {primary: true}}}
  name: {type: string}
`,
		"fronds/catalog/entities/review.yaml": `
type: object
properties:
  id: {type: string, x-kit: {role: {primary: true}}}
  text: {type: string}
  productId: {type: string, x-kit: {role: {relation: {to: product, kind: one}}}}
`,
		"fronds/catalog/frond.yaml": `
doors: {product: {operations: {peek: {kind: query, output: review, cardinality: many}}}}
facts: [{name: soldOut}]
` + surfaces,
		"fronds/catalog/seeds/category.yaml": "[{id: c1, name: Tools}, {id: c2, name: Toys}]",
		"fronds/catalog/seeds/product.yaml":  "[{id: p1, name: Saw, categoryId: c1, tags: [c2]}, {id: p2, name: Top, categoryId: c2}]",
		"fronds/catalog/seeds/review.yaml":   "[{id: r1, text: Sharp, productId: p1}]",
		"fronds/desk/frond.yaml":             "doors: {desk: {operations: {getHours: {}}}}",
	}
}

// showsText is what a view shows, as frond/door.op,op lines.
func showsText(view *catalog.Catalog) string {
	var lines []string
	for _, f := range view.Fronds {
		if len(f.Doors) == 0 {
			lines = append(lines, f.Name+": facts alone")
		}
		for _, d := range f.Doors {
			var ops []string
			for _, op := range d.Operations {
				ops = append(ops, op.Name)
				if op.Door != d || d.Frond != f || view.Door(d.Name) != d || d.Operation(op.Name) != op {
					lines = append(lines, op.Name+" is of another catalog")
				}
			}
			lines = append(lines, d.Name+" "+strings.Join(ops, ","))
		}
	}
	return strings.Join(lines, "; ")
}

func TestSurfaces(t *testing.T) {
	const (
		crud     = "list,findById,findByIds,aggregate,create,update,delete"
		product  = "product " + crud + ",peek"
		category = "category " + crud
		review   = "review " + crud
		all      = category + "; " + product + "; " + review + "; desk getHours"
	)
	for _, c := range []struct{ name, surfaces, surface, want string }{
		{"nothing said", "", "graphql", all},
		{"nothing said of this one", "surfaces: {graphql: false}", "rest", all},
		{"true", "surfaces: {rest: true}", "rest", all},
		{"null is as good as nothing", "surfaces: {rest: }", "rest", all},
		{"false leaves the facts, which are the same everywhere", "surfaces: {rest: false}", "rest", "catalog: facts alone; desk getHours"},
		{"doors and operations by name", "surfaces: {graphql: {only: [category.list, Product.peek, review]}}", "graphql", "category list; product peek; " + review + "; desk getHours"},
		{"only none", "surfaces: {graphql: {only: []}}", "graphql", "catalog: facts alone; desk getHours"},
		{"findById alone", "surfaces: {graphql: {only: [product.findById]}}", "graphql", "product findById; desk getHours"},
		{"all but", "surfaces: {envelope: {except: [category, product.delete, review.list]}}", "envelope", "product list,findById,findByIds,aggregate,create,update,peek; review findById,findByIds,create,update,delete; desk getHours"},
		{"findById takes its batch along", "surfaces: {envelope: {except: [category.findById, category.create]}}", "envelope", "category list,aggregate,update,delete; " + product + "; " + review + "; desk getHours"},
		{"except none", "surfaces: {envelope: {except: []}}", "envelope", all},
		{"an audience sees what is named", "surfaces: {audiences: {partner: {rest: {only: [product.list]}}}}", "partner/rest", "product list; "},
		{"and nothing on another surface", "surfaces: {audiences: {partner: {rest: {only: [product.list]}}}}", "partner/graphql", "; "},
		{"everybody sees what they saw", "surfaces: {audiences: {partner: {rest: {only: [product.list]}}}}", "rest", all},
		{"an audience of one whole Frond", "surfaces: {audiences: {partner: {rest: true, graphql: false}}}", "partner/rest", category + "; " + product + "; " + review},
		{"an audience with all but", "surfaces: {audiences: {partner: {rest: {except: [product, review]}}}}", "partner/rest", category},
		{"an audience with nothing yet", "surfaces: {audiences: {partner: }}", "partner/rest", "!"},
	} {
		t.Run(c.name, func(t *testing.T) {
			f, err := compile.Project(projectOf(t, shopOf(c.surfaces)), nil)
			if c.want == "!" {
				if err == nil || !strings.Contains(err.Error(), "an audience has to be an object") {
					t.Errorf("got %v", err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			view, err := f.Catalog.Surface(catalog.Surface(c.surface))
			if err != nil {
				t.Fatal(err)
			}
			want := c.want
			if rest, ok := strings.CutSuffix(want, "; "); ok || want == "; " {
				if want = rest; rest == "" {
					want = "catalog: facts alone"
				}
			}
			if got := showsText(view); got != want {
				t.Errorf("it shows %s\nwant     %s", got, want)
			}
			if (want == all) != (view == f.Catalog) {
				t.Error("the whole is the catalog itself, and less is not")
			}
		})
	}
}

func TestSurfaceNames(t *testing.T) {
	files := shopOf("surfaces: {audiences: {partner: {rest: true}, kiosk: {}}}")
	files["fronds/desk/frond.yaml"] += "\nsurfaces: {audiences: {partner: {graphql: true}}}"
	f := storetest.Compiled(t, projectOf(t, files))
	want := []catalog.Surface{
		"graphql", "rest", "envelope", "kiosk/graphql", "kiosk/rest", "kiosk/envelope", "partner/graphql", "partner/rest", "partner/envelope",
	}
	if diff := cmp.Diff(want, f.Catalog.Surfaces()); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	for _, s := range []catalog.Surface{"", "soap", "partner", "partners/rest", "partner/rest/rest", "/rest"} {
		if _, err := f.Catalog.Surface(s); err == nil || !strings.Contains(err.Error(), "kiosk/graphql") {
			t.Errorf("%q: %v, want the surfaces there are", s, err)
		}
	}
}

func TestSurfaceFaults(t *testing.T) {
	for _, c := range []struct{ name, surfaces, want string }{
		{"an unknown surface", "{soap: true}", "/surfaces/soap: surfaces has no key soap; its keys are graphql, rest, envelope, audiences"},
		{"no object", "[graphql]", "/surfaces: surfaces has to be an object; write keys: graphql, rest, envelope, audiences"},
		{"a list", "{graphql: [product]}", "/surfaces/graphql: a surface is true, false, or an object with only or except; write true, false, {only: [product, category.list]} or {except: [order.delete]}"},
		{"both", "{graphql: {only: [product], except: [review]}}", "/surfaces/graphql: a surface has either only or except"},
		{"neither", "{graphql: {}}", "/surfaces/graphql: a surface has either only or except"},
		{"another key", "{graphql: {hide: [product]}}", "/surfaces/graphql/hide: a surface has no key hide; its keys are only, except"},
		{"no list", "{graphql: {only: product}}", "/surfaces/graphql/only: only has to be a list of doors and operations"},
		{"no name", "{graphql: {only: [5]}}", "/surfaces/graphql/only/0: 0 has to be a string"},
		{"an unknown door", "{graphql: {only: [product, prodct.list]}}", "/surfaces/graphql/only/1: no door is called prodct; the doors of catalog are category, product, review"},
		{"a door of another Frond", "{rest: {except: [desk.getHours]}}", "/surfaces/rest/except/0: desk is a door of the Frond desk; write it under surfaces in that Frond's frond.yaml"},
		{"an unknown operation", "{rest: {except: [category.peek]}}", "/surfaces/rest/except/0: category has no operation peek; its operations are list, findById, findByIds, aggregate, create, update, delete"},
		{"an operation in another spelling", "{rest: {only: [category.List]}}", "/surfaces/rest/only/0: category has no operation List"},
		{"in an audience", "{audiences: {partner: {rest: {only: [prodct]}}}}", "/surfaces/audiences/partner/rest/only/0: no door is called prodct"},
		{"an audience's key", "{audiences: {partner: {soap: true}}}", "/surfaces/audiences/partner/soap: an audience has no key soap; its keys are graphql, rest, envelope"},
		{"an audience's name", "{audiences: {Our Partner: {rest: true}}}", `/surfaces/audiences/Our Partner: "Our Partner" cannot be the name of an audience; write lower-case letters, digits and hyphens: partner`},
		{"an audience like a surface", "{audiences: {rest: {rest: true}}}", "/surfaces/audiences/rest: the audience rest has the name of a surface; give it a name of its own: partner"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := compile.Project(projectOf(t, shopOf("surfaces: "+c.surfaces)), nil)
			var faults schema.Faults
			if !errors.As(err, &faults) || len(faults) != 1 || !strings.HasPrefix(err.Error(), "fronds/catalog/frond.yaml#"+c.want) {
				t.Errorf("got  %v\nwant fronds/catalog/frond.yaml#%s", err, c.want)
			}
		})
	}
}

// on is a project's façade as a surface sees it.
func on(t *testing.T, f *facade.Facade, s catalog.Surface) facade.Caller {
	t.Helper()
	view, err := f.Catalog().Surface(s)
	if err != nil {
		t.Fatal(err)
	}
	return f.On(view)
}

// What a surface does not show is answered like what does not exist: the same code, the same
// sentence, and a list of what there is without it.
func TestOnASurface(t *testing.T) {
	f := facadeOf(t, shopOf("surfaces: {rest: {except: [category, review, product.delete]}}"), func(p *facade.Project) {
		facade.Handle(p.Door("product"), "peek", func(ctx context.Context, _ *facade.Call) (any, error) {
			// A handler calls in process: review is there, and so is a filter through category.
			list, err := facade.From(ctx).Call(ctx, &facade.Call{Entity: "review", Operation: "list", Invocation: facade.Invocation{
				Query: raw(`{"filter":{"product":{"category":{"name":{"eq":"Tools"}}}}}`),
			}})
			if err != nil {
				return nil, err
			}
			return list.Rows, nil
		})
	})
	rest := on(t, f, catalog.OnREST)
	const some = `{"filter":{"categoryId":{"eq":"c1"},"tagIds":{"has":"c2"}}}`
	for _, c := range []struct{ method, query, want string }{
		{"product.list", some, "p1"},
		{"product.peek", "", `[{"id":"r1","text":"Sharp","productId":"p1"}]`},
		{"category.list", "", "NOT_FOUND no entity is called category here; there is product, desk"},
		{"nothing.list", "", "NOT_FOUND no entity is called nothing here; there is product, desk"},
		{"Review.findById", "", "NOT_FOUND no entity is called Review here; there is product, desk"},
		{"product.delete", "", "NOT_FOUND product has no operation called delete; there is list, findById, findByIds, aggregate, create, update, peek"},
		{"product.remove", "", "NOT_FOUND product has no operation called remove; there is list, findById, findByIds, aggregate, create, update, peek"},
		{"product.list", `{"filter":{"category":{"name":{"eq":"Tools"}}}}`, "/query/filter/category unknown_key: is nothing to filter product by; did you mean categoryId?; there is id, name, categoryId, tagIds"},
		{"product.list", `{"filter":{"not":{"or":[{"category":null}]}}}`, "/query/filter/not/or/0/category unknown_key: is nothing to filter product by; did you mean categoryId?; there is id, name, categoryId, tagIds"},
		{"product.list", `{"filter":{"reviews":{"some":{}}}}`, "/query/filter/reviews unknown_key: is nothing to filter product by; there is id, name, categoryId, tagIds"},
		{"product.list", `{"filter":{"tags":{"some":{}}}}`, "/query/filter/tags/some unknown_key: is no operator of many rows; there is has, isNull for the ids in the row"},
	} {
		text, err := do(t, rest, c.method, "", c.query, "")
		got := text
		switch {
		case err != nil && err.Code == kiterror.NotFound:
			got = string(err.Code) + " " + err.Message
		case err != nil:
			got = refusals(err)
		case strings.HasSuffix(c.method, "list"):
			got = ids(t, text)
		}
		if got != c.want {
			t.Errorf("%s %s\n got %s\nwant %s", c.method, c.query, got, c.want)
		}
	}
	for _, filter := range []string{`{"category":{"name":{"eq":"Tools"}}}`, `{"reviews":{"some":{"text":{"eq":"Sharp"}}}}`} {
		if got := ids(t, must(t, f, "product.list", "", `{"filter":`+filter+`}`, "")); got != "p1" {
			t.Errorf("in process %s finds %q", filter, got)
		}
	}
}

// A door of which no reading operation is shown is not searched through either.
func TestFiltersReachWhatIsRead(t *testing.T) {
	f := facadeOf(t, shopOf("surfaces: {rest: {only: [product.list, review.create, category.findById]}}"), nil)
	_, err := do(t, on(t, f, catalog.OnREST), "product.list", "", `{"filter":{"reviews":{"some":{"text":{"startsWith":"S"}}}}}`, "")
	if want := "/query/filter/reviews unknown_key: is nothing to filter product by; there is id, name, categoryId, category, tagIds, tags"; refusals(err) != want {
		t.Errorf("got %s", refusals(err))
	}
	if got := ids(t, must(t, on(t, f, catalog.OnREST), "product.list", "", `{"filter":{"category":{"name":{"eq":"Toys"}}}}`, "")); got != "p2" {
		t.Errorf("through what findById reads it finds %q", got)
	}
}

// Where a door is not shown, a key may still be written: its collector decides
// about the row, and a row it hides is one that is not there.
func TestKeysAreWrittenOnASurface(t *testing.T) {
	f := facadeOf(t, shopOf("surfaces: {rest: {except: [category]}}\ncollectors: {category: [{rows: {id: {ne: c2}}}]}"), nil)
	rest := on(t, f, catalog.OnREST)
	must(t, rest, "product.create", "", "", `{"id":"p3","name":"Axe","categoryId":"c1","tags":[]}`)
	if _, err := do(t, rest, "product.create", "", "", `{"id":"p4","name":"Owl","categoryId":"c2","tags":[]}`); err == nil || err.Code != kiterror.Conflict {
		t.Errorf("a hidden row is pointed at: %v", err)
	}
}

// Middleware answers calls itself, as topology does; it is not asked for what the
// surface does not show.
func TestMiddlewareStandsBehindTheSurface(t *testing.T) {
	var asked []string
	store := storetest.NewStore()
	f := storetest.New(t, projectOf(t, shopOf("surfaces: {graphql: {only: [product.list]}}")), store, &facade.Options{
		Middleware: []facade.Middleware{func(next facade.Caller) facade.Caller {
			return facade.CallerFunc(func(ctx context.Context, c *facade.Call) (*facade.Result, error) {
				asked = append(asked, c.Entity+"."+c.Operation)
				// It may write the call anew; the surface is not in it.
				return next.Call(ctx, &facade.Call{Entity: c.Entity, Operation: c.Operation, Invocation: c.Invocation})
			})
		}},
	})
	asked = nil // seeding
	graphql := on(t, f, catalog.OnGraphQL)
	_, _ = do(t, graphql, "review.list", "", "", "")
	_, _ = do(t, graphql, "product.create", "", "", `{}`)
	must(t, graphql, "product.list", "", "", "")
	_, err := do(t, graphql, "product.list", "", `{"filter":{"category":{"name":{"eq":"Tools"}}}}`, "")
	if !strings.Contains(refusals(err), "/query/filter/category unknown_key") {
		t.Errorf("the surface was lost on the way: %s", refusals(err))
	}
	if diff := cmp.Diff([]string{"product.list", "product.list"}, asked); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

// Each surface has a discovery document of its own; facts are in all of them (spec 2.5.3).
func TestDiscoveryOfASurface(t *testing.T) {
	f := storetest.Compiled(t, projectOf(t, shopOf("surfaces: {envelope: {only: [product.list]}}")))
	view, _ := f.Catalog.Surface(catalog.OnEnvelope)
	text := string(view.Discovery().AppendJSON(nil))
	for _, want := range []string{`"name":"product"`, `"name":"list"`, `"name":"soldOut"`, `"categoryId":{"type":"object","$ref"`, `"tagIds":{"type":"object","$ref"`} {
		if !strings.Contains(text, want) {
			t.Errorf("%s is not in %s", want, text)
		}
	}
	for _, gone := range []string{`"name":"review"`, `"name":"peek"`, `"name":"create"`, `A filter of category`, `A filter of review`} {
		if strings.Contains(text, gone) {
			t.Errorf("%s is in %s", gone, text)
		}
	}
}

// TestSurfacesBehindAGateway: a gateway in front of a Frond shows the operations that the Frond
// shows, and no fewer.
func TestSurfacesBehindAGateway(t *testing.T) {
	for surfaces, want := range map[string]string{
		"only: [product.findByIds]":               "product findByIds",
		"only: [category.list, product.findById]": "category list; product findById",
		"except: [product.findById, category]":    "product list,aggregate,create,update,delete,peek; review list,findById,findByIds,aggregate,create,update,delete",
		"only: []":                                "",
	} {
		there, err := facade.New(storetest.Compiled(t, projectOf(t, shopOf("surfaces: {graphql: {"+surfaces+"}}"))), nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		known, err := schema.ReadDiscovery(there.Catalog().Discovery().AppendJSON(nil))
		if err != nil {
			t.Fatal(err)
		}
		p := &facade.Project{Registry: schema.Builtins(), Fronds: []*project.Frond{project.Discovered(&known.Fronds[0], "rpc.discover")}}
		p.Fronds[0].Remote = "http://there.example"
		f, err := facade.New(storetest.Compiled(t, p), nil, &facade.Options{Remotes: remote.New(map[string]facade.Caller{p.Fronds[0].Name: there})})
		if err != nil {
			t.Fatal(err)
		}
		view, err := f.Catalog().Surface(catalog.OnGraphQL)
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.TrimPrefix(showsText(view), "catalog: facts alone"); got != want {
			t.Errorf("%s: it shows %q, want %q", surfaces, got, want)
		}
	}
}
