package gateway_test

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"net/http/httptest"
	"net/url"
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"github.com/graphql-go/graphql"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/gateway"
	"github.com/frondhost/frond/projection"
	"github.com/frondhost/frond/schema"
)

var update = flag.Bool("update", false, "write the golden files anew")

// store is a project of products in categories, with reviews. The texts that only
// rows of hidden doors hold begin with hush.
func store(t *testing.T, surfaces string) *facade.Project {
	t.Helper()
	files := fstest.MapFS{}
	for name, text := range map[string]string{
		"fronds/catalog/entities/product.yaml": `
type: object
properties:
  id: {type: string, x-kit: {role: {primary: true}}}
  name: {type: string}
  categoryId: {type: string, x-kit: {role: {relation: {to: category, kind: one}}}}
  reviews: {x-kit: {role: {relation: {to: review, kind: many}}}}
`,
		"fronds/catalog/entities/category.yaml": `
type: object
properties:
  id: {type: string, x-kit: {role: {primary: true}}}
  label: {type: string}
`,
		"fronds/catalog/entities/review.yaml": `
type: object
properties:
  id: {type: string, x-kit: {role: {primary: true}}}
  text: {type: string}
  productId: {type: string, x-kit: {role: {relation: {to: product, kind: one}}}}
`,
		"fronds/catalog/frond.yaml": `
facts: [{name: soldOut}]
surfaces: ` + surfaces,
		"fronds/catalog/seeds/category.yaml": "[{id: c1, label: hush-category}]",
		"fronds/catalog/seeds/product.yaml":  "[{id: p1, name: Saw, categoryId: c1}]",
		"fronds/catalog/seeds/review.yaml":   "[{id: r1, text: hush-review, productId: p1}]",
	} {
		files[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return read(t, files)
}

const (
	openly  = "{except: [category, review, product.delete]}"
	partner = "{graphql: {only: [product.list, product.findById]}, rest: {only: [product.list, product.findById]}, envelope: {only: [product.list, product.findById]}}"
)

func gatewayOf(t testing.TB, project *facade.Project, opts gateway.Options) *gateway.Gateway {
	t.Helper()
	gw, err := gateway.New(project, quiet(opts))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = gw.Close() })
	return gw
}

// at asks a gateway; line is verb and target.
func at(t testing.TB, gw *gateway.Gateway, line, body string, headers ...string) *httptest.ResponseRecorder {
	t.Helper()
	verb, target, _ := strings.Cut(line, " ")
	r := httptest.NewRequest(verb, target, strings.NewReader(body))
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		r.Header.Set(name, value)
	}
	w := httptest.NewRecorder()
	gw.Handler().ServeHTTP(w, r)
	return w
}

