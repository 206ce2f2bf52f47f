package project_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/frondhost/frond/facade/project"
)

// TestReadRights: a rights.yaml becomes callers and their checks.
func TestReadRights(t *testing.T) {
	const file = `
- as: {user: {id: ada}}
  name: a customer
  sees: {order: 3, customer: [ada, 7], supplier: denied}
  hidden: {order: [internalNote, cost]}
  may:
    - order.list
    - order.create: {body: {total: 3}}
  mayNot:
    - order.delete: {params: {id: o-1}, code: FORBIDDEN}
- as: null
  sees: {order: 0, supplier: []}
`
	fronds, err := project.Read(fstest.MapFS{
		"fronds/a/frond.yaml": {Data: []byte("name: sales\n")}, "fronds/a/rights.yaml": {Data: []byte(file)},
		"fronds/b/frond.yaml": {Data: []byte("{}")}, "fronds/b/rights.json": {Data: []byte(`[{"as":{"user":{"id":"b"}},"sees":{"x":1}}]`)},
		"fronds/c/frond.yaml": {Data: []byte("{}")}, "fronds/c/rights.yaml": {Data: []byte("# no caller yet\n")},
	})
	if err != nil {
		t.Fatal(err)
	}
	all, err := project.ReadRights(fronds)
	if err != nil {
		t.Fatal(err)
	}
	var got strings.Builder
	for _, c := range all {
		fmt.Fprintf(&got, "%s#%s %s: %s\n", c.File, c.At, c.Frond, c.Name)
		for _, s := range c.Visible {
			fmt.Fprintf(&got, "  sees %s %s %v %d %s\n", s.At, s.Door, s.Denied, s.Count, s.Keys)
		}
		for _, h := range c.Hidden {
			fmt.Fprintf(&got, "  hidden %s %s %v\n", h.At, h.Door, h.Fields)
		}
		for _, a := range append(c.May, c.MayNot...) {
			fmt.Fprintf(&got, "  %s %s.%s %s%s%s %s\n", a.At, a.Entity, a.Operation, a.Params, a.Query, a.Body, a.Code)
		}
	}
	const want = `fronds/a/rights.yaml#/0 sales: a customer
  sees /0/sees/order order false 3 []
  sees /0/sees/customer customer false 0 ["ada" 7]
  sees /0/sees/supplier supplier true 0 []
  hidden /0/hidden/order order [{internalNote /0/hidden/order/0} {cost /0/hidden/order/1}]
  /0/may/0 order.list  
  /0/may/1/order.create order.create {"total":3} 
  /0/mayNot/0/order.delete order.delete {"id":"o-1"} FORBIDDEN
fronds/a/rights.yaml#/1 sales: nobody
  sees /1/sees/order order false 0 []
  sees /1/sees/supplier supplier false 0 []
fronds/b/rights.json#/0 b: {"user":{"id":"b"}}
  sees /0/sees/x x false 1 []
`
	if got.String() != want {
		t.Errorf("got\n%s\nwant\n%s", &got, want)
	}
	if all[1].As != nil || all[1].Visible[1].Keys == nil {
		t.Error("nobody has a state, or a list of no keys is a number")
	}
}

// TestReadRightsFaults: each mistake names its place and the line to write.
func TestReadRightsFaults(t *testing.T) {
	for _, c := range []struct{ file, want string }{
		{"as: null", "rights.yaml: rights have to be a list of callers; begin each caller with a hyphen: - as: {user: {id: ada}}"},
		{"- ada", "rights.yaml#/0: a caller has to be an object; write keys: as, name, sees, hidden, may, mayNot"},
		{"- {as: null, sess: {a: 1}}", "rights.yaml#/0/sess: a caller has no key sess; did you mean sees? its keys are as, name, sees, hidden, may, mayNot"},
		{"- {sees: {a: 1}}", "rights.yaml#/0: this entry names no caller; write as: {user: {id: ada}}, or as: null for an anonymous caller"},
		{"- {as: null}", "rights.yaml#/0: this entry checks nothing; write sees, hidden, may or mayNot"},
		{"- {as: ada, sees: {a: 1}}", "rights.yaml#/0/as: as is no state of a caller; write as: {user: {id: ada}}, or as: null for an anonymous caller"},
		{"- {as: {user: ada}, sees: {a: 1}}", "rights.yaml#/0/as/user: user is no object; write user: {id: ada, roles: [staff]}"},
		{"- {as: {id: ada}, sees: {a: 1}}", "rights.yaml#/0/as/id: id is a member of user; write as: {user: {id: …}}"},
		{"- {as: null, sees: {a: none}}", "rights.yaml#/0/sees/a: this is neither a number of rows nor a list of keys; write such as 3, [o-1, o-2] or denied"},
		{"- {as: null, sees: {a: 1.5}}", "rights.yaml#/0/sees/a: this is neither a number of rows nor a list of keys; write such as 3, [o-1, o-2] or denied"},
		{"- {as: null, sees: {a: -1}}", "rights.yaml#/0/sees/a: this is neither a number of rows nor a list of keys; write such as 3, [o-1, o-2] or denied"},
		{"- {as: null, sees: {a: [[b]]}}", "rights.yaml#/0/sees/a/0: this is no key of a row; write the values of the primary key, such as [o-1, o-2]"},
		{"- {as: null, hidden: {a: note}}", "rights.yaml#/0/hidden/a: a has to be a list of names; write [internalNote]"},
		{"- {as: null, may: {order.list: null}}", "rights.yaml#/0/may: may has to be a list of calls; begin each with a hyphen: - order.delete: {params: {id: o-1}}"},
		{"- {as: null, may: [list]}", "rights.yaml#/0/may/0: list names no operation; write an entity, a dot and an operation, such as order.list"},
		{"- {as: null, may: [{a.list: null, b.list: null}]}", "rights.yaml#/0/may/0: this entry has several calls; begin each with a hyphen of its own, and write its parts below it: - order.delete: {params: {id: o-1}}"},
		{"- {as: null, may: [{a.list: {code: FORBIDDEN}}]}", "rights.yaml#/0/may/0/a.list/code: a call has no key code; its keys are params, query, body"},
		{"- {as: null, mayNot: [{a.delete: {id: 1}}]}", "rights.yaml#/0/mayNot/0/a.delete/id: a call has no key id; its keys are params, query, body, code"},
	} {
		_, err := project.ReadRights([]*project.Frond{{Name: "app", Rights: project.Text{File: "rights.yaml", Data: []byte(c.file)}}})
		if err == nil || err.Error() != c.want {
			t.Errorf("%s\ngot  %v\nwant %s", c.file, err, c.want)
		}
	}
	if _, err := project.Read(fstest.MapFS{"frond.yaml": {}, "rights.yaml": {}, "rights.json": {}}); err == nil || !strings.Contains(err.Error(), "rights.json: the rights of this Frond are in rights.yaml as well") {
		t.Errorf("two files: %v", err)
	}
}
