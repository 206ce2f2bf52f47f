package resolvers_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/frondhost/frond/resolvers"
	"github.com/frondhost/frond/resolvers/language"
)

// TestLargeVariables: a body of a megabyte holds values of any shape. What does not
// fit is refused with a code and few words; what fits is bounded where it is used.
func TestLargeVariables(t *testing.T) {
	b := newBlog(t)
	again := strings.Repeat
	list := func(n int, item string) string { return "[" + strings.TrimSuffix(again(item+",", n), ",") + "]" }
	const (
		filter  = `query($v: PostFilter) { posts(filter: $v) { total } }`
		create  = `mutation($v: CreateAuthorInput!) { createAuthor(input: $v) { id } }`
		byIDs   = `query($v: [Int!]!) { postsByIds(ids: $v) { id } }`
		ordered = `query($v: [PostOrderBy!]) { posts(orderBy: $v) { total } }`
	)
	for _, c := range []struct {
		name, query, value string
		code, says         string
	}{
		{"arrays 10,000 deep", filter, again("[", 10_000) + again("]", 10_000), language.CodeInput, "nested deeper than 100 levels"},
		{"objects 10,000 deep", filter, again(`{"a":`, 10_000) + "1" + again("}", 10_000), language.CodeInput, "nested deeper than 100 levels"},
		{"a filter 13 deep", filter, again(`{"not":`, 13) + "{}" + again("}", 13), "VALIDATION_FAILED", "nested deeper than 12 levels"},
		{"a filter 90 deep", filter, again(`{"and":[`, 45) + "{}" + again("]}", 45), "VALIDATION_FAILED", "nested deeper than 12 levels"},
		{"a filter of 301 conditions", filter, `{"or":` + list(301, `{"id":{"eq":1}}`) + "}", "VALIDATION_FAILED", "300 conditions"},
		{"a filter of 50,000 conditions", filter, `{"or":` + list(50_000, `{"id":{"eq":1}}`) + "}", "VALIDATION_FAILED", "300 conditions"},
		{"501 operands", filter, `{"id":{"in":` + list(501, "1") + "}}", "VALIDATION_FAILED", "at most 500 items"},
		{"100,000 operands", filter, `{"id":{"in":` + list(100_000, "1") + "}}", "VALIDATION_FAILED", "at most 500 items"},
		{"100,000 operands of another type", filter, `{"id":{"in":` + list(100_000, `"x"`) + "}}", language.CodeInput, "Int cannot represent"},
		{"501 ids", byIDs, list(501, "1"), "VALIDATION_FAILED", "at most 500 items"},
		{"100,000 ids", byIDs, list(100_000, "1"), "VALIDATION_FAILED", "at most 500 items"},
		{"a list in a list", byIDs, list(100_000, "[1]"), language.CodeInput, "Int cannot represent"},
		{"an order of 50,000 keys", ordered, list(50_000, `{"id":"ASC"}`), "VALIDATION_FAILED", "at most"},
		{"a number of 100,000 digits", `query($v: Int) { posts(first: $v) { total } }`, again("9", 100_000), language.CodeInput, "Int cannot represent"},
		{"a number beyond all", `query($v: Float) { authors(filter: {rating: {eq: $v}}) { total } }`, "1e999999999", language.CodeInput, "Float cannot represent"},
		{"an id of 900,000 bytes", `query($v: ID!) { author(id: $v) { id } }`, `"` + again("x", 900_000) + `"`, "", ""},
		{"an input of 50,000 keys", create, `{"name":"N"` + keysOf(50_000) + `}`, language.CodeInput, `is not defined by type`},
		{"a null where none may be", create, "null", language.CodeInput, "non-null"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := b.do(c.query, `{"v":`+c.value+`}`)
			if len(got) > 64<<10 {
				t.Errorf("an answer of %d bytes", len(got))
			}
			if c.code == "" && strings.Contains(got, "errors") || !strings.Contains(got, c.code) || !strings.Contains(got, c.says) {
				t.Errorf("%s, want %s and %q", short(got), c.code, c.says)
			}
		})
	}
	t.Run("members that nobody declared", func(t *testing.T) {
		if got := b.do(`query($v: Int) { posts(first: $v) { total } }`, `{"v":1`+keysOf(100_000)+`}`); got != `{"data":{"posts":{"total":9}}}` {
			t.Error(short(got))
		}
	})
}

// keysOf is so many members, each with a comma in front.
func keysOf(n int) string {
	var s strings.Builder
	for i := range n {
		fmt.Fprintf(&s, `,"k%d":1`, i)
	}
	return s.String()
}

// TestArguments: a large variable at many fields is text for each of their calls,
// and there is an end to it.
func TestArguments(t *testing.T) {
	b := newBlog(t)
	query := func(n int) string {
		var s strings.Builder
		s.WriteString(`query($v: String) { author(id: "ada") { `)
		for i := range n {
			fmt.Fprintf(&s, `a%d: posts(filter: {title: {eq: $v}}, first: %d) { total } `, i, i+1)
		}
		return s.String() + "} }"
	}
	value, err := json.Marshal(map[string]string{"v": strings.Repeat("x", 1<<20-200)})
	if err != nil {
		t.Fatal(err)
	}
	for n, want := range map[int]bool{8: false, 9: true, 29: true} {
		got := string(b.engine.Execute(context.Background(), &resolvers.Request{Query: query(n), Variables: value}).Body)
		if strings.Contains(got, `"`+language.CodeArguments+`","details":{"limit":8388608}`) != want || strings.Contains(got, "errors") != want {
			t.Errorf("%d times: %s", n, short(got))
		}
	}
}