// The same is shown and hidden in every way there is to ask, for everybody and for
// an audience, and what is hidden is answered like what never was.
func TestSurfacesShowAndHide(t *testing.T) {
	query := func(document string) string {
		text, _ := json.Marshal(map[string]string{"query": document})
		return string(text)
	}
	frame := func(method, params string) string {
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":%q,"params":%s}`, method, params)
	}
	for _, base := range []string{"", "/partner"} {
		gw := gatewayOf(t, store(t, fmt.Sprintf("{graphql: %s, rest: %[1]s, envelope: %[1]s, audiences: {partner: %s}}", openly, partner)), gateway.Options{Config: gateway.Config{Store: "memory", GraphQL: gateway.GraphQL{Introspection: new(true)}}})
		api, frames, gql := base+"/api/catalog", "POST "+base+"/_kit/call", "POST "+base+"/graphql"
		for _, c := range []struct {
			name, request, body string
			status              int
			says                []string // is in the answer, or with ! is not
		}{
			{"a GraphQL field", gql, query(`{products{items{id name categoryId} total}}`), 200, []string{`{"data":{"products":{"items":[{"id":"p1","name":"Saw","categoryId":"c1"}],"total":1}}}`}},
			{"a hidden one", gql, query(`{reviews{total}}`), 200, []string{`Cannot query field \"reviews\" on type \"Query\"`, "GRAPHQL_VALIDATION_FAILED"}},
			{"a hidden mutation", gql, query(`mutation{deleteProduct(id:"p1")}`), 200, []string{"errors", "!data"}},
			{"a hidden relation to one", gql, query(`{products{items{category{label}}}}`), 200, []string{`Cannot query field \"category\" on type \"Product\"`, "!hush"}},
			{"a hidden relation to many", gql, query(`{products{items{reviews{total}}}}`), 200, []string{`Cannot query field \"reviews\" on type \"Product\"`}},
			{"a GraphQL filter through one", gql, query(`{products(filter:{category:{label:{eq:"x"}}}){total}}`), 200, []string{`Field \"category\" is not defined by type \"ProductFilter\"`}},
			{"introspection", gql, query(`{__schema{types{name fields{name}}}}`), 200, []string{`"Product"`, `!"Category`, `!"Review`, `!"reviews"`, `!"deleteProduct"`}},
			{"a hidden type by name", gql, query(`{__type(name:"Review"){name}}`), 200, []string{`{"data":{"__type":null}}`}},

			{"a route", "GET " + api + "/products", "", 200, []string{`"total":1`, `"p1"`}},
			{"a row", "GET " + api + "/products/p1", "", 200, []string{`{"id":"p1","name":"Saw","categoryId":"c1"}`}},
			{"a hidden door's route", "GET " + api + "/reviews", "", 404, []string{"no door has this path; the Frond catalog has products\"", "!hush"}},
			{"a row of it", "GET " + api + "/reviews/r1", "", 404, []string{"the Frond catalog has products\""}},
			{"a hidden operation's verb", "DELETE " + api + "/products/p1", "", 405, []string{"!DELETE"}},
			{"the verbs there are", "OPTIONS " + api + "/products/p1", "", 204, []string{"!DELETE"}},
			{"a REST filter", "GET " + api + "/products?filter[categoryId]=c1", "", 200, []string{`"p1"`}},
			{"one through a hidden relation", "GET " + api + "/products?filter[category][label]=hush-category", "", 400, []string{`"/query/filter/category"`, `"unknown_key"`, "!hush"}},
			{"and through many", "GET " + api + "/products?filter[reviews][some][text]=x", "", 400, []string{`"/query/filter/reviews"`, `"unknown_key"`}},

			{"a method", frames, frame("product.list", "{}"), 200, []string{`"total":1`}},
			{"a hidden door's", frames, frame("review.list", "{}"), 200, []string{`-32601`, "no entity is called review here; there is product\""}},
			{"a hidden operation", frames, frame("product.delete", `{"params":{"id":"p1"}}`), 200, []string{`-32601`, "product has no operation called delete; "}},
			{"with nonsense for an invocation", frames, frame("review.list", `{"params":5}`), 200, []string{`-32601`, "there is product\""}},
			{"a method without a dot", frames, frame("review", "{}"), 200, []string{"rpc.discover lists them"}},
			{"a filter through a hidden relation", frames, frame("product.list", `{"query":{"filter":{"category":{"label":{"eq":"x"}}}}}`), 200, []string{`-32000`, `"/query/filter/category"`, `"unknown_key"`, "is nothing to filter product by; leave it out"}},
			{"a batch", frames, "[" + frame("product.findById", `{"params":{"id":"p1"}}`) + "," + frame("category.findById", `{"params":{"id":"c1"}}`) + "]", 200, []string{`"name":"Saw"`, `-32601`, "!hush"}},
			{"discovery", frames, frame("rpc.discover", "{}"), 200, []string{`"name":"product"`, `"name":"list"`, `"name":"soldOut"`, `!"name":"delete"`, `!"name":"review"`, `!"name":"category"`, `!A filter of`}},

			{"what the audience alone has not", "POST " + api + "/products", `{"id":"p2","name":"Axe","categoryId":"c1"}`, map[string]int{"": 201, "/partner": 405}[base], []string{"!hush"}},
		} {
			t.Run(strings.TrimPrefix(base+"/", "/")+c.name, func(t *testing.T) {
				w := at(t, gw, c.request, c.body)
				text := w.Body.String()
				for name, values := range w.Header() {
					text += "\n" + name + ": " + strings.Join(values, ", ")
				}
				if w.Code != c.status {
					t.Errorf("status %d, want %d: %s", w.Code, c.status, text)
				}
				for _, say := range c.says {
					if no, hidden := strings.CutPrefix(say, "!"); hidden == strings.Contains(text, no) {
						t.Errorf("%s: %s", say, text)
					}
				}
				if c.status == 405 && w.Header().Get("Allow") == "" {
					t.Error("no Allow")
				}
			})
		}
	}
}

