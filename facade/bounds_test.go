package facade_test

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/access"
	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/filter"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/facade/remote"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/store/storetest"
)

// TestTheRowAtTheBound: a row that a write would leave exactly at the bound of a rule is
// judged as the store judges one that stands there.
func TestTheRowAtTheBound(t *testing.T) {
	for _, c := range []struct {
		field, op, bound string
		in, at, out      string // values beyond the bound to the one side, at it, and to the other
		atHolds          bool
	}{
		{"total", "gt", `10`, `11`, `10`, `9`, false},
		{"total", "gte", `10`, `11`, `10`, `9`, true},
		{"total", "lt", `10`, `9`, `10`, `11`, false},
		{"total", "lte", `10`, `9`, `10`, `11`, true},
		{"placedAt", "gt", `"2026-01-01T00:00:00Z"`, `"2026-01-01T00:00:00.001Z"`, `"2026-01-01T01:00:00+01:00"`, `"2025-12-31T23:59:59.999Z"`, false},
		{"placedAt", "lte", `"2026-01-01T00:00:00Z"`, `"2025-12-31T23:59:59.999Z"`, `"2026-01-01T01:00:00+01:00"`, `"2026-01-01T00:00:00.001Z"`, true},
		{"code", "lt", `m`, `"l"`, `"m"`, `"n"`, false},
		{"code", "gte", `m`, `"n"`, `"m"`, `"l"`, true},
	} {
		t.Run(c.field+" "+c.op, func(t *testing.T) {
			f := facadeOf(t, desk(fmt.Sprintf("name: desk\ncollectors:\n  order: [{when: user.all}, {rows: {%s: {%s: %s}}}]", c.field, c.op, c.bound)), nil)
			all := user(f, "all", true)
			n := 0
			for value, holds := range map[string]bool{c.in: true, c.at: c.atHolds, c.out: false} {
				n++
				id := fmt.Sprintf("n%d", n)
				want := map[bool]kiterror.Code{true: "", false: kiterror.Forbidden}[holds]
				code := func(_ string, err *kiterror.Error) kiterror.Code {
					if err == nil {
						return ""
					}
					return err.Code
				}
				body := fmt.Sprintf(`{"id":%q,"customerId":"c1","tenant":"c%d",%q:%s}`, id, n, c.field, value)
				if got := code(do(t, as(f, nil), "order.create", "", "", body)); got != want {
					t.Errorf("create with %s: %q, want %q", value, got, want)
				}
				// A row that is in is moved to the value.
				moved := "m" + id
				must(t, all, "order.create", "", "", fmt.Sprintf(`{"id":%q,"customerId":"c1","tenant":"u%d",%q:%s}`, moved, n, c.field, c.in))
				if got := code(do(t, as(f, nil), "order.update", `{"id":"`+moved+`"}`, "", fmt.Sprintf(`{%q:%s}`, c.field, value))); got != want {
					t.Errorf("update to %s: %q, want %q", value, got, want)
				}
			}
		})
	}
}

// narrowed is a host in front of one that answers everybody everything, with a collector
// that leaves nobody but Alan's posts.
func narrowed(t *testing.T, p *facade.Project, change func(*schema.DiscoveredDoor)) *facade.Facade {
	t.Helper()
	there := hosting(t, nil)
	client := served(t, there)
	known := there.Catalog().Discovery()
	remotes := map[string]facade.Caller{}
	for _, f := range p.Fronds {
		f.Remote = "http://there.example"
		remotes[f.Name] = client
		for i := range known.Fronds {
			if known.Fronds[i].Name == f.Name {
				f.Known = &known.Fronds[i]
				for j := range f.Known.Doors {
					if f.Known.Doors[j].Name == "post" && change != nil {
						change(&f.Known.Doors[j])
					}
				}
			}
		}
	}
	facade.Collect(p.Door("post"), access.CollectorFunc(func(_ context.Context, _ access.State, d *catalog.Door, _ *catalog.Operation) (access.Scope, error) {
		return access.Scope{Rows: &filter.Filter{Op: filter.Eq, Field: d.Entity.Property("authorId"), Values: []any{"alan"}}}, nil
	}))
	f, err := facade.New(storetest.Compiled(t, p), nil, &facade.Options{Remotes: remote.New(remotes), Now: noon})
	if err != nil {
		t.Fatal(err)
	}
	for name := range remotes {
		remotes[name] = client.With(f.Catalog())
	}
	return f
}

