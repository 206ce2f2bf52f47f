package resolvers_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/frondhost/frond/resolvers"
)

// worst are documents within the limits that make their readers work.
func worst() map[string]string {
	numbered := func(n int, format string) string {
		var s strings.Builder
		for i := range n {
			s.WriteString(strings.ReplaceAll(format, "%", fmt.Sprint(i)))
		}
		return s.String()
	}
	const head = `{ author(id: "ada") { `
	return map[string]string{
		"ordinary":           page,
		"one field, again":   head + strings.Repeat("name ", 3400) + `} }`,
		"one object, again":  head + strings.Repeat("mentor { id } ", 1200) + `} }`,
		"nested, again":      head + strings.Repeat("mentor { mentor { mentor { mentor { id } } } } ", 380) + `} }`,
		"inline fragments":   head + strings.Repeat("... on Author { id } ", 800) + `} }`,
		"fragments":          head + `...f0 } } ` + numbered(500, "fragment f% on Author { id } "),
		"a chain":            head + `...f0 } } ` + chain(450),
		"spreads":            head + strings.Repeat("...f ", 1600) + `} } fragment f on Author { id }`,
		"every field twice":  head + strings.Repeat("id name email age fans rating joined address { street zip } links { label } mentor { name } posts { total } ", 90) + `} }`,
		"a deep value":       `mutation { updatePost(id: 1, input: {meta: ` + strings.Repeat("[", 900) + strings.Repeat("]", 900) + `}) { id } }`,
		"a long value":       `mutation { updatePost(id: 1, input: {meta: [` + strings.Repeat("1 ", 4900) + `]}) { id } }`,
		"an object's keys":   `mutation { updatePost(id: 1, input: {meta: {` + numbered(1600, "k%: 1 ") + `}}) { id } }`,
		"unknown keys":       `mutation { updatePost(id: 1, input: {` + numbered(1600, "k%: 1 ") + `}) { id } }`,
		"unknown fields":     head + numbered(3400, "f% ") + `} }`,
		"unknown fragments":  head + numbered(2000, "...f% ") + `} }`,
		"variables":          `query(` + numbered(1000, "$v%: Int ") + `) { posts { total } }`,
		"variables, used":    `query(` + numbered(450, "$v%: Int ") + `) { posts(filter: {id: {in: [` + numbered(450, "$v% ") + `]}}) { total } }`,
		"directives":         `{ ` + strings.Repeat("posts @include(if: true) { total } ", 19) + `author(id: "a") { ` + strings.Repeat("id @skip(if: false) ", 500) + `} }`,
		"conflicts":          head + numbered(15, "a%: id a%: name ") + `} }`,
		"conflicts below":    head + strings.Repeat("posts(first: 1) { total } posts(first: 2) { total } ", 250) + `} }`,
		"a comment":          "{ __typename } #" + strings.Repeat("x", 60000),
		"a string":           `{ author(id: "` + strings.Repeat(`\u00e9`, 10000) + `") { id } }`,
		"types of node":      `{ node(nodeId: "x") { ` + strings.Repeat("... on Author { id } ... on Post { title } ... on Tag { label } ... on Comment { text } ", 200) + `} }`,
		"operations":         numbered(400, "query Q% { posts { total } } "),
		"names of operation": strings.Repeat("query Q { posts { total } } ", 400),
	}
}

// chain is fragments that each spread the next.
func chain(n int) string {
	var s strings.Builder
	for i := range n {
		fmt.Fprintf(&s, "fragment f%d on Author { ...f%d } ", i, i+1)
	}
	fmt.Fprintf(&s, "fragment f%d on Author { id }", n)
	return s.String()
}

// TestWorst: each of them is answered soon.
func TestWorst(t *testing.T) {
	b := newBlog(t)
	for name, query := range worst() {
		t.Run(name, func(t *testing.T) {
			start := time.Now()
			got := b.do(query, "")
			if took := time.Since(start); took > 2*time.Second {
				t.Errorf("took %v", took)
			}
			if strings.Contains(got, "LIMIT") || strings.Contains(got, resolvers.CodeDocument) || strings.Contains(got, "INTERNAL") {
				t.Errorf("this is not the worst that is let in: %s", short(got))
			}
		})
	}
}

// BenchmarkWorst measures what reading a document costs that nobody has seen
// before: parsing, validating, planning and running it, without the cache.
func BenchmarkWorst(b *testing.B) {
	bl := newBlog(b)
	e, err := resolvers.NewEngine(bl.schema, bl.facade, &resolvers.Options{Documents: -1, Logger: quiet})
	if err != nil {
		b.Fatal(err)
	}
	bl.engine = e
	for name, query := range worst() {
		b.Run(name, func(b *testing.B) {
			b.ReportMetric(float64(len(query)), "bytes")
			for b.Loop() {
				bl.do(query, "")
			}
		})
	}
}
