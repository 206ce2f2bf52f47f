package topology

import (
	"maps"
	"slices"
	"testing"
	"testing/fstest"

	"github.com/frondhost/frond/facade"
)

// fronds are the four, each with a card for each entity and its frond.yaml. Each of them has relations to the others.
var fronds = []string{"desk", "notes", "people", "shop"}

var files = map[string]string{
	"fronds/people/entities/org.yaml": `
type: object
properties:
  id: {type: string, x-kit: {role: {primary: true}}}
  name: {type: string}
  level: {type: integer}
  members: {x-kit: {role: {relation: {to: person, kind: many}}}}
  products: {x-kit: {role: {relation: {to: product, kind: many}}}}
required: [id, name, level]
x-kit-version: 1
`,
	"fronds/people/entities/person.yaml": `
type: object
properties:
  id: {type: string, x-kit: {role: {primary: true}}}
  name: {type: string}
  orgId: {type: string, x-kit: {role: {relation: {to: org, kind: one, onDelete: cascade}}}}
  bossId: {type: [string, 'null'], x-kit: {role: {relation: {to: person, kind: one, onDelete: set null}}, lifecycle: {create: optional}}}
  reports: {x-kit: {role: {relation: {to: person, kind: many}}}}
  orders: {x-kit: {role: {relation: {to: order, kind: many}}}}
  notes: {x-kit: {role: {relation: {to: note, kind: many}}}}
required: [id, name, orgId]
x-kit-version: 1
`,
	"fronds/people/frond.yaml": `
many: {org: '*', person: '*'}
collectors:
  org: open
  person:
    - when: '"staff" in user.roles'
    - rows: {org: {level: {lt: 3}}}
changes: [person]
`,
	"fronds/shop/entities/product.yaml": `
type: object
properties:
  id: {type: string, x-kit: {role: {primary: true}}}
  name: {type: string}
  price: {type: string, format: decimal}
  state: {type: string, enum: [draft, active, retired]}
  makerId: {type: [string, 'null'], x-kit: {role: {relation: {to: org, kind: one, onDelete: set null}}, lifecycle: {create: optional}}}
  picture: {type: [string, 'null'], x-kit: {lifecycle: {create: optional}}}
  lines: {x-kit: {role: {relation: {to: line, kind: many}}}}
  labels: {x-kit: {role: {relation: {to: label, kind: many}}}}
required: [id, name, price, state]
x-kit-version: 1
`,
	"fronds/shop/entities/label.yaml": `
type: object
properties:
  id: {type: string, x-kit: {role: {primary: true}}}
  productId: {type: string, x-kit: {role: {relation: {to: product, kind: one, onDelete: cascade}}}}
  tagId: {type: string, x-kit: {role: {relation: {to: tag, kind: one, onDelete: cascade}}}}
required: [id, productId, tagId]
x-kit-version: 1
`,
	"fronds/shop/frond.yaml": `
many: {product: '*', label: '*'}
files: {product.picture: {types: [text/plain], max: 1KiB}}
search: {product: {fields: {name: A}}}
relations: {product.tags: {through: label, inverse: products}}
computed:
  product:
    title: {type: string, value: name + " (" + state + ")"}
collectors:
  product:
    - when: '"staff" in user.roles'
    - rows: {or: [{maker: {name: {ne: hidden}}}, {makerId: {isNull: true}}]}
      hide: [price]
  label:
    - when: '"staff" in user.roles'
    - rows: {product: {state: {eq: active}}}
changes: [product]
`,
	"fronds/desk/entities/order.yaml": `
type: object
properties:
  id: {type: string, x-kit: {role: {primary: true}}}
  title: {type: string}
  buyerId: {type: string, x-kit: {role: {relation: {to: person, kind: one, onDelete: restrict}}}}
  lines: {x-kit: {role: {relation: {to: line, kind: many}}}}
  notes: {x-kit: {role: {relation: {to: note, kind: many}}}}
required: [id, title, buyerId]
x-kit-version: 1
`,
	"fronds/desk/entities/line.yaml": `
type: object
properties:
  id: {type: string, x-kit: {role: {primary: true}}}
  n: {type: integer}
  orderId: {type: string, x-kit: {role: {relation: {to: order, kind: one, onDelete: cascade}}}}
  productId: {type: string, x-kit: {role: {relation: {to: product, kind: one, onDelete: restrict}}}}
required: [id, n, orderId, productId]
x-kit-version: 1
`,
	"fronds/desk/frond.yaml": `
many: {order: '*', line: '*'}
nested: {order: [lines]}
collectors:
  order:
    - when: '"staff" in user.roles'
    - rows: {buyerId: {eq: $user.id}}
      hide: [buyerId]
      deny: [delete]
  line:
    - when: '"staff" in user.roles'
    - rows: {order: {buyerId: {eq: $user.id}}, product: {state: {eq: active}}}
changes: [order]
`,
	"fronds/notes/entities/tag.yaml": `
type: object
properties:
  id: {type: string, x-kit: {role: {primary: true}}}
  name: {type: string, x-kit: {role: {unique: [[name]]}}}
required: [id, name]
x-kit-version: 1
`,
	"fronds/notes/entities/note.yaml": `
type: object
properties:
  id: {type: string, x-kit: {role: {primary: true}}}
  text: {type: string}
  paper: {type: [string, 'null'], x-kit: {lifecycle: {create: optional}}}
  personId: {type: string, x-kit: {role: {relation: {to: person, kind: one, onDelete: cascade}}}}
  orderId: {type: [string, 'null'], x-kit: {role: {relation: {to: order, kind: one, onDelete: set null}}, lifecycle: {create: optional}}}
required: [id, text, personId]
x-kit-version: 1
`,
	"fronds/notes/frond.yaml": `
many: {tag: '*', note: '*'}
files: {note.paper: {types: [text/plain], max: 1KiB}}
search: {note: {fields: {text: A}}}
collectors:
  tag: open
  note:
    - when: '"staff" in user.roles'
    - rows: {or: [{personId: {eq: $user.id}}, {order: {buyerId: {eq: $user.id}}}]}
      hide: [orderId]
changes: [note]
`,
}

