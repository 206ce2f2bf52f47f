package rights_test

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/facade/project"
	"github.com/frondhost/frond/facade/rights"
	"github.com/frondhost/frond/gateway"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

var update = flag.Bool("update", false, "write the results of TestRun")

// desk is a project with orders of customers.
func desk() fstest.MapFS {
	const id = "properties:\n  id: {type: string, x-kit: {role: {primary: true}, lifecycle: {update: forbidden}}}\n"
	return fstest.MapFS{
		"frond.yaml": {Data: []byte(`
doors:
  order: {operations: {pay: {kind: command, params: {type: object, properties: {id: {type: string}}}}, ship: {kind: command, params: {type: object, properties: {id: {type: string}}}}}}
  tag: {operations: {delete: false}}
many: {order: [update]}
collectors:
  order:
    - when: '"staff" in user.roles'
      allow: all
    - when: user.id != nil
      rows: {owner: {eq: $user.id}}
      hide: [note]
      set: {owner: $user.id}
      readOnly: [status]
      deny: [delete]
    - deny: all
  line:
    - when: '"staff" in user.roles'
    - rows: {order: {owner: {eq: $user.id}}}
      deny: [create, update, delete]
  tag: open
  memo:
    - when: user.id != nil
      rows: {id: {eq: none}}
    - deny: all
  secret:
    - when: user.id != nil
      hide: [id]
    - deny: all
`)},
		"entities/order.yaml": {Data: []byte(id + "  owner: {type: string}\n  total: {type: integer, minimum: 1}\n  note: {type: string, x-kit: {lifecycle: {create: optional}}}\n" +
			"  status: {type: string, x-kit: {lifecycle: {create: {value: open}}}}\n  pin: {type: string, x-kit: {lifecycle: {create: optional}, boundary: {out: closed, in: closed}}}\n" +
			"  lines: {type: array, items: {type: string}, x-kit: {role: {relation: {to: line, kind: many}}}}\nrequired: [id, owner, total]\n")},
		"entities/line.yaml":   {Data: []byte(id + "  orderId: {type: string, x-kit: {role: {relation: {to: order, kind: one}}}}\nrequired: [id, orderId]\n")},
		"entities/tag.yaml":    {Data: []byte(strings.Replace(id, "string", "integer", 1))},
		"entities/memo.yaml":   {Data: []byte(id)},
		"entities/secret.yaml": {Data: []byte(id)},
		"seeds/order.yaml":     {Data: []byte("- {id: o-1, owner: ada, total: 1}\n- {id: o-2, owner: ada, total: 2, note: x}\n- {id: o-3, owner: bob, total: 3}\n")},
		"seeds/line.yaml":      {Data: []byte("- {id: l-1, orderId: o-1}\n- {id: l-2, orderId: o-3}\n")},
		"seeds/tag.yaml":       {Data: []byte("- {id: 7}\n")},
		"seeds/secret.yaml":    {Data: []byte("- {id: s-1}\n")},
	}
}

// over calls do with a project over SQLite in memory. Go code answers order.pay.
func over(t *testing.T, files fstest.MapFS, do func(*testing.T, *facade.Facade)) {
	t.Helper()
	p, err := facade.Read(files)
	if err != nil {
		t.Fatal(err)
	}
	facade.HandleCommand(p.Door("order"), "pay", func(ctx context.Context, in struct{ ID string }) (any, error) {
		res, err := facade.Inside(ctx).Call(ctx, &facade.Call{Entity: "order", Operation: "update", Invocation: facade.Invocation{
			ID: []byte(`"` + in.ID + `"`), Body: []byte(`{"status":"paid"}`),
		}})
		if err == nil && res.Rows.Len() == 0 {
			err = errors.New("no order")
		}
		return nil, err
	})
	facade.Attach(p.Door("order"), "update", facade.Hook{
		Before: func(_ context.Context, c *facade.Call) (schema.Object, error) {
			if string(jsontext.Get(c.Invocation.Body, "total")) == "666" {
				return nil, kiterror.Errorf(kiterror.UnprocessableEntity, "the hook refuses the total")
			}
			return nil, nil
		},
		After: func(context.Context, *facade.Call, *facade.Result) { t.Error("a hook ran after a check") },
	})
	opts := &gateway.Options{Config: gateway.Config{Store: "memory"}, Logger: slog.New(slog.DiscardHandler)}
	if err := gateway.WithRows(t.Context(), p, opts, func(_ context.Context, f *facade.Facade) error { do(t, f); return nil }); err != nil {
		t.Fatal(err)
	}
}

