package graphqlhttp_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/gateway"
	"github.com/frondhost/frond/gateway/gatewaytest"
)

// TestProductionSaysLittle: no suggestion, no text of ours, no stack, unless the
// mode is development, and then suggestions alone.
func TestProductionSaysLittle(t *testing.T) {
	for mode, suggests := range map[string]bool{"": false, gateway.Production: false, gateway.Development: true} {
		p, opts := thingProject(t)
		opts.Config.Mode = mode
		opts.Middleware = []facade.Middleware{func(facade.Caller) facade.Caller {
			return facade.CallerFunc(func(context.Context, *facade.Call) (*facade.Result, error) { panic("the secret of the program") })
		}}
		g, err := gateway.New(p, opts)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = g.Close() })
		ask := func(query string) string {
			return gatewaytest.Do(g.Handler(), "POST", "/graphql", `{"query":`+quoted(query)+`}`, gatewaytest.AsJSON).Body.String()
		}
		for _, query := range []string{"{ thing(id: 1) { nam } }", "{ thingz { total } }", "{ things(frst: 1) { total } }", "query($x: Thin) { __typename }", "{ things }"} {
			if got := ask(query); strings.Contains(got, "Did you mean") != suggests || !strings.Contains(got, "GRAPHQL_VALIDATION_FAILED") {
				t.Errorf("mode %q: %s", mode, got)
			}
		}
		got := ask("{ things { total } }")
		if !strings.Contains(got, `"INTERNAL_ERROR"`) || !strings.Contains(got, `"traceId"`) {
			t.Errorf("mode %q: %s", mode, got)
		}
		for _, inside := range []string{"secret", "goroutine", ".go:", "panic", "runtime"} {
			if strings.Contains(got, inside) {
				t.Errorf("mode %q: the answer says %q: %s", mode, inside, got)
			}
		}
	}
}

// TestGraphQLSettingsHold: the settings reach what they set.
func TestGraphQLSettingsHold(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(*gateway.GraphQL)
		query  string
		want   string
	}{
		{"introspection off", func(*gateway.GraphQL) {}, "{ __schema { queryType { name } } }", `"INTROSPECTION_DISABLED"`},
		{"one type of it", func(*gateway.GraphQL) {}, `{ __type(name: "Thing") { name } }`, "`frond schema` prints it"},
		{"the name of a type is none", func(*gateway.GraphQL) {}, "{ __typename }", `{"data":{"__typename":"Query"}}`},
		{"introspection on", func(g *gateway.GraphQL) { g.Introspection = new(true) }, "{ __schema { queryType { name } } }", `"name":"Query"`},
		{"document", func(g *gateway.GraphQL) { g.Limits.Document = 10 }, "{ __typename }", "DOCUMENT_TOO_LARGE"},
		{"tokens", func(g *gateway.GraphQL) { g.Limits.Tokens = 2 }, "{ __typename }", "TOKEN_LIMIT_EXCEEDED"},
		{"depth", func(g *gateway.GraphQL) { g.Limits.Depth = 1 }, "{ things { total } }", "DEPTH_LIMIT_EXCEEDED"},
		{"aliases", func(g *gateway.GraphQL) { g.Limits.Aliases = 1 }, "{ a: __typename b: __typename }", "ALIAS_LIMIT_EXCEEDED"},
		{"roots", func(g *gateway.GraphQL) { g.Limits.Roots = 1 }, "{ a: __typename b: __typename }", "ROOT_FIELD_LIMIT_EXCEEDED"},
		{"fields", func(g *gateway.GraphQL) { g.Limits.Fields = 1 }, "{ things { total } }", "FIELD_LIMIT_EXCEEDED"},
		{"execution", func(g *gateway.GraphQL) { g.Limits.Execution = time.Nanosecond }, "{ things { total } }", "EXECUTION_TIMEOUT"},
		{"response", func(g *gateway.GraphQL) { g.Limits.Response = 10 }, "{ things { total } }", "RESPONSE_TOO_LARGE"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, opts := thingProject(t)
			c.change(&opts.Config.GraphQL)
			g, err := gateway.New(p, opts)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = g.Close() })
			w := gatewaytest.Do(g.Handler(), "POST", "/graphql", `{"query":`+quoted(c.query)+`}`, gatewaytest.AsJSON)
			if !strings.Contains(w.Body.String(), c.want) {
				t.Errorf("%s, want %s", w.Body, c.want)
			}
			if !strings.Contains(g.SDL(), "type Thing") {
				t.Error("the SDL is gone")
			}
		})
	}
}
