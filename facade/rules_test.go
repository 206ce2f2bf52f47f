package facade_test

import (
	"strings"
	"testing"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/access"
	"github.com/frondhost/frond/facade/compile"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/store/storetest"
)

// desk and theirs are the shop of most tests about rights.
const theirs = storetest.DeskRules

func desk(collectors string) map[string]string { return storetest.Desk(collectors) }

func user(f facade.Caller, pairs ...any) facade.Caller {
	m := map[string]any{}
	for i := 0; i < len(pairs); i += 2 {
		m[pairs[i].(string)] = pairs[i+1]
	}
	return as(f, access.State{"user": m})
}

// known is an answer, or the failure with its details.
func known(text string, err *kiterror.Error) string {
	switch {
	case err == nil:
		return masked(text)
	case err.Code == kiterror.ValidationFailed:
		return refusals(err)
	}
	return string(err.Code)
}

func TestRules(t *testing.T) {
	f := facadeOf(t, desk(theirs), nil)
	ada := user(f, "id", "c1", "tenant", "t")
	staff := user(f, "id", "s1", "role", "staff")
	nobody := as(f, nil)
	stranger := user(f, "id", "c9")
	nameless := user(f, "name", "no id")
	odd := user(f, "id", map[string]any{"ne": "c1"})
	for _, c := range []struct {
		name                        string
		caller                      facade.Caller
		method, params, query, body string
		want                        string
	}{
		{"staff see all", staff, "order.list", ``, `{"fields":"id,internalNote","limit":1}`, ``, `{"items":[{"id":"o1","internalNote":"slow payer"}],"total":4,"hasMore":true,"endCursor":"…"}`},
		{"a customer sees theirs", ada, "order.list", ``, `{"fields":"id"}`, ``, `{"items":[{"id":"o1"},{"id":"o2"}],"total":2,"hasMore":false,"endCursor":"…"}`},
		{"and none of the hidden fields", ada, "order.findById", `{"id":"o1"}`, ``, ``, `{"id":"o1","customerId":"c1","code":"a","tenant":"t","status":"open","total":10,"placedAt":null}`},
		{"a stranger sees none", stranger, "order.list", ``, `{"fields":"id"}`, ``, `{"items":[],"total":0,"hasMore":false,"endCursor":null}`},
		{"nor does a user without what the rule reads", nameless, "order.list", ``, `{"fields":"id"}`, ``, `{"items":[],"total":0,"hasMore":false,"endCursor":null}`},
		{"nor one whose id is no value of the field", odd, "order.list", ``, `{"fields":"id"}`, ``, `{"items":[],"total":0,"hasMore":false,"endCursor":null}`},
		{"nobody is turned away", nobody, "order.list", ``, ``, ``, `UNAUTHORIZED`},
		{"a denied operation is forbidden", ada, "order.delete", `{"id":"o1"}`, ``, ``, `FORBIDDEN`},
		{"even where there is no such row", ada, "order.delete", `{"id":"o9"}`, ``, ``, `FORBIDDEN`},
		{"a rule through a relation", ada, "line.list", ``, `{"fields":"id"}`, ``, `{"items":[{"id":1},{"id":2}],"total":2,"hasMore":false,"endCursor":"…"}`},
		{"shows nobody nothing", nobody, "line.list", ``, `{"fields":"id"}`, ``, `{"items":[],"total":0,"hasMore":false,"endCursor":null}`},
		{
			"its own filter goes where the caller may not", ada, "line.list", ``, `{"filter":{"order":{"internalNote":{"eq":"slow payer"}}}}`, ``,
			"/query/filter/order/internalNote unknown_key: is nothing to filter order by; there is id, customerId, customer, code, tenant, status, total, placedAt, lines",
		},
		{"none", ada, "customer.list", ``, `{"fields":"id","filter":{"orders":{"none":{"status":{"eq":"open"}}}}}`, ``, `{"items":[],"total":0,"hasMore":false,"endCursor":null}`},
		{"nested", ada, "customer.list", ``, `{"fields":"id","filter":{"orders":{"some":{"lines":{"some":{"what":{"eq":"pad"}}}}}}}`, ``, `{"items":[],"total":0,"hasMore":false,"endCursor":null}`},
		{
			"preset fields cannot be sent", ada, "order.create", ``, ``, `{"id":"n1","customerId":"c1","tenant":"t"}`,
			"/body/customerId read_only: is set for you; leave it out\n/body/tenant read_only: is set for you; leave it out",
		},
		{"and what is preset and not there is forbidden", user(f, "id", "c1"), "order.create", ``, ``, `{"id":"n1"}`, `FORBIDDEN`},
		{"which does not keep from reading", user(f, "id", "c1"), "order.findById", `{"id":"o2"}`, `{}`, ``, `{"id":"o2","customerId":"c1","code":"b","tenant":"t","status":"paid","total":20,"placedAt":null}`},
		{"update of a hidden row", ada, "order.update", `{"id":"o3"}`, ``, `{"total":1}`, `NOT_FOUND`},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := known(do(t, c.caller, c.method, c.params, c.query, c.body)); got != c.want {
				t.Errorf("got\n%s\nwant\n%s", got, c.want)
			}
		})
	}
	holds(t, must(t, ada, "order.create", "", "", `{"id":"n2","total":5}`), `{"customerId":"c1","tenant":"t"}`)
}

