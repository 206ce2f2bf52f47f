package resolvers_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/graphql-go/graphql"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/projection"
	"github.com/frondhost/frond/resolvers"
)

const tooLong = `{"data":null,"errors":[{"message":"The operation took longer than 15s; ask for less at a time.","extensions":{"code":"EXECUTION_TIMEOUT","details":{"limit":15000}}}]}`

// deaf makes calls of one operation that go on for a minute, whatever their context
// says, and then answer.
func deaf(next facade.Caller, operation string) facade.Caller {
	return facade.CallerFunc(func(ctx context.Context, c *facade.Call) (*facade.Result, error) {
		if c.Operation == operation {
			time.Sleep(time.Minute)
		}
		return next.Call(context.WithoutCancel(ctx), c)
	})
}

// TestUnfinished: code of the author's that ignores its context is not waited
// for. It goes on by itself, is counted, and what it gives is nobody's any more.
func TestUnfinished(t *testing.T) {
	b := newBlogWith(t, func(b *projection.Builder) error {
		return projection.RegisterOperations(b, catalog.Query, graphql.Fields{
			"nap": {Type: graphql.String, Resolve: func(graphql.ResolveParams) (any, error) {
				time.Sleep(time.Minute)
				return "slept", nil
			}},
		})
	})
	for _, query := range []string{
		`{ postPing }`,
		`{ tags { total } postPing }`,
		`query Q { ...f } fragment f on Query { postPing }`,
		`mutation { postPublish(id: 1) { id } }`,
		`{ nap }`,
		`{ author(id: "ada") { name } nap }`,
	} {
		t.Run(query, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				e, err := resolvers.NewEngine(b.schema, deaf(deaf(b.recorder, "ping"), "publish"), &resolvers.Options{Logger: quiet})
				if err != nil {
					t.Fatal(err)
				}
				start := time.Now()
				r := e.Execute(t.Context(), &resolvers.Request{Query: query})
				took, got := time.Since(start), string(r.Body)
				if took != 15*time.Second+500*time.Millisecond || got != tooLong || e.Unfinished() != 1 {
					t.Errorf("after %v, %d unfinished: %s", took, e.Unfinished(), got)
				}
				time.Sleep(2 * time.Minute)
				if string(r.Body) != tooLong || e.Unfinished() != 0 {
					t.Errorf("later, %d unfinished: %s", e.Unfinished(), r.Body)
				}
			})
		})
	}
}

// TestUnfinishedGoneCaller: a caller that disconnected is not waited for either.
func TestUnfinishedGoneCaller(t *testing.T) {
	b := newBlog(t)
	synctest.Test(t, func(t *testing.T) {
		e, err := resolvers.NewEngine(b.schema, deaf(b.recorder, "ping"), &resolvers.Options{Logger: quiet})
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
		defer cancel()
		start := time.Now()
		got := string(e.Execute(ctx, &resolvers.Request{Query: `{ postPing }`}).Body)
		if took := time.Since(start); took != 3500*time.Millisecond || !strings.HasPrefix(got, `{"data":null,"errors":[`) || strings.Contains(got, "EXECUTION_TIMEOUT") {
			t.Errorf("after %v: %s", took, got)
		}
		time.Sleep(time.Minute)
	})
}

// TestInTime: a caller that ends with its context is waited for, and what came before it stays.
func TestInTime(t *testing.T) {
	b := newBlog(t)
	synctest.Test(t, func(t *testing.T) {
		ending := facade.CallerFunc(func(ctx context.Context, c *facade.Call) (*facade.Result, error) {
			if c.Operation == "ping" {
				<-ctx.Done()
				return nil, ctx.Err()
			}
			return b.recorder.Call(ctx, c)
		})
		e, err := resolvers.NewEngine(b.schema, ending, &resolvers.Options{Logger: quiet})
		if err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		got := string(e.Execute(t.Context(), &resolvers.Request{Query: `{ post(id: 1) { title } postPing }`}).Body)
		if took := time.Since(start); took != 15*time.Second || !strings.HasPrefix(got, `{"data":{"post":{"title":"Post 1"},"postPing":null},"errors":[{"message":"The operation took longer than 15s`) {
			t.Errorf("after %v: %s", took, got)
		}
	})
}