// callers reads a rights.yaml.
func callers(t *testing.T, text string) []*project.CallerRights {
	t.Helper()
	all, err := project.ReadRights([]*project.Frond{{Name: "app", Rights: project.Text{File: "rights.yaml", Data: []byte(text)}}})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// TestRun runs the checks of testdata/checks.txt: a line that begins with > is a check of the caller of the last line that begins with
// #, and its results follow. -update writes them.
func TestRun(t *testing.T) { over(t, desk(), testRun) }

func testRun(t *testing.T, f *facade.Facade) {
	const file = "testdata/checks.txt"
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	before := rowsOf(t, f)
	var got strings.Builder
	caller := ""
	for line := range strings.Lines(string(want)) {
		check, is := strings.CutPrefix(line, "> ")
		switch {
		case strings.HasPrefix(line, "# "):
			got.WriteString(line)
			caller = strings.TrimPrefix(line, "# ")
		case is:
			got.WriteString(line)
			for _, r := range rights.Run(t.Context(), f, callers(t, "- as: "+caller+"  name: one\n  "+check)).Results {
				text, _, _ := strings.Cut(r.String(), "\n      at ")
				fmt.Fprintln(&got, text)
			}
		}
	}
	if *update {
		if err := os.WriteFile(file, []byte(got.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	} else if got.String() != string(want) {
		t.Errorf("got\n%s", &got)
	}
	if after := rowsOf(t, f); after != before {
		t.Errorf("the checks have written\n%s\nbefore\n%s", after, before)
	}
}

// rowsOf returns all orders.
func rowsOf(t *testing.T, f *facade.Facade) string {
	t.Helper()
	ctx := f.Enter(t.Context(), nil)
	res, err := facade.Inside(ctx).Call(ctx, &facade.Call{Entity: "order", Operation: "list"})
	if err != nil {
		t.Fatal(err)
	}
	return string(res.AppendJSON(nil))
}

// TestCoverage: rules, hidden fields and refusals that no check tries are listed.
func TestCoverage(t *testing.T) { over(t, desk(), testCoverage) }

func testCoverage(t *testing.T, f *facade.Facade) {
	for _, c := range []struct {
		rights, has, lacks string
		reached, of        int
	}{
		{"- {as: {user: {id: ada}}, sees: {order: 2}, hidden: {secret: [id]}}", `rule frond.yaml#/collectors/order/0 "staff" in user.roles; rule frond.yaml#/collectors/order/2 (no when); ` +
			`field frond.yaml#/collectors/order/1 order.note; operation frond.yaml#/collectors/order order.pay; operation frond.yaml#/collectors/memo memo.list`, "order/1 user.id; secret.id; tag; updateMany", 3, 31},
		{"- {as: {user: {id: ada}}, hidden: {order: [note]}, mayNot: [{order.pay: {params: {id: o-1}}}]}", "operation frond.yaml#/collectors/order order.list", "order.note; order.pay", 3, 31},
		{"- {as: null, sees: {order: denied, memo: denied}}", "operation frond.yaml#/collectors/order order.create", "order.list; order.findById; memo.list; memo/1", 6, 31},
		{"- {as: {user: {id: s, roles: [staff]}}, may: [{order.pay: {params: {id: o-1}}}]}", "operation frond.yaml#/collectors/order order.pay", "order/0", 1, 31},
	} {
		report := rights.Run(t.Context(), f, callers(t, c.rights))
		var gaps strings.Builder
		for _, gap := range report.Coverage.Gaps {
			fmt.Fprintln(&gaps, gap.Kind, gap.At, gap.Of)
		}
		for part := range strings.SplitSeq(c.has, "; ") {
			if !strings.Contains(gaps.String(), part) {
				t.Errorf("%s: the gaps lack %s:\n%s", c.rights, part, &gaps)
			}
		}
		for part := range strings.SplitSeq(c.lacks, "; ") {
			if strings.Contains(gaps.String(), part) {
				t.Errorf("%s: the gaps have %s:\n%s", c.rights, part, &gaps)
			}
		}
		if cover := &report.Coverage; cover.Reached != c.reached || cover.Of != c.of || cover.Percent() != c.reached*100/c.of {
			t.Errorf("%s: %d of %d, %d %%", c.rights, cover.Reached, cover.Of, cover.Percent())
		}
	}
}

// TestRecord: the recorded rights of a caller are checks that pass, and fail under other rules.
func TestRecord(t *testing.T) {
	files := desk()
	for state, want := range map[string]string{
		`{"user":{"id":"ada"}}`: `- as: {"user":{"id":"ada"}}
  sees:
    line: ["l-1"]
    order: ["o-1","o-2"]
    secret: 1
    tag: [7]
  hidden:
    order: [note, pin]
    secret: [id]
  may:
    - order.update: {params: {id: "o-1"}, body: {}}
    - secret.update: {params: {id: "s-1"}, body: {}}
    - secret.delete: {params: {id: "s-1"}}
    - tag.update: {params: {id: 7}, body: {}}
  mayNot:
    - line.create: {body: {}, code: FORBIDDEN}
    - line.update: {params: {id: "l-1"}, body: {}, code: FORBIDDEN}
    - line.delete: {params: {id: "l-1"}, code: FORBIDDEN}
    - order.update: {params: {id: "o-3"}, body: {}, code: NOT_FOUND}
    - order.delete: {params: {id: "o-1"}, code: FORBIDDEN}
    - secret.create: {body: {}, code: FORBIDDEN}
`,
		`null`: `- as: null
  sees:
    line: 0
    memo: denied
    order: denied
    secret: denied
    tag: [7]
  may:
    - tag.update: {params: {id: 7}, body: {}}
  mayNot:
    - line.create: {body: {}, code: UNAUTHORIZED}
    - line.update: {params: {id: "l-1"}, body: {}, code: UNAUTHORIZED}
    - line.delete: {params: {id: "l-1"}, code: UNAUTHORIZED}
    - memo.create: {body: {}, code: UNAUTHORIZED}
    - order.create: {body: {}, code: UNAUTHORIZED}
    - order.update: {params: {id: "o-1"}, body: {}, code: UNAUTHORIZED}
    - order.delete: {params: {id: "o-1"}, code: UNAUTHORIZED}
    - secret.create: {body: {}, code: UNAUTHORIZED}
    - secret.update: {params: {id: "s-1"}, body: {}, code: UNAUTHORIZED}
    - secret.delete: {params: {id: "s-1"}, code: UNAUTHORIZED}
`,
	} {
		var as map[string]any
		if err := json.Unmarshal([]byte(state), &as); err != nil {
			t.Fatal(err)
		}
		entry := ""
		over(t, files, func(t *testing.T, f *facade.Facade) {
			if entry = string(rights.Record(t.Context(), f, "app", as)); entry != want {
				t.Errorf("%s\ngot\n%s\nwant\n%s", state, entry, want)
			}
			report := rights.Run(t.Context(), f, callers(t, entry))
			if n := report.Count(rights.Passed); n != len(report.Results) || n == 0 {
				t.Errorf("%s: %d of %d recorded checks pass", state, n, len(report.Results))
			}
		})
		open := maps.Clone(files)
		open["frond.yaml"] = &fstest.MapFile{Data: []byte(strings.NewReplacer("user.id != nil", "user.id != 'x'", "hide: [note]", "hide: []", "deny: [delete]", "deny: [update]").Replace(string(files["frond.yaml"].Data)))}
		over(t, open, func(t *testing.T, f *facade.Facade) {
			if report := rights.Run(t.Context(), f, callers(t, entry)); report.Count(rights.Failed) == 0 {
				t.Errorf("%s: no recorded check fails under other rules", state)
			}
		})
	}
}

// TestHooks: the hooks before a write are part of a check, those after it are not.
func TestHooks(t *testing.T) {
	over(t, desk(), func(t *testing.T, f *facade.Facade) {
		all := callers(t, `
- as: {user: {id: ada}}
  name: ada
  may: [{order.update: {params: {id: o-1}, body: {total: 5}}}]
  mayNot: [{order.update: {params: {id: o-1}, body: {total: 666}, code: UNPROCESSABLE_ENTITY}}]
`)
		for _, r := range rights.Run(t.Context(), f, all).Results {
			if text := r.String(); !strings.HasPrefix(text, "pass") {
				t.Error(text)
			}
		}
	})
}
