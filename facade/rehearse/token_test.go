package rehearse

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/schema"
)

// texts are the texts of a store in memory.
type texts map[string]json.RawMessage

func (t texts) Value(_ context.Context, key string) (json.RawMessage, int64, error) {
	return t[key], 1, nil
}

func (t texts) SetValue(_ context.Context, key string, _ int64, text json.RawMessage) (bool, error) {
	if t[key] = text; text == nil {
		delete(t, key)
	}
	return true, nil
}

func (t texts) Values(_ context.Context, prefix string) (map[string]json.RawMessage, error) {
	all := map[string]json.RawMessage{}
	for key, text := range t {
		if strings.HasPrefix(key, prefix) {
			all[key] = text
		}
	}
	return all, nil
}

// sealerAt is a sealer of a call at a time.
func sealerAt(t *testing.T, store texts, now time.Time, body, token string) (*sealer, error) {
	t.Helper()
	s := &sealer{values: store, now: now, call: digestOf([]*facade.Call{{Entity: "Order", Operation: "update", Invocation: facade.Invocation{ID: []byte(`"o1"`), Body: []byte(body)}}})}
	s.keep = func(ctx context.Context, key string, text json.RawMessage) error {
		_, err := store.SetValue(ctx, key, 0, text)
		return err
	}
	return s, s.open(t.Context(), token)
}

// recordOf is a record of n changes, of which one is another one.
func recordOf(n, other int) *record {
	r := &record{}
	for i := range n {
		r.changes = append(r.changes, &change{text: fmt.Append(nil, i, i == other)})
	}
	return r
}

// TestTokens: a token is opened by the same store, for the same call, within the hour.
func TestTokens(t *testing.T) {
	store, now := texts{}, time.Now()
	s, err := sealerAt(t, store, now, `{"a":1,"b":[1.50,{"c":2,"d":3}]}`, "")
	if err != nil {
		t.Fatal(err)
	}
	for _, changes := range []int{0, 1, 80, 81, 20000} {
		token := s.seal(recordOf(changes, -1))
		if len(token) != 928 {
			t.Errorf("the token of %d changes has %d characters", changes, len(token))
		}
		for _, c := range []struct {
			name  string
			store texts
			at    time.Time
			body  string
			want  string
		}{
			{"the same", store, now.Add(59 * time.Minute), ` {"b":[1.50, {"d":3,"c":2}], "a":1}`, ""},
			{"another value", store, now, `{"a":1,"b":[1.50,{"c":2,"d":4}]}`, "PRECONDITION_FAILED other call"},
			{"null in place of absence", store, now, `{"a":1,"b":[1.50,{"c":2,"d":3}],"e":null}`, "PRECONDITION_FAILED other call"},
			{"an hour later", store, now.Add(61 * time.Minute), `{"a":1,"b":[1.50,{"c":2,"d":3}]}`, "PRECONDITION_FAILED expired"},
			{"another store", texts{}, now, `{"a":1,"b":[1.50,{"c":2,"d":3}]}`, "VALIDATION_FAILED "},
		} {
			own, err := sealerAt(t, c.store, c.at, c.body, token)
			got := ""
			if err != nil {
				e := kiterror.AsError(err)
				details, _ := e.Details.(map[string]any)
				reason, _ := details["reason"].(string)
				got = string(e.Code) + " " + reason
			}
			if got != c.want {
				t.Errorf("%d changes, %s: got %q, want %q", changes, c.name, got, c.want)
			}
			if err == nil && own.differs(recordOf(changes, -1)) != -1 {
				t.Errorf("%d changes differ from themselves", changes)
			}
		}
	}
}

// TestDiffers: the first change that differs is found, and named if the token says which it is.
func TestDiffers(t *testing.T) {
	store, now := texts{}, time.Now()
	for _, c := range []struct{ rehearsed, now, other, place int }{
		{3, 3, 1, 1}, {3, 4, -1, 3}, {3, 2, -1, 2}, {0, 1, -1, 0}, {1, 0, -1, 0}, {80, 80, 79, 79}, {81, 81, 80, 40}, {20000, 20000, 19999, 79}, {20000, 20001, -1, 0},
	} {
		s, err := sealerAt(t, store, now, `{}`, "")
		if err != nil {
			t.Fatal(err)
		}
		opened, err := sealerAt(t, store, now, `{}`, s.seal(recordOf(c.rehearsed, -1)))
		if err != nil {
			t.Fatal(err)
		}
		after := recordOf(c.now, c.other)
		place := opened.differs(after)
		if place != c.place {
			t.Errorf("%d changes after %d, of which %d is another: place %d, want %d", c.now, c.rehearsed, c.other, place, c.place)
		}
		if one := after.single(place); (one != nil) != (c.now <= maxGroups && place < c.now) {
			t.Errorf("%d changes: the change at %d is named: %t", c.now, place, one != nil)
		}
	}
}

