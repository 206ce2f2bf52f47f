package storetest

import (
	"testing"
	"testing/fstest"

	"github.com/frondhost/frond/facade"
)

// ProjectOf returns the project of these files, by their names in its folder. It fails tb where
// the folder cannot be read.
func ProjectOf(tb testing.TB, files map[string]string) *facade.Project {
	tb.Helper()
	fsys := fstest.MapFS{}
	for name, text := range files {
		fsys[name] = &fstest.MapFile{Data: []byte(text)}
	}
	p, err := facade.Read(fsys)
	if err != nil {
		tb.Fatal(err)
	}
	return p
}

// Desk returns the files of a small shop under these access rules: customers, their orders, and
// the lines of orders.
func Desk(collectors string) map[string]string {
	return map[string]string{
		"entities/customer.yaml": `
properties:
  id: {type: string, x-kit: {role: {primary: true}}}
  name: {type: string}
  email: {type: [string, 'null'], x-kit: {role: {unique: [[email]]}}}
  orders: {x-kit: {role: {relation: {to: order, kind: many}}}}
required: [id, name]`,
		"entities/order.yaml": `
properties:
  id: {type: string, x-kit: {role: {primary: true}}}
  customerId: {x-kit: {role: {relation: {to: customer, kind: one}}}}
  code: {type: string, x-kit: {role: {unique: [[code, tenant]]}, lifecycle: {create: {value: x}}}}
  tenant: {type: string, x-kit: {role: {unique: [[code, tenant]]}, lifecycle: {create: {value: t}}}}
  status: {enum: [open, paid, sent], x-kit: {lifecycle: {create: {value: open}}}}
  total: {type: integer, x-kit: {lifecycle: {create: {value: 0}}}}
  internalNote: {type: [string, 'null'], x-kit: {lifecycle: {create: optional}}}
  placedAt: {type: [string, 'null'], format: date-time, x-kit: {lifecycle: {create: optional}}}
  lines: {x-kit: {role: {relation: {to: line, kind: many}}}}
required: [id, customerId]`,
		"entities/line.yaml": `
properties:
  id: {type: integer, x-kit: {role: {primary: true}}}
  orderId: {x-kit: {role: {relation: {to: order, kind: one}}}}
  what: {type: string}
required: [id, orderId, what]`,
		"seeds/customer.yaml": `
- {id: c1, name: Ada, email: ada@x.org}
- {id: c2, name: Bob, email: bob@x.org}
- {id: c3, name: Cyd, email: null}`,
		"seeds/order.yaml": `
- {id: o1, customerId: c1, code: a, status: open, total: 10, internalNote: slow payer}
- {id: o2, customerId: c1, code: b, status: paid, total: 20, internalNote: null}
- {id: o3, customerId: c2, code: c, status: open, total: 30, internalNote: secret}
- {id: o4, customerId: c2, code: d, status: sent, total: 40, internalNote: null}`,
		"seeds/line.yaml": `
- {id: 1, orderId: o1, what: pen}
- {id: 2, orderId: o2, what: ink}
- {id: 3, orderId: o3, what: pad}
- {id: 4, orderId: o4, what: cap}`,
		"frond.yaml": collectors,
	}
}

// DeskRules are access rules of [Desk]: customers see their own orders, staff sees all.
const DeskRules = `
name: desk
collectors:
  order:
    - when: user.role == "staff"
    - when: user != nil
      rows: {customerId: {eq: $user.id}}
      hide: [internalNote]
      set: {customerId: $user.id, tenant: $user.tenant}
      deny: [delete]
    - deny: all
  line:
    - when: user.role == "staff"
    - rows: {order: {customerId: {eq: $user.id}}}
  customer:
    - when: user.role == "staff"
    - rows: {id: {eq: $user.id}}
`
