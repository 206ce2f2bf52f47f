package who_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/frondhost/frond/facade/access"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/facade/who"
	"github.com/frondhost/frond/store/storetest"
)

// seen are the rules that show a row, a line each: its number, then, hides, operations and tests.
func seen(t *testing.T, files map[string]string, entity, key string, opts *who.Options) (string, error) {
	t.Helper()
	f := storetest.New(t, storetest.ProjectOf(t, files), storetest.NewStore(), nil)
	rules, err := who.Shows(t.Context(), f, entity, key, opts)
	var lines []string
	for _, r := range rules {
		text, jerr := json.Marshal([]any{r.Rule, r.Then, r.Hides, r.Operations, r.Tests})
		if jerr != nil {
			t.Fatal(jerr)
		}
		lines = append(lines, string(text))
	}
	return strings.Join(lines, "\n"), err
}

// TestResidue has the forms of conditions: the row decides its part, and the caller's part remains.
func TestResidue(t *testing.T) {
	for rows, want := range map[string]string{
		`{customerId: {eq: $user.id}}`:                                                               `["user.id is c1"]`,
		`{customerId: {ne: $user.id}}`:                                                               `["user.id is a value other than c1"]`,
		`{not: {customerId: {eq: $user.id}}}`:                                                        `["user.id is a value other than c1"]`,
		`{customerId: {in: [$user.id, $user.boss]}}`:                                                 `["user.id is c1, or user.boss is c1"]`,
		`{customerId: {notIn: [$user.id, c7]}}`:                                                      `["user.id is a value other than c1"]`,
		`{customerId: {in: [$user.id, c1]}}`:                                                         `[]`,
		`{customerId: {in: $user.customers}}`:                                                        `["user.customers has c1"]`,
		`{customerId: {notIn: $user.customers}}`:                                                     `["user.customers is a list without c1"]`,
		`{customerId: {eq: $user.id}, status: {eq: open}}`:                                           `["user.id is c1"]`,
		`{customerId: {eq: $user.id}, tenant: {eq: $state.tenant}}`:                                  `["user.id is c1","state.tenant is t"]`,
		`{customerId: {eq: $user.id}, status: {eq: sent}}`:                                           ``,
		`{or: [{customerId: {eq: $user.id}}, {status: {eq: open}}]}`:                                 `[]`,
		`{or: [{customerId: {eq: $user.id}}, {status: {eq: sent}}]}`:                                 `["user.id is c1"]`,
		`{total: {lte: $user.level}}`:                                                                `["user.level is at least 10"]`,
		`{not: {total: {lte: $user.level}}}`:                                                         `["user.level is less than 10"]`,
		`{total: {gt: $user.level}}`:                                                                 `["user.level is less than 10"]`,
		`{internalNote: {startsWith: $user.word}}`:                                                   `["user.word is a beginning of \"slow payer\""]`,
		`{placedAt: {lt: $user.since}}`:                                                              ``,
		`{placedAt: {lt: $now}}`:                                                                     ``,
		`{not: {placedAt: {gt: $now}}, customerId: {eq: $user.id}}`:                                  `["user.id is c1"]`,
		`{placedAt: {isNull: $user.drafts}}`:                                                         `["user.drafts is true"]`,
		`{customer: {name: {eq: $user.name}}}`:                                                       `["user.name is the name of customer c1, Ada"]`,
		`{customer: {id: {eq: $user.id}, name: {eq: Ada}}}`:                                          `["user.id is c1"]`,
		`{customer: {id: {eq: $user.id}, name: {eq: Bob}}}`:                                          ``,
		`{customer: {orders: {some: {code: {eq: $user.code}}}}}`:                                     `["user.code is the code of order o1, a, or user.code is the code of order o2, b"]`,
		`{customer: {orders: {none: {code: {eq: $user.code}}}}}`:                                     `["user.code is a value other than the code of order o1, a","user.code is a value other than the code of order o2, b"]`,
		`{customer: {orders: {every: {code: {eq: $user.code}}}}}`:                                    `["user.code is the code of order o1, a","user.code is the code of order o2, b"]`,
		`{customer: {orders: {some: {code: {eq: $user.code}, total: {gt: 10}}}}}`:                    `["user.code is the code of order o2, b"]`,
		`{lines: {some: {what: {eq: pen}}}}`:                                                         `[]`,
		`{lines: {some: {what: {eq: ink}}}}`:                                                         ``,
		`{lines: {count: {gte: $user.lines, lt: 5}}}`:                                                `["user.lines is at most lines.count of order o1"]`,
		`{lines: {count: {gte: $user.lines, gt: 5}}}`:                                                ``,
		`{or: [{customerId: {eq: $user.id}, tenant: {eq: $user.tenant}}, {code: {eq: $user.code}}]}`: `["user.id is c1 and user.tenant is t, or user.code is a"]`,
	} {
		t.Run(rows, func(t *testing.T) {
			got, err := seen(t, storetest.Desk("name: desk\ncollectors:\n  order: [{rows: "+rows+"}]"), "order", "o1", nil)
			if want != "" {
				want = `[0,` + want + `,[],["list","findById","update","delete"],[]]`
			}
			if err != nil || got != want {
				t.Errorf("%v\ngot  %s\nwant %s", err, got, want)
			}
		})
	}
}

