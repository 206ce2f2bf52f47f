package remote_test

import (
	"context"
	"encoding/json"
	"slices"
	"testing"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/facade/remote"
	"github.com/frondhost/frond/schema"
)

// door is a door of the Frond "desk", which runs elsewhere.
func door() *catalog.Door {
	return &catalog.Door{Name: "note", Frond: &catalog.Frond{Name: "desk", Remote: "http://there"}}
}

// TestCreate: a host that sets a field itself refuses it once, and is sent no other row with it.
func TestCreate(t *testing.T) {
	var sent []string
	refusal := []schema.Detail{{Path: "owner", Code: schema.ReadOnly}}
	hosts := remote.New(map[string]facade.Caller{"desk": facade.CallerFunc(func(_ context.Context, c *facade.Call) (*facade.Result, error) {
		body := string(c.Invocation.Body)
		if sent = append(sent, body); body == `{"text":"a","owner":"ada"}` {
			return nil, kiterror.Invalid("owner is read-only", refusal...)
		}
		return &facade.Result{}, nil
	})})
	at := facade.RemoteRequest{Door: door()}
	set := schema.Object{{Name: "owner", Value: json.RawMessage(`"ada"`)}}
	create := func(text string) error {
		_, err := hosts.Create(t.Context(), at, &facade.Call{Invocation: facade.Invocation{Body: json.RawMessage(text)}}, set)
		return err
	}
	for _, body := range []string{`{"text":"a"}`, `{"text":"b"}`} {
		if err := create(body); err != nil {
			t.Fatal(err)
		}
	}
	if want := []string{`{"text":"a","owner":"ada"}`, `{"text":"a"}`, `{"text":"b"}`}; !slices.Equal(sent, want) {
		t.Errorf("sent %v, want %v", sent, want)
	}

	at.Door = door() // another one, of which nothing is known yet
	refusal = append(refusal, schema.Detail{Path: "text", Code: "maxLength"})
	if err := create(`{"text":"a"}`); kiterror.CodeOf(err) != kiterror.ValidationFailed || len(sent) != 4 {
		t.Errorf("a refusal of another field: %v, after %d calls; want VALIDATION_FAILED and no second try", err, len(sent))
	}
}

// TestWithoutCaller: no method reaches a Frond that nothing carries calls to.
func TestWithoutCaller(t *testing.T) {
	hosts, at, ctx := remote.New(nil), facade.RemoteRequest{Door: door()}, t.Context()
	for name, call := range map[string]func() (*facade.Result, error){
		"Call":   func() (*facade.Result, error) { return hosts.Call(ctx, at, &facade.Call{}) },
		"Create": func() (*facade.Result, error) { return hosts.Create(ctx, at, &facade.Call{}, nil) },
		"List":   func() (*facade.Result, error) { return hosts.List(ctx, at, &facade.Call{}, facade.RemoteList{}) },
		"Find":   func() (*facade.Result, error) { return hosts.Find(ctx, at, nil, nil, nil) },
	} {
		if _, err := call(); kiterror.CodeOf(err) != kiterror.ServiceUnavailable {
			t.Errorf("%s: %v, want SERVICE_UNAVAILABLE", name, err)
		}
	}
}

// TestCountWords: a host is asked for a total in the words that its card of the list has.
func TestCountWords(t *testing.T) {
	sent := ""
	hosts := remote.New(map[string]facade.Caller{"desk": facade.CallerFunc(func(_ context.Context, c *facade.Call) (*facade.Result, error) {
		sent = string(c.Invocation.Query)
		return &facade.Result{}, nil
	})})
	for _, test := range []struct {
		about           string
		takes           []string // nil: every key
		count, estimate bool
		want            string
	}{
		{"no total", nil, false, false, `{"total":false,"limit":5}`},
		{"an estimate", nil, true, true, `{"count":"estimated","limit":5}`},
		{"an exact total", nil, true, false, `{"limit":5}`},
		{"no total of a host without total", []string{"count"}, false, false, `{"count":false,"limit":5}`},
		{"a total of a host without total", []string{"count"}, true, true, `{"count":true,"limit":5}`},
		{"no total of a host with neither", []string{"limit"}, false, false, `{"limit":5}`},
	} {
		op := &catalog.Operation{Name: "list", TakenKeys: test.takes}
		l := facade.RemoteList{Op: op, Query: json.RawMessage(`{"count":"exact"}`), Limit: 5, Count: test.count, Estimate: test.estimate}
		if _, err := hosts.List(t.Context(), facade.RemoteRequest{Door: door()}, &facade.Call{}, l); err != nil || sent != test.want {
			t.Errorf("%s: sent %s, %v; want %s", test.about, sent, err, test.want)
		}
	}
}
