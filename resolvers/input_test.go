package resolvers_test

import (
	"strings"
	"testing"
)

// TestInvocations: what a document says arrives at the façade as it was said: keys
// in their order, null and absent apart, whether written or sent as a variable
// (specification 3.10, 5.6, 6.1.2, 6.4.1).
func TestInvocations(t *testing.T) {
	b := newBlog(t)
	for _, c := range []struct {
		name, query, variables string
		want                   string // of the first call: params, query, body
	}{
		// A body, literally.
		{
			"keys in their order", `mutation { updateAuthor(id: "ada", input: {rating: 1, name: "A", age: 3}) { id } }`, ``,
			`{"id":"ada"} - {"rating":1,"name":"A","age":3}`,
		},
		{
			"null is null", `mutation { updateAuthor(id: "ada", input: {email: null}) { id } }`, ``,
			`{"id":"ada"} - {"email":null}`,
		},
		{
			"nothing is nothing", `mutation { updateAuthor(id: "ada", input: {}) { id } }`, ``,
			`{"id":"ada"} - {}`,
		},
		{
			"nested null, and nothing", `mutation { updateAuthor(id: "ada", input: {address: {street: "S", zip: null}}) { id } }`, ``,
			`{"id":"ada"} - {"address":{"street":"S","zip":null}}`,
		},
		{
			"an ID may be a number", `mutation { updateAuthor(id: 7, input: {}) { id } }`, ``,
			`{"id":"7"} - {}`,
		},
		{
			"a list of one", `mutation { updatePost(id: 1, input: {words: "a"}) { id } }`, ``,
			`{"id":1} - {"words":["a"]}`,
		},
		{
			"a list of lists of one", `mutation { updatePost(id: 1, input: {grid: 5}) { id } }`, ``,
			`{"id":1} - {"grid":[[5]]}`,
		},
		{
			"an enum is its name", `mutation { updatePost(id: 1, input: {status: gone}) { id } }`, ``,
			`{"id":1} - {"status":"gone"}`,
		},
		{
			"strings are escaped as JSON", `mutation { updatePost(id: 1, input: {title: "a\"\\\u00e9\n", body: """
		  block "quoted"
		    more
		"""}) { id } }`, ``,
			`{"id":1} - {"title":"a\"\\é\n","body":"block \"quoted\"\n  more"}`,
		},
		{
			"JSON literals as they are", `mutation($v: Int, $w: Int) { updatePost(id: 1, input: {meta: {b: [1, 2.50, E, null, {}], a: $v, c: $w, d: [$v]}}) { id } }`, `{"w":3}`,
			`{"id":1} - {"meta":{"b":[1,2.50,"E",null,{}],"c":3,"d":[null]}}`,
		},
		{
			"a BigInt as digits", `mutation { updateAuthor(id: "a", input: {fans: "9007199254740993"}) { id } }`, ``,
			`{"id":"a"} - {"fans":9007199254740993}`,
		},
		{
			"a BigInt as a number", `mutation { updateAuthor(id: "a", input: {fans: 9007199254740993}) { id } }`, ``,
			`{"id":"a"} - {"fans":9007199254740993}`,
		},

		// Variables.
		{
			"a variable that is null", `mutation($e: String) { updateAuthor(id: "ada", input: {email: $e, age: 1}) { id } }`, `{"e":null}`,
			`{"id":"ada"} - {"email":null,"age":1}`,
		},
		{
			"a variable that was left out", `mutation($e: String) { updateAuthor(id: "ada", input: {email: $e, age: 1}) { id } }`, `{}`,
			`{"id":"ada"} - {"age":1}`,
		},
		{
			"a variable with a default, left out", `mutation($e: String = "d") { updateAuthor(id: "ada", input: {email: $e}) { id } }`, ``,
			`{"id":"ada"} - {"email":"d"}`,
		},
		{
			"a variable with a default, null", `mutation($e: String = "d") { updateAuthor(id: "ada", input: {email: $e}) { id } }`, `{"e":null}`,
			`{"id":"ada"} - {"email":null}`,
		},
		{
			"a default that is null", `mutation($e: String = null) { updateAuthor(id: "ada", input: {email: $e}) { id } }`, ``,
			`{"id":"ada"} - {"email":null}`,
		},
		{
			"a whole input, as it was sent", `mutation($i: UpdateAuthorInput!) { updateAuthor(id: "ada", input: $i) { id } }`, `{"i":{"rating":1.50,"email":null,"address":{"zip":null,"street":"S"},"name":"A"}}`,
			`{"id":"ada"} - {"rating":1.50,"email":null,"address":{"zip":null,"street":"S"},"name":"A"}`,
		},
		{
			"a list of one in a variable", `mutation($i: UpdatePostInput!) { updatePost(id: 1, input: $i) { id } }`, `{"i":{"words":"a","grid":[1,[2]]}}`,
			`{"id":1} - {"words":["a"],"grid":[[1],[2]]}`,
		},
		{
			"an ID sent as a number", `mutation($id: ID!) { updateAuthor(id: $id, input: {}) { id } }`, `{"id":12345678901234567890}`,
			`{"id":"12345678901234567890"} - {}`,
		},
		{
			"an Int sent as 3.0", `query($n: Int!) { post(id: $n) { id } }`, `{"n":3.0}`,
			`{"id":3} - -`,
		},
		{
			"white space is nobody's", `mutation($i: UpdatePostInput!) { updatePost(id: 1, input: $i) { id } }`, ` { "i" : { "words" : [ "a" , "b" ] , "meta" : { "x" : [ 1 ] } } } `,
			`{"id":1} - {"words":["a","b"],"meta":{ "x" : [ 1 ] }}`,
		},
		{
			"variables nobody declared are nobody's", `query($n: Int!) { post(id: $n) { id } }`, `{"n":1,"m":{"x":[]}}`,
			`{"id":1} - -`,
		},
		{
			"an enum in a variable", `mutation($s: PostStatus) { updatePost(id: 1, input: {status: $s}) { id } }`, `{"s":"live"}`,
			`{"id":1} - {"status":"live"}`,
		},
		{
			"a BigInt in a variable", `mutation($n: BigInt) { updateAuthor(id: "a", input: {fans: $n}) { id } }`, `{"n":"12"}`,
			`{"id":"a"} - {"fans":12}`,
		},
		{
			"optional arguments left out", `mutation($i: PublishInput) { postPublish(id: 1, input: $i) { id } }`, ``,
			`{"id":1} - -`,
		},

		// Lists.
		{
			"first", `{ posts(first: 2, after: "c") { items { id } } }`, ``,
			`- {"limit":2,"after":"c","total":false} -`,
		},
		{
			"last without before is the end", `{ posts(last: 2) { items { id } total } }`, ``,
			`- {"before":"","limit":2} -`,
		},
		{
			"last before", `{ posts(last: 2, before: "c") { items { id } total } }`, ``,
			`- {"limit":2,"before":"c"} -`,
		},
		{
			"first of a range", `{ posts(first: 2, after: "a", before: "c") { items { id } total } }`, ``,
			`- {"limit":2,"after":"a","before":"c"} -`,
		},
		{
			"last of a range", `{ posts(last: 2, after: "a", before: "c") { items { id } total } }`, ``,
			`- {"backward":true,"limit":2,"after":"a","before":"c"} -`,
		},
		{
			"first before", `{ posts(first: 2, before: "c") { items { id } total } }`, ``,
			`- {"backward":false,"limit":2,"before":"c"} -`,
		},
		{
			"last behind", `{ posts(last: 2, after: "c") { items { id } total } }`, ``,
			`- {"backward":true,"limit":2,"after":"c"} -`,
		},
		{
			"a range without a number", `{ posts(after: "a", before: "c") { items { id } total } }`, ``,
			`- {"after":"a","before":"c"} -`,
		},
		{
			"null pages nothing", `query($a: String, $n: Int) { posts(first: $n, after: $a, last: null, before: null) { items { id } total } }`, `{"a":null}`,
			`- - -`,
		},
		{
			"the total alone reads no rows", `{ posts { total } }`, ``,
			`- {"limit":0} -`,
		},
		{
			"nothing but its name reads no rows and counts none", `{ posts { __typename } }`, ``,
			`- {"total":false,"limit":0} -`,
		},
		{
			"a filter is the same object everywhere", `query($s: [PostStatus!]) { posts(filter: {status: {in: $s}, not: {id: {eq: 3}}}) { items { id } total } }`, `{"s":"live"}`,
			`- {"filter":{"status":{"in":["live"]},"not":{"id":{"eq":3}}}} -`,
		},
		{
			"orderBy is sort", `{ posts(orderBy: [{createdAt: DESC}, {title: ASC}]) { items { id } total } }`, ``,
			`- {"sort":["-createdAt","title"]} -`,
		},
		{
			"orderBy in a variable", `query($o: [PostOrderBy!]) { posts(orderBy: $o) { items { id } total } }`, `{"o":{"views":"DESC"}}`,
			`- {"sort":["-views"]} -`,
		},
		{
			"an offset", `{ posts(offset: 3) { items { id } total } }`, ``,
			`- {"offset":3} -`,
		},
		{
			"ids", `query($i: [Int!]!) { postsByIds(ids: $i) { id } }`, `{"i":4}`,
			`- {"ids":[4]} -`,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			b.calls()
			answer := b.do(c.query, c.variables)
			calls := b.calls()
			if len(calls) == 0 {
				t.Fatalf("nothing was called: %s", answer)
			}
			in := calls[0].Invocation
			part := func(v []byte) string {
				if v == nil {
					return "-"
				}
				return string(v)
			}
			if got := part(in.ParamsJSON()) + " " + part(in.Query) + " " + part(in.Body); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

// TestRefusedInputs: what does not fit is reported before anything runs, all of it at
// once, and never with the value.
func TestRefusedInputs(t *testing.T) {
	b := newBlog(t)
	for _, c := range []struct {
		name, query, variables string
		want                   []string // message after message
		code                   string
	}{
		// Variables.
		{
			"a required variable", `query($n: Int!) { post(id: $n) { id } }`, ``,
			[]string{`Variable "$n" of required type "Int!" was not provided.`},
			"BAD_USER_INPUT",
		},
		{
			"null for a required variable", `query($n: Int!) { post(id: $n) { id } }`, `{"n":null}`,
			[]string{`Variable "$n" got an invalid value: Expected a value of the non-null type "Int!".`},
			"BAD_USER_INPUT",
		},
		{
			"a string for an Int", `query($n: Int!) { post(id: $n) { id } }`, `{"n":"1"}`,
			[]string{`Variable "$n" got an invalid value: Int cannot represent a value that is not an integer.`},
			"BAD_USER_INPUT",
		},
		{
			"a fraction for an Int", `query($n: Int!) { post(id: $n) { id } }`, `{"n":1.5}`,
			[]string{`Variable "$n" got an invalid value: Int cannot represent a value that is not an integer.`},
			"BAD_USER_INPUT",
		},
		{
			"33 bits for an Int", `query($n: Int!) { post(id: $n) { id } }`, `{"n":2147483648}`,
			[]string{`Variable "$n" got an invalid value: Int cannot represent an integer of more than 32 bits.`},
			"BAD_USER_INPUT",
		},
		{
			"a fraction for an ID", `query($n: ID!) { author(id: $n) { id } }`, `{"n":1.5}`,
			[]string{`Variable "$n" got an invalid value: ID cannot represent a value that is neither a string nor an integer.`},
			"BAD_USER_INPUT",
		},
		{
			"no value of the enum", `query($s: PostStatus) { posts(filter: {status: {eq: $s}}) { total } }`, `{"s":"LIVE"}`,
			[]string{`Variable "$s" got an invalid value: The value does not exist in "PostStatus" enum.`},
			"BAD_USER_INPUT",
		},
		{
			"several things, each with its place", `mutation($i: UpdatePostInput!) { updatePost(id: 1, input: $i) { id } }`, `{"i":{"title":7,"grid":[[1,"secret"]],"nope":1}}`,
			[]string{
				`Variable "$i" got an invalid value at "i.title": String cannot represent a value that is not a string.`,
				`Variable "$i" got an invalid value at "i.grid[0][1]": Int cannot represent a value that is not an integer.`,
				`Variable "$i" got an invalid value: Field "nope" is not defined by type "UpdatePostInput".`,
			},
			"BAD_USER_INPUT",
		},
		{
			"a required field", `mutation($i: CreateTagInput!) { createTag(input: $i) { id } }`, `{"i":{"id":"x"}}`,
			[]string{`Variable "$i" got an invalid value: Field "label" of required type "String!" was not provided.`},
			"BAD_USER_INPUT",
		},
		{
			"a required field, literally", `mutation { createTag(input: {id: "x"}) { id } }`, ``,
			[]string{`Field "CreateTagInput.label" of required type "String!" was not provided.`},
			"GRAPHQL_VALIDATION_FAILED",
		},
		{
			"no object", `mutation($i: UpdateAuthorInput!) { updateAuthor(id: "a", input: $i) { id } }`, `{"i":[]}`,
			[]string{`Variable "$i" got an invalid value: Expected an object of type "UpdateAuthorInput".`},
			"BAD_USER_INPUT",
		},
		{
			"variables that are no object", `query($n: Int!) { post(id: $n) { id } }`, `[1]`,
			[]string{`The variables have to be an object of name and value, or null.`},
			"BAD_USER_INPUT",
		},
		{
			"a key twice", `query($n: Int!) { post(id: $n) { id } }`, `{"n":1,"n":2}`,
			[]string{`The variables are not JSON`},
			"BAD_USER_INPUT",
		},

		// Literals.
		{
			"33 bits, literally", `{ post(id: 2147483648) { id } }`, ``,
			[]string{`Int cannot represent an integer of more than 32 bits.`},
			"GRAPHQL_VALIDATION_FAILED",
		},
		{
			"a string for an Int, literally", `{ post(id: "1") { id } }`, ``,
			[]string{`Int cannot represent a value that is not an integer.`},
			"GRAPHQL_VALIDATION_FAILED",
		},
		{
			"a number for a String, literally", `{ postByTitle(title: 7) { id } }`, ``,
			[]string{`String cannot represent a value that is not a string.`},
			"GRAPHQL_VALIDATION_FAILED",
		},
		{
			"an object for a String, literally", `{ postByTitle(title: {}) { id } }`, ``,
			[]string{`String cannot represent a value that is not a string.`},
			"GRAPHQL_VALIDATION_FAILED",
		},
		{
			"an enum in quotes", `{ posts(filter: {status: {eq: "live"}}) { total } }`, ``,
			[]string{`Enum "PostStatus" takes one of its values, written without quotes.`},
			"GRAPHQL_VALIDATION_FAILED",
		},
		{
			"no value of the enum, literally", `{ posts(filter: {status: {in: [live, nope]}}) { total } }`, ``,
			[]string{`Value "nope" does not exist in "PostStatus" enum.`},
			"GRAPHQL_VALIDATION_FAILED",
		},
		{
			"null, literally", `{ post(id: null) { id } }`, ``,
			[]string{`Expected a value of type "Int!", found null.`},
			"GRAPHQL_VALIDATION_FAILED",
		},
		{
			"null in a list, literally", `{ postsByIds(ids: [1, null]) { id } }`, ``,
			[]string{`Expected a value of type "Int!", found null.`},
			"GRAPHQL_VALIDATION_FAILED",
		},
		{
			"an unknown input field", `mutation { updatePost(id: 1, input: {nope: 1}) { id } }`, ``,
			[]string{`Field "nope" is not defined by type "UpdatePostInput".`},
			"GRAPHQL_VALIDATION_FAILED",
		},
		{
			"a variable of another type", `query($n: String) { post(id: $n) { id } }`, ``,
			[]string{`Variable "$n" of type "String" used in position expecting type "Int!".`},
			"GRAPHQL_VALIDATION_FAILED",
		},
		{
			"a default that does not fit", `query($n: Int = "x") { posts(first: $n) { total } }`, ``,
			[]string{`Int cannot represent a value that is not an integer.`},
			"GRAPHQL_VALIDATION_FAILED",
		},

		// Null where only the request could know (specification 5.8.5).
		{
			"null behind a default", `query($n: Int = 3) { post(id: $n) { id } }`, `{"n":null}`,
			[]string{`$n is null where a value of the non-null type "Int!" is expected; send one.`},
			"BAD_USER_INPUT",
		},
		{
			"null for a condition", `query($b: Boolean = true) { posts @skip(if: $b) { total } }`, `{"b":null}`,
			[]string{`$b is null where @skip or @include wants true or false; send one of them, or leave it out.`},
			"BAD_USER_INPUT",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			b.calls()
			answer := b.do(c.query, c.variables)
			var r struct {
				Errors []struct {
					Message    string
					Extensions struct{ Code string }
				}
			}
			decode(t, answer, &r)
			if len(r.Errors) != len(c.want) {
				t.Fatalf("got %s, want %d errors", answer, len(c.want))
			}
			for i, e := range r.Errors {
				if !strings.HasPrefix(e.Message, c.want[i]) || e.Extensions.Code != c.code {
					t.Errorf("got  %s %s\nwant %s %s", e.Extensions.Code, e.Message, c.code, c.want[i])
				}
			}
			if strings.Contains(answer, "secret") {
				t.Errorf("%s repeats a value", answer)
			}
			if calls := b.calls(); len(calls) > 0 {
				t.Errorf("%d calls were made", len(calls))
			}
		})
	}
}