// A rule for some operations is passed over by all others, those that reach the
// door through a relation among them.
func TestRulesForOperations(t *testing.T) {
	f := facadeOf(t, desk(`
name: desk
collectors:
  order:
    - for: [update, delete]
      when: user != nil
      rows: {customerId: {eq: $user.id}}
    - for: [findById]
      hide: [internalNote]
    - for: [list]
      when: user.broken > 3
    - for: [list]
      rows: {status: {ne: sent}}
    - when: user != nil
`), nil)
	ada, nobody := user(f, "id", "c1", "broken", 1), as(f, nil)
	for _, c := range []struct {
		name                        string
		caller                      facade.Caller
		method, params, query, body string
		want                        string
	}{
		{"update of one's own", ada, "order.update", `{"id":"o1"}`, ``, `{"total":11}`, `{"id":"o1","customerId":"c1","code":"a","tenant":"t","status":"open","total":11,"internalNote":"slow payer","placedAt":null}`},
		{"update of another's", ada, "order.update", `{"id":"o3"}`, ``, `{"total":1}`, `NOT_FOUND`},
		{"delete of another's", ada, "order.delete", `{"id":"o3"}`, ``, ``, `false`},
		{"which is there to be read, without what is hidden then", ada, "order.findById", `{"id":"o3"}`, ``, ``, `{"id":"o3","customerId":"c2","code":"c","tenant":"t","status":"open","total":30,"placedAt":null}`},
		{"and so it is by many", ada, "order.findByIds", ``, `{"ids":["o3"]}`, ``, `[{"id":"o3","customerId":"c2","code":"c","tenant":"t","status":"open","total":30,"placedAt":null}]`},
		{"a list has rules of its own", ada, "order.list", ``, `{"fields":"id"}`, ``, `{"items":[{"id":"o1"},{"id":"o2"},{"id":"o3"}],"total":3,"hasMore":false,"endCursor":"…"}`},
		{"which hold through a relation", ada, "line.list", ``, `{"fields":"id","filter":{"order":{"status":{"in":["open","sent"]}}}}`, ``, `{"items":[{"id":1},{"id":3}],"total":2,"hasMore":false,"endCursor":"…"}`},
		{"no rule left", nobody, "order.update", `{"id":"o1"}`, ``, `{"total":1}`, `UNAUTHORIZED`},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := known(do(t, c.caller, c.method, c.params, c.query, c.body)); got != c.want {
				t.Errorf("got\n%s\nwant\n%s", got, c.want)
			}
		})
	}
}

