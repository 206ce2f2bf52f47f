package diff_test

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/frondhost/frond/cmd/frond/diff"
	"github.com/frondhost/frond/facade"
)

// base is the project that the cases change. It has one thing of each kind.
var base = map[string]string{
	"fronds/shop/frond.yaml": `
doors:
  product:
    list: {default: 20, max: 100}
    operations:
      bySlug: {kind: query, params: {properties: {slug: {type: string}}, required: [slug]}, output: product, cardinality: maybe}
      publish: {kind: command, params: {properties: {id: {type: string}}, required: [id]}, input: {properties: {note: {type: string}}, required: []}, output: productCard}
      total: {kind: query}
  maker: {plural: makers}
collectors:
  product:
    - when: '"staff" in user.roles'
    - when: user != nil
      rows: {status: {ne: draft}, slug: {ne: x}}
      hide: [cost]
      readOnly: [status]
      set: {ownerId: $user.id}
      deny: [delete]
    - deny: all
  maker: open
  '*': open
computed:
  product: {label: {type: string, value: name + "!"}}
facts:
  - {name: productSold, schema: productCard}
  - {name: somethingHappened}
`,
	"fronds/shop/entities/product.yaml": `
properties:
  id: {type: string, x-kit: {role: {primary: true}, lifecycle: {create: {generate: cuid2}}}}
  name: {type: string, maxLength: 80}
  slug: {type: string, maxLength: 40, x-kit: {role: {unique: [[slug]]}}}
  price: {type: integer, minimum: 1}
  cost: {type: [integer, 'null'], x-kit: {lifecycle: {create: optional}}}
  status: {type: string, enum: [draft, live], x-kit: {lifecycle: {create: {value: draft}}}}
  note: {type: [string, 'null'], x-kit: {lifecycle: {create: optional}}}
  secret: {type: [string, 'null'], x-kit: {lifecycle: {create: optional}, boundary: {out: closed}}}
  rank: {type: [integer, 'null'], x-kit: {boundary: {in: closed}}}
  ownerId: {type: string}
  size: {type: object, properties: {width: {type: number}, depth: {type: number}}, required: [width], x-kit: {lifecycle: {create: optional}}}
  tags: {type: array, items: {type: string}, x-kit: {lifecycle: {create: {value: []}}}}
  makerId: {type: [string, 'null'], x-kit: {role: {relation: {to: maker, kind: one, onDelete: restrict}}, lifecycle: {create: optional}}}
required: [name, slug, price, ownerId]
`,
	"fronds/shop/entities/maker.yaml": `
properties:
  id: {type: string, x-kit: {role: {primary: true}, lifecycle: {create: {generate: cuid2}}}}
  name: {type: string}
required: [name]
`,
	"fronds/shop/entities/label.yaml": `
properties:
  id: {type: string, x-kit: {role: {primary: true}, lifecycle: {create: {generate: cuid2}}}}
  text: {type: string}
required: [text]
`,
	"fronds/shop/views/productCard.yaml": "of: product\npick: [id, name, status]\n",
}

// edit replaces a text of a file; a file that is not there is written.
type edit struct{ file, from, to string }

const (
	config  = "fronds/shop/frond.yaml"
	product = "fronds/shop/entities/product.yaml"
	maker   = "fronds/shop/entities/maker.yaml"
	card    = "fronds/shop/views/productCard.yaml"
)

// version is the base with edits and settings.
func version(t *testing.T, name string, edits []edit, set func(*diff.Source)) *diff.Version {
	t.Helper()
	if len(edits) == 0 && set == nil {
		return unchanged(t)
	}
	files := maps.Clone(base)
	for _, e := range edits {
		switch {
		case e.from == "" && e.to == "":
			delete(files, e.file)
		case e.from == "":
			files[e.file] = e.to
		case !strings.Contains(files[e.file], e.from):
			t.Fatalf("%s: %s does not contain %q", name, e.file, e.from)
		default:
			files[e.file] = strings.Replace(files[e.file], e.from, e.to, 1)
		}
	}
	return versionOf(t, name, files, set)
}

// bases keeps the version without edits: most cases compare with it.
var bases *diff.Version