// Nothing that a request carries makes it another audience's: not a header, not a
// parameter, not the state of a frame, not the name of a method.
func TestNoRequestNamesItsAudience(t *testing.T) {
	gw := gatewayOf(t, store(t, "{graphql: {only: [product.list]}, rest: {only: [product.list]}, envelope: {only: [product.list]}, audiences: {partner: {graphql: true, rest: true, envelope: true}}}"), gateway.Options{})
	// It is there, for those who stand before that path.
	if w := at(t, gw, "GET /partner/api/catalog/reviews", ""); w.Code != 200 || !strings.Contains(w.Body.String(), "hush-review") {
		t.Fatalf("%d %s", w.Code, w.Body)
	}
	rnd := rand.New(rand.NewPCG(1, 2))
	pick := func(of ...string) string { return of[rnd.IntN(len(of))] }
	word := func() string {
		return pick("partner", "/partner", "/partner/api/catalog/reviews", "partner/rest", "partner/graphql", "partner/envelope", "*", "true", `{"audience":"partner"}`, "Partner", "internal", fmt.Sprint(rnd.IntN(99)))
	}
	name := func() string {
		return pick("audience", "Audience", "surface", "X-Audience", "X-Frond-Audience", "X-Frond-Surface", "X-Frond-User", "X-Forwarded-Prefix", "X-Forwarded-Path", "X-Forwarded-Uri", "X-Original-URL", "X-Rewrite-URL",
			"X-HTTP-Method-Override", "Forwarded", "Referer", "Origin", "Host", "Cookie", "Authorization", "Prefer", "Accept-Profile", "traceparent")
	}
	state := func() string {
		text, _ := json.Marshal(map[string]any{"audience": word(), "surface": word(), "user": map[string]any{"id": word(), "audience": word(), "roles": []string{word()}}})
		return string(text)
	}
	kinds := []func() (line, body string){
		func() (string, string) {
			return "GET /api/catalog/" + pick("reviews", "reviews/r1", "categories", "products/p1", "reviews/find-by-ids?ids=r1") + pick("", "?", "&") + url.QueryEscape(name()) + "=" + url.QueryEscape(word()), ""
		},
		func() (string, string) {
			return pick("GET ", "HEAD ", "POST ") + pick("/api/partner/reviews", "/api/../partner/api/catalog/reviews", "/api//partner/api/catalog/reviews", "/api/catalog/reviews;audience=partner", "/api/catalog%2F..%2F..%2Fpartner/reviews"), ""
		},
		func() (string, string) {
			query, _ := json.Marshal(pick("{reviews{items{text}}}", `{review(id:"r1"){text}}`, "{products{items{reviews{items{text}}}}}", `{products(filter:{reviews:{some:{text:{eq:"hush-review"}}}}){total}}`, "query "+strings.Trim(word(), `/*{}:",`)+"{categories{items{label}}}"))
			return "POST /graphql" + pick("", "", "?"+url.Values{name(): {word()}}.Encode()), fmt.Sprintf(`{"query":%s,"variables":%s,"extensions":%s,%q:%q}`, query, state(), state(), name(), word())
		},
		func() (string, string) {
			method := pick("review.list", "category.findById", "partner/review.list", "partner.review.list", "/partner/review.list", "review.list@partner", "review.partner/list", "rpc.discover", "rpc.discover/partner")
			params := fmt.Sprintf(`{"params":{"id":"c1"},"state":%s,"identity":%s}`, state(), state())
			return "POST /_kit/call" + pick("", "", "?"+url.Values{name(): {word()}}.Encode()), fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":%q,"params":%s}`, method, params)
		},
	}
	for range 2000 {
		line, body := kinds[rnd.IntN(len(kinds))]()
		plain := at(t, gw, line, body)
		if strings.Contains(plain.Body.String(), `hush-review"`) || strings.Contains(plain.Body.String(), "hush-category") || strings.Contains(plain.Body.String(), `"name":"review"`) || strings.Contains(plain.Body.String(), `"total"`) && plain.Code == 200 && !strings.Contains(body, "discover") {
			t.Fatalf("%s %s: %d %s", line, body, plain.Code, plain.Body)
		}
		var headers []string
		for range 1 + rnd.IntN(3) {
			if h := name(); h != "Origin" && h != "traceparent" {
				headers = append(headers, h+": "+word())
			}
		}
		again := at(t, gw, line, body, headers...)
		if again.Code != plain.Code || unstamped(again.Body.String()) != unstamped(plain.Body.String()) {
			t.Fatalf("%s %s\nwith %q: %d %s\nwithout: %d %s", line, body, headers, again.Code, again.Body, plain.Code, plain.Body)
		}
	}
}

