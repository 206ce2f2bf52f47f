package facade_test

import (
	"context"
	"strings"
	"testing"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/compile"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/facade/rows"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/store/storetest"
)

// goods is one entity with fields of every kind, and what is computed from them.
func goods(config string) map[string]string {
	return map[string]string{
		"entities/product.yaml": `
properties:
  id: {type: string, x-kit: {role: {primary: true}}}
  name: {type: string}
  body: {type: [string, 'null']}
  stock: {type: integer}
  weight: {type: number}
  price: {type: string, format: decimal}
  onSale: {type: boolean}
  tags: {type: array, items: {type: string}}
  size: {type: [object, 'null'], properties: {width: {type: integer}, unit: {type: string}}, required: []}
  madeAt: {type: string, format: date-time}
  cost: {type: integer, x-kit: {boundary: {out: closed}, lifecycle: {create: {value: 7}}}}
required: [id, name, body, stock, weight, price, onSale, tags, size, madeAt]`,
		"seeds/product.yaml": `
- {id: p1, name: Pen, body: A fine pen, stock: 3, weight: 1.5, price: '2.50', onSale: true, tags: [a, b], size: {width: 2, unit: cm}, madeAt: '2024-01-02T03:04:05Z'}
- {id: p2, name: Ink, body: null, stock: 0, weight: 2, price: '10.00', onSale: false, tags: [], size: null, madeAt: '2025-01-02T03:04:05Z'}`,
		"frond.yaml": "name: shelf\n" + config,
	}
}

func TestComputed(t *testing.T) {
	for _, c := range []struct{ field, want string }{
		{`{type: boolean, value: stock > 0}`, `true false`},
		{`{type: string, value: 'body[0:6]'}`, `"A fine" null`},
		{`{type: string, value: 'body ?? name'}`, `"A fine pen" "Ink"`},
		{`{type: boolean, value: body == nil}`, `false true`},
		{`{type: boolean, value: body == "x"}`, `false false`},
		{`{type: integer, value: stock * 2 + 1}`, `7 1`},
		{`{type: number, value: weight * stock}`, `4.5 0`},
		{`{type: number, value: float(price) * stock}`, `7.5 0`},
		{`{type: integer, value: len(tags)}`, `2 0`},
		{`{type: string, value: 'name + " (" + string(stock) + ")"'}`, `"Pen (3)" "Ink (0)"`},
		{`{type: array, items: {type: string}, value: 'map(tags, upper(#))'}`, `["A","B"] []`},
		{`{type: [integer, 'null'], value: size.width}`, `2 null`},
		{`{type: object, value: '{"n": name, "s": stock}'}`, `{"n":"Pen","s":3} {"n":"Ink","s":0}`},
		{`{type: integer, value: 'date(madeAt).Year()'}`, `2024 2025`},
		{`{type: boolean, value: 'date(madeAt) < now()'}`, `true true`},
		{`{type: string, value: 'onSale ? "now" : "later"'}`, `"now" "later"`},
		{`{type: boolean, value: 'let n = stock; n > 1 and n < 5'}`, `true false`},
		{`{type: integer, value: 6 * 7}`, `42 42`},
	} {
		f := facadeOf(t, goods("computed: {product: {x: "+c.field+"}}"), nil)
		var got []string
		for _, id := range []string{"p1", "p2"} {
			text := must(t, f, "product.findById", `{"id":"`+id+`"}`, "", "")
			_, x, _ := strings.Cut(text, `"x":`)
			got = append(got, strings.TrimSuffix(x, "}"))
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s: %s, want %s", c.field, strings.Join(got, " "), c.want)
		}
	}
}