// unchanged is the base itself.
func unchanged(t *testing.T) *diff.Version {
	t.Helper()
	if bases == nil {
		bases = versionOf(t, "the base", base, nil)
	}
	return bases
}

// versionOf is a version of files.
func versionOf(t testing.TB, name string, files map[string]string, set func(*diff.Source)) *diff.Version {
	t.Helper()
	fsys := fstest.MapFS{}
	for file, text := range files {
		fsys[file] = &fstest.MapFile{Data: []byte(text)}
	}
	project, err := facade.Read(fsys)
	if err != nil {
		t.Fatal(name, err)
	}
	src := &diff.Source{Name: name, Project: project, Limits: map[string]int64{"graphql.limits.depth": 15}}
	if set != nil {
		set(src)
	}
	v, err := diff.New(src)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// found are the findings of a rule.
func found(t *testing.T, was, is *diff.Version, rule string) (list []diff.Finding) {
	t.Helper()
	report, err := diff.Compare(was, is)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range report.Findings {
		if f.Rule == rule {
			list = append(list, f)
		}
	}
	return list
}

// field returns an edit that replaces the whole of a field of product.
func field(from, to string) edit { return edit{product, from, to} }

// ruleCase makes a rule: is changes the base, or was and is do. not is another change, which
// must not make it.
type ruleCase struct {
	rule    string
	was, is []edit
	not     []edit
	at      string // a place that a finding has; "" is any
	// declared is a line under renamed: of is.
	declared string
	set      func(was, is *diff.Source)
	setNot   func(was, is *diff.Source)
}

const (
	priceIs = "price: {type: integer, minimum: 1}"
	nameIs  = "name: {type: string, maxLength: 80}"
	noteIs  = "note: {type: [string, 'null'], x-kit: {lifecycle: {create: optional}}}"
	sizeIs  = "size: {type: object, properties: {width: {type: number}, depth: {type: number}}, required: [width], x-kit: {lifecycle: {create: optional}}}"
)

// withoutNote removes a field, and added adds one that may be absent.
var withoutNote = []edit{field("  "+noteIs+"\n", "")}

var added = []edit{field(noteIs, noteIs+"\n  extra: {type: [string, 'null'], x-kit: {lifecycle: {create: optional}}}")}

// pictured adds a field with files.
func pictured(rules string) []edit {
	return []edit{
		field(noteIs, noteIs+"\n  picture: {type: [string, 'null'], x-kit: {lifecycle: {create: optional}}}"),
		{config, "computed:", "files: {product.picture: {" + rules + "}}\ncomputed:"},
	}
}

// pictures are files with all that rules are about.
const pictures = "types: [image/png, image/gif], max: 2MiB, sizes: {thumb: 20x20, wide: 90x20}"

var ruleCases = []ruleCase{
	{rule: "files-removed", at: "product.picture", was: pictured(pictures), is: pictured(pictures)[:1], not: pictured(pictures)},
	{rule: "files-added", at: "product.picture", was: pictured(pictures)[:1], is: pictured(pictures), not: added},
	{rule: "file-types-narrowed", at: "product.picture", was: pictured(pictures), is: pictured("types: [image/png], max: 2MiB"), not: pictured(pictures)},
	{rule: "file-types-widened", at: "product.picture", was: pictured("types: [image/png], max: 2MiB"), is: pictured(pictures), not: pictured(pictures)},
	{rule: "file-max-lowered", at: "product.picture", was: pictured(pictures), is: pictured("types: [image/png], max: 1MiB"), not: pictured(pictures)},
	{rule: "file-max-raised", at: "product.picture", was: pictured("types: [image/png], max: 1MiB"), is: pictured(pictures), not: pictured(pictures)},
	{rule: "file-size-removed", at: "product.picture", was: pictured(pictures), is: pictured("types: [image/png], sizes: {wide: 90x20}"), not: pictured(pictures)},
	{rule: "file-size-added", at: "product.picture", was: pictured("types: [image/png], sizes: {wide: 90x20}"), is: pictured(pictures), not: pictured(pictures)},
	{rule: "file-size-changed", at: "product.picture", was: pictured(pictures), is: pictured("types: [image/png], sizes: {thumb: 20x21, wide: 90x20}"), not: pictured(pictures)},
	{rule: "graphql-type-removed", at: "Label", is: []edit{{file: "fronds/shop/entities/label.yaml"}}, not: withoutNote},
	{
		rule: "graphql-type-kind-changed", at: "ProductSize",
		is: []edit{field(sizeIs, "size: {type: [string, 'null'], enum: [big, small, null], x-kit: {lifecycle: {create: optional}}}")}, not: withoutNote,
	},
	{rule: "graphql-name-changed", at: "Product", is: []edit{{config, "  product:\n    list", "  product:\n    graphql: Item\n    list"}}, not: withoutNote},
	{rule: "graphql-field-removed", at: "Product.note", is: withoutNote, not: added},
	{rule: "graphql-field-type-changed", at: "Product.price", is: []edit{field(priceIs, "price: {type: string}")}, not: []edit{field(priceIs, "price: {type: integer, minimum: 2}")}},
	{rule: "graphql-input-removed", at: "CreateProductInput.note", is: withoutNote, not: added},
	{rule: "graphql-input-required", at: "CreateProductInput.note", is: []edit{field(noteIs, "note: {type: string}"), field("required: [name, ", "required: [note, name, ")}, not: added},
	{rule: "graphql-input-type-changed", at: "CreateProductInput.price", is: []edit{field(priceIs, "price: {type: string}")}, not: added},
	{rule: "graphql-enum-value-removed", at: "ProductStatus.live", is: []edit{field("[draft, live]", "[draft]"), {config, "hide: [cost]", "hide: [cost]"}}, not: []edit{field("[draft, live]", "[draft, live, gone]")}},
	{rule: "graphql-enum-value-added", at: "ProductStatus.gone", is: []edit{field("[draft, live]", "[draft, live, gone]")}, not: []edit{field("[draft, live]", "[live, draft]")}},
	{rule: "graphql-interface-removed", at: "Maker", is: []edit{{maker, "create: {generate: cuid2}}}", "create: {generate: cuid2}}, boundary: {out: closed}}"}}, not: withoutNote},
	{rule: "graphql-interface-added", at: "Maker", was: []edit{{maker, "create: {generate: cuid2}}}", "create: {generate: cuid2}}, boundary: {out: closed}}"}}, not: added},
	{rule: "graphql-type-added", at: "Other", is: []edit{{"fronds/shop/entities/other.yaml", "", base["fronds/shop/entities/label.yaml"]}}, not: added},
	{rule: "graphql-field-added", at: "Product.extra", is: added, not: withoutNote},
	{rule: "graphql-input-added", at: "UpdateProductInput.extra", is: added, not: withoutNote},
	{rule: "graphql-type-compatible", at: "Product.note", is: []edit{field(noteIs, "note: {type: string, x-kit: {lifecycle: {create: {value: none}}}}")}, not: added},
	{rule: "graphql-deprecated", at: "Product.note", is: []edit{field(noteIs, strings.Replace(noteIs, "{type", "{deprecated: true, type", 1))}, not: added},

	{
		rule: "field-renamed", at: "GET /api/shop/products", is: []edit{field("  note:", "  remark:")}, not: []edit{field("  note:", "  remark:")},
		declared: "product.note: product.remark",
	},

	{
		rule: "old-field-until", at: "GET /api/shop/products", is: []edit{field("  note:", "  remark:")}, not: []edit{field("  note:", "  remark:")},
		declared: "product.note: {to: product.remark, until: 2999-06-01}",
	},

	{rule: "operation-removed", at: "product.total", is: []edit{{config, "      total: {kind: query}\n", ""}}, not: withoutNote},
	{rule: "operation-kind-changed", at: "product.total", is: []edit{{config, "total: {kind: query}", "total: {kind: command}"}}, not: added},
	{rule: "rest-path-changed", at: "GET /api/shop/makers", is: []edit{{config, "plural: makers", "plural: vendors"}}, not: added},
	{
		rule: "method-renamed", at: "maker.list", is: renamedMaker, not: added,
		declared: "maker: vendor",
	},
	{
		rule: "old-name-until", at: "maker.list", is: renamedMaker, not: renamedMaker,
		declared: "maker: {to: vendor, until: 2999-06-01}",
	},
	{
		rule: "old-name-until", at: "GET /api/shop/makers", not: renamedMaker,
		is:       append(slices.Clone(renamedMaker), edit{config, "  vendor: {plural: makers}", "  vendor: {}"}),
		declared: "maker: {to: vendor, until: 2999-06-01}",
	},
	{rule: "result-cardinality-changed", at: "product.bySlug", is: []edit{{config, "cardinality: maybe", "cardinality: many"}}, not: []edit{{config, "cardinality: maybe", "cardinality: one"}}},
	{rule: "result-cardinality-narrowed", at: "product.bySlug", is: []edit{{config, "cardinality: maybe", "cardinality: one"}}, not: added},
	{rule: "operation-may-conflict", at: "product.create", is: []edit{field(nameIs, "name: {type: string, maxLength: 80, x-kit: {role: {unique: [[name]]}}}")}, not: added},
	{
		rule: "operation-may-conflict", at: "label.delete", is: []edit{field(noteIs, noteIs+"\n  tagId: {type: [string, 'null'], x-kit: {role: {relation: {to: label, kind: one}}, lifecycle: {create: optional}}}")},
		not: []edit{field(noteIs, noteIs+"\n  tagId: {type: [string, 'null'], x-kit: {role: {relation: {to: label, kind: one, onDelete: set null}}, lifecycle: {create: optional}}}")},
	},
	{rule: "operation-moved", at: "maker.list", set: func(_, is *diff.Source) { is.Remotes = []string{"shop"} }, not: added},
	{rule: "operation-added", at: "product.more", is: []edit{{config, "total: {kind: query}", "total: {kind: query}\n      more: {kind: query}"}}, not: added},
	{rule: "operation-deprecated", at: "product.total", is: []edit{{config, "total: {kind: query}", "total: {kind: query, deprecated: use list}"}}, not: added},

	{rule: "request-field-removed", at: "product.create", is: withoutNote, not: added},
	{rule: "request-field-closed", at: "product.update", is: []edit{field(noteIs, strings.Replace(noteIs, "lifecycle: {", "lifecycle: {update: forbidden, ", 1))}, not: withoutNote},
	{rule: "request-field-required", at: "product.create", is: []edit{field("required: [name, ", "required: [note, name, "), field(noteIs, "note: {type: [string, 'null']}")}, not: added},
	{rule: "request-type-changed", at: "product.create", is: []edit{field(priceIs, "price: {type: string}")}, not: []edit{field(priceIs, "price: {type: number, minimum: 1}")}},
	{rule: "request-null-refused", at: "product.create", is: []edit{field(noteIs, "note: {type: string, x-kit: {lifecycle: {create: optional}}}")}, not: added},
	{rule: "request-values-narrowed", at: "product.create", is: []edit{field(nameIs, "name: {type: string, maxLength: 40}")}, not: []edit{field(nameIs, "name: {type: string, maxLength: 81}")}},
	{rule: "request-relation-changed", at: "product.create", is: []edit{field("to: maker", "to: label")}, not: added},
	{rule: "request-default-changed", at: "product.create", is: []edit{field("{value: draft}", "{value: live}")}, not: added},
	{rule: "request-schema-changed", at: "product.create", is: []edit{field(nameIs, "name: {type: string, maxLength: 80, contentEncoding: base64}")}, not: added},
	{rule: "request-field-added", at: "product.create", is: added, not: withoutNote},
	{rule: "request-field-optional", at: "product.create", is: []edit{field("required: [name, ", "required: [")}, not: added},
	{rule: "request-type-widened", at: "product.create", is: []edit{field(priceIs, "price: {type: number, minimum: 1}")}, not: []edit{field(priceIs, "price: {type: string}")}},
	{rule: "request-values-widened", at: "product.create", is: []edit{field(nameIs, "name: {type: string, maxLength: 81}")}, not: []edit{field(nameIs, "name: {type: string, maxLength: 40}")}},

	{rule: "result-field-removed", at: "product.list", is: withoutNote, not: added},
	{rule: "result-type-changed", at: "product.list", is: []edit{field(priceIs, "price: {type: number, minimum: 1}")}, was: nil, not: []edit{field(priceIs, "price: {type: integer, minimum: 2}")}},
	{rule: "result-null-added", at: "product.list", is: []edit{field(priceIs, "price: {type: [integer, 'null'], minimum: 1}")}, not: added},
	{rule: "result-enum-value-added", at: "product.list", is: []edit{field("[draft, live]", "[draft, live, gone]")}, not: []edit{field("[draft, live]", "[draft]")}},
	{rule: "result-values-widened", at: "product.list", is: []edit{field(nameIs, "name: {type: string, maxLength: 81}")}, not: []edit{field(nameIs, "name: {type: string, maxLength: 40}")}},
	{rule: "result-relation-changed", at: "product.list", is: []edit{field("to: maker", "to: label")}, not: added},
	{rule: "result-computed-changed", at: "product.list", is: []edit{{config, `name + "!"`, `name + "?"`}}, not: added},
	{rule: "result-schema-changed", at: "product.list", is: []edit{field(nameIs, "name: {type: string, maxLength: 80, contentEncoding: base64}")}, not: added},
	{rule: "result-field-added", at: "product.list", is: added, not: withoutNote},
	{rule: "result-type-narrowed", at: "product.list", is: []edit{field(noteIs, "note: {type: string, x-kit: {lifecycle: {create: {value: none}}}}")}, not: added},
	{rule: "result-values-narrowed", at: "product.list", is: []edit{field(nameIs, "name: {type: string, maxLength: 40}")}, not: added},

	{rule: "list-filter-narrowed", at: "product.list", is: []edit{field(noteIs, strings.Replace(noteIs, "x-kit: {", "x-kit: {boundary: {out: closed}, ", 1))}, not: added},
	{rule: "list-page-changed", at: "Query.products", is: []edit{{config, "max: 100", "max: 50"}}, not: []edit{{config, "max: 100", "max: 200"}}},
	{rule: "list-page-raised", at: "product.list", is: []edit{{config, "max: 100", "max: 200"}}, not: added},
	{rule: "list-filter-widened", at: "product.list", is: added, not: withoutNote},

	{rule: "access-door-opened", at: "product", is: []edit{{config, productRules, "  product: open\n"}}, not: added},
	{rule: "access-door-closed", at: "maker", is: []edit{{config, "  maker: open", "  maker: [{when: user != nil}, {deny: all}]"}}, not: added},
	{rule: "access-exposed", at: "label.list", was: []edit{{config, "  maker: {plural: makers}", "  maker: {plural: makers}\n  label: false"}}, not: []edit{{"fronds/shop/entities/other.yaml", "", base["fronds/shop/entities/label.yaml"]}}},
	{rule: "access-operation-opened", at: "product.delete", is: []edit{{config, "      deny: [delete]\n", ""}}, not: []edit{{config, "deny: [delete]", "deny: [delete, update]"}}},
	// A caller with two conditions is decided by the first rule: a new order of rules, and a
	// rule in front of another one, close what was open.
	{rule: "access-operation-closed", at: "product.delete", is: []edit{{config, "    - when: '\"staff\" in user.roles'\n", "    - when: user.id != nil\n      deny: [delete]\n    - when: '\"staff\" in user.roles'\n"}}, not: added},
	{rule: "access-operation-closed", at: "product.update", is: []edit{{config, "deny: [delete]", "deny: [delete, update]"}}, not: []edit{{config, "      deny: [delete]\n", ""}}},
	{rule: "access-rows-widened", at: "product.list", is: []edit{{config, ", slug: {ne: x}", ""}}, not: []edit{{config, "slug: {ne: x}", "slug: {ne: z}"}}},
	{rule: "access-rows-narrowed", at: "product.list", is: []edit{{config, "slug: {ne: x}", "slug: {ne: x}, name: {ne: x}"}}, not: []edit{{config, ", slug: {ne: x}", ""}}},
	{rule: "access-rows-changed", at: "product.list", is: []edit{{config, "slug: {ne: x}", "slug: {ne: z}"}}, not: []edit{{config, ", slug: {ne: x}", ""}}},
	{rule: "access-field-shown", at: "product.cost", is: []edit{{config, "      hide: [cost]\n", ""}}, not: []edit{{config, "hide: [cost]", "hide: [cost, note]"}}},
	{rule: "access-field-hidden", at: "product.note", is: []edit{{config, "hide: [cost]", "hide: [cost, note]"}}, not: []edit{{config, "      hide: [cost]\n", ""}}},
	{rule: "access-field-writable", at: "product.status", is: []edit{{config, "      readOnly: [status]\n", ""}}, not: added},
	{rule: "access-field-read-only", at: "product.note", is: []edit{{config, "readOnly: [status]", "readOnly: [status, note]"}}, not: added},
	{rule: "access-preset-added", at: "product.note", is: []edit{{config, "set: {ownerId: $user.id}", "set: {ownerId: $user.id, note: x}"}}, not: added},
	{rule: "access-preset-changed", at: "product.ownerId", is: []edit{{config, "set: {ownerId: $user.id}", "set: {ownerId: nobody}"}}, not: added},
	{rule: "access-boundary-opened", at: "product.secret", is: []edit{field(", boundary: {out: closed}", "")}, not: added},
	{rule: "access-write-opened", at: "product.rank", is: []edit{field("x-kit: {boundary: {in: closed}}", "x-kit: {lifecycle: {create: optional}}")}, not: added},

	{rule: "fact-removed", at: "productSold", is: []edit{{config, "  - {name: productSold, schema: productCard}\n", ""}}, not: added},
	{rule: "fact-shape-removed", at: "productSold", is: []edit{{config, "name: productSold, schema: productCard", "name: productSold"}}, not: added},
	{rule: "fact-added", at: "productLost", is: []edit{{config, "facts:\n", "facts:\n  - {name: productLost}\n"}}, not: added},
	{rule: "fact-source-removed", at: "productSold", was: []edit{sold("on: [product.create, product.update]")}, is: []edit{sold("on: product.create")}, not: []edit{sold("on: [product.create, product.update, product.delete]")}},
	{rule: "fact-source-added", at: "productSold", was: []edit{sold("on: product.create")}, is: []edit{sold("on: [product.create, product.update]")}, not: added},
	{rule: "fact-condition-changed", at: "productSold", was: []edit{sold("on: product.update, when: after.price > 1")}, is: []edit{sold("on: product.update")}, not: []edit{sold("on: product.update, when: after.price > 1")}},
	{rule: "fact-subject-changed", at: "productSold", is: []edit{{config, "schema: productCard", "schema: {properties: {id: {type: string}, name: {type: string}, status: {type: string}}}"}}, not: added},
	{rule: "fact-opened", at: "somethingHappened", was: []edit{happened("[{when: user != nil}]")}, is: []edit{happened("open")}, not: []edit{happened("[{when: user == nil}]")}},
	{rule: "fact-closed", at: "somethingHappened", was: []edit{happened("open")}, is: []edit{happened("[{when: user != nil}]")}, not: []edit{}},
	{rule: "fact-shape-added", at: "somethingHappened", is: []edit{{config, "{name: somethingHappened}", "{name: somethingHappened, schema: productCard}"}}, not: added},

	{rule: "store-table-removed", at: "label", is: []edit{{file: "fronds/shop/entities/label.yaml"}}, not: withoutNote},
	{
		rule: "store-table-renamed", at: "maker", is: renamedMaker, not: added,
		declared: "maker: vendor",
	},
	{rule: "store-table-added", at: "other", is: []edit{{"fronds/shop/entities/other.yaml", "", base["fronds/shop/entities/label.yaml"]}}, not: added},
	{rule: "store-column-removed", at: "product.note", is: withoutNote, not: added},
	{rule: "store-column-required", at: "product.extra", is: []edit{field(noteIs, noteIs+"\n  extra: {type: string}"), field("required: [name, ", "required: [extra, name, ")}, not: added},
	{rule: "store-column-converted", at: "product.price", is: []edit{field(priceIs, "price: {type: string}")}, not: []edit{field(priceIs, "price: {type: number, minimum: 1}")}},
	{rule: "store-column-not-null", at: "product.note", is: []edit{field(noteIs, "note: {type: string, x-kit: {lifecycle: {create: {value: none}}}}")}, not: added},
	{rule: "store-column-backfilled", at: "product.price", is: []edit{field(priceIs, "price: {type: string}"), {config, "facts:\n", "values: {product.price: string(price)}\nfacts:\n"}}, not: []edit{field(priceIs, "price: {type: string}")}},
	{rule: "store-primary-key-changed", at: "label.text", is: []edit{
		{"fronds/shop/entities/label.yaml", "x-kit: {role: {primary: true}, lifecycle: {create: {generate: cuid2}}}", "x-kit: {lifecycle: {create: {generate: cuid2}}}"},
		{"fronds/shop/entities/label.yaml", "text: {type: string}", "text: {type: string, x-kit: {role: {primary: true}}}"},
	}, not: added},
	{rule: "store-reference-changed", at: "product.makerId", is: []edit{field("to: maker", "to: label")}, not: added},
	{rule: "store-check-tightened", at: "product.name", is: []edit{field(nameIs, "name: {type: string, maxLength: 40}")}, not: []edit{field(nameIs, "name: {type: string, maxLength: 81}")}},
	{rule: "store-on-delete-changed", at: "product.makerId", is: []edit{field("onDelete: restrict", "onDelete: cascade")}, not: added},
	{rule: "store-column-widened", at: "product.price", is: []edit{field(priceIs, "price: {type: number, minimum: 1}")}, not: added},
	{
		rule: "store-column-renamed", at: "product.note", is: []edit{field("  note:", "  remark:")}, not: []edit{field("  note:", "  remark:")},
		declared: "product.note: product.remark",
	},
	{rule: "store-column-added", at: "product.extra", is: added, not: withoutNote},
	{rule: "store-column-nullable", at: "product.price", is: []edit{field(priceIs, "price: {type: [integer, 'null'], minimum: 1}")}, not: added},
	{rule: "store-check-loosened", at: "product.name", is: []edit{field(nameIs, "name: {type: string, maxLength: 81}")}, not: []edit{field(nameIs, "name: {type: string, maxLength: 40}")}},
	{rule: "store-reference-removed", at: "product.makerId", is: []edit{field("role: {relation: {to: maker, kind: one, onDelete: restrict}}, ", "")}, not: added},
	{rule: "store-index-changed", at: "product.name", is: []edit{field(nameIs, "name: {type: string, maxLength: 80, x-kit: {role: {index: true}}}")}, not: added},
	{rule: "store-unique-added", at: "product", is: []edit{field(nameIs, "name: {type: string, maxLength: 80, x-kit: {role: {unique: [[name]]}}}")}, not: added},
	{rule: "store-unique-removed", at: "product", is: []edit{field(", x-kit: {role: {unique: [[slug]]}}", "")}, not: added},

	{rule: "documents-enforced", at: "graphql.documents", set: func(_, is *diff.Source) { is.Enforced = true }, not: added},
	{
		rule: "document-removed", at: "document home", set: func(was, _ *diff.Source) { was.Documents = map[string]string{"home": "{ __typename }"} }, not: added,
		setNot: func(was, is *diff.Source) {
			was.Documents, is.Documents = map[string]string{"home": "{ __typename }"}, map[string]string{"home": "{ a: __typename }"}
		},
	},
	{
		rule: "document-changed", at: "document home", not: added,
		set: func(was, is *diff.Source) {
			was.Documents, is.Documents = map[string]string{"home": "{ __typename }"}, map[string]string{"home": "{ a: __typename }"}
		},
		setNot: func(was, is *diff.Source) {
			was.Documents, is.Documents = map[string]string{"home": "{ __typename }"}, map[string]string{"home": "{ __typename }\n"}
		},
	},
	{rule: "limit-lowered", at: "graphql.limits.depth", set: func(_, is *diff.Source) { is.Limits = map[string]int64{"graphql.limits.depth": 10} }, not: added},
	{rule: "limit-raised", at: "graphql.limits.depth", set: func(_, is *diff.Source) { is.Limits = map[string]int64{"graphql.limits.depth": 20} }, not: added},
}

// renamedMaker is the base with the entity maker called vendor.
var renamedMaker = []edit{
	{file: maker},
	{"fronds/shop/entities/vendor.yaml", "", base[maker]},
	{config, "  maker: {plural: makers}", "  vendor: {plural: makers}"},
	{config, "  maker: open", "  vendor: open"},
	field("to: maker", "to: vendor"),
}

// sold has more said of the fact productSold.
func sold(what string) edit {
	return edit{config, "{name: productSold, schema: productCard}", "{name: productSold, schema: productCard, " + what + "}"}
}

// happened gives the fact somethingHappened a collector.
func happened(what string) edit {
	return edit{config, "  maker: open\n", "  maker: open\n  somethingHappened: " + what + "\n"}
}

// renamed declares a rename.
func renamed(line string) edit { return edit{config, "facts:\n", "renamed: {" + line + "}\nfacts:\n"} }

// productRules are the rules of product in the base.
var productRules = func() string {
	text := base[config]
	from := strings.Index(text, "  product:\n    - when")
	return text[from:strings.Index(text, "  maker: open")]
}()

// TestRules: every rule has a change that makes it, at the place where it belongs, and another
// one that does not.
func TestRules(t *testing.T) {
	for _, c := range ruleCases {
		t.Run(c.rule, func(t *testing.T) {
			settings := func(set func(was, is *diff.Source)) (was, is func(*diff.Source)) {
				var a, b diff.Source
				if set == nil {
					return nil, nil
				}
				set(&a, &b)
				apply := func(from *diff.Source) func(*diff.Source) {
					return func(to *diff.Source) {
						to.Remotes, to.Documents, to.Enforced = from.Remotes, from.Documents, from.Enforced
						if from.Limits != nil {
							to.Limits = from.Limits
						}
					}
				}
				return apply(&a), apply(&b)
			}
			setWas, setIs := settings(c.set)
			was := version(t, "old", c.was, setWas)
			is := slices.Clone(c.is)
			if c.declared != "" {
				is = append(is, renamed(c.declared))
			}
			got := found(t, was, version(t, "new", is, setIs), c.rule)
			if !slices.ContainsFunc(got, func(f diff.Finding) bool { return c.at == "" || f.At == c.at || slices.Contains(f.Also, c.at) }) {
				t.Errorf("not found at %s; found %v", c.at, got)
			}
			for _, f := range got {
				rule := ruleNamed(t, c.rule)
				if f.Level != rule.Level || !slices.Contains(rule.Surfaces, f.Surface) || f.WayOut == "" {
					t.Errorf("the finding %+v is not what the rule %+v says", f, rule)
				}
			}
			if c.not == nil && c.setNot == nil {
				t.Fatal("the case has no change that does not make the rule")
			}
			setWas, setIs = settings(c.setNot)
			if got := found(t, version(t, "old", nil, setWas), version(t, "new", c.not, setIs), c.rule); len(got) > 0 {
				t.Errorf("found by a change that does not make it: %+v", got)
			}
		})
	}
}

// ruleNamed is the rule of a name.
func ruleNamed(t *testing.T, name string) diff.Rule {
	t.Helper()
	for _, r := range diff.Rules() {
		if r.Name == name {
			return r
		}
	}
	t.Fatalf("there is no rule %s", name)
	return diff.Rule{}
}

// TestEveryRuleHasACase: a rule that nobody can make is none.
func TestEveryRuleHasACase(t *testing.T) {
	seen := map[string]bool{}
	for _, r := range diff.Rules() {
		if seen[r.Name] {
			continue // a rule may be in two tables
		}
		seen[r.Name] = true
		overRows := strings.HasPrefix(r.Name, "access-caller-") // TestEffects
		if !overRows && !slices.ContainsFunc(ruleCases, func(c ruleCase) bool { return c.rule == r.Name }) {
			t.Errorf("the rule %s has no case", r.Name)
		}
		if r.About == "" || r.WayOut == "" || len(r.Surfaces) == 0 {
			t.Errorf("the rule %s does not say what it is about, on which surfaces, or what the way out is", r.Name)
		}
	}
	for _, c := range ruleCases {
		ruleNamed(t, c.rule)
	}
}