// What an author wrote wrongly stops the start, with file, place and remedy.
func TestRulesFaults(t *testing.T) {
	for _, c := range []struct{ name, collectors, want string }{
		{"no list", `order: {rows: {}}`, "frond.yaml#/collectors/order: a collector has to be a list of rules, or the word open; write one rule per line: - when: user != nil; or write open where everybody may do everything"},
		{"no rule", `order: []`, "frond.yaml#/collectors/order: this collector has no rule, which would shut the door for everybody; write a rule, or say it: - deny: all"},
		{"an unknown key", `order: [{where: {}}]`, "frond.yaml#/collectors/order/0/where: a rule has no key where; its keys are when, for, rows, hide, readOnly, actor, set, allow, deny"},
		{"an unknown door", `ordr: [{deny: all}]`, "frond.yaml#/collectors/ordr: a collector is declared for ordr, but no door is called that; did you mean order? the doors are customer, line, order"},
		{"a rule behind the last", `order: [{deny: [delete]}, {when: 'true'}]`, "frond.yaml#/collectors/order/1: this rule is never reached: rule 0 has no when and matches everybody; give that rule a when, or move it to the end"},
		{"syntax", `order: [{when: 'user.role =='}]`, `frond.yaml#/collectors/order/0/when: the expression cannot be used: unexpected token EOF, at column 12 of the expression; compare members of user or state, such as when: user.id != nil, or when: '"staff" in user.roles'`},
		{"an unknown name", `order: [{when: 'usr.role == "x"'}]`, `frond.yaml#/collectors/order/0/when: the expression cannot be used: unknown name usr, at column 1 of the expression; compare members of user or state, such as when: user.id != nil, or when: '"staff" in user.roles'`},
		{"the whole environment", `order: [{when: '$env.user.x == 1'}]`, `frond.yaml#/collectors/order/0/when: the expression cannot be used: $env is not available; use a field name; compare members of user or state, such as when: user.id != nil, or when: '"staff" in user.roles'`},
		{"no verdict", `order: [{when: '1 + 1'}]`, `frond.yaml#/collectors/order/0/when: the expression gives a value of type integer, not true or false; compare members of user or state, such as when: user.id != nil, or when: '"staff" in user.roles'`},
		{"when is no text", `order: [{when: 3}]`, `frond.yaml#/collectors/order/0/when: when has to be an expression; write such as when: user.id != nil, or leave it out for a rule that matches everybody`},
		{"an unknown field", `order: [{rows: {owner: {eq: a}}}]`, "frond.yaml#/collectors/order/0/rows/owner: rows/owner is nothing to filter order by; there is id, customerId, customer, code, tenant, status, total, internalNote, placedAt, lines"},
		{"an unknown operator", `order: [{rows: {total: {above: 3}}}]`, "frond.yaml#/collectors/order/0/rows/total/above: rows/total/above is no operator; total takes eq, ne, in, notIn, lt, lte, gt, gte, isNull"},
		{"an operand of another type", `order: [{rows: {total: {gt: x}}}]`, "frond.yaml#/collectors/order/0/rows/total/gt: rows/total/gt must be a whole number"},
		{"a value the enum does not know", `order: [{rows: {status: {in: [open, lost]}}}]`, "frond.yaml#/collectors/order/0/rows/status/in/1: rows/status/in/1 must be one of open, paid, sent"},
		{"equal to null", `order: [{rows: {internalNote: {eq: null}}}]`, `frond.yaml#/collectors/order/0/rows/internalNote/eq: rows/internalNote/eq must not be null, to which nothing is equal; to ask for rows without a value, write {"isNull": true}`},
		{"an unknown field behind a relation", `line: [{rows: {order: {owner: {eq: $user.id}}}}]`, "frond.yaml#/collectors/line/0/rows/order/owner: rows/order/owner is nothing to filter order by; there is id, customerId, customer, code, tenant, status, total, internalNote, placedAt, lines"},
		{"rows left open", `order: [{rows: }]`, `frond.yaml#/collectors/order/0/rows: rows must be a filter, an object such as {"name": {"eq": "…"}}`},
		{"rows that say nothing", `order: [{rows: {}}]`, "frond.yaml#/collectors/order/0/rows: rows says nothing, so that it would hold for every row; write a condition, or leave it out"},
		{"operators that say nothing", `order: [{rows: {customerId: {}}}]`, "frond.yaml#/collectors/order/0/rows/customerId: rows/customerId says nothing, so that it would hold for every row; write a condition, or leave it out"},
		{"an or of nothing much", `order: [{rows: {or: [{}, {total: {eq: 1}}]}}]`, "frond.yaml#/collectors/order/0/rows/or/0: rows/or/0 says nothing, so that it would hold for every row; write a condition, or leave it out"},
		{"a reference to something else", `order: [{rows: {customerId: {eq: $me.id}}}]`, "frond.yaml#/collectors/order/0/rows/customerId/eq: rows/customerId/eq names $me.id; a reference is $now or begins with $user or $state, and a text that begins with $ is written $$"},
		{"a reference to all of the user", `order: [{rows: {customerId: {eq: $user}}}]`, "frond.yaml#/collectors/order/0/rows/customerId/eq: rows/customerId/eq names $user as a whole; name a value in it, such as $user.id"},
		{"no reference at all", `order: [{rows: {customerId: {in: $user..id}}}]`, "frond.yaml#/collectors/order/0/rows/customerId/in: rows/customerId/in names $user..id, which is no place in the caller's state; write $user.id, say, or $$ for a text that begins with $"},
		{"hide what is not there", `order: [{hide: [note]}]`, `frond.yaml#/collectors/order/0/hide/0: order has no field "note"; name some of id, customerId, code, tenant, status, total, internalNote, placedAt, lines`},
		{"hide twice", `order: [{hide: [customer, customerId]}]`, "frond.yaml#/collectors/order/0/hide/1: customerId is hidden twice; name it once"},
		{"hide no list", `order: [{hide: internalNote}]`, "frond.yaml#/collectors/order/0/hide: hide has to be a list of names; write hide: [internalNote]"},
		{"set what is not there", `order: [{set: {owner: $user.id}}]`, `frond.yaml#/collectors/order/0/set/owner: order has no stored field "owner"; name some of id, customerId, code, tenant, status, total, internalNote, placedAt`},
		{"set what does not fit", `order: [{set: {total: much}}]`, "frond.yaml#/collectors/order/0/set/total: total must be an integer"},
		{"deny what is not there", `order: [{deny: [remove]}]`, `frond.yaml#/collectors/order/0/deny/0: order has no operation "remove"; name some of list, findById, findByIds, aggregate, create, update, delete, or write deny: all`},
		{"for what is not there", `order: [{for: [change]}]`, `frond.yaml#/collectors/order/0/for/0: order has no operation "change"; name some of list, findById, findByIds, aggregate, create, update, delete`},
		{"for nothing", `order: [{for: []}]`, "frond.yaml#/collectors/order/0/for: the rule is for no operation, so that it is never used; name some, such as for: [update, delete], or leave it out for a rule of all operations"},
		{"deny everybody", `order: [{deny: everything}]`, "frond.yaml#/collectors/order/0/deny: deny has to be a list of names; write deny: [create, delete], or deny: all"},
		{"all is denied, and more is said", `order: [{deny: all, hide: [total]}]`, "frond.yaml#/collectors/order/0: rows, hide, readOnly and set have no effect where all is denied; leave them out, or deny single operations: deny: [delete]"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := compile.Project(projectOf(t, desk("name: desk\ncollectors:\n  "+c.collectors)), nil)
			if err == nil {
				t.Fatal("it started")
			}
			if err.Error() != c.want {
				t.Errorf("got\n%v\nwant\n%s", err, c.want)
			}
		})
	}
}

