package atomic_test

import (
	"cmp"
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/access"
	"github.com/frondhost/frond/facade/atomic"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/store/storetest"
)

// TestAtomic makes calls together: with references, under rules, and undone by the first failure.
func TestAtomic(t *testing.T) {
	p := storetest.ManyProject(t)
	f := storetest.New(t, p, storetest.NewStore(), nil)
	call := func(user map[string]any, text string) (string, *kiterror.Error) {
		res, err := atomic.Run(context.Background(), f, f.Catalog(), f, access.State{"user": user}, "", json.RawMessage(text))
		if err != nil {
			return "", kiterror.AsError(err)
		}
		return string(res.AppendJSON(nil)), nil
	}
	admin, ann := map[string]any{"id": "admin", "role": "admin"}, map[string]any{"id": "ann", "role": "seller"}
	text, err := call(admin, `{"calls":[
		{"method":"brand.create","params":{"body":{"id":"b"}}},
		{"method":"product.create","params":{"query":{"fields":"id,brandId"},"body":{"id":"p","sku":"aa","price":1,"sellerId":"ann","brandId":{"$result":"0.id"}}}},
		{"method":"product.findById","params":{"params":{"id":{"$result":"1.id"}},"query":{"fields":"sku"}}},
		{"method":"review.createMany","params":{"body":[{"id":"r","productId":{"$result":"1.id"}}]}},
		{"method":"review.findById","params":{"params":{"id":{"$result":"3.items.0.id"}}}}]}`)
	if want := `{"results":[{"id":"b","hidden":false},{"id":"p","brandId":"b"},{"sku":"aa"},{"items":[{"id":"r","productId":"p"}]},{"id":"r","productId":"p"}]}`; err != nil || text != want {
		t.Errorf("got %s, %v\nwant %s", text, err, want)
	}
	for name, c := range map[string]struct {
		user       map[string]any
		calls      string
		code       kiterror.Code
		call       int // -1: none
		pointer    string
		mentioning string
	}{
		"a body that is refused":           {admin, `[{"method":"brand.create","params":{"body":{"id":"x"}}},{"method":"product.create","params":{"body":{"id":"y"}}}]`, kiterror.ValidationFailed, 1, "/calls/1/body/sku", ""},
		"a caller without the right":       {ann, `[{"method":"product.create","params":{"body":{"sku":"bb","price":1}}},{"method":"product.updateMany","params":{"query":{"where":{}},"body":{}}}]`, kiterror.ValidationFailed, 1, "/calls/1/query/where", ""},
		"a row that is not there":          {admin, `[{"method":"brand.create","params":{"body":{"id":"x"}}},{"method":"product.update","params":{"params":{"id":"none"},"body":{"price":1}}}]`, kiterror.NotFound, 1, "", ""},
		"an unknown operation":             {admin, `[{"method":"brand.create","params":{"body":{"id":"x"}}},{"method":"brand.paint"}]`, kiterror.NotFound, 1, "", "paint"},
		"a reference to a later call":      {admin, `[{"method":"brand.create","params":{"body":{"id":{"$result":"1.id"}}}},{"method":"brand.create","params":{"body":{"id":"x"}}}]`, kiterror.ValidationFailed, 0, "/calls/0/body/id", "no earlier call"},
		"a reference that leads nowhere":   {admin, `[{"method":"brand.create","params":{"body":{"id":"x"}}},{"method":"brand.create","params":{"body":{"id":{"$result":"0.name"}}}}]`, kiterror.ValidationFailed, 1, "/calls/1/body/id", "leads nowhere"},
		"a reference beside other members": {admin, `[{"method":"brand.create","params":{"body":{"id":{"$result":"0.id","a":1}}}}]`, kiterror.ValidationFailed, 0, "/calls/0/body/id", "alone"},
		"no calls":                         {admin, `[]`, kiterror.ValidationFailed, -1, "/calls", ""},
		"too many calls":                   {admin, "[" + strings.Repeat(`{"method":"brand.list"},`, 100) + `{"method":"brand.list"}]`, kiterror.ValidationFailed, -1, "/calls", "at most 100"},
		"a method of the protocol":         {admin, `[{"method":"rpc.atomic"}]`, kiterror.ValidationFailed, -1, "/calls/0/method", ""},
		"a part that is none":              {admin, `[{"method":"brand.list","params":{"state":{}}}]`, kiterror.ValidationFailed, -1, "/calls/0/params/state", ""},
	} {
		t.Run(name, func(t *testing.T) {
			text, err := call(c.user, `{"calls":`+c.calls+`}`)
			if err == nil {
				t.Fatalf("answered %s", text)
			}
			if err.Code != c.code || !strings.Contains(err.Message, c.mentioning) && !strings.Contains(string(err.AppendJSON(nil)), c.mentioning) {
				t.Errorf("%v", err)
			}
			if got := err.Call; c.call >= 0 && (got == nil || *got != c.call) || c.call < 0 && got != nil {
				t.Errorf("call %v, want %d", got, c.call)
			}
			if details, _ := err.Details.([]schema.Detail); c.pointer != "" && (len(details) == 0 || details[0].Pointer != c.pointer) {
				t.Errorf("details %v, want %s", details, c.pointer)
			}
			if details, ok := err.Details.(map[string]any); c.pointer == "" && (!ok || details["call"] != float64(c.call)) {
				t.Errorf("details %v, want the call", err.Details)
			}
			if list := listOf(t, f, "brand", `{"fields":"id"}`); !strings.Contains(list, `"items":[{"id":"b"}]`) {
				t.Errorf("something was written: %s", list)
			}
		})
	}
}

