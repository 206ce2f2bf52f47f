package e2e_test

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/access"
	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/rows"
	"github.com/frondhost/frond/gateway"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/store/sqlite"
)

// brokenStore fails every search for bowls with an error nobody coded.
type brokenStore struct{ *sqlite.Store }

func (s brokenStore) Find(ctx context.Context, q *facade.Find) (*facade.Found, error) {
	if q.Entity.Key == "bowl" {
		return nil, errors.New("kaboom in the store")
	}
	return s.Store.Find(ctx, q)
}

// TestInternalErrors: wherever a failure of ours begins, and whatever surface it leaves by,
// the caller gets INTERNAL_ERROR and a trace id, and the log has the cause under that id.
func TestInternalErrors(t *testing.T) {
	t.Parallel()
	const key = "type: object\nproperties:\n  id: {type: string, x-kit: {role: {primary: true}}}\n"
	far := &foreignHost{
		document: `{"fronds":[{"name":"away","doors":[{"name":"pot","schema":{"title":"pot","type":"object","properties":{"id":{"type":"string","x-kit":{"role":{"primary":true}}}}},
			"ops":[{"name":"findById","kind":"query","output":{"title":"pot","type":"object","properties":{"id":{"type":"string"}}}},{"name":"getLid","kind":"query","params":{"type":"object"}}]}],"facts":[]}]}`,
		answers: map[string]func(invoked) any{
			"pot.findById": func(invoked) any { return &kitError{Code: "OUT_OF_CLAY", Message: "kaboom far away"} },
			"pot.getLid": func(invoked) any {
				return &kitError{Code: "INTERNAL_ERROR", Message: "kaboom of its own", Details: map[string]any{"traceId": "0123456789abcdef0123456789abcdef"}}
			},
		},
	}
	project, err := facade.Read(os.DirFS(folder(t, map[string]string{
		"entities/cup.yaml":  key,
		"entities/mug.yaml":  key,
		"entities/bowl.yaml": key,
		"entities/dish.yaml": key + "  name: {type: string, x-kit: {boundary: {out: {encode: kaboom}}}}\n",
		"seeds/cup.yaml":     "[{id: a}]", "seeds/dish.yaml": "[{id: a, name: A}]",
		"frond.yaml": `
name: house
collectors: {cup: open, bowl: open, dish: open}
doors:
  cup:
    operations:
      fail: {}
      burst: {}
      getBad: {output: cup}
      getOdd: {output: cup}
`,
	})))
	if err != nil {
		t.Fatal(err)
	}
	cup := project.Door("cup")
	facade.HandleCommand(cup, "fail", func(context.Context, struct{}) (bool, error) { return false, errors.New("kaboom in a handler") })
	facade.HandleCommand(cup, "burst", func(context.Context, struct{}) (bool, error) { panic("kaboom in a panic") })
	facade.HandleQuery(cup, "getBad", func(context.Context, struct{}) (map[string]any, error) { return map[string]any{}, nil })
	facade.HandleQuery(cup, "getOdd", func(context.Context, struct{}) (map[string]any, error) {
		return map[string]any{"id": "a", "kaboom": true}, nil
	})
	facade.Present(cup, "worth", schema.Shape{Type: "integer"}, func(context.Context, []rows.Row) ([]int, error) { return nil, errors.New("kaboom in a presenter") })
	facade.Collect(project.Door("mug"), access.CollectorFunc(func(context.Context, access.State, *catalog.Door, *catalog.Operation) (access.Scope, error) {
		return access.Scope{}, errors.New("kaboom in a collector")
	}))
	project.Registry = schema.Builtins()
	project.Registry.Conversions["kaboom"] = schema.Conversion{Encode: func(json.RawMessage) (json.RawMessage, error) {
		return nil, errors.New("kaboom in a conversion")
	}}
	store, err := sqlite.Open(t.Context(), sqlite.Options{Memory: true, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	log := &syncBuffer{}
	gw, err := gateway.New(project, &gateway.Options{
		Config: gateway.Config{Mode: "development", Remotes: map[string]gateway.Remote{"away": {URL: served(t, far)}}},
		Store:  brokenStore{store},
		Logger: slog.New(slog.NewTextHandler(log, nil)),
		Middleware: []facade.Middleware{func(next facade.Caller) facade.Caller {
			return facade.CallerFunc(func(ctx context.Context, c *facade.Call) (*facade.Result, error) {
				if c.Operation == "delete" {
					return nil, errors.New("kaboom in a middleware")
				}
				return next.Call(ctx, c)
			})
		}},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = gw.Close() })
	url := served(t, gw.Handler())

	id := regexp.MustCompile(`"traceId":\s*"([0-9a-f]{32})"`)
	for _, c := range []struct {
		what, rest, graphql, method string
		cause                       string // what the log has of it
	}{
		{"an error of a handler", "POST /api/house/cups/fail {}", "mutation { cupFail }", "cup.fail", "kaboom in a handler"},
		{"a panic of a handler", "POST /api/house/cups/burst {}", "mutation { cupBurst }", "cup.burst", "kaboom in a panic"},
		{"an answer without a field that is required", "GET /api/house/cups/get-bad", "{ cupGetBad { id } }", "cup.getBad", "id"},
		{"an answer with a field that the card does not have", "GET /api/house/cups/get-odd", "{ cupGetOdd { id } }", "cup.getOdd", "kaboom"},
		{"an error of a presenter", "GET /api/house/cups/a?fields=worth", `{ cup(id: "a") { worth } }`, `cup.findById {"params":{"id":"a"},"query":{"fields":"worth"}}`, "kaboom in a presenter"},
		{"an error of a collector", "GET /api/house/mugs", "{ mugs { total } }", "mug.list", "kaboom in a collector"},
		{"an error of a conversion", "GET /api/house/dishes/a", `{ dish(id: "a") { name } }`, `dish.findById {"params":{"id":"a"}}`, "kaboom in a conversion"},
		{"an error of the store", "GET /api/house/bowls", "{ bowls { items { id } } }", "bowl.list", "kaboom in the store"},
		{"an error of middleware", "DELETE /api/house/cups/a", `mutation { deleteCup(id: "a") }`, `cup.delete {"params":{"id":"a"}}`, "kaboom in a middleware"},
		{"a code of a remote that nobody knows", "GET /api/away/pots/a", `{ pot(id: "a") { id } }`, `pot.findById {"params":{"id":"a"}}`, "kaboom far away"},
		{"an INTERNAL_ERROR of a remote", "GET /api/away/pots/get-lid", "{ potGetLid }", "pot.getLid", "kaboom of its own"},
	} {
		t.Run(c.what, func(t *testing.T) {
			check := func(surface, answer string) {
				t.Helper()
				found := id.FindStringSubmatch(answer)
				if !strings.Contains(answer, "INTERNAL_ERROR") || found == nil {
					t.Fatalf("%s answers %s", surface, answer)
				}
				if strings.Contains(answer, "kaboom in") {
					t.Errorf("%s tells the cause: %s", surface, answer)
				}
				logged := ""
				for line := range strings.Lines(log.String()) {
					if strings.Contains(line, "trace="+found[1]) {
						logged += line
					}
				}
				if !strings.Contains(logged, c.cause) {
					t.Errorf("%s: the log has of %s only %q", surface, found[1], logged)
				}
			}
			verb, rest, _ := strings.Cut(c.rest, " ")
			path, body, _ := strings.Cut(rest, " ")
			res := send(t, verb, url+path, body)
			if res.Status != http.StatusInternalServerError {
				t.Errorf("REST answers %d", res.Status)
			}
			check("REST", string(res.Body))
			check("GraphQL", string(send(t, "POST", url+"/graphql", encode(t, map[string]string{"query": c.graphql})).Body))
			method, in, _ := strings.Cut(c.method, " ")
			if in == "" {
				in = "{}"
			}
			check("the envelope", string(send(t, "POST", url+"/_kit/call", `{"jsonrpc":"2.0","id":1,"method":"`+method+`","params":`+in+`}`).Body))
			args := []string{"call", method, "--url", url}
			var parts struct{ Params, Query map[string]string }
			if err := json.Unmarshal([]byte(in), &parts); err != nil {
				t.Fatal(err)
			}
			for _, part := range []map[string]string{parts.Params, parts.Query} {
				for name, value := range part {
					args = append(args, name+"="+value)
				}
			}
			r := run(t, "", args...)
			if r.code != 1 {
				t.Errorf("frond call leaves with %d", r.code)
			}
			check("frond call", r.stderr)
		})
	}
}
