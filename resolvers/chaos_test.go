package resolvers_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/facade/rows"
	"github.com/frondhost/frond/resolvers"
	"github.com/frondhost/frond/schema/jsontext"
)

// chaos is a Caller that answers anything: rows of the right shape most of the
// time, values of any kind the rest of it, failures, and too few groups.
type chaos struct{ rand *rand.Rand }

var (
	good = map[string]string{
		"author.id": `"ada"`, "author.name": `"Ada"`, "author.email": `"a@b.c"`, "author.age": `3`, "author.fans": `4`, "author.rating": `4.5`,
		"author.joined": `"2020-01-02"`, "author.address": `{"street":"S","geo":{"lat":1,"lon":2.5}}`, "author.links": `[{"label":"l","url":"u"}]`,
		"author.settings": `{"a":[1]}`, "author.mentorId": `"bob"`,
		"post.id": `1`, "post.title": `"T"`, "post.body": `"B"`, "post.status": `"live"`, "post.mood": `"bad"`, "post.views": `7`, "post.price": `"1.50"`,
		"post.createdAt": `"2024-05-06T07:08:09.000Z"`, "post.words": `["a","b"]`, "post.grid": `[[1],[]]`, "post.meta": `{}`, "post.authorId": `"ada"`,
		"post.editorId": `"bob"`, "post.tags": `["go","sql"]`, "post.excerpt": `"E"`,
		"comment.id": `1`, "comment.text": `"c"`, "comment.likes": `2`, "comment.post": `1`, "comment.authorId": `"ada"`, "tag.id": `"go"`, "tag.label": `"GO"`,
	}
	bad = []string{`null`, `1`, `1.5`, `2147483648`, `-1`, `"x"`, `""`, `true`, `[]`, `[null]`, `[[1,"a"],null]`, `{}`, `{"street":null}`, `{"geo":{"lat":"x"}}`, `"\u0000\ud83d\ude00"`}
)

func (c *chaos) Call(_ context.Context, call *facade.Call) (*facade.Result, error) {
	n := c.rand.IntN(100)
	switch {
	case n < 4:
		return nil, kiterror.Errorf(kiterror.Conflict, "no").At(call.Entity, call.Operation)
	case n < 5:
		panic("chaos")
	case n < 8:
		return &facade.Result{Form: facade.FormValue, Value: json.RawMessage(bad[c.rand.IntN(len(bad))])}, nil
	case n < 9 && call.Each != nil:
		return &facade.Result{Form: facade.FormRow, Rows: rows.New(rows.NewLayout(nil), 0)}, nil
	}
	columns := call.Select
	if c.rand.IntN(10) == 0 && len(columns) > 0 {
		columns = columns[1:]
	}
	size := c.rand.IntN(4)
	if call.Each != nil {
		size = len(call.Each.Keys)
	}
	found := rows.New(rows.NewLayout(columns), size)
	for range size {
		found.BeginRow()
		for i, name := range columns {
			switch v := good[strings.ToLower(call.Entity)+"."+name]; {
			case c.rand.IntN(100) < 4:
			case v == "" || c.rand.IntN(100) < 6:
				found.Put(i, []byte(bad[c.rand.IntN(len(bad))]))
			default:
				found.Put(i, []byte(v))
			}
		}
		found.EndRow()
	}
	res := &facade.Result{Form: []facade.Form{facade.FormPage, facade.FormPage, facade.FormRow, facade.FormRows}[c.rand.IntN(4)], Rows: found}
	res.Total = int64(c.rand.IntN(9)) - 1
	page := func(n int) facade.Page {
		p := facade.Page{Total: int64(n), HasMore: c.rand.IntN(2) == 0}
		for i := range n {
			p.Cursors = append(p.Cursors, fmt.Sprint("c", i))
		}
		return p
	}
	res.Page = page(size)
	if call.Each != nil {
		res.Groups = make([]facade.Group, size)
		for i := range res.Groups {
			from := c.rand.IntN(size + 1)
			to := from + c.rand.IntN(size+1-from)
			res.Groups[i] = facade.Group{From: from, To: to, Page: page(to - from)}
		}
	}
	return res, nil
}

// TestChaos: whatever is answered, what leaves is JSON; every error has a path to a
// place that is null, and no place has two.
func TestChaos(t *testing.T) {
	b := newBlog(t)
	n := 1500
	if testing.Short() {
		n = 200
	}
	for seed := range n {
		r := rand.New(rand.NewPCG(uint64(seed), 3))
		g := &generator{schema: b.schema.AST, rand: r, blog: b}
		query := g.query()
		// One root field at a time: calls that go out together would share the dice.
		e, err := resolvers.NewEngine(b.schema, serial(&chaos{r}), &resolvers.Options{Logger: quiet, Limits: resolvers.Limits{Aliases: -1}})
		if err != nil {
			t.Fatal(err)
		}
		res := e.Execute(context.Background(), &resolvers.Request{Query: query, Variables: g.values()})
		if !res.Executed {
			continue // one key of two shapes below node; the generator does not look
		}
		if err := jsontext.Check(res.Body); err != nil {
			t.Fatalf("seed %d: %v: %s\n%s", seed, err, query, res.Body)
		}
		var body struct {
			Data   any
			Errors []struct{ Path []any }
		}
		decode(t, string(res.Body), &body)
		places := map[string]bool{}
		for _, e := range body.Errors {
			place := fmt.Sprint(e.Path)
			if len(e.Path) == 0 || places[place] || !isNull(body.Data, e.Path) {
				t.Fatalf("seed %d: the error at %s is one too many, or something is there: %s\n%s", seed, place, query, res.Body)
			}
			places[place] = true
		}
	}
}

// isNull says whether a path leads to null, there or on its way.
func isNull(v any, path []any) bool {
	for _, s := range path {
		if v == nil {
			return true
		}
		switch s := s.(type) {
		case string:
			m, ok := v.(map[string]any)
			if !ok {
				return false
			}
			v = m[s]
		case json.Number:
			i, _ := s.Int64()
			l, ok := v.([]any)
			if !ok || int(i) >= len(l) {
				return false
			}
			v = l[i]
		}
	}
	return v == nil
}

// serial lets one call through at a time.
func serial(next facade.Caller) facade.Caller {
	gate := make(chan struct{}, 1)
	return facade.CallerFunc(func(ctx context.Context, c *facade.Call) (*facade.Result, error) {
		gate <- struct{}{}
		defer func() { <-gate }()
		return next.Call(ctx, c)
	})
}
