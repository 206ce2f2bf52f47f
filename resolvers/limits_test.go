package resolvers_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/fstest"
	"testing/synctest"
	"time"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/projection"
	"github.com/frondhost/frond/resolvers"
	"github.com/frondhost/frond/resolvers/language"
	"github.com/frondhost/frond/store/storetest"
)

// TestLimits: each limit holds at its number, one past it and far past it.
func TestLimits(t *testing.T) {
	b := newBlog(t)
	deep := func(n int) string { // n fields in each other
		s := "id"
		for range n - 2 {
			s = "mentor { " + s + " }"
		}
		return `{ author(id: "ada") { ` + s + ` } }`
	}
	repeat := func(n int, s string) string { return strings.Repeat(s, n) }
	numbered := func(n int, format string) string {
		var s strings.Builder
		for i := range n {
			fmt.Fprintf(&s, format, i)
		}
		return s.String()
	}
	for _, c := range []struct {
		name string
		code string
		make func(n int) string
		at   int
	}{
		{"depth", language.CodeDepth, deep, 15},
		{"depth through fragments", language.CodeDepth, func(n int) string {
			return `{ author(id: "ada") { ...f } } fragment f on Author { ` + strings.TrimSuffix(strings.TrimPrefix(deep(n), `{ author(id: "ada") { `), ` } }`) + ` }`
		}, 15},
		{"depth of introspection", language.CodeDepth, func(n int) string {
			return `{ __schema { queryType { ` + repeat(n-3, "ofType { ") + "name" + repeat(n-3, " }") + ` } } }`
		}, 30},
		{"lists of introspection", language.CodeDepth, func(n int) string {
			return `{ __schema { types { ` + repeat(n, "possibleTypes { ") + "name" + repeat(n, " }") + ` } } }`
		}, 2},
		{"aliases", language.CodeAliases, func(n int) string { return `{ author(id: "ada") { ` + numbered(n, "a%d: id ") + `} }` }, 30},
		{"aliases in a fragment, wherever it is spread", language.CodeAliases, func(n int) string {
			return `{ author(id: "ada") { ...f mentor { ` + numbered(n-15, "b%d: id ") + `} } } fragment f on Author { ` + numbered(15, "a%d: id ") + `}`
		}, 30},
		{"root fields", language.CodeRoots, func(n int) string { return `{ ` + repeat(n, "__typename ") + `}` }, 20},
		{"root fields in a fragment", language.CodeRoots, func(n int) string {
			return `{ ...f } fragment f on Query { ` + repeat(n, "__typename ") + `}`
		}, 20},
		{"fields", language.CodeFields, func(n int) string { return `{ author(id: "ada") { ` + repeat(n-1, "id ") + `} }` }, 3500},
		{"fields in fragments, wherever they are spread", language.CodeFields, func(n int) string {
			return `{ author(id: "ada") { ...f mentor { ...f } ` + repeat(n-2002, "id ") + `} } fragment f on Author { ` + repeat(1000, "id ") + `}`
		}, 3500},
		{"fields of all operations", language.CodeFields, func(n int) string {
			return `query A { author(id: "ada") { ...f } } query B { author(id: "ada") { ...f ` + repeat(n-2002, "id ") + `} } fragment f on Author { ` + repeat(1000, "id ") + `}`
		}, 3500},
		{"all that fragments come to", language.CodeExpanded, func(n int) string { // 3 for the author, 500 for each g
			return `{ author(id: "ada") { ` + repeat((n-3)/500, "...g ") + repeat((n-3)%500, "id ") + `} } fragment g on Author { posts(filter: {id: {in: [` + repeat(493, "1 ") + `]}}) { total } }`
		}, 10000},
		{"tokens", "TOKEN_LIMIT_EXCEEDED", func(n int) string {
			return `mutation { updatePost(id: 1, input: {meta: [` + repeat(n-20, "1 ") + `]}) { id } }`
		}, 5000},
		{"the document", language.CodeDocument, func(n int) string { return "{ __typename } #" + repeat(n-16, "x") }, 64 << 10},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, n := range []int{c.at, c.at + 1, 20 * c.at} {
				req := &resolvers.Request{Query: c.make(n)}
				if strings.HasPrefix(req.Query, "query A") {
					req.OperationName = "A"
				}
				got := string(b.engine.Execute(context.Background(), req).Body)
				var r struct {
					Data   any
					Errors []struct {
						Message    string
						Extensions struct {
							Code    string
							Details struct{ Limit int }
						}
					}
				}
				decode(t, got, &r)
				switch {
				case n == c.at && r.Errors != nil:
					t.Errorf("%d are refused: %s", n, short(got))
				case n > c.at && (len(r.Errors) != 1 || r.Data != nil):
					t.Errorf("%d: %s, want one error", n, short(got))
				case n == c.at+1 && (r.Errors[0].Extensions.Code != c.code || r.Errors[0].Extensions.Details.Limit != c.at):
					t.Errorf("%d: %s, want %s", n, short(got), c.code)
				case n > c.at && !strings.HasSuffix(r.Errors[0].Extensions.Code, "_LIMIT_EXCEEDED") && r.Errors[0].Extensions.Code != language.CodeDocument:
					t.Errorf("%d: %s, want the code of a limit", n, short(got)) // far past one, another may be met first
				}
			}
		})
	}
}