// TestNarrowedWithoutAFilter: rows of a remote whose list takes no filter cannot be left
// out, so nothing of the door is answered; nothing is shown for want of a way to ask.
func TestNarrowedWithoutAFilter(t *testing.T) {
	f := narrowed(t, storetest.Project(t), func(d *schema.DiscoveredDoor) {
		for i := range d.Ops {
			if d.Ops[i].Name == "list" {
				d.Ops[i].Input = nil // it has no keys
			}
		}
	})
	for _, c := range []struct{ method, params, query, body string }{
		{"post.list", ``, ``, ``},
		{"post.findById", `{"id":"p1"}`, ``, ``},
		{"post.findByIds", ``, `{"ids":["p1","p2"]}`, ``},
		{"post.update", `{"id":"p1"}`, ``, `{"title":"X"}`},
		{"post.delete", `{"id":"p1"}`, ``, ``},
		{"post.bySlug", `{"slug":"notes-on-the-engine"}`, ``, ``},
		{"post.publish", `{"id":"p1"}`, ``, `{"at":"2026-05-01T12:00:00Z"}`},
	} {
		text, err := do(t, f, c.method, c.params, c.query, c.body)
		if err == nil || err.Code != kiterror.NotImplemented || !strings.Contains(err.Message, "remote post.list does not support filter") {
			t.Errorf("%s: %s %v", c.method, text, err)
		}
	}
}

// TestOnlyAHiddenRow: a remote's own operation answers a row that is hidden here, and
// nothing else: there is none like it.
func TestOnlyAHiddenRow(t *testing.T) {
	f := narrowed(t, storetest.Project(t), nil)
	if got := must(t, f, "post.bySlug", `{"slug":"the-imitation-game"}`, "", ""); !strings.Contains(got, `"authorId":"alan"`) {
		t.Errorf("a row that is seen: %s", got)
	}
	if got := must(t, f, "post.bySlug", `{"slug":"notes-on-the-engine"}`, "", ""); got != "null" {
		t.Errorf("maybe one: %s, want null", got)
	}
	p := storetest.Project(t)
	for _, src := range p.Fronds {
		src.Config.Data = bytes.Replace(src.Config.Data, []byte("cardinality: maybe"), []byte("cardinality: one"), 1)
	}
	f = narrowed(t, p, nil)
	if text, err := do(t, f, "post.bySlug", `{"slug":"notes-on-the-engine"}`, "", ""); err == nil || err.Code != kiterror.NotFound || err.Message != "there is no post like this" {
		t.Errorf("one: %s %v, want NOT_FOUND", text, err)
	}
}

// TestExplainAfterADenial: rules behind the one that denies are not asked, whatever they
// would say.
func TestExplainAfterADenial(t *testing.T) {
	f := counter(t, `
  order:
    - when: user.level > 3
      allow: [list]
    - when: user != nil
    - when: user.broken > user.level
    - {}
`, noon())
	for _, c := range []struct{ method, rules string }{
		{"order.pay", `{"when":"user.level \u003e 3","verdict":"holds, and denies"},{"when":"user != nil","verdict":"is not asked"},{"when":"user.broken \u003e user.level","verdict":"is not asked"},{"when":"","verdict":"is not asked"}`},
		{"order.list", `{"when":"user.level \u003e 3","verdict":"holds"},{"when":"user != nil","verdict":"is not asked"},`},
	} {
		got, _ := explained(t, f, access.State{"user": map[string]any{"level": 4}}, c.method, "", "", "")
		if !strings.Contains(got, c.rules) {
			t.Errorf("%s: got\n%s\nwant\n%s", c.method, got, c.rules)
		}
	}
	got, code := explained(t, f, access.State{"user": map[string]any{"level": 1}}, "order.pay", "", "", "")
	if code != kiterror.Forbidden || !strings.Contains(got, `{"when":"user.level \u003e 3","verdict":"does not hold"},{"when":"user != nil","verdict":"holds, and denies"},{"when":"user.broken \u003e user.level","verdict":"is not asked"}`) {
		t.Errorf("%s %s", code, got)
	}
}