// A reference that has no value never shows more than one that has.
func TestReferencesNeverWiden(t *testing.T) {
	all := "o1 o2 o3 o4"
	for _, c := range []struct {
		rows       string
		value      any // of user.x
		with, none string
	}{
		{`{customerId: {eq: $user.x}}`, "c1", "o1 o2", ""},
		{`{customerId: {ne: $user.x}}`, "c1", "o3 o4", ""},
		{`{not: {customerId: {eq: $user.x}}}`, "c1", "o3 o4", ""},
		{`{not: {customerId: {ne: $user.x}}}`, "c1", "o1 o2", ""},
		{`{not: {not: {customerId: {eq: $user.x}}}}`, "c1", "o1 o2", ""},
		{`{customerId: {in: $user.x}}`, []any{"c1", "c2", "c7"}, all, ""},
		{`{customerId: {in: $user.x}}`, []string{"c2"}, "o3 o4", ""},
		{`{customerId: {in: $user.x}}`, []any{}, "", ""},
		{`{customerId: {in: $user.x}}`, []any{nil, "c1", 3}, "o1 o2", ""},
		{`{customerId: {in: $user.x}}`, "c1", "", ""},
		{`{customerId: {in: [c2, $user.x]}}`, "c1", all, "o3 o4"},
		{`{not: {customerId: {in: [c2, $user.x]}}}`, "c1", "", ""},
		{`{customerId: {notIn: [c2, $user.x]}}`, "c3", "o1 o2", ""},
		{`{customerId: {notIn: $user.x}}`, []any{"c1"}, "o3 o4", ""},
		{`{customerId: {notIn: $user.x}}`, []any{}, all, ""},
		{`{customerId: {notIn: $user.x}}`, []any{"c1", nil}, "", ""},
		{`{not: {customerId: {notIn: $user.x}}}`, []any{"c1"}, "o1 o2", ""},
		{`{or: [{status: {eq: paid}}, {customerId: {eq: $user.x}}]}`, "c2", "o2 o3 o4", "o2"},
		{`{total: {gt: $user.x}}`, 15, "o2 o3 o4", ""},
		{`{total: {gt: $user.x}}`, float64(15), "o2 o3 o4", ""},
		{`{total: {gt: $user.x}}`, "15", "o2 o3 o4", ""},
		{`{total: {gt: $user.x}}`, "015", "", ""},
		{`{total: {gt: $user.x}}`, 15.5, "", ""},
		{`{total: {gt: $user.x}}`, true, "", ""},
		{`{status: {ne: $user.x}}`, "open", "o2 o4", ""},
		{`{status: {ne: $user.x}}`, "lost", "", ""},
		{`{internalNote: {isNull: $user.x}}`, true, "o2 o4", ""},
		{`{internalNote: {startsWith: $user.x}}`, "s", "o1 o3", ""},
		{`{internalNote: {startsWith: $user.x}}`, "", "", ""},
		{`{internalNote: {contains: $user.x}}`, "", "", ""},
		{`{not: {internalNote: {contains: $user.x}}}`, "", "", ""},
		{`{internalNote: {eq: $$user.x}}`, "c1", "", ""},
		{`{customer: {id: {eq: $user.x}}}`, "c1", "o1 o2", ""},
		{`{not: {customer: {id: {eq: $user.x}}}}`, "c1", "o3 o4", ""},
		{`{lines: {none: {what: {eq: $user.x}}}}`, "pen", "o2 o3 o4", ""},
		{`{lines: {some: {what: {ne: $user.x}}}}`, "pen", "o2 o3 o4", ""},
		{`{lines: {every: {what: {ne: $user.x}}}}`, "pen", "o2 o3 o4", ""},
	} {
		f := facadeOf(t, desk("name: desk\ncollectors:\n  order: [{rows: "+c.rows+"}]"), nil)
		list := func(caller facade.Caller) string {
			return ids(t, must(t, caller, "order.list", "", "", ""))
		}
		if got := list(user(f, "x", c.value)); got != c.with {
			t.Errorf("%s with %v: %q, want %q", c.rows, c.value, got, c.with)
		}
		for _, caller := range []facade.Caller{user(f), user(f, "x", nil), as(f, nil)} {
			if got := list(caller); got != c.none {
				t.Errorf("%s without a value: %q, want %q", c.rows, got, c.none)
			}
		}
	}
}