// TestCountingStops: what is far past a limit costs what is one past it; nobody reads
// or counts on. Counted are the allocations and what is looked at.
func TestCountingStops(t *testing.T) {
	const garbage = " \x00 { ] no document"
	b := newBlog(t)
	for _, c := range []struct {
		name, code string
		limits     resolvers.Limits
		make       func(n int) string
		at         int
	}{
		{"the document is not read", language.CodeDocument, resolvers.Limits{}, func(n int) string { return strings.Repeat("x", n) + garbage }, 64 << 10},
		{"the lexer stops", "TOKEN_LIMIT_EXCEEDED", resolvers.Limits{Document: -1}, func(n int) string {
			return `{ author(id: "ada") { ` + strings.Repeat("id ", n) + garbage
		}, 5000},
		{"a document of 900 KB", language.CodeDocument, resolvers.Limits{}, func(n int) string {
			return `{ author(id: "ada") { ` + strings.Repeat("id ", n/3) + "} }"
		}, 64 << 10},
	} {
		t.Run(c.name, func(t *testing.T) {
			b.limit(t, c.limits)
			past, far := c.make(c.at+1), c.make(14*c.at)
			for _, text := range []string{past, far} {
				if got := b.do(text, ""); !strings.Contains(got, c.code) {
					t.Errorf("%s, want %s", short(got), c.code)
				}
			}
			bytes, objects := allocated(b.engine, past)
			if b, o := allocated(b.engine, far); b > bytes+bytes/10+4096 || o > objects+objects/10+10 {
				t.Errorf("far past it %d bytes in %d allocations, one past it %d in %d", b, o, bytes, objects)
			}
		})
	}
	none := resolvers.Limits{Document: -1, Tokens: -1, Fields: -1, Expanded: -1, Aliases: -1, Roots: -1, Depth: -1}
	for _, c := range []struct {
		name  string
		limit func(*resolvers.Limits)
		make  func(n int) string
		at    int // the limit, and about what is looked at for it
	}{
		{"fields", func(l *resolvers.Limits) { l.Fields = 500 }, func(n int) string { return `{ author(id: "ada") { ` + strings.Repeat("id ", n) + "} }" }, 500},
		{"what they come to", func(l *resolvers.Limits) { l.Expanded = 500 }, func(n int) string { return `{ author(id: "ada") { ` + strings.Repeat("id ", n) + "} }" }, 500},
		{"aliases", func(l *resolvers.Limits) { l.Aliases = 500 }, func(n int) string { return `{ author(id: "ada") { ` + strings.Repeat("a: id ", n) + "} }" }, 500},
		{"root fields", func(l *resolvers.Limits) { l.Roots = 500 }, func(n int) string { return `{ ` + strings.Repeat("__typename ", n) + "}" }, 500},
		{"operations", func(l *resolvers.Limits) { l.Fields = 500 }, func(n int) string { return strings.Repeat("{ __typename } ", n) }, 500},
		{"depth", func(l *resolvers.Limits) { l.Depth = 2 }, func(n int) string { return strings.Repeat(`{ author(id: "ada") { mentor { id } } } `, n) }, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := none
			c.limit(&l)
			b.limit(t, l)
			for _, n := range []int{c.at + 1, 100 * c.at} {
				if w, _ := b.engine.WorkOf(c.make(n)); w.Measured > c.at+10 || w.Validated > 0 {
					t.Errorf("%d: %+v is looked at", n, w)
				}
			}
		})
	}
}