// project reads the four Fronds.
func project(t testing.TB) *facade.Project {
	t.Helper()
	fsys := fstest.MapFS{}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		fsys[name] = &fstest.MapFile{Data: []byte(files[name])}
	}
	p, err := facade.Read(fsys)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// A field of an entity, as the calls that are made know it.
type field struct {
	name string
	kind string // id, text, int, decimal, enum, file, one (a key), many
	to   string // the entity that a relation leads to
	null bool
}

// entity is a door of the project.
type entity struct {
	name, plural, frond string
	fields              []field
}

var entities = []entity{
	{"org", "orgs", "people", []field{{name: "id", kind: "id"}, {name: "name", kind: "text"}, {name: "level", kind: "int"}, {name: "members", kind: "many", to: "person"}, {name: "products", kind: "many", to: "product"}}},
	{"person", "persons", "people", []field{{name: "id", kind: "id"}, {name: "name", kind: "text"}, {name: "orgId", kind: "one", to: "org"}, {name: "bossId", kind: "one", to: "person", null: true}, {name: "reports", kind: "many", to: "person"}, {name: "orders", kind: "many", to: "order"}, {name: "notes", kind: "many", to: "note"}}},
	{"product", "products", "shop", []field{{name: "id", kind: "id"}, {name: "name", kind: "text"}, {name: "price", kind: "decimal"}, {name: "state", kind: "enum"}, {name: "picture", kind: "file", null: true}, {name: "makerId", kind: "one", to: "org", null: true}, {name: "lines", kind: "many", to: "line"}, {name: "labels", kind: "many", to: "label"}, {name: "tags", kind: "many", to: "tag"}}},
	{"label", "labels", "shop", []field{{name: "id", kind: "id"}, {name: "productId", kind: "one", to: "product"}, {name: "tagId", kind: "one", to: "tag"}}},
	{"order", "orders", "desk", []field{{name: "id", kind: "id"}, {name: "title", kind: "text"}, {name: "buyerId", kind: "one", to: "person"}, {name: "lines", kind: "many", to: "line"}, {name: "notes", kind: "many", to: "note"}}},
	{"line", "lines", "desk", []field{{name: "id", kind: "id"}, {name: "n", kind: "int"}, {name: "orderId", kind: "one", to: "order"}, {name: "productId", kind: "one", to: "product"}}},
	{"tag", "tags", "notes", []field{{name: "id", kind: "id"}, {name: "name", kind: "text"}, {name: "products", kind: "many", to: "product"}}},
	{"note", "notes", "notes", []field{{name: "id", kind: "id"}, {name: "text", kind: "text"}, {name: "paper", kind: "file", null: true}, {name: "personId", kind: "one", to: "person"}, {name: "orderId", kind: "one", to: "order", null: true}}},
}

func entityOf(name string) *entity {
	return &entities[slices.IndexFunc(entities, func(e entity) bool { return e.name == name })]
}