// TestManyRows bounds the rows that a sentence names.
func TestManyRows(t *testing.T) {
	files := storetest.Desk("name: desk\ncollectors:\n  customer: [{rows: {orders: {some: {code: {eq: $user.code}}}}}]")
	for i := range 30 {
		files["seeds/order.yaml"] += fmt.Sprintf("\n- {id: x%d, customerId: c1, code: n%[1]d}", i)
	}
	got, err := seen(t, files, "customer", "c1", nil)
	if err != nil || strings.Count(got, "user.code is") != 20 || !strings.Contains(got, "or the same holds of one of 12 more rows of order") {
		t.Errorf("%v\n%s", err, got)
	}
}

// TestRules has the rules of a door: those that cannot show the row are left out.
func TestRules(t *testing.T) {
	callers := []who.Caller{
		{"nobody", nil},
		{"Ada", access.State{"user": map[string]any{"id": "c1"}}},
		{"staff", access.State{"user": map[string]any{"id": "s", "role": "staff"}}},
	}
	const computed = "computed: {order: {loud: {type: string, value: 'internalNote ?? \"\"'}}}\n"
	for _, c := range []struct{ name, rules, key, field, want string }{
		{"the rules of the desk", storetest.DeskRules, "o1", "", `[0,[],[],["list","findById","update","delete"],["staff"]]
[1,["user.id is c1"],["internalNote","loud"],["list","findById","update"],["Ada"]]`},
		{"of another row", storetest.DeskRules, "o3", "", `[0,[],[],["list","findById","update","delete"],["staff"]]
[1,["user.id is c2"],["internalNote","loud"],["list","findById","update"],[]]`},
		{"that show a field", storetest.DeskRules, "o1", "internalNote", `[0,[],[],["list","findById","update","delete"],["staff"]]`},
		{"that show a computed field", storetest.DeskRules, "o1", "loud", `[0,[],[],["list","findById","update","delete"],["staff"]]`},
		{"an operation with its own rule", "collectors:\n  order: [{for: [update], rows: {customerId: {eq: $user.id}}}, {deny: [delete]}]\n", "o1", "", `[0,["user.id is c1"],[],["update"],["Ada"]]
[1,[],[],["list","findById"],["nobody","Ada","staff"]]`},
		{"an open door", "collectors:\n  order: open\n", "o1", "", `[null,[],[],["list","findById","update","delete"],["nobody","Ada","staff"]]`},
		{"a closed one", "collectors:\n  order: [{deny: all}]\n", "o1", "", ``},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := seen(t, storetest.Desk(c.rules+computed), "order", c.key, &who.Options{Field: c.field, Callers: callers})
			if err != nil || got != c.want {
				t.Errorf("%v\ngot\n%s\nwant\n%s", err, got, c.want)
			}
		})
	}
}

// TestFaults has requests that are refused.
func TestFaults(t *testing.T) {
	for _, c := range []struct{ entity, key, field, want string }{
		{"order", "o9", "", "NOT_FOUND: order has no row with the key o9; write the key of a row that is there"},
		{"ordr", "o1", "", "NOT_FOUND: no door with rows is called ordr; did you mean order?"},
		{"line", "one", "", "BAD_REQUEST: line has no key such as one; write a whole number"},
		{"order", "o1", "notes", "NOT_FOUND: order has no field called notes"},
	} {
		_, err := seen(t, storetest.Desk(storetest.DeskRules), c.entity, c.key, &who.Options{Field: c.field})
		if e := kiterror.AsError(err); err == nil || !strings.HasPrefix(string(e.Code)+": "+e.Message, c.want) {
			t.Errorf("%s %s: %v\nwant %s", c.entity, c.key, err, c.want)
		}
	}
}

// TestConditions has the words for the caller of a rule. They name no field that the caller does not read, and no value that only the rule has.
func TestConditions(t *testing.T) {
	for rule, want := range map[string]string{
		`{}`:                                   "",
		`{rows: {customerId: {eq: $user.id}}}`: "customerId is your user.id",
		`{rows: {customerId: {in: [$user.id, $user.boss]}, status: {ne: sent}}}`:              "customerId is one of your user.id, your user.boss and status is not sent",
		`{rows: {or: [{customerId: {eq: $user.id}}, {status: {in: [open, paid]}}]}}`:          "(customerId is your user.id or status is one of open, paid)",
		`{rows: {not: {placedAt: {isNull: true}}, total: {lte: $user.level}}}`:                "not (placedAt is empty) and total is at most your user.level",
		`{rows: {customer: {name: {eq: $user.name}}}}`:                                        "customer.name is your user.name",
		`{rows: {customer: {email: {eq: $user.email}}}}`:                                      "some rows",
		`{rows: {code: {eq: x17}}}`:                                                           "some rows",
		`{rows: {internalNote: {eq: $user.id}}, hide: [internalNote]}`:                        "some rows",
		`{rows: {lines: {some: {what: {eq: $user.id}}}}}`:                                     "some rows",
		`{for: [list, create, update, delete, findById], rows: {tenant: {eq: $user.tenant}}}`: "tenant is your user.tenant",
	} {
		files := storetest.Desk("name: desk\ncollectors:\n  order: [" + rule + "]\n  customer: [{hide: [email]}]\n")
		f := storetest.New(t, storetest.ProjectOf(t, files), storetest.NewStore(), nil)
		op := f.Catalog().Door("order").Operation("list")
		if got := who.NewConditions(f, nil).On(t.Context(), op); got != want {
			t.Errorf("%s\ngot  %q\nwant %q", rule, got, want)
		}
	}
}
