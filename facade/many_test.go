package facade_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/access"
	"github.com/frondhost/frond/facade/atomic"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/facade/remote"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/store/storetest"
)

// TestManyOfARemote: the operations that a remote lists run there, with its verdicts; those that it
// does not list are unknown here, whatever the cards of this host say. Calls as one transaction
// refuse all of them.
func TestManyOfARemote(t *testing.T) {
	for _, opened := range []bool{true, false} {
		p := storetest.ManyProject(t)
		if !opened {
			for _, f := range p.Fronds {
				f.Config.Data = bytes.ReplaceAll(bytes.Replace(f.Config.Data, []byte("many:"), []byte("# many:"), 1), []byte(", createMany"), nil) // as an older host
			}
		}
		there := served(t, storetest.New(t, p, storetest.NewStore(), nil))
		document, err := there.Discover(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		known, err := schema.ReadDiscovery(document)
		if err != nil {
			t.Fatal(err)
		}
		here := storetest.ManyProject(t)
		remotes := map[string]facade.Caller{}
		for i, f := range here.Fronds {
			f.Remote, f.Known = "http://there.example", &known.Fronds[i]
			remotes[f.Name] = there
		}
		f, err := facade.New(storetest.Compiled(t, here), nil, &facade.Options{Remotes: remote.New(remotes)})
		if err != nil {
			t.Fatal(err)
		}
		for name := range remotes {
			remotes[name] = there.With(f.Catalog())
		}
		admin := access.State{"user": map[string]any{"id": "admin", "role": "admin"}}
		call := func(method, query, body string) string {
			entity, op, _ := strings.Cut(method, ".")
			res, err := f.Call(t.Context(), &facade.Call{Entity: entity, Operation: op, Invocation: facade.Invocation{Query: raw(query), Body: raw(body), State: admin}})
			if err != nil {
				e := kiterror.AsError(err)
				text := string(e.Code)
				if details, ok := e.Details.([]schema.Detail); ok {
					text += " " + details[0].Pointer
				}
				return text
			}
			return string(res.AppendJSON(nil))
		}
		for _, c := range []struct{ method, query, body, want string }{
			{"product.createMany", `{"fields":"sku"}`, `[{"sku":"aa","price":1,"sellerId":"s"},{"sku":"bb","price":2,"sellerId":"s"}]`, `{"items":[{"sku":"aa"},{"sku":"bb"}]}`},
			{"product.createMany", ``, `[{"sku":"cc","price":1,"sellerId":"s"},{"sku":"dd","sellerId":"s"}]`, `VALIDATION_FAILED /body/1/price`},
			{"product.updateMany", `{"where":{"price":{"lt":9}},"max":2}`, `{"price":3}`, `{"count":2}`},
			{"product.updateMany", `{"where":{"price":{"lt":9}},"max":1}`, `{"price":3}`, `UNPROCESSABLE_ENTITY`},
			{"product.upsert", `{"by":"sku","fields":"price"}`, `{"sku":"bb","price":4,"sellerId":"s"}`, `{"created":false,"item":{"price":4}}`},
			{"product.deleteMany", `{"where":{"sku":{"eq":"bb"}}}`, ``, `{"count":1}`},
		} {
			want := c.want
			if !opened {
				want = "NOT_FOUND"
			}
			if got := call(c.method, c.query, c.body); got != want {
				t.Errorf("the remote has it: %v: %s %s %s: got %s, want %s", opened, c.method, c.query, c.body, got, want)
			}
		}
		_, err = atomic.Run(t.Context(), f, f.Catalog(), f, admin, "", raw(`{"calls":[{"method":"product.list"}]}`))
		if e := kiterror.AsError(err); e == nil || e.Code != kiterror.NotImplemented || e.Entity != "product" || e.Operation != "list" {
			t.Errorf("an atomic call of a remote: %v, want NOT_IMPLEMENTED of product.list", err)
		}
	}
}

// TestAccessOfMany: the table of rights has the writes of many rows.
func TestAccessOfMany(t *testing.T) {
	p := storetest.ManyProject(t)
	f := storetest.New(t, p, storetest.NewStore(), nil)
	var got []string
	for _, a := range f.Catalog().Access {
		if a.Door != "product" || a.Fact != "" {
			continue
		}
		for _, r := range a.Rules {
			got = append(got, strings.Join(r.Opens, " ")+" | "+strings.Join(r.Denies, " "))
		}
	}
	want := []string{
		"list findById findByIds aggregate create update delete createMany updateMany deleteMany upsert import | ",
		"list findById findByIds aggregate create delete deleteMany | update createMany updateMany upsert import",
		"list findById findByIds aggregate create update delete createMany updateMany deleteMany upsert import | ",
		"list findById findByIds aggregate | create update delete createMany updateMany deleteMany upsert import",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("opens | denies (-want +got):\n%s", diff)
	}
}

func TestMany(t *testing.T) {
	storetest.RunMany(t, storetest.Harness{Open: func(testing.TB, []*schema.Entity) facade.Store { return storetest.NewStore() }})
}