// TestUsed: a token is used once, and forgotten after its end.
func TestUsed(t *testing.T) {
	store, now := texts{}, time.Now()
	s, err := sealerAt(t, store, now, `{}`, "")
	if err != nil {
		t.Fatal(err)
	}
	token := s.seal(recordOf(1, -1))
	if s, err = sealerAt(t, store, now, `{}`, token); err != nil {
		t.Fatal(err)
	}
	if err := s.use(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := sealerAt(t, store, now, `{}`, token); kiterror.CodeOf(err) != kiterror.PreconditionFailed {
		t.Errorf("the second use: %v", err)
	}
	s.sweep(t.Context())
	if len(store) != 2 {
		t.Errorf("a used token is forgotten too early: %v", store)
	}
	s.now = now.Add(61 * time.Minute)
	if s.sweep(t.Context()); len(store) != 1 {
		t.Errorf("a token is kept after its end: %v", store)
	}
}

// TestStableText: a change has one text in each run, whatever generators and clocks give.
func TestStableText(t *testing.T) {
	card, err := schema.ReadCard("order.yaml", []byte(`{"type":"object","properties":{
		"id": {"type":"string","x-kit":{"role":{"primary":true},"lifecycle":{"create":{"generate":"cuid2"}}}},
		"code": {"type":"string","x-kit":{"lifecycle":{"create":{"generate":"nanoid"}}}},
		"at": {"type":"string","format":"date-time"}, "note": {"type":"string"},
		"next": {"type":"string","x-kit":{"role":{"relation":{"to":"order","kind":"one"}}}},
		"all": {"type":"array","items":{"type":"string"},"x-kit":{"role":{"relation":{"to":"order","kind":"many"}}}}}}`))
	if err != nil {
		t.Fatal(err)
	}
	set, err := schema.Compile([]schema.Source{{Name: "order", Card: card}}, schema.Builtins(), nil)
	if err != nil {
		t.Fatal(err)
	}
	e := set.Entity("order")
	r := &record{began: time.Now()}
	text := func(key, row string) string {
		c := &change{entity: e, key: json.RawMessage(key)}
		return string(r.textOf(c, json.RawMessage(row), map[rowOf]int{{e, key}: 0}))
	}
	at := func(d time.Duration) string { return time.Now().Add(d).UTC().Format(time.RFC3339Nano) }
	// A time that the row had before is a value like others, however recent.
	recent := `"` + at(0) + `"`
	{
		c := &change{entity: e, key: json.RawMessage(`"a1"`), before: []byte("b"), times: map[string]string{"at": recent}}
		if got := string(r.textOf(c, json.RawMessage(`{"id":"a1","at":`+recent+`}`), nil)); !strings.Contains(got, recent) {
			t.Errorf("the text %q has no time of before", got)
		}
	}
	one := text(`"a1"`, `{"id":"a1","code":"x","at":"`+at(0)+`","note":"n"}`)
	for rowA, same := range map[string]bool{
		`{"id":"a1","next":"a1","all":["x","a1"]}`: true,  // keys that a generator made
		`{"id":"a1","note":"a1"}`:                  false, // a text that is the same by chance
		`{"id":"a1","all":["a1","x"],"next":null}`: true,
	} {
		if got := text(`"a1"`, rowA) == text(`"b2"`, strings.ReplaceAll(rowA, "a1", "b2")); got != same {
			t.Errorf("%s: equal %t, want %t", rowA, got, same)
		}
	}
	for name, c := range map[string]struct {
		row  string
		same bool
	}{
		"generated values and a time of the run": {`{"id":"b2","code":"y","at":"` + at(time.Second) + `","note":"n"}`, true},
		"another time":                           {`{"id":"b2","code":"y","at":"` + at(-time.Hour) + `","note":"n"}`, false},
		"another note":                           {`{"id":"b2","code":"y","at":"` + at(0) + `","note":"m"}`, false},
	} {
		if got := text(`"b2"`, c.row) == one; got != c.same {
			t.Errorf("%s: equal %t, want %t", name, got, c.same)
		}
	}
}
