package rest_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/kiterror"
)

// reader answers calls with what was called, as a line.
func reader(said *string) facade.Caller {
	return facade.CallerFunc(func(_ context.Context, c *facade.Call) (*facade.Result, error) {
		part := func(name string, text []byte) {
			if text != nil {
				*said += fmt.Sprintf(" %s=%s", name, text)
			}
		}
		*said = c.Entity + "." + c.Operation
		part("params", c.Invocation.ParamsJSON())
		part("query", c.Invocation.Query)
		part("body", c.Invocation.Body)
		return &facade.Result{Form: facade.FormValue, Value: []byte("true")}, nil
	})
}

// TestRequestsAreReadIntoCalls is what each request calls, with what.
func TestRequestsAreReadIntoCalls(t *testing.T) {
	for _, c := range []struct{ name, request, body, want string }{
		// spec 4.2, the table
		{"list", "GET /api/blog/posts", "", `post.list`},
		{"create", "POST /api/blog/posts", `{"title":"x"}`, `post.create body={"title":"x"}`},
		{"create of nothing", "POST /api/blog/posts", ``, `post.create`},
		{"create of null", "POST /api/blog/posts", `null`, `post.create body=null`},
		{"findById", "GET /api/blog/posts/p1", "", `post.findById params={"id":"p1"}`},
		{"update", "PATCH /api/blog/posts/p1", `{"title":null}`, `post.update params={"id":"p1"} body={"title":null}`},
		{"update by PUT", "PUT /api/blog/posts/p1", `{"title":"y"}`, `post.update params={"id":"p1"} body={"title":"y"}`},
		{"delete", "DELETE /api/blog/posts/p1", "", `post.delete params={"id":"p1"}`},
		{"a query by name", "GET /api/blog/posts/by-slug?slug=a-b", "", `post.bySlug params={"slug":"a-b"}`},
		{"a command by name", "POST /api/blog/posts/publish?id=p1", "", `post.publish params={"id":"p1"}`},
		{"a command on a row", "POST /api/blog/posts/p1/publish?notify=true", `{"note":null}`, `post.publish params={"id":"p1"} query={"notify":true} body={"note":null}`},
		{"a query on a row", "GET /api/blog/posts/p1/related?limit=3&exact=false", "", `post.related params={"id":"p1","limit":3} query={"exact":false}`},
		{"a query with an input", "GET /api/blog/posts/search?text=ab&tags=x,y&from=0", "", `post.search body={"text":"ab","tags":["x","y"],"from":0}`},
		{"HEAD is GET", "HEAD /api/blog/posts/p1", "", `post.findById params={"id":"p1"}`},
		{"a door without a card", "GET /api/ops/healths/check", "", `health.check`},
		{"its command", "POST /api/ops/healths/restart", "", `health.restart`},
		{"a plural of the author's", "GET /api/blog/people/a1", "", `author.findById params={"id":"a1"}`},
		{"a body on GET is not read", "GET /api/blog/posts/p1", "{", `post.findById params={"id":"p1"}`},

		// ids
		{"a slash in an id", "GET /api/blog/posts/a%2Fb", "", `post.findById params={"id":"a/b"}`},
		{"another alphabet", "GET /api/blog/posts/%C3%A9%E2%82%AC", "", `post.findById params={"id":"é€"}`},
		{"a plus is a plus in a path", "GET /api/blog/posts/a+b%20c", "", `post.findById params={"id":"a+b c"}`},
		{"quotes and brackets", "GET /api/blog/posts/%22%7D%00", "", `post.findById params={"id":"\"}\u0000"}`},
		{"a number as a string", "GET /api/blog/posts/7", "", `post.findById params={"id":"7"}`},
		{"an integer id", "GET /api/blog/categories/7", "", `category.findById params={"id":7}`},
		{"no integer, for the façade to refuse", "GET /api/blog/categories/x", "", `category.findById params={"id":"x"}`},
		{"ids with commas", "GET /api/blog/posts/find-by-ids?ids=a,b,7", "", `post.findByIds query={"ids":["a","b","7"]}`},
		{"ids repeated", "GET /api/blog/posts/find-by-ids?ids=a&ids=b,c", "", `post.findByIds query={"ids":["a","b","c"]}`},
		{"ids as JSON", `GET /api/blog/posts/find-by-ids?ids=[%22a,b%22]`, "", `post.findByIds query={"ids":["a,b"]}`},
		{"no ids", "GET /api/blog/posts/find-by-ids?ids=", "", `post.findByIds query={"ids":[]}`},
		{"integer ids", "GET /api/blog/categories/find-by-ids?ids=1,x", "", `category.findByIds query={"ids":[1,"x"]}`},

		// list
		{"sort, limit, cursors", "GET /api/blog/posts?sort=-views,title&limit=20&after=abc%3D&offset=4", "", `post.list query={"sort":"-views,title","limit":20,"after":"abc=","offset":4}`},
		{"before", "GET /api/blog/posts?before=x", "", `post.list query={"before":"x"}`},
		{"fields", "GET /api/blog/posts?fields=id,title", "", `post.list query={"fields":"id,title"}`},
		{"fields and sort repeated", "GET /api/blog/posts?fields=id&fields=title,slug&sort=-views&sort=id", "", `post.list query={"fields":["id","title","slug"],"sort":["-views","id"]}`},
		{"total", "GET /api/blog/posts?total=false", "", `post.list query={"total":false}`},
		{"no number, for the façade to refuse", "GET /api/blog/posts?limit=ten", "", `post.list query={"limit":"ten"}`},
		{"an unknown one, for the façade to refuse", "GET /api/blog/posts?limt=ten", "", `post.list query={"limt":"ten"}`},
		{"plus and %20 are spaces", "GET /api/blog/posts?sort=a+b%20c", "", `post.list query={"sort":"a b c"}`},
		{"empty pairs", "GET /api/blog/posts?&&limit=1&", "", `post.list query={"limit":1}`},

		// filters
		{"one", "GET /api/blog/posts?filter[views][gte]=10", "", `post.list query={"filter":{"views":{"gte":10}}}`},
		{"encoded brackets", "GET /api/blog/posts?filter%5Bviews%5D%5Bgte%5D=10", "", `post.list query={"filter":{"views":{"gte":10}}}`},
		{"no operator is eq", "GET /api/blog/posts?filter[status]=draft", "", `post.list query={"filter":{"status":{"eq":"draft"}}}`},
		{"several of one field", "GET /api/blog/posts?filter[views][gte]=1&filter[status]=draft&filter[views][lt]=9", "", `post.list query={"filter":{"views":{"gte":1,"lt":9},"status":{"eq":"draft"}}}`},
		{"by the card: a string of digits", "GET /api/blog/posts?filter[title]=10", "", `post.list query={"filter":{"title":{"eq":"10"}}}`},
		{"by the card: a number", "GET /api/blog/posts?filter[score][gt]=-1.5e3", "", `post.list query={"filter":{"score":{"gt":-1.5e3}}}`},
		{"by the card: a boolean", "GET /api/blog/posts?filter[pinned]=true", "", `post.list query={"filter":{"pinned":{"eq":true}}}`},
		{"text operators take text", "GET /api/blog/posts?filter[title][contains]=1&filter[title][startsWith]=true", "", `post.list query={"filter":{"title":{"contains":"1","startsWith":"true"}}}`},
		{"in with commas", "GET /api/blog/posts?filter[views][in]=1,2", "", `post.list query={"filter":{"views":{"in":[1,2]}}}`},
		{"in repeated", "GET /api/blog/posts?filter[status][notIn]=a&filter[status][notIn]=b", "", `post.list query={"filter":{"status":{"notIn":["a","b"]}}}`},
		{"in as JSON", `GET /api/blog/posts?filter[title][in]=[%22a,b%22,%22c%22]`, "", `post.list query={"filter":{"title":{"in":["a,b","c"]}}}`},
		{"isNull", "GET /api/blog/posts?filter[score][isNull]=true", "", `post.list query={"filter":{"score":{"isNull":true}}}`},
		{"has, by the items' card", "GET /api/blog/posts?filter[tags][has]=1&filter[sizes][has]=1", "", `post.list query={"filter":{"tags":{"has":"1"},"sizes":{"has":1}}}`},
		{"through a relation", "GET /api/blog/posts?filter[author][name][eq]=Ada&filter[author][born]=1815", "", `post.list query={"filter":{"author":{"name":{"eq":"Ada"},"born":{"eq":1815}}}}`},
		{"the key of a relation", "GET /api/blog/posts?filter[authorId]=a1&filter[editorId][ne]=1", "", `post.list query={"filter":{"authorId":{"eq":"a1"},"editorId":{"ne":"1"}}}`},
		{"through many", "GET /api/blog/people?filter[posts][some][views][gt]=1&filter[posts][none][author][born]=1", "", `author.list query={"filter":{"posts":{"some":{"views":{"gt":1}},"none":{"author":{"born":{"eq":1}}}}}}`},
		{"or", "GET /api/blog/posts?filter[or][0][views][lt]=1&filter[or][1][status]=draft&filter[or][1][pinned]=true", "", `post.list query={"filter":{"or":[{"views":{"lt":1}},{"status":{"eq":"draft"},"pinned":{"eq":true}}]}}`},
		{"or, by number and not by place", "GET /api/blog/posts?filter[or][10][views]=10&filter[or][9][views]=9", "", `post.list query={"filter":{"or":[{"views":{"eq":9}},{"views":{"eq":10}}]}}`},
		{"and within not", "GET /api/blog/posts?filter[not][and][0][views]=1", "", `post.list query={"filter":{"not":{"and":[{"views":{"eq":1}}]}}}`},
		{"an unknown field, for the façade to refuse", "GET /api/blog/posts?filter[vievs][gte]=1&filter[views][gt][x]=1", "", `post.list query={"filter":{"vievs":{"gte":"1"},"views":{"gt":{"x":"1"}}}}`},
		{"as JSON", "GET /api/blog/posts?filter=%7B%22views%22:%7B%22gte%22:1%7D%7D", "", `post.list query={"filter":{"views":{"gte":1}}}`},
		{"a field called like a bracket", "GET /api/blog/posts?filter[%22]=1", "", `post.list query={"filter":{"\"":{"eq":"1"}}}`},
		{"a relation without a field, for the façade to refuse", "GET /api/blog/posts?filter[author]=a1", "", `post.list query={"filter":{"author":{"eq":"a1"}}}`},
		{
			"conditions on groups", "GET /api/blog/posts/aggregate?by=status&having[count][gte]=5&having[views][avg][gt]=2&having[or][1][title][min]=7&having[or][0][not][score][countDistinct][in]=1,2&having[nothing][sum]=1&filter[views]=3", "",
			`post.aggregate query={"by":"status","filter":{"views":{"eq":3}},"having":{"count":{"gte":5},"views":{"avg":{"gt":2}},"or":[{"not":{"score":{"countDistinct":{"in":[1,2]}}}},{"title":{"min":{"eq":"7"}}}],"nothing":{"sum":{"eq":"1"}}}}`,
		},
		{"conditions on groups of a list, for the façade to refuse", "GET /api/blog/posts?having[count][gte]=5", "", `post.list query={"having[count][gte]":"5"}`},
		{"many without a quantifier, likewise", "GET /api/blog/people?filter[posts]=p1&filter[posts][some]=x", "", `author.list query={"filter":{"posts":{"eq":"p1","some":"x"}}}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got string
			w := ask(t, serve(t, reader(&got), nil), c.request, nil, c.body)
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("%s: %d %s\n(-want +got):\n%s", c.request, w.Code, w.Body, diff)
			}
		})
	}
}

// TestRefusedBeforeTheCall is what this surface refuses by itself, for want of a call.
func TestRefusedBeforeTheCall(t *testing.T) {
	long := strings.Repeat("&a=1", 1000)
	for _, c := range []struct {
		name, request string
		headers       []string
		body          string
		status        int
		want          string // the code, then pointer:code of each detail
		says          string
	}{
		{"outside", "GET /other", nil, "", 404, "NOT_FOUND", "API paths start with /api/"},
		{"no Frond", "GET /api", nil, "", 404, "NOT_FOUND", "/api/ has the Fronds blog, ops"},
		{"an unknown Frond", "GET /api/blgo/posts", nil, "", 404, "NOT_FOUND", "blog, ops"},
		{"a Frond alone", "GET /api/blog", nil, "", 404, "NOT_FOUND", "the Frond blog has categories, people, posts"},
		{"an unknown plural", "GET /api/blog/post", nil, "", 404, "NOT_FOUND", "categories, people, posts"},
		{"another case of a Frond", "GET /api/Blog/posts", nil, "", 404, "NOT_FOUND", "blog, ops"},
		{"a door that is shut", "GET /api/blog/audits", nil, "", 404, "NOT_FOUND", "categories, people, posts"},
		{"an empty id", "GET /api/blog/posts/", nil, "", 404, "NOT_FOUND", "the id is empty"},
		{"an empty id to be deleted", "DELETE /api/blog/posts/", nil, "", 404, "NOT_FOUND", "the id is empty"},
		{"an empty id before an operation", "POST /api/blog/posts//publish", nil, "", 404, "NOT_FOUND", "the id is empty"},
		{"a slash behind an id", "GET /api/blog/posts/p1/", nil, "", 404, "NOT_FOUND", "/api/blog/posts/{id}/publish"},
		{"an operation that takes no id, on a row", "GET /api/blog/posts/p1/by-slug", nil, "", 404, "NOT_FOUND", "/api/blog/posts/by-slug"},
		{"five segments", "GET /api/blog/posts/p1/publish/now", nil, "", 404, "NOT_FOUND", "too many segments"},
		{"an id that is not UTF-8", "GET /api/blog/posts/%ff", nil, "", 400, "BAD_REQUEST", "UTF-8"},
		{"a door without rows, without an operation", "GET /api/ops/healths", nil, "", 404, "NOT_FOUND", "/api/ops/healths/check"},

		{"no such verb on the plural", "DELETE /api/blog/posts", nil, "", 405, "METHOD_NOT_ALLOWED", "GET, HEAD, POST, OPTIONS"},
		{"no such verb on a row", "POST /api/blog/posts/p1", nil, "", 405, "METHOD_NOT_ALLOWED", "GET, HEAD, PUT, PATCH, DELETE, OPTIONS"},
		{"a command by GET", "GET /api/blog/posts/publish", nil, "", 405, "METHOD_NOT_ALLOWED", "POST, OPTIONS"},
		{"a query by POST", "POST /api/blog/posts/by-slug", nil, "{}", 405, "METHOD_NOT_ALLOWED", "GET, HEAD, OPTIONS"},
		{"a name is no id: DELETE", "DELETE /api/blog/posts/publish", nil, "", 405, "METHOD_NOT_ALLOWED", "POST, OPTIONS"},
		{"an operation that is off", "DELETE /api/blog/people/a1", nil, "", 405, "METHOD_NOT_ALLOWED", "GET, HEAD, PUT, PATCH, OPTIONS"},
		{"an unheard-of verb", "BREW /api/blog/posts", nil, "", 405, "METHOD_NOT_ALLOWED", "GET, HEAD, POST, OPTIONS"},

		{"an unknown parameter", "GET /api/blog/posts/by-slug?slug=a&slig=b", nil, "", 400, "VALIDATION_FAILED /query/slig:unknown_key", "slig is not a parameter of post.bySlug; there are slug, fields"},
		{"an unknown parameter where there is but fields", "GET /api/blog/posts/p1?x=1", nil, "", 400, "VALIDATION_FAILED /query/x:unknown_key", "there is fields"},
		{"an unknown parameter of create", "POST /api/blog/posts?title=x", nil, "{}", 400, "VALIDATION_FAILED /query/title:unknown_key", "there are none"},
		{"the input of a command", "POST /api/blog/posts/p1/publish?note=x", nil, "{}", 400, "VALIDATION_FAILED /query/note:unknown_key", ""},
		{"the id twice", "POST /api/blog/posts/p1/publish?id=p2", nil, "", 400, "VALIDATION_FAILED /query/id:unknown_key", ""},
		{"twice", "GET /api/blog/posts?limit=1&limit=2&offset=1&offset=1", nil, "", 400, "VALIDATION_FAILED /query/limit:maxItems /query/offset:maxItems", "2 things are refused"},
		{"a filter twice", "GET /api/blog/posts?filter[views]=1&filter[views]=2", nil, "", 400, "VALIDATION_FAILED /query/filter[views]:maxItems", "or [in] with a list"},
		{"eq with and without its name", "GET /api/blog/posts?filter[views]=1&filter[views][eq]=2", nil, "", 400, "VALIDATION_FAILED /query/filter[views]:maxItems", "once"},
		{"both forms of filter", "GET /api/blog/posts?filter[views]=1&filter={}", nil, "", 400, "VALIDATION_FAILED /query/filter:oneOf", "one of the two"},
		{"a filter that is no JSON", "GET /api/blog/posts?filter={views:1}", nil, "", 400, "VALIDATION_FAILED /query/filter:type", "line 1"},
		{"a filter that names a key twice", "GET /api/blog/posts?filter=%7B%22a%22:1,%22a%22:2%7D", nil, "", 400, "VALIDATION_FAILED /query/filter:type", "twice"},
		{"brackets that are not in pairs", "GET /api/blog/posts?filter[views=1&filter[]=1&filter[views]x=1&filter[a][=1&filter[a[b]]=1", nil, "", 400, "VALIDATION_FAILED /query/filter[views:pattern /query/filter[]:pattern /query/filter[views]x:pattern /query/filter[a][:pattern /query/filter[a[b]]:pattern", "filter[price][gte]"},
		{"brackets too deep", "GET /api/blog/posts?filter" + strings.Repeat("[not]", 21) + "=1", nil, "", 400, "VALIDATION_FAILED /query/filter:maxItems", "more than 20 brackets; ask for it in fewer"},
		{"or without numbers", "GET /api/blog/posts?filter[or][views]=1", nil, "", 400, "VALIDATION_FAILED /query/filter[or][views]:pattern", "filter[or][0][field]"},
		{"not without a field", "GET /api/blog/posts?filter[not]=1", nil, "", 400, "VALIDATION_FAILED /query/filter[not]:pattern", ""},
		{"a broken escape", "GET /api/blog/posts?limit=%zz", nil, "", 400, "BAD_REQUEST", "%25"},
		{"a parameter that is not UTF-8", "GET /api/blog/posts?sort=%ff", nil, "", 400, "BAD_REQUEST", "UTF-8"},
		{"a thousand parameters and more", "GET /api/blog/posts?a=1" + long, nil, "", 400, "BAD_REQUEST", "1000"},

		{"no media type, nor a body", "POST /api/blog/posts/publish?id=p1", []string{"Content-Type: "}, "", 415, "BAD_REQUEST", "Content-Type: application/json"},
		{"a form without a body", "POST /api/blog/posts/p1/publish?notify=true", []string{"Content-Type: application/x-www-form-urlencoded"}, "", 415, "BAD_REQUEST", "application/json"},
		{"no media type", "POST /api/blog/posts", []string{"Content-Type: "}, "{}", 415, "BAD_REQUEST", "application/json"},
		{"a form", "POST /api/blog/posts", []string{"Content-Type: application/x-www-form-urlencoded"}, "a=1", 415, "BAD_REQUEST", "application/json"},
		{"a patch to the plural", "POST /api/blog/posts", []string{"Content-Type: application/merge-patch+json"}, "{}", 415, "BAD_REQUEST", "application/json"},
		{"a JSON Patch", "PATCH /api/blog/posts/p1", []string{"Content-Type: application/json-patch+json"}, "[]", 415, "BAD_REQUEST", "application/merge-patch+json"},
		{"another charset", "POST /api/blog/posts", []string{"Content-Type: application/json; charset=latin1"}, "{}", 415, "BAD_REQUEST", "UTF-8"},
		{"a patch of no media type", "PATCH /api/blog/posts/p1", []string{"Content-Type: "}, "{}", 415, "BAD_REQUEST", "application/merge-patch+json"},
		{"a PUT of a form", "PUT /api/blog/posts/p1", []string{"Content-Type: application/x-www-form-urlencoded"}, "a=1", 415, "BAD_REQUEST", "application/merge-patch+json"},
		{"compressed", "POST /api/blog/posts", []string{"Content-Encoding: gzip"}, "{}", 415, "BAD_REQUEST", "Content-Encoding"},
		{"malformed JSON", "POST /api/blog/posts", nil, "{\n  \"title\": }", 400, "BAD_REQUEST", "line 2, column 12"},
		{"a key twice", "POST /api/blog/posts", nil, `{"a":1,"a":2}`, 400, "BAD_REQUEST", "twice"},
		{"not UTF-8", "POST /api/blog/posts", nil, "{\"a\":\"\xff\"}", 400, "BAD_REQUEST", "UTF-8"},
		{"white space is no JSON", "POST /api/blog/posts", nil, " ", 400, "BAD_REQUEST", "empty"},
		{"over the cap", "POST /api/blog/posts", nil, `{"title":"` + strings.Repeat("x", 1<<20) + `"}`, 413, "PAYLOAD_TOO_LARGE", "1048576 bytes"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var called string
			w := ask(t, serve(t, reader(&called), nil), c.request, c.headers, c.body)
			if called != "" {
				t.Errorf("called %s", called)
			}
			if w.Code != c.status {
				t.Errorf("status %d, want %d", w.Code, c.status)
			}
			if diff := cmp.Diff(c.want, problem(t, w)); diff != "" {
				t.Errorf("(-want +got):\n%s%s", diff, w.Body)
			}
			if !strings.Contains(w.Body.String(), c.says) {
				t.Errorf("does not say %q: %s", c.says, w.Body)
			}
			if allow := w.Header().Get("Allow"); c.status == 405 && allow != c.says || c.status != 405 && allow != "" {
				t.Errorf("Allow: %q", allow)
			}
		})
	}
}

// A refused type or coding of a body comes with what is taken: RFC 5789, section 2.2,
// and RFC 9110, section 15.5.16. A header that does not belong to the fault is absent.
func TestUnsupportedMediaNamesWhatIsTaken(t *testing.T) {
	for _, c := range []struct {
		name, request string
		headers       []string
		patch, coding string
	}{
		{"a patch of another type", "PATCH /api/blog/posts/p1", []string{"Content-Type: text/plain"}, "application/merge-patch+json, application/json", ""},
		{"a PUT of another type", "PUT /api/blog/posts/p1", []string{"Content-Type: text/plain"}, "application/merge-patch+json, application/json", ""},
		{"a command of another type", "POST /api/blog/posts", []string{"Content-Type: text/plain"}, "", ""},
		{"a compressed command", "POST /api/blog/posts", []string{"Content-Encoding: br"}, "", "identity"},
		{"a compressed patch", "PATCH /api/blog/posts/p1", []string{"Content-Encoding: gzip"}, "", "identity"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var called string
			w := ask(t, serve(t, reader(&called), nil), c.request, c.headers, "{}")
			patch, coding := w.Header().Get("Accept-Patch"), w.Header().Get("Accept-Encoding")
			if w.Code != 415 || called != "" || patch != c.patch || coding != c.coding {
				t.Errorf("%d, called %q, Accept-Patch %q, Accept-Encoding %q; want 415, %q, %q", w.Code, called, patch, coding, c.patch, c.coding)
			}
		})
	}
}

// A DELETE needs no type: no form can send one.
func TestDeleteNeedsNoType(t *testing.T) {
	var called string
	if w := ask(t, serve(t, reader(&called), nil), "DELETE /api/blog/posts/p1", nil, ""); w.Code != 204 || called == "" {
		t.Errorf("%d, called %q", w.Code, called)
	}
}

// What says when to come again says so in the header, too.
func TestRetryAfter(t *testing.T) {
	w := ask(t, serve(t, failing(kiterror.Errorf(kiterror.ServiceUnavailable, "busy").After(1100*time.Millisecond)), nil), "GET /api/blog/posts", nil, "")
	if w.Code != 503 || w.Header().Get("Retry-After") != "2" {
		t.Errorf("%d %v", w.Code, w.Header())
	}
	if w := ask(t, serve(t, failing(kiterror.Errorf(kiterror.ServiceUnavailable, "busy")), nil), "GET /api/blog/posts", nil, ""); w.Header().Get("Retry-After") != "" {
		t.Errorf("%v", w.Header())
	}
}
