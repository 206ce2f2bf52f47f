package resolvers_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"regexp"
	"strings"
	"testing"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/resolvers"
	"github.com/frondhost/frond/store/storetest"
)

// internals are what no answer may hold: text of an engine, of a file system, of the
// runtime, of Go's types, and guesses at names.
var internals = regexp.MustCompile(`(?i)did you mean|select \*|insert into|sqlite|\.go:\d|goroutine|runtime error|panic|nil pointer|/(home|root|tmp|usr|var|work)/|0x[0-9a-f]{6}|\*?(facade|resolvers|schema|ast|errors|fmt|fs|strconv|json)\.[A-Z]|map\[string|interface ?\{|struct ?\{|secret|context (canceled|deadline)|gqlparser|graphql-go|unmarshal|EOF$`)

// failures are what code behind the engine may give.
var failures = map[string]func() error{
	"an error of an engine": func() error { return errors.New(`sqlite3: SELECT * FROM "post": no such column: secret`) },
	"a path":                func() error { return &fs.PathError{Op: "open", Path: "/var/lib/secret", Err: fs.ErrNotExist} },
	"one that is wrapped":   func() error { return fmt.Errorf("facade.Call: %w", errors.New("dial tcp 10.0.0.7:4100")) },
	"a type":                func() error { return fmt.Errorf("%T: %v", map[string]any{}, struct{ A *int }{}) },
	"an internal error":     func() error { return kiterror.Internal(errors.New("secret")) },
	"a panic":               func() error { panic("secret of the stack") },
	"a runtime error":       func() error { list := []int{}; return kiterror.Errorf(kiterror.Conflict, "%d", list[len(list)]) },
	"a nil pointer":         func() error { var c *facade.Call; _ = c.Entity; return nil },
	"a panic with an error": func() error {
		panic(fmt.Errorf("secret of %w", context.DeadlineExceeded))
	},
}

// TestSilence: whatever fails behind the engine, and whatever is wrong with a
// request, no response says anything of the inside.
func TestSilence(t *testing.T) {
	b := newBlogWith(t, handWritten)
	queries := []struct{ query, variables string }{
		{`{ posts(first: 2) { items { id title author { name greeting clumsy leaky } comments { items { text } } } } }`, ``},
		{`{ author(id: "ada") { id clumsy leaky grumpy empty lazyFail weather { __typename } } notAList }`, ``},
		{`{ node(nodeId: "cG9zdDox") { nodeId ... on Post { broken excerpt } } }`, ``},
		{`mutation { postPublish(id: 500) { id } }`, ``},
		{`mutation { postPublish(id: 501) { id } }`, ``},
		{`mutation { createAuthor(input: {name: 1}) { id } }`, ``},
		{`{ post(id: 1) { broken } postFails { id } postPing }`, ``},
		{`{ posts(after: "nonsense") { total } }`, ``},
		{`{ posts(filter: {nope: {eq: 1}}) { total } }`, ``},
		{`query($f: PostFilter) { posts(filter: $f) { total } }`, `{"f":{"title":{"has":[1,{"a":null}]}}}`},
		{`query($f: PostFilter) { posts(filter: $f) { total } }`, `{"f":`},
		{`query($f: PostFilter) { posts(filter: $f) { total } }`, `[]`},
		{`{ post(id: 1) { titel writer { x } } postt { id } posts(frist: 1, filter: {titel: {eq: ""}}) { total } }`, ``},
		{`query($a: Pots, $b: Post) { post(id: $a, idd: $c) { id @inclde(if: true) } ... on Pots { id } ...nope }`, ``},
		{`{ post(id: 99999999999999999999) { id } author(id: {a: 1}) { id } }`, ``},
		{`{ author(id: 'ada') { id } }`, ``},
		{`{ author(id: "a`, ``},
		{`{ author(id: "\uD800\x") { id } }`, ``},
		{"{ \x00 }", ``},
		{"\xff\xfe{", ``},
		{`{`, ``},
		{`}`, ``},
		{`type A { b: C }`, ``},
		{`{ a ` + strings.Repeat("{ a ", 2000), ``},
		{`subscription { posts { total } }`, ``},
	}
	check := func(t *testing.T, e *resolvers.Engine) {
		t.Helper()
		for _, q := range queries {
			got := string(e.Execute(context.Background(), &resolvers.Request{Query: q.query, Variables: json.RawMessage(q.variables)}).Body)
			if at := internals.FindString(got); at != "" {
				t.Errorf("%s\nsays %q: %s", short(q.query), at, short(got))
			}
		}
	}
	check(t, b.engine)
	for name, fail := range failures {
		t.Run(name, func(t *testing.T) {
			e, err := resolvers.NewEngine(b.schema, facade.CallerFunc(func(context.Context, *facade.Call) (*facade.Result, error) {
				return nil, fail()
			}), &resolvers.Options{Logger: quiet})
			if err != nil {
				t.Fatal(err)
			}
			check(t, e)
		})
	}
	queries = queries[:0]
	for _, d := range storetest.Worst() {
		queries = append(queries, struct{ query, variables string }{d.Text, ""})
	}
	check(t, b.engine)
	for _, text := range []string{ // the net has no holes where it matters
		`no such file /var/lib/x`, `main.go:12`, `goroutine 7 [running]`, `*facade.Call`, `Did you mean "title"?`, `SELECT * FROM post`, `map[string]interface {}`,
	} {
		if !internals.MatchString(text) {
			t.Errorf("%s would pass", text)
		}
	}
}