// An expression that fails lets nobody in, and what went wrong is not disclosed.
func TestAFailingRuleShutsTheDoor(t *testing.T) {
	f := facadeOf(t, desk("name: desk\ncollectors:\n  order: [{when: user.level > 3}, {rows: {total: {gt: 0}}}]"), nil)
	if got := known(do(t, user(f, "level", 4), "order.list", "", `{"fields":"id"}`, "")); !strings.Contains(got, `"total":4`) {
		t.Error(got)
	}
	for _, caller := range []facade.Caller{as(f, nil), user(f), user(f, "level", "high")} {
		_, err := do(t, caller, "order.list", "", "", "")
		if kiterror.CodeOf(err) != kiterror.InternalError || strings.Contains(err.Message, "level") {
			t.Errorf("%+v", err)
		}
		if !strings.Contains(err.Error(), "/collectors/order/0/when: user.level > 3") {
			t.Errorf("the log would not say where: %v", err)
		}
	}
}

// Nor does one behind a relation: it is a failure there too, and no missing field.
func TestAFailingRuleBehindARelation(t *testing.T) {
	f := facadeOf(t, desk("name: desk\ncollectors:\n  order: [{when: user.level > 3}]"), nil)
	for _, c := range []struct{ method, query, body string }{
		{"line.list", `{"filter":{"order":{"total":{"gt":1}}}}`, ""},
		{"line.create", "", `{"id":9,"orderId":"o1","what":"x"}`},
	} {
		if _, err := do(t, as(f, nil), c.method, "", c.query, c.body); kiterror.CodeOf(err) != kiterror.InternalError {
			t.Errorf("%s: %v", c.method, err)
		}
	}
}

// The other side of a relation can be hidden like any field, by any of its names.
func TestHideARelation(t *testing.T) {
	f := facadeOf(t, desk("name: desk\ncollectors:\n  order: [{hide: [lines, customer]}]"), nil)
	for query, want := range map[string]string{
		`{"filter":{"lines":{"some":{}}}}`:           "/query/filter/lines unknown_key",
		`{"filter":{"customer":{"id":{"eq":"c1"}}}}`: "/query/filter/customer unknown_key",
		`{"filter":{"customerId":{"eq":"c1"}}}`:      "/query/filter/customerId unknown_key",
		`{"fields":"customerId"}`:                    "/query/fields/0 unknown_key",
		`{"sort":"customerId"}`:                      "/query/sort unknown_key",
	} {
		if _, err := do(t, f, "order.list", "", query, ""); !strings.HasPrefix(refusals(err), want) {
			t.Errorf("%s: %s", query, refusals(err))
		}
	}
	// Nor is it followed from the other entity: there the field points here.
	if _, err := do(t, f, "customer.list", "", `{"filter":{"orders":{"some":{}}}}`, ""); !strings.HasPrefix(refusals(err), "/query/filter/orders unknown_key") {
		t.Errorf("%s", refusals(err))
	}
}
