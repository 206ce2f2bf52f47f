package graphqlhttp_test

import (
	"encoding/json"
	"net/url"
	"strings"
	"testing"

	"github.com/frondhost/frond/gateway"
	"github.com/frondhost/frond/gateway/gatewaytest"
)

const (
	wantsGraph = "Accept: application/graphql-response+json"
	typename   = `{"query":"{ __typename }"}`
)

// TestAcceptHeader: which type is answered (RFC 9110, 12.5.1; the draft, 5.1 and 6.1).
func TestAcceptHeader(t *testing.T) {
	h := graphQLHandler(t, nil)
	for _, c := range []struct {
		accept string // with | between headers that come apart
		want   string // "" is 406
	}{
		{"application/graphql-response+json", graphResponse},
		{"application/graphql-response+json; charset=utf-8", graphResponse},
		{"application/graphql-response+json; charset=UTF-8; q=0.1", graphResponse},
		{"APPLICATION/GraphQL-Response+JSON", graphResponse},
		{"application/graphql-response+json; charset=iso-8859-1", ""},
		{"application/graphql-response+json; charset=iso-8859-1, application/json", graphJSON},
		{"application/json, application/graphql-response+json", graphJSON},
		{"application/json;q=0.9, application/graphql-response+json", graphResponse},
		{"application/json;q=0.9|application/graphql-response+json", graphResponse},
		{"application/graphql-response+json;q=0, application/json;q=0.001", graphJSON},
		{"application/graphql-response+json;q=0", ""},
		{"application/json;q=0, */*", graphResponse},
		{"*/*;q=0", ""},
		{"*/*;q=0, application/graphql-response+json", graphResponse},
		{"application/*;q=0, */*", ""},
		{"*/*", graphJSON},
		{"application/*", graphJSON},
		{"text/*", ""},
		{"text/html", ""}, // of a POST there is no page
		{"image/png, */*;q=0.1", graphJSON},
		{"application/graphql-response+json;q=2", graphJSON}, // no such weight: as if it was not there
		{"nonsense", ""},
		{"a/b/c, ;", graphJSON}, // nothing that can be read
		{"", graphJSON},
		{", ,", graphJSON},
	} {
		t.Run(c.accept, func(t *testing.T) {
			headers := []string{gatewaytest.AsJSON}
			for one := range strings.SplitSeq(c.accept, "|") {
				headers = append(headers, "Accept: "+one)
			}
			w := gatewaytest.Do(h, "POST", "/graphql", typename, headers...)
			status, media := 200, c.want
			if c.want == "" {
				status, media = 406, graphJSON
			}
			if w.Code != status || w.Header().Get("Content-Type") != media+"; charset=utf-8" {
				t.Errorf("%d %s, want %d %s", w.Code, w.Header().Get("Content-Type"), status, media)
			}
			if w.Header().Get("Vary") != "Accept" {
				t.Errorf("Vary is %q", w.Header().Get("Vary"))
			}
		})
	}
}

