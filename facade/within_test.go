package facade_test

import (
	"strings"
	"testing"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/store/storetest"
)

// What a caller writes stays among the rows they see, and what they may not see
// answers as what is not there.
func TestWritesStayWithinTheirRows(t *testing.T) {
	for _, c := range []struct {
		name, order                 string // the collector of order
		method, params, query, body string
		want                        string
	}{
		{"a row of one's own", `[{rows: {customerId: {eq: $user.id}}}]`, "order.create", ``, ``, `{"id":"n","customerId":"c1","code":"n"}`, `"id":"n"`},
		{"not another's", `[{rows: {customerId: {in: [$user.id, c9]}}}]`, "order.create", ``, ``, `{"id":"n","customerId":"c2","code":"n"}`, `FORBIDDEN`},
		{"nor by a default", `[{rows: {status: {ne: open}}}]`, "order.create", ``, ``, `{"id":"n","customerId":"c1","code":"n"}`, `FORBIDDEN`},
		{"a field left out is null", `[{rows: {internalNote: {isNull: false}}}]`, "order.create", ``, ``, `{"id":"n","customerId":"c1","code":"n"}`, `FORBIDDEN`},
		{"through a relation", `[{rows: {customer: {name: {eq: Ada}}}}]`, "order.create", ``, ``, `{"id":"n","customerId":"c1","code":"n"}`, `"id":"n"`},
		{"and out of it", `[{rows: {customer: {name: {eq: Ada}}}}]`, "order.create", ``, ``, `{"id":"n","customerId":"c2","code":"n"}`, `FORBIDDEN`},
		{"a new row has no lines yet", `[{rows: {lines: {some: {}}}}]`, "order.create", ``, ``, `{"id":"n","customerId":"c1","code":"n"}`, `FORBIDDEN`},
		{"so that none of them fails", `[{rows: {lines: {every: {what: {eq: pen}}}}}]`, "order.create", ``, ``, `{"id":"n","customerId":"c1","code":"n"}`, `"id":"n"`},
		{"a change within", `[{rows: {customerId: {eq: $user.id}}}]`, "order.update", `{"id":"o1"}`, ``, `{"total":1}`, `"total":1`},
		{"a change of what the rule reads, within", `[{rows: {total: {lt: 25}}}]`, "order.update", `{"id":"o1"}`, ``, `{"total":24}`, `"total":24`},
		{"a change that moves it out", `[{rows: {total: {lt: 25}}}]`, "order.update", `{"id":"o1"}`, ``, `{"total":25}`, `FORBIDDEN`},
		{"a change to null", `[{rows: {internalNote: {contains: o}}}]`, "order.update", `{"id":"o1"}`, ``, `{"internalNote":null}`, `FORBIDDEN`},
		{"giving it away", `[{rows: {customerId: {in: [$user.id, c7]}}}]`, "order.update", `{"id":"o1"}`, ``, `{"customerId":"c2"}`, `FORBIDDEN`},
		{"by one of two ways", `[{rows: {or: [{customerId: {eq: $user.id}}, {status: {eq: open}}]}}]`, "order.update", `{"id":"o1"}`, ``, `{"customerId":"c2"}`, `"customerId":"c2"`},
		{"by neither", `[{rows: {or: [{customerId: {eq: $user.id}}, {status: {eq: open}}]}}]`, "order.update", `{"id":"o2"}`, ``, `{"customerId":"c2"}`, `FORBIDDEN`},
		{"not", `[{rows: {not: {status: {eq: sent}}}}]`, "order.update", `{"id":"o1"}`, ``, `{"status":"sent"}`, `FORBIDDEN`},
		{"a hidden row stays one that is not there", `[{rows: {total: {lt: 25}}}]`, "order.update", `{"id":"o3"}`, ``, `{"total":1}`, `NOT_FOUND`},
		{"into view as well", `[{rows: {total: {lt: 25}}}]`, "order.update", `{"id":"o9"}`, ``, `{"total":1}`, `NOT_FOUND`},
		{"nothing is deleted out of view", `[{rows: {total: {lt: 25}}}]`, "order.delete", `{"id":"o3"}`, ``, ``, `false`},
	} {
		t.Run(c.name, func(t *testing.T) {
			store := storetest.NewStore()
			f := storetest.New(t, projectOf(t, desk("name: desk\ncollectors:\n  order: "+c.order)), store, nil)
			all := storetest.New(t, projectOf(t, desk("name: desk")), store, nil)
			before := must(t, all, "order.list", "", "", "")
			got := known(do(t, user(f, "id", "c1"), c.method, c.params, c.query, c.body))
			if !strings.Contains(got, c.want) {
				t.Errorf("got %s, want %s", got, c.want)
			}
			after := must(t, all, "order.list", "", "", "")
			if wrote := before != after; wrote != strings.HasPrefix(c.want, `"`) {
				t.Errorf("written: %v\n%s", wrote, after)
			}
		})
	}
}

