package facade_test

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/access"
	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/compile"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/store/storetest"
)

// counter is the desk with operations of the author's own: the commands pay and burn, the
// query overdue, and a door that stores nothing.
func counter(t *testing.T, collectors string, now time.Time) *facade.Facade {
	t.Helper()
	return counterOf(t, "collectors:\n"+collectors, now)
}

func counterOf(t *testing.T, more string, now time.Time) *facade.Facade {
	t.Helper()
	p := counterProject(t, more)
	return storetest.New(t, p, storetest.NewStore(), &facade.Options{Now: func() time.Time { return now }})
}

func counterProject(t *testing.T, more string) *facade.Project {
	t.Helper()
	p := projectOf(t, desk(`
name: desk
doors:
  order:
    operations:
      pay: {kind: command}
      burn: {kind: command}
      overdue: {kind: query}
  bell: {operations: {ring: {kind: command}, listen: {kind: query}}}
`+more))
	for _, op := range []string{"pay", "burn", "overdue"} {
		facade.Handle(p.Door("order"), op, done)
	}
	facade.Handle(p.Door("bell"), "ring", done)
	facade.Handle(p.Door("bell"), "listen", done)
	return p
}

func done(context.Context, *facade.Call) (any, error) { return "done", nil }

// TestAllow: what a rule opens, with and without allow.
func TestAllow(t *testing.T) {
	const builtin = "list findById findByIds aggregate create update delete "
	for _, c := range []struct{ name, rule, want string }{
		{"no allow: what is built in, and queries", `{}`, builtin + "overdue"},
		{"deny closes the operations that it names", `{deny: [create, update]}`, "list findById findByIds aggregate delete overdue"},
		{"and of named queries too", `{deny: [overdue]}`, builtin[:len(builtin)-1]},
		{"a list: these and no others", `{allow: [list, pay]}`, "list aggregate pay"},
		{"findByIds goes with findById", `{allow: [findById]}`, "findById findByIds"},
		{"all: whatever there is", `{allow: all}`, builtin + "pay burn overdue"},
		{"allow all, except the denied ones", `{allow: all, deny: [delete, burn]}`, "list findById findByIds aggregate create update pay overdue"},
		{"within for", `{for: [update, pay], allow: [pay]}`, "pay"},
		{"all within for", `{for: [update, burn], allow: all}`, "update burn"},
		{"all is denied", `{deny: all}`, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := counter(t, "  order: ["+c.rule+"]", time.Time{})
			var open []string
			for _, op := range f.Catalog().Door("order").Operations {
				if _, err := do(t, f, "order."+op.Name, "", "", ""); err == nil || err.Code != kiterror.Unauthorized {
					open = append(open, op.Name)
				}
			}
			if got := strings.Join(open, " "); got != c.want {
				t.Errorf("open are %q, want %q", got, c.want)
			}
		})
	}
}

