package resolvers_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/graphql-go/graphql"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/access"
	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/rehearse"
	"github.com/frondhost/frond/projection"
	"github.com/frondhost/frond/resolvers"
)

// together makes the mutations of a blog transactions.
type together struct{ *facade.Facade }

func (t together) Joins(ctx context.Context, state access.State, entity, operation string) error {
	_, err := t.Facade.Joins(ctx, t.Catalog(), state, entity, operation)
	return err
}

func (t together) PassesOn(calls []*facade.Call) (bool, error) {
	return t.Facade.PassesOn(t.Catalog(), calls)
}

func (t together) PassOn(ctx context.Context, calls []*facade.Call) ([]*facade.Result, error) {
	found, _, err := t.Facade.PassOn(ctx, t.Facade, calls, nil)
	return found, err
}

func (t together) PassRehearsal(ctx context.Context, w catalog.Words, calls []*facade.Call) (*rehearse.Rehearsal, []*facade.Result, error) {
	return rehearse.PassOn(ctx, w, t.Facade, t.Facade, calls)
}

func (t together) Rehearse(ctx context.Context, w catalog.Words, state access.State, trace string, calls []*facade.Call, fn func(ctx context.Context) error) (*rehearse.Rehearsal, error) {
	return rehearse.Run(ctx, w, &rehearse.Command{Facade: t.Facade, Caller: t.Facade, State: state, Trace: trace, Value: calls, Do: fn})
}

// lateConflict is a transaction whose commit fails.
type lateConflict struct{ together }

func (l lateConflict) Together(ctx context.Context, trace string, fn func(ctx context.Context) error) error {
	return l.together.Together(ctx, trace, func(ctx context.Context) error {
		return errors.Join(fn(ctx), errors.New("the disk is full"))
	})
}

// again runs a transaction twice and commits the second run.
type again struct{ together }

func (a again) Together(ctx context.Context, trace string, fn func(ctx context.Context) error) error {
	_ = a.together.Together(ctx, trace, func(ctx context.Context) error {
		return errors.Join(fn(ctx), errors.New("another transaction came between"))
	})
	return a.together.Together(ctx, trace, fn)
}

// TestAtomic: the root fields of a mutation with @atomic are written together or not at all.
func TestAtomic(t *testing.T) {
	b := newBlogWith(t, func(b *projection.Builder) error {
		return errors.Join(handWritten(b), projection.RegisterOperations(b, catalog.Command, graphql.Fields{
			"mail": {Type: graphql.String, Resolve: func(graphql.ResolveParams) (any, error) { return "sent", nil }},
		}))
	})
	const dee = `d: createAuthor(input: {id: "dee", name: "Dee", email: null, age: null, rating: null, address: null})`
	for _, c := range []struct {
		name   string
		atomic resolvers.Transactor
		query  string
		want   string // the beginning of the answer
		has    string // in the answer
		kept   bool   // whether dee is there afterwards
	}{
		{"fails with a later field", together{b.facade}, `mutation @atomic { ` + dee + ` { id } e: updateAuthor(id: "nobody", input: {name: "E"}) { id } }`, `{"data":{"d":null,"e":null},"errors":[{`, `"path":["e"],"extensions":{"code":"NOT_FOUND"`, false},
		{"fails with a null below a field", together{b.facade}, `mutation @atomic { ` + dee + ` { id empty } }`, `{"data":{"d":null},"errors":[{`, `"path":["d","empty"]`, false},
		{"fails with the commit", lateConflict{together{b.facade}}, `mutation @atomic { ` + dee + ` { id } }`, `{"data":{"d":null},"errors":[{`, `INTERNAL_ERROR`, false},
		{"refuses a field of the program", together{b.facade}, `mutation @atomic { ` + dee + ` { id } mail }`, `{"data":{"d":null,"mail":null},"errors":[{"message":"Mutation.mail is answered by code of the program`, `"path":["mail"]`, false},
		{"refuses a host without transactions", nil, `mutation @atomic { ` + dee + ` { id } }`, `{"data":{"d":null},"errors":[{`, `NOT_IMPLEMENTED`, false},
		{"reads what it has written", again{together{b.facade}}, `mutation @atomic { ` + dee + ` { id grumpy } e: updateAuthor(id: "dee", input: {name: "E"}) { name } }`, `{"data":{"d":{"id":"dee","grumpy":null},"e":{"name":"E"}},"errors":[{"message":"go away"`, `"path":["d","grumpy"]`, true},
		{"without the directive keeps what it wrote before", together{b.facade}, `mutation { e: updateAuthor(id: "dee", input: {name: "F"}) { name } f: updateAuthor(id: "nobody", input: {name: "E"}) { id } }`, `{"data":{"e":{"name":"F"},"f":null},"errors":[{`, `"path":["f"]`, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			var err error
			if b.engine, err = resolvers.NewEngine(b.schema, b.recorder, &resolvers.Options{Logger: quiet, Atomic: c.atomic}); err != nil {
				t.Fatal(err)
			}
			got := b.do(c.query, "")
			if !strings.HasPrefix(got, c.want) || !strings.Contains(got, c.has) {
				t.Errorf("%s\n got %s\nwant %s … %s", c.query, got, c.want, c.has)
			}
			if strings.Count(got, `"message"`) > 1 {
				t.Errorf("%s has more than one error", got)
			}
			if kept := strings.Contains(b.do(`{ author(id: "dee") { name } }`, ""), `"name"`); kept != c.kept {
				t.Errorf("the row is kept: %v, want %v", kept, c.kept)
			}
		})
	}
}