// unstamped is an answer without the id of its own that a failure may carry.
func unstamped(text string) string {
	before, rest, ok := strings.Cut(text, `"traceId":"`)
	if !ok {
		return text
	}
	_, after, _ := strings.Cut(rest, `"`)
	return before + after
}

// A global id from elsewhere finds nothing where its type is not shown.
func TestGlobalIDsOnASurface(t *testing.T) {
	gw := gatewayOf(t, store(t, "{audiences: {partner: {graphql: {only: [product, review.create]}}}}"), gateway.Options{})
	id := func(document string) string {
		_, after, _ := strings.Cut(at(t, gw, "POST /graphql", fmt.Sprintf(`{"query":%q}`, document)).Body.String(), `"nodeId":"`)
		id, _, _ := strings.Cut(after, `"`)
		return id
	}
	for document, shows := range map[string]bool{"{products{items{nodeId}}}": true, "{reviews{items{nodeId}}}": false, "{categories{items{nodeId}}}": false} {
		node := fmt.Sprintf(`{"query":"{node(nodeId:\"%s\"){nodeId}}"}`, id(document))
		if all := at(t, gw, "POST /graphql", node).Body.String(); !strings.Contains(all, `{"node":{"nodeId"`) {
			t.Errorf("%s on /graphql: %s", node, all)
		}
		if got := at(t, gw, "POST /partner/graphql", node).Body.String(); strings.Contains(got, `{"node":{"nodeId"`) != shows {
			t.Errorf("%s %s", document, got)
		}
		absent := fmt.Sprintf(`{"query":"{node(nodeId:\"%s\"){nodeId}}"}`, base64.RawURLEncoding.EncodeToString([]byte(`nobody:"x1"`)))
		if got, want := at(t, gw, "POST /partner/graphql", node).Body.String(), at(t, gw, "POST /partner/graphql", absent).Body.String(); !shows && got != want {
			t.Errorf("of a hidden type %s\nof none         %s", got, want)
		}
	}
}

func TestAudiencePaths(t *testing.T) {
	const both = "{audiences: {partner: {rest: true}, kiosk: {envelope: {only: [product.list]}}}}"
	for _, c := range []struct {
		name, surfaces string
		paths          map[string]string
		want           map[string]int // by request
	}{
		{"derived", both, nil, map[string]int{
			"GET /partner/api/catalog/products": 200, "GET /kiosk/api/catalog/products": 404, "POST /kiosk/_kit/call": 200, "POST /partner/_kit/call": 404, "POST /partner/graphql": 404,
			"GET /partner": 404, "GET /partner/": 404, "GET /Partner/api/catalog/products": 404, "GET /api/catalog/products": 200, "POST /graphql": 200,
		}},
		{"said", both, map[string]string{"partner": "/b2b/v1"}, map[string]int{
			"GET /partner/api/catalog/products": 404, "GET /b2b/v1/api/catalog/products": 200, "POST /kiosk/_kit/call": 200,
		}},
		{"a surface of everybody's that shows nothing is not there", "{graphql: false, rest: {only: []}, envelope: true}", nil, map[string]int{
			"POST /graphql": 404, "GET /graphql": 404, "GET /api/catalog/products": 404, "POST /_kit/call": 200,
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			gw := gatewayOf(t, store(t, c.surfaces), gateway.Options{Config: gateway.Config{Audiences: c.paths}})
			for request, status := range c.want {
				body := ""
				switch {
				case strings.HasSuffix(request, "call"):
					body = `{"jsonrpc":"2.0","id":1,"method":"product.list"}`
				case strings.HasPrefix(request, "POST") && strings.HasSuffix(request, "graphql"):
					body = `{"query":"{products{total}}"}`
				}
				if w := at(t, gw, request, body); w.Code != status {
					t.Errorf("%s: %d, want %d: %s", request, w.Code, status, w.Body)
				}
			}
			if text := at(t, gw, "GET /nowhere", "").Body.String(); strings.Contains(text, "partner") || strings.Contains(text, "b2b") || !strings.Contains(text, "/_kit/call") {
				t.Errorf("a path that is none is told of an audience's: %s", text)
			}
		})
	}
}