// A door that stores nothing has named operations alone.
func TestAllowWithoutRows(t *testing.T) {
	f := counter(t, "  bell: [{when: user.id == \"a\", allow: [ring]}, {when: user != nil}]", time.Time{})
	for id, want := range map[string]string{"a": `"done" FORBIDDEN`, "b": `FORBIDDEN "done"`} {
		caller := user(f, "id", id)
		if got := known(do(t, caller, "bell.ring", "", "", "")) + " " + known(do(t, caller, "bell.listen", "", "", "")); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

// TestReadOnly: a field is seen, filtered and sorted by, and cannot be sent.
func TestReadOnly(t *testing.T) {
	f := facadeOf(t, desk("name: desk\ncollectors:\n  order: [{readOnly: [total, customer], set: {tenant: x}}]\n  line: [{readOnly: [what]}]"), nil)
	const total = "/body/total read_only: is not yours to write; leave it out"
	for _, c := range []struct{ name, method, params, query, body, want string }{
		{"it is seen", "order.list", ``, `{"fields":"total","filter":{"total":{"gt":15}},"sort":"-total","limit":1}`, ``, `{"items":[{"total":40}],"total":3,"hasMore":true,"endCursor":"…"}`},
		{"sent at update", "order.update", `{"id":"o1"}`, ``, `{"total":1}`, total},
		{"the value it has", "order.update", `{"id":"o1"}`, ``, `{"total":10}`, total},
		{"a value of no type it takes", "order.update", `{"id":"o1"}`, ``, `{"total":{"a":[]},"status":"paid"}`, total},
		{"null", "order.update", `{"id":"o1"}`, ``, `{"total":null}`, total},
		{"beside what is wrong otherwise", "order.update", `{"id":"o1"}`, ``, `{"total":1,"nonsense":1}`, "/body/nonsense unknown_key: is not part of the card; leave it out\n" + total},
		{"a relation's key", "order.update", `{"id":"o1"}`, ``, `{"customerId":"c2"}`, "/body/customerId read_only: is not yours to write; leave it out"},
		{"a create that takes it", "order.create", ``, ``, `{"id":"n"}`, "FORBIDDEN"},
		{"and is sent it", "order.create", ``, ``, `{"id":"n","customerId":"c1"}`, "/body/customerId read_only: is not yours to write; leave it out"},
		{"a required one of another door", "line.create", ``, ``, `{"id":7,"orderId":"o1"}`, "FORBIDDEN"},
		{"the rest is written", "order.update", `{"id":"o1"}`, ``, `{"status":"paid"}`, `{"id":"o1","customerId":"c1","code":"a","tenant":"t","status":"paid","total":10,"internalNote":"slow payer","placedAt":null}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := known(do(t, f, c.method, c.params, c.query, c.body)); got != c.want {
				t.Errorf("got\n%s\nwant\n%s", got, c.want)
			}
		})
	}
	if _, err := do(t, f, "line.create", "", "", `{"id":7,"orderId":"o1"}`); err.Message != "you may not create this: it takes what, which you may only read" {
		t.Error(err.Message)
	}
	f = facadeOf(t, desk("name: desk\ncollectors: {order: [{readOnly: [total]}]}"), nil)
	holds(t, must(t, f, "order.create", "", "", `{"id":"n2","customerId":"c1"}`), `{"total":0}`) // the card's rule answers for it
}

// TestNow: $now is the time of the call, one moment of it, as rows are kept.
func TestNow(t *testing.T) {
	now := time.Date(2026, 5, 6, 7, 8, 9, 123_456_789, time.UTC)
	f := counter(t, `
  order:
    - when: user.role == "writer"
      set: {placedAt: $now, total: $now}
    - rows: {or: [{placedAt: {lte: $now}}, {placedAt: {isNull: true}}]}
  line: [{rows: {order: {placedAt: {in: [$now]}}}}]
`, now)
	writer := user(f, "role", "writer")
	holds(t, must(t, writer, "order.create", "", "", `{"id":"n1","customerId":"c1"}`), `{"placedAt":"2026-05-06T07:08:09.123Z","total":1778051289123}`)
	must(t, writer, "line.create", "", "", `{"id":9,"orderId":"n1","what":"x"}`)
	if got := ids(t, must(t, as(f, nil), "line.list", "", "", "")); got != "9" {
		t.Errorf("rows at this very moment: %q", got)
	}
	later := func(at time.Time) string {
		g := counter(t, `  order: [{when: user.role == "writer"}, {rows: {placedAt: {lt: $now}}}]`, at)
		must(t, user(g, "role", "writer"), "order.update", `{"id":"o1"}`, "", `{"placedAt":"2026-05-06T07:08:09.123Z"}`)
		return ids(t, must(t, as(g, nil), "order.list", "", "", ""))
	}
	if got := later(now); got != "" {
		t.Errorf("before this moment: %q", got)
	}
	if got := later(now.Add(time.Millisecond)); got != "o1" {
		t.Errorf("a millisecond later: %q", got)
	}
}

// TestOthers: '*' stands for each door of its Frond that has no entry of its own.
func TestOthers(t *testing.T) {
	const theirs = "  order: [{deny: all}]\n  '*': "
	for _, c := range []struct {
		rules, method, want string
	}{
		{"open", "line.list", `{"items":[{"id":1}],"total":4,"hasMore":true,"endCursor":"…"}`},
		{"open", "bell.ring", `"done"`},
		{"open", "order.list", "UNAUTHORIZED"},
		{"[{when: user != nil}, {allow: [list]}]", "line.list", `{"items":[{"id":1}],"total":4,"hasMore":true,"endCursor":"…"}`},
		{"[{when: user != nil}, {allow: [list]}]", "line.findById", "UNAUTHORIZED"},
		{"[{when: user != nil}, {allow: [list]}]", "bell.listen", "UNAUTHORIZED"},
		{"[{deny: [create, pay]}]", "bell.listen", `"done"`},
		{"[{deny: [create, pay]}]", "bell.ring", "UNAUTHORIZED"},
	} {
		f := counter(t, theirs+c.rules, time.Time{})
		query := ""
		if strings.HasSuffix(c.method, ".list") {
			query = `{"limit":1,"fields":"id"}`
		}
		if got := known(do(t, as(f, nil), c.method, "", query, "")); got != c.want {
			t.Errorf("%s, %s: got %s, want %s", c.rules, c.method, got, c.want)
		}
	}
	p := counterProject(t, "collectors: {'*': [{deny: all}], bell: open}")
	facade.Collect(p.Door("order"), access.CollectorFunc(func(context.Context, access.State, *catalog.Door, *catalog.Operation) (access.Scope, error) {
		return access.Scope{}, nil
	}))
	f := storetest.New(t, p, storetest.NewStore(), nil)
	for method, want := range map[string]string{"order.pay": `"done"`, "bell.ring": `"done"`, "line.list": "UNAUTHORIZED"} {
		if got := known(do(t, as(f, nil), method, "", "", "")); got != want {
			t.Errorf("Go code collects order, and bell is open; %s: got %s, want %s", method, got, want)
		}
	}
}

// TestAccessFaults: what is said wrongly of who may do what stops the start.
func TestAccessFaults(t *testing.T) {
	for _, c := range []struct{ name, collectors, want string }{
		{"another word", `order: closed`, "frond.yaml#/collectors/order: a collector has to be a list of rules, or the word open; write one rule per line: - when: user != nil; or write open where everybody may do everything"},
		{"open, and Go code", `line: open`, "frond.yaml#/collectors/line: line has two collectors: Go code attaches one too; leave one that says both"},
		{"open, and again", `{order: open, Order: [{deny: all}]}`, "frond.yaml#/collectors/Order: order has two collectors: it has one already; leave one that says both"},
		{"allow nothing", `order: [{allow: []}]`, "frond.yaml#/collectors/order/0/allow: the rule allows no operation, so that it denies all of them; name some, or write deny: all"},
		{"allow what is not there", `bell: [{allow: [list]}]`, `frond.yaml#/collectors/bell/0/allow/0: bell has no operation "list"; name some of ring, listen, or write allow: all`},
		{"allow everybody", `order: [{allow: everything}]`, "frond.yaml#/collectors/order/0/allow: allow has to be a list of names; write allow: [list, findById], or allow: all"},
		{"allow where all is denied", `order: [{allow: [pay], deny: all}]`, "frond.yaml#/collectors/order/0: allow has no effect where all is denied; leave one of them out"},
		{"allow and deny", `order: [{allow: [pay], deny: [delete]}]`, "frond.yaml#/collectors/order/0/deny: deny has no effect here: allow lists the open operations, and all others are closed; leave deny out, or write allow: all in place of the list"},
		{"allow what the rule is not for", `order: [{for: [update], allow: [update, pay]}]`, "frond.yaml#/collectors/order/0/allow/1: the rule allows pay, which it is not for; name it under for too, or leave it out"},
		{"for a command without allow", `order: [{for: [update, pay]}]`, "frond.yaml#/collectors/order/0/for/1: the rule is for the command pay, which stays closed without an allow; write allow: [pay], or deny: [pay]"},
		{"read-only and computed", `order: [{readOnly: [late]}]`, "frond.yaml#/collectors/order/0/readOnly/0: late is computed, so that nobody sends it anyway; leave it out"},
		{"read-only and not there", `order: [{readOnly: [lines]}]`, `frond.yaml#/collectors/order/0/readOnly/0: order has no stored field "lines"; name some of id, customerId, code, tenant, status, total, internalNote, placedAt`},
		{"read-only and hidden", `order: [{hide: [total], readOnly: [total]}]`, "frond.yaml#/collectors/order/0/readOnly/0: total is hidden, so that nobody sends it anyway; leave it under hide or under readOnly"},
		{"read-only twice", `order: [{readOnly: [customer, customerId]}]`, "frond.yaml#/collectors/order/0/readOnly/1: customerId is read-only twice; name it once"},
		{"read-only without rows", `bell: [{readOnly: [x]}]`, "frond.yaml#/collectors/bell/0: bell stores nothing, so there are no rows and fields to scope; leave when, for, allow and deny"},
		{"the time as a text", `order: [{rows: {code: {lt: $now}}}]`, "frond.yaml#/collectors/order/0/rows/code/lt: rows/code/lt names $now, the time of the call, and code holds none; name a field that is a date-time, a date, a time or milliseconds"},
		{"what is in the time", `order: [{rows: {placedAt: {lt: $now.year}}}]`, "frond.yaml#/collectors/order/0/rows/placedAt/lt: rows/placedAt/lt names $now.year; $now is one moment and has nothing in it"},
		{"the time as a list", `order: [{rows: {placedAt: {in: $now}}}]`, "frond.yaml#/collectors/order/0/rows/placedAt/in: rows/placedAt/in names $now, which is no list; write [$now]"},
		{"the time as a yes", `order: [{rows: {placedAt: {isNull: $now}}}]`, "frond.yaml#/collectors/order/0/rows/placedAt/isNull: rows/placedAt/isNull names $now; isNull takes no time"},
		{"the time set where there is none", `order: [{set: {code: $now}}]`, "frond.yaml#/collectors/order/0/set/code: code names $now, the time of the call, and code holds none; name a field that is a date-time, a date, a time or milliseconds"},
		{"a field that each door has for which '*' stands", `{order: open, bell: open, '*': [{hide: [name]}]}`, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			if !strings.HasPrefix(c.collectors, "{") {
				c.collectors = "{" + c.collectors + "}"
			}
			p := counterProject(t, "collectors: "+c.collectors+"\ncomputed: {order: {late: {type: boolean, value: total > 1}}}")
			facade.Collect(p.Door("line"), access.CollectorFunc(nil))
			_, err := compile.Project(p, nil)
			if got := fmt.Sprint(err); got != cmp.Or(c.want, "<nil>") {
				t.Errorf("got\n%s\nwant\n%s", got, c.want)
			}
		})
	}
	_, err := compile.Project(counterProject(t, "collectors: {bell: open, '*': [{when: 'usr', hide: [total]}]}"), nil)
	const want = `frond.yaml#/collectors/*/0/when: the expression cannot be used: unknown name usr, at column 1 of the expression; compare members of user or state, such as when: user.id != nil, or when: '"staff" in user.roles'
frond.yaml#/collectors/*/0/hide/0: '*' covers customer too: customer has no field "total"; name some of id, name, email, orders, or give customer an entry of its own
frond.yaml#/collectors/*/0/hide/0: '*' covers line too: line has no field "total"; name some of id, orderId, what, or give line an entry of its own`
	if got := fmt.Sprint(err); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