// TestComparisons: fields of an interface are compared with those of each of its
// types, which no document can make too many.
func TestComparisons(t *testing.T) {
	cards := fstest.MapFS{}
	for i := range 60 {
		cards[fmt.Sprintf("entities/e%d.yaml", i)] = &fstest.MapFile{Data: []byte("properties:\n  id: {type: string, x-kit: {role: {primary: true}}}\n")}
	}
	p, err := facade.Read(cards)
	if err != nil {
		t.Fatal(err)
	}
	f, err := facade.New(storetest.Compiled(t, p), storetest.NewStore(), nil)
	if err != nil {
		t.Fatal(err)
	}
	b := projection.NewBuilder()
	if err := projection.RegisterAll(b, f.Catalog(), nil); err != nil {
		t.Fatal(err)
	}
	s, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	e, err := resolvers.NewEngine(s, f, nil)
	if err != nil {
		t.Fatal(err)
	}
	var types strings.Builder
	for i := range 60 {
		fmt.Fprintf(&types, "... on E%d { nodeId } ", i)
	}
	for n, code := range map[int]string{1665: "", 1666: language.CodeMerge, 3000: language.CodeMerge} { // 60 times one and n, and node itself
		got := answered(e, `{ node(nodeId: "x") { `+types.String()+strings.Repeat("nodeId ", n)+`} }`)
		if code == "" && got != `{"data":{"node":null}}` || code != "" && !strings.Contains(got, code+`","details":{"limit":100000}`) {
			t.Errorf("%d: %s, want %q", n, short(got), code)
		}
	}
}

// TestSpirals: fragments that spread one another grow without bounds when they are
// expanded; nobody expands them.
func TestSpirals(t *testing.T) {
	b := newBlog(t)
	var spiral strings.Builder
	spiral.WriteString(`{ author(id: "ada") { ...f0 } }`)
	for i := range 60 {
		fmt.Fprintf(&spiral, " fragment f%d on Author { mentor { ...f%d } m: mentor { ...f%d } }", i, i+1, i+1)
	}
	spiral.WriteString(" fragment f60 on Author { id }")
	for name, c := range map[string]struct{ query, code string }{
		"a spiral":         {spiral.String(), language.CodeAliases},
		"a circle":         {`{ author(id: "ada") { ...f } } fragment f on Author { mentor { ...g } } fragment g on Author { mentor { ...f } }`, language.CodeValidation},
		"a circle of one":  {`{ author(id: "ada") { ...f } } fragment f on Author { ...f }`, language.CodeValidation},
		"overlapping ones": {`{ author(id: "ada") { ` + strings.Repeat("name ", 2000) + `} }`, ""},
		"many, different":  {`{ author(id: "ada") { ` + strings.Repeat("mentor { name } ", 1000) + `} }`, ""},
		"introspection":    {`{ __schema { types { fields { type { fields { type { fields { name } } } } } } } }`, language.CodeDepth},
	} {
		t.Run(name, func(t *testing.T) {
			got := b.do(c.query, "")
			if c.code == "" && strings.Contains(got, `"errors"`) || c.code != "" && !strings.Contains(got, `"`+c.code+`"`) {
				t.Errorf("got %s, want %q", short(got), c.code)
			}
		})
	}
}

// TestNoLimits: a negative limit is none.
func TestNoLimits(t *testing.T) {
	b := newBlog(t)
	b.limit(t, resolvers.Limits{Aliases: -1, Roots: -1, Depth: -1, Fields: -1, Expanded: -1, Tokens: -1, Document: -1, Execution: -1, Response: -1})
	var s strings.Builder
	for i := range 6000 {
		fmt.Fprintf(&s, "a%d: __typename ", i)
	}
	if got := b.do("{ "+s.String()+"}", ""); strings.Contains(got, "errors") {
		t.Error(short(got))
	}
}