func TestComputedFaults(t *testing.T) {
	const at = "frond.yaml#/computed/product/x"
	const fields = "it reads the fields id, name, body, stock, weight, price, onSale, tags, size, madeAt"
	for _, c := range []struct{ field, want string }{
		{`{type: boolean, value: stok > 0}`, at + "/value: the expression cannot be used: unknown name stok, at column 1 of the expression; " + fields},
		{`{type: boolean, value: 'stock > '}`, at + "/value: the expression cannot be used: unexpected token EOF, at column 8 of the expression; " + fields},
		{`{type: string, value: stock + name}`, at + "/value: the expression cannot be used: invalid operation: + (mismatched types int and string), at column 7 of the expression; " + fields},
		{`{type: string, value: size.depth}`, at + "/value: the expression cannot be used: unknown field depth, at column 6 of the expression; " + fields},
		{`{type: string, value: stock > 0}`, at + "/value: the expression gives a value of type boolean, and the declared type is string; write type: boolean, or another expression"},
		{`{type: integer, value: cost + 1}`, at + "/value: cost is closed outward, and a computed value would disclose it; read the fields id, name, body, stock, weight, price, onSale, tags, size, madeAt, or compute it in Go"},
		{`{type: integer, value: '$env["cost"]'}`, at + "/value: the expression cannot be used: $env is not available; use a field name; " + fields},
		{`{type: integer}`, at + ": a computed field has to have a value, an expression over the fields of a row; write a type and a value: {type: boolean, value: 'stock > 0'}"},
		{`{value: stock}`, at + ": a computed field has to have a type; write type: string, say, beside value"},
		{`{type: integer, value: 3}`, at + "/value: value has to be a string; put the text in quotes"},
		{`stock > 0`, at + ": a computed field has to be an object; write a type and a value: {type: boolean, value: 'stock > 0'}"},
		{`{type: thing, value: stock}`, at + "/type"},
	} {
		_, err := compile.Project(projectOf(t, goods("computed: {product: {x: "+c.field+"}}")), nil)
		if err == nil {
			t.Errorf("%s: it started", c.field)
		} else if got := err.Error(); got != c.want && !(strings.HasSuffix(c.want, "/type") && strings.HasPrefix(got, c.want+":")) {
			t.Errorf("%s: got\n%s\nwant\n%s", c.field, got, c.want)
		}
	}
	for config, want := range map[string]string{
		"computed: {product: {name: {type: string, value: name}}}":                               "frond.yaml#/computed/product/name: the computed field name of product has the name of another field; give it a name of its own",
		"computed: {produkt: {x: {type: string, value: name}}}":                                  "frond.yaml#/computed/produkt: a computed field is declared for produkt, but no door is called that; did you mean product? the doors are product",
		"computed: {product: {x-: {type: string, value: name}, 1: {type: string, value: name}}}": `frond.yaml#/computed/product/1: "1" cannot be the name of a computed field; write a letter, then letters, digits, - or _: excerpt`,
	} {
		if _, err := compile.Project(projectOf(t, goods(config)), nil); err == nil || err.Error() != want {
			t.Errorf("%s: got\n%v\nwant\n%s", config, err, want)
		}
	}
}

// watched is a store that says which columns were asked for.
type watched struct {
	facade.Store
	columns []string
}

func (w *watched) Find(ctx context.Context, q *facade.Find) (*facade.Found, error) {
	w.columns = q.Select.Fields
	return w.Store.Find(ctx, q)
}

// Only what is asked for is computed, and only what that reads is read.
func TestComputedReadsWhatItNeeds(t *testing.T) {
	p := projectOf(t, goods("computed: {product: {inStock: {type: boolean, value: stock > 0}, broken: {type: integer, value: '1 / stock > 2 ? 1 : tags[9]'}}}"))
	w := &watched{Store: storetest.NewStore()}
	f := storetest.New(t, p, w, nil)
	if got, want := must(t, f, "product.list", "", `{"fields":"id,inStock","total":false,"limit":1}`, ""), `{"items":[{"id":"p1","inStock":true}],"total":-1,`; !strings.HasPrefix(got, want) {
		t.Errorf("got %s want %s", got, want)
	}
	if got := strings.Join(w.columns, " "); got != "id stock" {
		t.Errorf("read %s", got)
	}
	// A failure names the field where it is logged, and nowhere else.
	_, err := do(t, f, "product.list", "", `{"fields":"id,broken"}`, "")
	if kiterror.CodeOf(err) != kiterror.InternalError || !strings.Contains(err.Error(), "computed field product.broken") || strings.Contains(err.Message, "broken") {
		t.Errorf("%v", err)
	}
	// Where the caller lets it, the rest of the answer stands.
	res, failed := f.Call(t.Context(), &facade.Call{Entity: "product", Operation: "list", Select: []string{"id", "broken"}, Partial: true})
	if failed != nil || len(res.Failed) != 1 || res.Failed[0].Field != "broken" || ids(t, string(res.AppendJSON(nil))) != "p1 p2" {
		t.Errorf("%v, %+v", failed, res)
	}
}

// What is computed from a hidden field is hidden with it: no selection, no error
// text and no answer discloses it. What Go code computes its author answers for.
func TestComputedFromWhatIsHidden(t *testing.T) {
	files := goods(`
computed: {product: {inStock: {type: boolean, value: stock > 0}, label: {type: string, value: name}}}
collectors: {product: [{when: user != nil}, {hide: [stock]}]}`)
	f := facadeOf(t, files, func(p *facade.Project) {
		facade.Present(p.Door("product"), "few", schema.Shape{Type: "boolean"}, func(_ context.Context, found []rows.Row) ([]bool, error) {
			return make([]bool, len(found)), nil
		}, "stock")
	})
	nobody := as(f, nil)
	if text := must(t, nobody, "product.list", "", "", ""); strings.Contains(text, "inStock") || strings.Contains(text, `"stock"`) || !strings.Contains(text, `"label":"Pen","few":false`) {
		t.Error(text)
	}
	want := "/query/fields/0 unknown_key: names inStock, which product does not have; there is id, name, body, weight, price, onSale, tags, size, madeAt, label, few, etag"
	if _, err := do(t, nobody, "product.list", "", `{"fields":"inStock"}`, ""); refusals(err) != want {
		t.Errorf("got\n%s\nwant\n%s", refusals(err), want)
	}
	holds(t, must(t, user(f, "id", "a"), "product.findById", `{"id":"p1"}`, "", ""), `{"inStock":true}`)
}