// A relation to a row one cannot see is a relation to no row, to the letter.
func TestRelationsToHiddenRows(t *testing.T) {
	f := facadeOf(t, desk(`
collectors:
  customer: [{when: user.role == "staff"}, {rows: {id: {eq: $user.id}}}]
  order: [{when: user.role == "staff"}, {when: user.role == "blind", deny: all}, {rows: {customerId: {eq: $user.id}}, hide: [internalNote]}]
`), nil)
	for _, c := range []struct {
		name, role, method, params string
		hidden, absent             string
	}{
		{"create", "", "line.create", ``, `{"id":9,"orderId":"o3","what":"x"}`, `{"id":9,"orderId":"o9","what":"x"}`},
		{"create where none is to be seen", "blind", "line.create", ``, `{"id":9,"orderId":"o3","what":"x"}`, `{"id":9,"orderId":"o9","what":"x"}`},
		{"update", "", "line.update", `{"id":1}`, `{"orderId":"o3"}`, `{"orderId":"o9"}`},
		{"with an id that is taken", "", "line.create", ``, `{"id":1,"orderId":"o3","what":"x"}`, `{"id":1,"orderId":"o9","what":"x"}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			caller := user(f, "id", "c1", "role", c.role)
			_, hidden := do(t, caller, c.method, c.params, "", c.hidden)
			_, absent := do(t, caller, c.method, c.params, "", c.absent)
			if hidden == nil || absent == nil || hidden.Code != kiterror.Conflict || hidden.Error() != absent.Error() || refusals(hidden) != refusals(absent) {
				t.Errorf("%v\n%v", hidden, absent)
			}
		})
	}
	// What it points at already may be sent back.
	must(t, user(f, "id", "c1"), "line.update", `{"id":3}`, "", `{"orderId":"o3","what":"y"}`)
	must(t, user(f, "id", "c1"), "line.create", ``, "", `{"id":9,"orderId":"o1","what":"y"}`)
}

// A conflict names no field that is hidden, and no rows that may be.
func TestConflictsNameNothingHidden(t *testing.T) {
	f := facadeOf(t, desk(`
collectors:
  order:
    - when: user.role == "staff"
    - when: user.role == "blind"
      hide: [code, tenant]
      set: {tenant: t, code: a}
    - rows: {customerId: {eq: $user.id}}
      hide: [tenant]
      set: {tenant: t}
`), nil)
	for _, c := range []struct {
		name                 string
		caller               facade.Caller
		method, params, body string
		want                 string
	}{
		{"staff are told all", user(f, "id", "s", "role", "staff"), "order.create", ``, `{"id":"n","customerId":"c1","code":"a"}`, "code and tenant are already taken together; change one of them"},
		{"a customer what they know", user(f, "id", "c1"), "order.create", ``, `{"id":"n","customerId":"c1","code":"a"}`, "code is already taken; send another"},
		{"and who knows neither, none", user(f, "id", "c1", "role", "blind"), "order.create", ``, `{"id":"n","customerId":"c1"}`, "a value that is not yours to send is already taken"},
		{"staff are told by whom", user(f, "id", "s", "role", "staff"), "customer.delete", `{"id":"c2"}`, ``, "the row is still pointed at by rows of order, in customerId; remove or change them first"},
		{"and no one else", user(f, "id", "c1"), "customer.delete", `{"id":"c2"}`, ``, "the row is still pointed at by other rows; remove or change them first"},
	} {
		_, err := do(t, c.caller, c.method, c.params, "", c.body)
		if err == nil || err.Code != kiterror.Conflict || err.Message != c.want {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if known := refusals(err); c.name[0] == 'a' && (strings.Contains(known, "tenant") || strings.Contains(known, "of order")) {
			t.Errorf("%s: %s", c.name, known)
		}
	}
}

// TestDeleteManyPointsAtItsCondition: a row that others point at is refused at the condition that it meets; no
// id was sent.
func TestDeleteManyPointsAtItsCondition(t *testing.T) {
	f := facadeOf(t, desk("many: {customer: [delete]}\n"), nil)
	_, err := do(t, user(f, "id", "c1"), "customer.deleteMany", "", `{"where":{"id":{"eq":"c2"}}}`, "")
	const want = "/query/where restrict: is still pointed at by rows of order, in customerId; remove or change them first"
	if err == nil || err.Code != kiterror.Conflict || !strings.Contains(err.Message, `"c2"`) || refusals(err) != want {
		t.Errorf("%v: %s, want %s", err, refusals(err), want)
	}
}
