package describe_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/frondhost/frond/describe/sample"
	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/schema/jsontext"
)

// references are the $refs of a document with where they stand.
func references(doc json.RawMessage) map[string]string {
	all := map[string]string{}
	walk(doc, "", func(at string, v json.RawMessage) {
		if strings.HasSuffix(at, "/$ref") && jsontext.KindOf(v) == jsontext.String {
			all[at] = jsontext.Unquote(v)
		}
	})
	return all
}

// TestReferences: every reference leads to a component, whatever a card's references lead to:
// code generators follow no others.
func TestReferences(t *testing.T) {
	for format, doc := range documents(t, compiled(t, projects["cards"]).Catalog(), "") {
		for at, to := range references(doc) {
			if strings.HasPrefix(to, "#/channels/") {
				continue
			}
			pointer, inside := strings.CutPrefix(to, "#/components/")
			if !inside || strings.Count(pointer, "/") != 1 || sample.At(doc, to[1:]) == nil {
				t.Errorf("%s: %s refers to %s, which is no component", format, at, to)
			}
		}
		for _, gone := range []string{"$defs", "$id", "$anchor", "$comment", "$dynamicRef", "warehouse", `"items":false`, `"yes":true`} {
			if strings.Contains(string(doc), gone) {
				t.Errorf("%s has %s", format, gone)
			}
		}
	}
}

// TestRecursiveCardInOpenRPC: readers of OpenRPC replace every reference by what it refers to,
// so that the references of a document have to come to an end.
func TestRecursiveCardInOpenRPC(t *testing.T) {
	doc := documents(t, compiled(t, projects["cards"]).Catalog(), "")["openrpc"]
	var follow func(component string, path []string)
	follow = func(component string, path []string) {
		if slices.Contains(path, component) {
			t.Fatalf("%s refers to itself: %v", component, path)
		}
		for _, to := range references(sample.At(doc, component)) {
			follow(to[1:], append(slices.Clone(path), component))
		}
	}
	components := 0
	for name := range jsontext.Members(sample.At(doc, "/components/schemas")) {
		components++
		follow("/components/schemas/"+jsontext.Token(name), nil)
	}
	if components < 8 {
		t.Errorf("%d components", components)
	}
}

// TestBracketsAreDescribed: filter[price][gte]=10 is in OpenAPI as a parameter for each field that
// may be read, in the one form of nesting that the format has.
func TestBracketsAreDescribed(t *testing.T) {
	doc := documents(t, compiled(t, projects["shop"]).Catalog(), "")["openapi"]
	found := map[string]json.RawMessage{}
	for _, p := range jsontext.Elements(sample.At(doc, "/paths/~1api~1catalog~1products/get/parameters")) {
		found[jsontext.Unquote(jsontext.Get(p, "name"))] = p
	}
	price := found["filter[price]"]
	if jsontext.Unquote(jsontext.Get(price, "style")) != "deepObject" {
		t.Fatalf("filter[price] is %s", price)
	}
	operators := sample.At(doc, strings.TrimPrefix(jsontext.Unquote(sample.At(price, "/schema/$ref")), "#")+"/properties")
	for name, want := range map[string]string{"gte": "integer", "in": "string", "isNull": "boolean"} {
		if got := jsontext.Unquote(jsontext.Get(jsontext.Get(operators, name), "type")); got != want {
			t.Errorf("%s is of type %s, want %s", name, got, want)
		}
	}
	for name := range found {
		if strings.HasPrefix(name, "filter[") && strings.Count(name, "[") != 1 {
			t.Errorf("%s: a deepObject has one level", name)
		}
	}
	if jsontext.Unquote(sample.At(found["filter"], "/schema/type")) != "string" {
		t.Errorf("filter is %s; generated clients write a parameter with content as [object Object]", found["filter"])
	}
}

// TestCommandWithoutBody: a client that is generated from the document sends the media type that
// the host wants of every command.
func TestCommandWithoutBody(t *testing.T) {
	doc := documents(t, compiled(t, projects["cards"]).Catalog(), "")["openapi"]
	for _, path := range []string{"/api/lab/leafs/rake", "/api/lab/leafs/{id}/shed"} {
		body := sample.At(doc, "/paths/"+jsontext.Token(path)+"/post/requestBody")
		if string(jsontext.Get(body, "required")) != "true" || string(sample.At(body, "/content/application~1json/example")) != "{}" {
			t.Errorf("%s has the body %s", path, body)
		}
	}
}

// TestFactNamesWhatIsShown: an audience does not learn of an operation that it does not have.
func TestFactNamesWhatIsShown(t *testing.T) {
	f := compiled(t, projects["cards"])
	cat, err := f.Catalog().Surface(catalog.Surface("visitor/rest"))
	if err != nil {
		t.Fatal(err)
	}
	for _, format := range []string{"openapi", "asyncapi"} {
		doc := string(documents(t, cat, "/visitor")[format])
		if !strings.Contains(doc, "Announced by leaf.update.") || strings.Contains(doc, "leaf.delete") {
			t.Errorf("%s of visitors:\n%s", format, doc)
		}
	}
}