// TestRequestsAsTheDraftHasThem: the rest of what the draft says of requests.
func TestRequestsAsTheDraftHasThem(t *testing.T) {
	h := graphQLHandler(t, nil)
	in := func(pairs ...string) string {
		v := url.Values{}
		for i := 0; i < len(pairs); i += 2 {
			v.Add(pairs[i], pairs[i+1])
		}
		return "/graphql?" + v.Encode()
	}
	mutation := `mutation M { deleteThing(id: "x") }`
	for _, c := range []struct {
		name, method, target, body string
		headers                    []string
		status                     int
		want                       string // in the body
	}{
		{"members nobody knows are let be", "POST", "/graphql", `{"query":"{ __typename }","id":7,"Query":{},"doc_id":[]}`, []string{gatewaytest.AsJSON}, 200, `"Query"`},
		{"so are those of extensions", "POST", "/graphql", `{"query":"{ __typename }","extensions":{"tracing":[1]}}`, []string{gatewaytest.AsJSON}, 200, `"Query"`},
		{"parameters are known", "GET", in("query", "{ __typename }", "v", "2"), "", nil, 400, `the parameter v is not known`},
		{"a word that is a directive", "POST", "/graphql?rehearse=true", typename, []string{gatewaytest.AsJSON}, 400, `write mutation @rehearse`},
		{"a directive as a member", "POST", "/graphql", `{"query":"{ __typename }","approve":"t"}`, []string{gatewaytest.AsJSON}, 400, `write mutation @approve`},
		{"an operationName of no letters is none", "POST", "/graphql", `{"query":"{ __typename }","operationName":""}`, []string{gatewaytest.AsJSON}, 200, `"Query"`},
		{"an operation that is not there", "POST", "/graphql", `{"query":"{ __typename }","operationName":"Q"}`, []string{gatewaytest.AsJSON, wantsGraph}, 400, `OPERATION_RESOLUTION_FAILURE`},
		{"one of several", "POST", "/graphql", `{"query":"query A { __typename } query B { b: __typename }","operationName":"B"}`, []string{gatewaytest.AsJSON, wantsGraph}, 200, `{"data":{"b":"Query"}}`},
		{"none of several", "POST", "/graphql", `{"query":"query A { __typename } query B { b: __typename }"}`, []string{gatewaytest.AsJSON, wantsGraph}, 400, `OPERATION_RESOLUTION_FAILURE`},
		{"variables nobody declared are let be", "POST", "/graphql", `{"query":"{ __typename }","variables":{"x":1}}`, []string{gatewaytest.AsJSON}, 200, `"Query"`},

		{"a member twice", "POST", "/graphql", `{"query":"{ __typename }","variables":{},"variables":{}}`, []string{gatewaytest.AsJSON}, 400, `twice`},
		{"a variable twice", "POST", "/graphql", `{"query":"{ __typename }","variables":{"a":1,"a":2}}`, []string{gatewaytest.AsJSON}, 400, `twice`},
		{"a member twice, one escaped", "POST", "/graphql", `{"query":"{ __typename }","qu\u0065ry":"{ a }"}`, []string{gatewaytest.AsJSON}, 400, `twice`},
		{"a parameter twice", "GET", in("query", "{ __typename }", "query", "{ a }"), "", nil, 400, `twice`},
		{"a byte order mark before the body", "POST", "/graphql", "\uFEFF" + typename, []string{gatewaytest.AsJSON}, 400, `not JSON`},
		{"a byte order mark before the document", "POST", "/graphql", `{"query":"\ufeff{ __typename }"}`, []string{gatewaytest.AsJSON}, 200, `"Query"`},
		{"bytes that are no UTF-8", "POST", "/graphql", "{\"query\":\"{ __typename } #\xff\"}", []string{gatewaytest.AsJSON}, 400, `not JSON`},
		{"UTF-16", "POST", "/graphql", "{\x00}\x00", []string{gatewaytest.AsJSON}, 400, `not JSON`},
		{"something behind", "POST", "/graphql", typename + typename, []string{gatewaytest.AsJSON}, 400, `not JSON`},
		{"an empty batch", "POST", "/graphql", `[]`, []string{gatewaytest.AsJSON}, 400, `one request at a time`},
		{"null", "POST", "/graphql", `null`, []string{gatewaytest.AsJSON}, 400, `object`},
		{"a compressed body", "POST", "/graphql", typename, []string{gatewaytest.AsJSON, "Content-Encoding: gzip"}, 415, `Content-Encoding`},
		{"one that says it is not", "POST", "/graphql", typename, []string{gatewaytest.AsJSON, "Content-Encoding: identity"}, 200, `"Query"`},
		{"a query in the address of a POST", "POST", in("query", "{ a }"), typename, []string{gatewaytest.AsJSON}, 400, `the parameter query is not known`},

		{"variables that are null, over GET", "GET", in("query", "{ __typename }", "variables", "null"), "", nil, 200, `"Query"`},
		{"variables and extensions of no letters, over GET", "GET", in("query", "{ __typename }", "variables", "", "extensions", ""), "", nil, 200, `"Query"`},
		{"extensions that are no object, over GET", "GET", in("query", "{ __typename }", "extensions", "[]"), "", nil, 400, `extensions has to be`},
		{"a query of no letters", "GET", in("query", ""), "", []string{wantsGraph}, 400, `GRAPHQL_PARSE_FAILED`},
		{"a mutation over GET", "GET", in("query", mutation), "", []string{wantsGraph}, 405, `METHOD_NOT_ALLOWED`},
		{"the mutation among others", "GET", in("query", "query Q { __typename } "+mutation, "operationName", "M"), "", []string{wantsGraph}, 405, `METHOD_NOT_ALLOWED`},
		{"and the query beside it", "GET", in("query", "query Q { __typename } "+mutation, "operationName", "Q"), "", []string{wantsGraph}, 200, `"Query"`},
		{"a mutation over HEAD", "HEAD", in("query", mutation), "", nil, 405, ``},
		{"a query over HEAD", "HEAD", in("query", "{ __typename }"), "", nil, 200, ``},
		{"what may be sent", "OPTIONS", "/graphql", "", nil, 204, ``},
		{"DELETE", "DELETE", in("query", "{ __typename }"), "", nil, 405, `METHOD_NOT_ALLOWED`},
		{"PATCH", "PATCH", "/graphql", typename, []string{gatewaytest.AsJSON}, 405, `METHOD_NOT_ALLOWED`},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := gatewaytest.Do(h, c.method, c.target, c.body, c.headers...)
			body := w.Body.String()
			if coding := w.Header().Get("Accept-Encoding"); (c.status == 415) != (coding == "identity") {
				t.Errorf("Accept-Encoding: %q", coding)
			}
			if w.Code != c.status || !strings.Contains(body, c.want) {
				t.Errorf("%d %s\nwant %d with %s", w.Code, body, c.status, c.want)
			}
			if w.Code != 204 && !json.Valid(w.Body.Bytes()) {
				t.Errorf("%s is no JSON", body)
			}
			if allow := w.Header().Get("Allow"); (w.Code == 405 || w.Code == 204) != (allow != "") {
				t.Errorf("%d with Allow: %s", w.Code, allow)
			}
			if c.method == "GET" && w.Header().Get("Cache-Control") != "no-store" {
				t.Errorf("Cache-Control is %q: another caller could be shown this", w.Header().Get("Cache-Control"))
			}
			if w.Header().Get("X-Content-Type-Options") != "nosniff" {
				t.Error("a browser may take this for something else")
			}
		})
	}
}

