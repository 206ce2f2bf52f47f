package diff_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/frondhost/frond/cmd/frond/diff"
	"github.com/frondhost/frond/facade/access"
	"github.com/frondhost/frond/store/storetest"
)

// TestEffects has the effects of changed rules on callers: each line is a door, the level, and the sentence.
func TestEffects(t *testing.T) {
	callers := []diff.Caller{
		{Name: "Ada", State: access.State{"user": map[string]any{"id": "c1"}}},
		{Name: "Bob", State: access.State{"user": map[string]any{"id": "c2"}}},
		{Name: "nobody"},
	}
	const own = "collectors:\n  line: open\n  customer: open\n  order:\n"
	const mine = "    - when: user != nil\n      rows: {customerId: {eq: $user.id}}\n"
	for _, c := range []struct{ name, was, is, want string }{
		{"equal rules", own + mine, own + mine, ``},
		{"rows through a relation", own + mine, own + "    - when: user != nil\n      rows: {customer: {id: {eq: $user.id}}}\n", ``},
		{"more rows", own + mine, own + "    - when: user != nil\n      rows: {or: [{customerId: {eq: $user.id}}, {status: {eq: open}}]}\n", `
order dangerous Ada gains 1 order (o3)
order dangerous Bob gains 1 order (o1)`},
		{"other rows", own + mine, own + "    - when: user != nil\n      rows: {status: {eq: open}}\n", `
order dangerous Ada gains 1 order (o3); loses 1 order (o2)
order dangerous Bob gains 1 order (o1); loses 1 order (o4)`},
		{"all rows to everybody", own + mine, own + "    - {}\n", `
order dangerous Ada gains 2 orders (o3, o4)
order dangerous Bob gains 2 orders (o1, o2)
order dangerous nobody gains 4 orders (o1, o2, o3, o4), order.list, order.findById, order.create, order.update and order.delete`},
		{"a door that opens", own + mine, "collectors: {order: open, line: open, customer: open}\n", `
order dangerous Ada gains 2 orders (o3, o4)
order dangerous Bob gains 2 orders (o1, o2)
order dangerous nobody gains 4 orders (o1, o2, o3, o4), order.list, order.findById, order.create, order.update and order.delete`},
		{"a field", own + mine + "      hide: [internalNote]\n", own + mine, `
order dangerous Ada gains the field internalNote on 2 orders
order dangerous Bob gains the field internalNote on 2 orders`},
		{"a field less, an operation less", own + mine, own + mine + "      hide: [internalNote]\n      deny: [delete]\n", `
order breaking Ada loses the field internalNote on 2 orders and order.delete
order breaking Bob loses the field internalNote on 2 orders and order.delete`},
		{"a computed field by its input", own + mine + "      hide: [total]\ncomputed: {order: {twice: {type: integer, value: total * 2}}}\n", own + mine + "computed: {order: {twice: {type: integer, value: total * 2}}}\n", `
order dangerous Ada gains the field total on 2 orders and the field twice on 2 orders
order dangerous Bob gains the field total on 2 orders and the field twice on 2 orders`},
		{"a door that closes", own + mine, own + "    - deny: all\n", `
order breaking Ada loses 2 orders (o1, o2), order.list, order.findById, order.create, order.update and order.delete
order breaking Bob loses 2 orders (o3, o4), order.list, order.findById, order.create, order.update and order.delete`},
		{"an aggregate", own + mine, own + "    - when: user != nil\n      rows: {customerId: {eq: $user.id}, lines: {count: {gte: 2}}}\n", `
order breaking Ada loses 2 orders (o1, o2)
order breaking Bob loses 2 orders (o3, o4)`},
	} {
		t.Run(c.name, func(t *testing.T) {
			var versions [2]*diff.Version
			for i, rules := range []string{c.was, c.is} {
				v, err := diff.New(&diff.Source{Name: rules, Project: storetest.ProjectOf(t, storetest.Desk(rules))})
				if err != nil {
					t.Fatal(err)
				}
				versions[i] = v
			}
			// The store may serve either version.
			for _, rules := range []string{c.was, c.is} {
				f := storetest.New(t, storetest.ProjectOf(t, storetest.Desk(rules)), storetest.NewStore(), nil)
				report := &diff.Report{}
				if err := report.Effects(t.Context(), versions[0], versions[1], f, callers); err != nil {
					t.Fatal(err)
				}
				var lines []string
				for _, f := range report.Findings {
					lines = append(lines, strings.Join([]string{f.At, string(f.Level), f.Member, f.Is}, " "))
				}
				slices.Sort(lines)
				if got := strings.Join(lines, "\n"); got != strings.TrimPrefix(c.want, "\n") || len(report.Notes) > 0 {
					t.Errorf("%v\ngot\n%s\nwant%s", report.Notes, got, c.want)
				}
			}
		})
	}
}

// TestEffectsOfRenames: the rules of each version name its own fields, and the store has the fields of one. A field that is not there yet is
// a note.
func TestEffectsOfRenames(t *testing.T) {
	was := storetest.Desk("collectors:\n  order: [{rows: {customerId: {eq: $user.id}}, hide: [internalNote]}]\n  line: open\n  customer: open\n")
	is := func(rows string) map[string]string {
		files := map[string]string{}
		for name, text := range storetest.Desk("renamed: {order: purchase, purchase.internalNote: purchase.remark, line.orderId: line.purchaseId}\ncollectors:\n  purchase: [{rows: " + rows + "}]\n  line: open\n  customer: open\n") {
			if name != "frond.yaml" {
				text = strings.NewReplacer("to: order", "to: purchase", "internalNote", "remark", "orderId", "purchaseId").Replace(text)
			}
			files[strings.Replace(name, "order", "purchase", 1)] = text
		}
		return files
	}
	for rows, want := range map[string]string{
		"{or: [{customerId: {eq: $user.id}}, {remark: {eq: secret}}]}":        "order gains 1 order (o3) and the field remark on 2 orders",
		"{customerId: {eq: $user.id}, lines: {some: {what: {eq: pen}}}}":      "order gains the field remark on 1 order; loses 1 order (o2)",
		"{or: [{customerId: {eq: $user.id}}, {customer: {name: {eq: Bob}}}]}": "order gains 2 orders (o3, o4) and the field remark on 2 orders",
	} {
		var versions [2]*diff.Version
		for i, files := range []map[string]string{was, is(rows)} {
			v, err := diff.New(&diff.Source{Name: "version", Project: storetest.ProjectOf(t, files)})
			if err != nil {
				t.Fatal(err)
			}
			versions[i] = v
		}
		for _, files := range []map[string]string{was, is(rows)} {
			report := &diff.Report{}
			f := storetest.New(t, storetest.ProjectOf(t, files), storetest.NewStore(), nil)
			err := report.Effects(t.Context(), versions[0], versions[1], f, []diff.Caller{{Name: "Ada", State: access.State{"user": map[string]any{"id": "c1"}}}})
			var got []string
			for _, f := range report.Findings {
				got = append(got, f.At+" "+f.Is)
			}
			if text := strings.Join(got, "\n"); err != nil || text != want || len(report.Notes) > 0 {
				t.Errorf("%s: %v %v\ngot  %s\nwant %s", rows, err, report.Notes, text, want)
			}
		}
	}
}
