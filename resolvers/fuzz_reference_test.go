package resolvers_test

import (
	"context"
	"encoding/json"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/graphql-go/graphql"

	"github.com/frondhost/frond/resolvers"
	"github.com/frondhost/frond/resolvers/binding"
)

// untellable are fields whose failures graphql.Do cannot place: see reference_test.go.
var untellable = map[string]bool{
	"broken": true, "postFails": true, "lazyFail": true, "empty": true, "notAList": true,
	"echo": true, // its text is Go's, and distinguishes an omitted variable from none
}

// alike runs a made-up document in both engines. Where both have errors, their data
// is not compared: graphql.Do loses more of it than it has to.
func (b *blog) alike(t *testing.T, source []byte) (errored bool) {
	t.Helper()
	a := &asker{schema: b.schema.AST, bytes: source, avoid: untellable}
	query, variables, operation := a.document()
	r := b.engine.Execute(context.Background(), &resolvers.Request{Query: query, Variables: json.RawMessage(variables), OperationName: operation})
	defer r.Release()
	var ours struct {
		Data   any
		Errors []any
	}
	decode(t, string(r.Body), &ours)
	p := graphql.Params{
		Schema: b.reference(), RequestString: query, OperationName: operation,
		Context: binding.WithLoaders(context.Background(), b.schema, b.recorder),
	}
	if err := json.Unmarshal([]byte(variables), &p.VariableValues); err != nil {
		t.Fatal(err)
	}
	plain := graphql.Do(p)
	b.calls()
	if !r.Executed {
		t.Fatalf("%s\nwith %s\nis refused: %s", query, variables, r.Body)
	}
	if len(plain.Errors) > 0 || len(ours.Errors) > 0 {
		if len(plain.Errors) == 0 || len(ours.Errors) == 0 {
			t.Fatalf("%s\nwith %s\nplain errors: %v\nours: %v", query, variables, plain.Errors, ours.Errors)
		}
		return true
	}
	text, err := json.Marshal(plain.Data)
	if err != nil {
		t.Fatal(err)
	}
	var want any
	decode(t, string(text), &want)
	if diff := cmp.Diff(want, ours.Data, numbers); diff != "" {
		t.Fatalf("%s\nwith %s\nplain → ours (-/+):\n%s", query, variables, diff)
	}
	return false
}

func newReferenceBlog(t testing.TB) *blog {
	b := newBlogWith(t, handWritten)
	b.limit(t, resolvers.Limits{Aliases: -1})
	return b
}

// TestMadeUp: documents nobody would write, with variables, are answered alike by
// the engine and by graphql.Do.
func TestMadeUp(t *testing.T) {
	b := newReferenceBlog(t)
	n, failed := 400, 0
	if testing.Short() {
		n = 50
	}
	for seed := range n {
		source := make([]byte, 600)
		r := rand.New(rand.NewPCG(uint64(seed), 143))
		for i := range source {
			source[i] = byte(r.Uint32())
		}
		if b.alike(t, source) {
			failed++
		}
	}
	if failed > n/2 {
		t.Errorf("%d of %d had errors: too few of them say anything", failed, n)
	}
}

// FuzzReference: the same, of what the fuzzer finds.
func FuzzReference(f *testing.F) {
	b := newReferenceBlog(f)
	f.Add([]byte{})
	f.Add([]byte("some bytes to begin with, that lead to other fields and other arguments"))
	f.Fuzz(func(t *testing.T, source []byte) { b.alike(t, source) })
}