// TestCrossSiteRequests: no request that a page of another site can have a browser send
// without a preflight is executed.
func TestCrossSiteRequests(t *testing.T) {
	plain := graphQLHandler(t, nil)
	get := "/graphql?query=%7B__typename%7D"
	const form = "application/x-www-form-urlencoded"
	for _, c := range []struct {
		name, method, target, body string
		headers                    []string
		status                     int
	}{
		// GET.
		{"an image", "GET", get, "", []string{"Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: no-cors", "Sec-Fetch-Dest: image", "Accept: image/avif,image/webp,*/*;q=0.8"}, 403},
		{"a script", "GET", get, "", []string{"Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: no-cors", "Sec-Fetch-Dest: script", "Accept: */*"}, 403},
		{"an image of a neighbour's site", "GET", get, "", []string{"Sec-Fetch-Site: same-site", "Sec-Fetch-Mode: no-cors", "Accept: */*"}, 403},
		{"a form or a link, without a page to show", "GET", get, "", []string{"Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: navigate", "Accept: */*"}, 403},
		{"a fetch with cookies", "GET", get, "", []string{"Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: cors", "Origin: https://evil.example", "Cookie: s=1", "Accept: */*"}, 403},
		{"a fetch of an old browser", "GET", get, "", []string{"Origin: https://evil.example", "Accept: */*"}, 403},
		{"a fetch out of a sandbox", "GET", get, "", []string{"Origin: null", "Accept: */*"}, 403},
		{"a HEAD", "HEAD", get, "", []string{"Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: no-cors"}, 403},
		{"a link to a trusted document", "GET", "/graphql?documentId=x", "", []string{"Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: no-cors"}, 403},
		{"a type that a form may name", "GET", get, "", []string{"Sec-Fetch-Site: cross-site", "Content-Type: text/plain"}, 403},

		{"the page's own fetch", "GET", get, "", []string{"Sec-Fetch-Site: same-origin", "Sec-Fetch-Mode: cors"}, 200},
		{"the same of an old browser", "GET", get, "", []string{"Origin: http://example.com"}, 200},
		{"an address that was typed", "GET", get, "", []string{"Sec-Fetch-Site: none", "Sec-Fetch-Mode: navigate", "Accept: application/json"}, 200},
		{"a program", "GET", get, "", nil, 200},
		{"a fetch with a token", "GET", get, "", []string{"Sec-Fetch-Site: cross-site", "Origin: https://shop.example", "Authorization: Bearer x"}, 403},
		{"a fetch with a type", "GET", get, "", []string{"Sec-Fetch-Site: cross-site", "Origin: https://shop.example", gatewaytest.AsJSON}, 403},
		{"a POST of JSON", "POST", "/graphql", typename, []string{"Sec-Fetch-Site: cross-site", "Origin: https://shop.example", gatewaytest.AsJSON}, 403},

		// POST.
		{"a form's text", "POST", "/graphql", typename, []string{"Content-Type: text/plain"}, 415},
		{"a form", "POST", "/graphql", "query=%7B__typename%7D", []string{"Content-Type: " + form}, 415},
		{"an upload", "POST", "/graphql", "--x\r\nContent-Disposition: form-data; name=\"operations\"\r\n\r\n" + typename + "\r\n--x--", []string{"Content-Type: multipart/form-data; boundary=x"}, 415},
		{"a beacon of no type", "POST", "/graphql", typename, nil, 415},
		{"an empty type", "POST", "/graphql", typename, []string{"Content-Type: "}, 415},
		{"JSON as a parameter", "POST", "/graphql", typename, []string{"Content-Type: text/plain; application/json"}, 415},
		{"JSON as a charset", "POST", "/graphql", typename, []string{"Content-Type: text/plain; charset=application/json"}, 415},
		{"JSON behind a comma", "POST", "/graphql", typename, []string{"Content-Type: text/plain, application/json"}, 415},
		{"JSON before a comma", "POST", "/graphql", typename, []string{"Content-Type: application/json, text/plain"}, 415},
		{"JSON in a second header", "POST", "/graphql", typename, []string{"Content-Type: text/plain", gatewaytest.AsJSON}, 415},
		{"JSON in a first header", "POST", "/graphql", typename, []string{gatewaytest.AsJSON, "Content-Type: text/plain"}, 415},
		{"a type whose name begins alike", "POST", "/graphql", typename, []string{"Content-Type: application/json+x"}, 415},
		{"the bare language", "POST", "/graphql", "{ __typename }", []string{"Content-Type: application/graphql"}, 415},
		{"another charset", "POST", "/graphql", typename, []string{"Content-Type: application/json; charset=utf-7"}, 415},
		{"a charset twice", "POST", "/graphql", typename, []string{"Content-Type: application/json; charset=utf-8; charset=utf-7"}, 415},
		{"a charset in quotes", "POST", "/graphql", typename, []string{`Content-Type: application/json; charset="UTF-8"`}, 200},
		{"a method in the address", "POST", "/graphql?_method=GET&query=%7B__typename%7D", "", []string{"Content-Type: " + form}, 415},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := gatewaytest.Do(plain, c.method, c.target, c.body, c.headers...)
			if w.Code != c.status {
				t.Errorf("%d %s, want %d", w.Code, w.Body, c.status)
			}
			if executed := strings.Contains(w.Body.String(), `"data"`); executed != (c.status == 200) {
				t.Errorf("%d, and executed: %v", w.Code, executed)
			}
		})
	}
}

// TestCrossOriginQueries: a site that cors.origins names may send what it may read.
func TestCrossOriginQueries(t *testing.T) {
	project, opts := thingProject(t)
	opts.Config.CORS.Origins = []string{"https://shop.example"}
	g, err := gateway.New(project, opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = g.Close() })
	for origin, status := range map[string]int{"https://shop.example": 200, "https://evil.example": 403} {
		w := gatewaytest.Do(g.Handler(), "GET", "/graphql?query=%7B__typename%7D", "", "Origin: "+origin, "Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: cors")
		if w.Code != status {
			t.Errorf("%s: %d %s, want %d", origin, w.Code, w.Body, status)
		}
	}
}