// Links and Locations stay within the audience's path.
func TestAudienceLinks(t *testing.T) {
	gw := gatewayOf(t, store(t, "{audiences: {partner: {rest: true}}}"), gateway.Options{})
	w := at(t, gw, "POST /partner/api/catalog/products", `{"id":"p0","name":"Axe","categoryId":"c1"}`)
	if got := w.Header().Get("Location"); got != "/partner/api/catalog/products/p0" {
		t.Errorf("Location %q: %d %s", got, w.Code, w.Body)
	}
	w = at(t, gw, "GET /partner/api/catalog/products?limit=1", "")
	if got := w.Header().Get("Link"); !strings.HasPrefix(got, "</partner/api/catalog/products?") {
		t.Errorf("Link %q", got)
	}
	w = at(t, gw, "GET /partner/api/catalog/nothing", "")
	if text := w.Body.String(); !strings.Contains(text, `"instance":"/partner/api/catalog/nothing"`) {
		t.Error(text)
	}
}

func TestAudienceFaults(t *testing.T) {
	for _, c := range []struct {
		name, audiences string
		paths           map[string]string
		want            string
	}{
		{"the path of a surface", "api: {rest: true}", nil, "gateway.yaml#/audiences/api: the audience api would be served at /api, and /api is everybody's; write another path in gateway.yaml: audiences: {api: /for-api}"},
		{"below one", "partner: {rest: true}", map[string]string{"partner": "/graphql/partner"}, "the audience partner would be served at /graphql/partner, and /graphql is everybody's"},
		{"above one", "partner: {rest: true}", map[string]string{"partner": "/_kit"}, "the audience partner would be served at /_kit, and /_kit/call is everybody's"},
		{"the gateway's", "livez: {rest: true}", nil, "the audience livez would be served at /livez, and /livez is the gateway's"},
		{"another audience's", "kiosk: {rest: true}, partner: {rest: true}", map[string]string{"partner": "/kiosk"}, "the audience partner would be served at /kiosk, and /kiosk is the audience kiosk's"},
		{"within another audience's", "kiosk: {rest: true}, partner: {rest: true}", map[string]string{"kiosk": "/partner/eu"}, "the audience partner would be served at /partner, and /partner/eu is the audience kiosk's"},
		{"nobody's", "partner: {rest: true}", map[string]string{"partners": "/b2b"}, "gateway.yaml#/audiences/partners: no Frond shows anything to an audience partners; the audiences are partner"},
		{"no path", "partner: {rest: true}", map[string]string{"partner": "b2b"}, `"b2b" is no path an audience could have; write a path of letters, digits, - and _, such as /partner or /b2b/v1`},
		{"the root", "partner: {rest: true}", map[string]string{"partner": "/"}, `"/" is no path an audience could have`},
		{"dots", "partner: {rest: true}", map[string]string{"partner": "/b2b/../api"}, `"/b2b/../api" is no path an audience could have`},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := gateway.New(store(t, "{audiences: {"+c.audiences+"}}"), quiet(gateway.Options{Config: gateway.Config{Audiences: c.paths}}))
			var faults schema.Faults
			if !errors.As(err, &faults) || len(faults) != 1 || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got  %v\nwant %s", err, c.want)
			}
		})
	}
	if _, err := gateway.New(notes(t), quiet(gateway.Options{Config: gateway.Config{Audiences: map[string]string{"partner": "/b2b"}}})); err == nil || !strings.Contains(err.Error(), "there is no audience; name one under surfaces in a frond.yaml") {
		t.Errorf("an audience where there are none: %v", err)
	}
}