// listOf returns the rows of a door.
func listOf(t *testing.T, f *facade.Facade, door, query string) string {
	t.Helper()
	var in facade.Invocation
	if query != "" {
		in.Query = json.RawMessage(query)
	}
	text, err := storetest.Call(t, f, door+".list", in)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// TestAtomicRefusesDetached refuses an operation that no transaction holds, by its name.
func TestAtomicRefusesDetached(t *testing.T) {
	p := storetest.ProjectOf(t, map[string]string{
		"entities/mail.yaml": "type: object\nproperties:\n  id: {type: string, x-kit: {role: {primary: true}}}\n",
		"frond.yaml":         "name: post\ndoors: {mail: {operations: {send: {kind: command}}}}\n",
	})
	ran := false
	facade.Handle(p.Door("mail"), "send", func(context.Context, *facade.Call) (any, error) { ran = true; return nil, nil }, facade.Detached)
	f := storetest.New(t, p, storetest.NewStore(), nil)
	_, err := atomic.Run(context.Background(), f, f.Catalog(), f, nil, "", json.RawMessage(`{"calls":[{"method":"mail.create","params":{"body":{"id":"m"}}},{"method":"mail.send"}]}`))
	e := kiterror.AsError(err)
	if e == nil || e.Code != kiterror.NotImplemented || !strings.Contains(e.Message, "mail.send") || e.Call == nil || *e.Call != 1 || ran {
		t.Errorf("%v, ran %t", err, ran)
	}
	if list := listOf(t, f, "mail", ""); !strings.Contains(list, `"items":[]`) {
		t.Errorf("something was written: %s", list)
	}
}

// transacts counts the transactions of a store, and notes whether the last one had queries alone.
type transacts struct {
	facade.Store
	by       facade.Transactor
	count    int
	readOnly bool
}

func (s *transacts) Abilities() facade.Abilities {
	can := s.Store.Abilities()
	s.by, can.Transactor = can.Transactor, s
	return can
}

func (s *transacts) Transact(ctx context.Context, fn func(context.Context) error) error {
	s.count, s.readOnly = s.count+1, facade.IsReadOnly(ctx)
	return s.by.Transact(ctx, fn)
}

// TestAtomicBegins: a command without the right to it begins no transaction, and queries alone begin
// one that no writer waits for.
func TestAtomicBegins(t *testing.T) {
	for _, c := range []struct {
		name, calls string
		begins      bool
		readOnly    bool
		code        kiterror.Code
		role        string
	}{
		{name: "queries", calls: `[{"method":"product.list"},{"method":"brand.list"}]`, begins: true, readOnly: true},
		{name: "a command", calls: `[{"method":"product.list"},{"method":"product.update","params":{"params":{"id":"none"},"body":{"price":1}}}]`, begins: true, code: kiterror.NotFound},
		{name: "a command without the right", calls: `[{"method":"product.list"},{"method":"product.update","params":{"params":{"id":"none"},"body":{"price":1}}}]`, code: kiterror.Forbidden, role: "clerk"},
	} {
		t.Run(c.name, func(t *testing.T) {
			store := &transacts{Store: storetest.NewStore()}
			f := storetest.New(t, storetest.ManyProject(t), store, nil)
			state := access.State{"user": map[string]any{"id": "ann", "role": cmp.Or(c.role, "admin")}}
			_, err := atomic.Run(t.Context(), f, f.Catalog(), f, state, "", json.RawMessage(`{"calls":`+c.calls+`}`))
			if code := kiterror.CodeOf(err); err != nil && code != c.code || err == nil && c.code != "" || store.count > 0 != c.begins || store.readOnly != c.readOnly {
				t.Errorf("%v; %d transactions, of queries alone: %t", err, store.count, store.readOnly)
			}
		})
	}
}