// TestResponseLimit: an answer that grows over its limit is not an answer.
func TestResponseLimit(t *testing.T) {
	b := newBlog(t)
	b.limit(t, resolvers.Limits{Response: 1000})
	got := b.do(`{ posts { items { id title author { name } comments { items { text } } } } }`, "")
	if got != `{"data":null,"errors":[{"message":"The answer is larger than 1000 bytes; ask for less at a time.","extensions":{"code":"RESPONSE_TOO_LARGE","details":{"limit":1000}}}]}` {
		t.Error(got)
	}
	if got := b.do(`{ tags { items { id } } }`, ""); strings.Contains(got, "errors") {
		t.Error(got)
	}
}

// TestResponseLimitAtItsNumber: an answer as long as the limit is one, and one that is
// a byte longer is none.
func TestResponseLimitAtItsNumber(t *testing.T) {
	b := newBlog(t)
	const query = `{ posts { items { id title author { name } } } }`
	whole := b.do(query, "")
	for limit, fits := range map[int]bool{len(whole): true, len(whole) - 1: false, len(whole) / 20: false} {
		b.limit(t, resolvers.Limits{Response: limit})
		got := b.do(query, "")
		if fits && got != whole || !fits && (!strings.HasPrefix(got, `{"data":null,"errors":[`) || !strings.Contains(got, fmt.Sprintf(`"RESPONSE_TOO_LARGE","details":{"limit":%d}`, limit))) {
			t.Errorf("%d of %d bytes: %s", limit, len(whole), short(got))
		}
	}
}

// TestExecutionLimitAtItsNumber: what comes before the end is answered, what comes
// after it is not.
func TestExecutionLimitAtItsNumber(t *testing.T) {
	s := newBlog(t).schema
	for takes, fits := range map[time.Duration]bool{15*time.Second - 1: true, 15*time.Second + 1: false, 5 * time.Minute: false} {
		synctest.Test(t, func(t *testing.T) {
			slow := facade.CallerFunc(func(ctx context.Context, c *facade.Call) (*facade.Result, error) {
				select {
				case <-time.After(takes):
					return fake{"post": `[{"id":1,"title":"T","authorId":"a"}]`}.Call(ctx, c)
				case <-ctx.Done():
					return nil, ctx.Err()
				}
			})
			e, err := resolvers.NewEngine(s, slow, nil)
			if err != nil {
				t.Fatal(err)
			}
			got := answered(e, `{ post(id: 1) { title } }`)
			if fits && got != `{"data":{"post":{"title":"T"}}}` || !fits && !strings.Contains(got, `"EXECUTION_TIMEOUT","details":{"limit":15000}`) {
				t.Errorf("%v: %s", takes, got)
			}
		})
	}
}

// TestDeadline: what takes too long is cancelled, and what came in time stays.
func TestDeadline(t *testing.T) {
	s := newBlog(t).schema
	synctest.Test(t, func(t *testing.T) {
		slow := facade.CallerFunc(func(ctx context.Context, c *facade.Call) (*facade.Result, error) {
			if c.Entity == "author" {
				<-ctx.Done()
				return nil, ctx.Err()
			}
			return fake{"post": `[{"id":1,"title":"T","authorId":"a"}]`}.Call(ctx, c)
		})
		e, err := resolvers.NewEngine(s, slow, nil)
		if err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		got := string(e.Execute(t.Context(), &resolvers.Request{Query: `{ post(id: 1) { title author { name } } }`}).Body)
		if took := time.Since(start); took != 15*time.Second {
			t.Errorf("took %v", took)
		}
		if want := `{"data":{"post":{"title":"T","author":null}},"errors":[{"message":"The operation took longer than 15s; ask for less at a time.","locations":[{"line":1,"column":23}],"path":["post","author"],"extensions":{"code":"EXECUTION_TIMEOUT","details":{"limit":15000}}}]}`; got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	})
}

// TestGoneCaller: a caller that disconnects gets the error for it, should it still listen.
func TestGoneCaller(t *testing.T) {
	b := newBlog(t)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	got := string(b.engine.Execute(ctx, &resolvers.Request{Query: `{ post(id: 1) { title } }`}).Body)
	if !strings.Contains(got, `"REQUEST_TIMEOUT"`) {
		t.Error(got)
	}
}