// The setting is a map in the file, and words elsewhere.
func TestAudienceSetting(t *testing.T) {
	want := map[string]string{"partner": "/b2b", "kiosk": "/k/1"}
	dir := t.TempDir()
	if err := os.WriteFile(dir+"/gateway.yaml", []byte("audiences: {partner: /b2b, kiosk: /k/1}\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	c, err := gateway.LoadConfig(dir, "", nil)
	if diff := cmp.Diff(want, c.Audiences); diff != "" || err != nil {
		t.Errorf("%v (-want +got)\n%s", err, diff)
	}
	for _, text := range []string{"partner=/b2b, kiosk=/k/1", `{"partner":"/b2b","kiosk":"/k/1"}`} {
		c, err := gateway.LoadConfig(t.TempDir(), "", []string{"FROND_AUDIENCES=" + text})
		if diff := cmp.Diff(want, c.Audiences); diff != "" || err != nil {
			t.Errorf("%s: %v (-want +got)\n%s", text, err, diff)
		}
	}
	for _, text := range []string{"partner", "partner=b2b", "[partner]", `{"partner":5}`, "partner=/", "partner=/a//b", "partner=/a%2Fb"} {
		if err := new(gateway.Config).Set("audiences", text); err == nil {
			t.Errorf("%s was taken", text)
		}
	}
}

// What Go code registers is in everybody's schema and in no audience's.
func TestExtendIsEverybodys(t *testing.T) {
	gw := gatewayOf(t, store(t, "{graphql: false, audiences: {partner: {graphql: true}}}"), gateway.Options{Extend: func(b *projection.Builder) error {
		return projection.RegisterOperations(b, catalog.Query, graphql.Fields{"motto": {Type: graphql.String, Resolve: func(graphql.ResolveParams) (any, error) { return "all is well", nil }}})
	}})
	ask := func(path string) string {
		return at(t, gw, "POST "+path, `{"query":"{motto}"}`).Body.String()
	}
	if got := ask("/graphql"); got != `{"data":{"motto":"all is well"}}` {
		t.Error(got)
	}
	if got := ask("/partner/graphql"); !strings.Contains(got, "Cannot query field") {
		t.Error(got)
	}
}

// What an audience is shown, as its clients see it.
func TestAudienceGolden(t *testing.T) {
	gw := gatewayOf(t, store(t, "{audiences: {partner: {graphql: {only: [product.list, product.findById, review.create]}, rest: {only: [product.list, product.findById]}}}}"), gateway.Options{})
	var got strings.Builder
	for _, s := range []catalog.Surface{"partner/graphql", "partner/rest"} {
		text, err := gw.Shown(s)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&got, "# %s\n%s\n", s, text)
	}
	const file = "testdata/audience.txt"
	if *update {
		if err := os.WriteFile(file, []byte(got.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got.String()); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	for s, want := range map[catalog.Surface]string{"partner/envelope": "shows nothing and is not mounted", "partners/rest": "there is no surface partners/rest"} {
		if _, err := gw.Shown(s); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", s, err)
		}
	}
	if text, err := gw.Shown(catalog.OnEnvelope); err != nil || !strings.Contains(text, `"name":"review"`) {
		t.Errorf("%v %s", err, text)
	}
}

// TestFaultOfSeveralSurfacesIsSaidOnce: what GraphQL has no name for is a fault on the GraphQL
// of everybody and of each audience, and one line.
func TestFaultOfSeveralSurfacesIsSaidOnce(t *testing.T) {
	project, err := facade.Read(fstest.MapFS{
		"fronds/a/entities/thing.yaml": {Data: []byte("properties: {id: {type: string, x-kit: {role: {primary: true}}}, with-dash: {type: string}}\n")},
		"fronds/a/frond.yaml":          {Data: []byte("collectors: {thing: open}\nsurfaces: {audiences: {partner: {graphql: true}}}\n")},
	})
	if err != nil {
		t.Fatal(err)
	}
	_, err = gateway.New(project, &gateway.Options{Config: gateway.Config{Dir: t.TempDir(), Store: "memory"}})
	if err == nil {
		t.Fatal("a field that GraphQL cannot name starts")
	}
	if said := strings.Count(err.Error(), "would be the GraphQL field Thing.with-dash"); said != 1 {
		t.Errorf("the fault is said %d times:\n%v", said, err)
	}
}
