package support

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/access"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/schema"
)

type fields struct {
	Gone  Opt[string]          `json:"gone,omitzero"`
	Null  Opt[*string]         `json:"null,omitzero"`
	List  Opt[[]int]           `json:"list,omitzero"`
	Maybe Opt[*[]int]          `json:"maybe,omitzero"`
	Raw   Opt[json.RawMessage] `json:"raw,omitzero"`
	Must  List[int]            `json:"must"`
}

// TestPresence holds that absent, null, empty and a value are four things, there and back.
func TestPresence(t *testing.T) {
	for text, in := range map[string]fields{
		`{"must":[]}`:                              {},
		`{"gone":"","must":[]}`:                    {Gone: Set("")},
		`{"null":null,"must":[]}`:                  {Null: Set[*string](nil)},
		`{"null":"x","must":[1]}`:                  {Null: Set(new("x")), Must: []int{1}},
		`{"list":[],"must":[]}`:                    {List: Set([]int(nil))},
		`{"list":[1],"maybe":[],"must":[]}`:        {List: Set([]int{1}), Maybe: Set(new([]int{}))},
		`{"maybe":null,"must":[]}`:                 {Maybe: Set[*[]int](nil)},
		`{"raw":null,"must":[]}`:                   {Raw: Set[json.RawMessage](nil)},
		`{"raw":{"a":9007199254740993},"must":[]}`: {Raw: Set(json.RawMessage(`{"a":9007199254740993}`))},
	} {
		got, err := json.Marshal(in)
		if err != nil || string(got) != text {
			t.Errorf("%s (%v), want %s", got, err, text)
		}
		var back fields
		if err := json.Unmarshal([]byte(text), &back); err != nil {
			t.Error(err)
		}
		if again, err := json.Marshal(back); err != nil || string(again) != text {
			t.Errorf("there and back, %s is %s (%v)", text, again, err)
		}
	}
}

// TestParts holds which part of an invocation each member goes into.
func TestParts(t *testing.T) {
	type in struct {
		ID   string      `json:"id"`
		Loud Opt[bool]   `json:"loud,omitzero"`
		Note *string     `json:"note"`
		More Opt[string] `json:"more,omitzero"`
	}
	var sent facade.Invocation
	d := door{&conn{caller: facade.CallerFunc(func(_ context.Context, c *facade.Call) (*facade.Result, error) {
		sent = c.Invocation
		return &facade.Result{}, nil
	}), state: access.State{"user": "ada"}}, "thing"}
	for _, c := range []struct {
		name                string
		params, query       []string
		body                bool
		wantP, wantQ, wantB string
	}{
		{"all three", []string{"id"}, []string{"loud"}, true, `{"id":"x"}`, `{"loud":true}`, `{"note":null}`},
		{"no part is there without a member", []string{"id", "note", "loud"}, []string{}, true, `{"id":"x","loud":true,"note":null}`, `{}`, `{}`},
		{"a part that the operation has not is not sent", []string{"id", "note", "loud"}, nil, false, `{"id":"x","loud":true,"note":null}`, ``, ``},
		{"the body alone", nil, nil, true, ``, ``, `{"id":"x","loud":true,"note":null}`},
	} {
		if _, err := d.parts(t.Context(), "touch", in{ID: "x", Loud: Set(true)}, c.params, c.query, c.body); err != nil {
			t.Error(err)
		}
		if string(sent.Params) != c.wantP || string(sent.Query) != c.wantQ || string(sent.Body) != c.wantB || sent.State["user"] != "ada" {
			t.Errorf("%s: %s %s %s %v", c.name, sent.Params, sent.Query, sent.Body, sent.State)
		}
	}
	if _, err := d.ask(t.Context(), "touch", nil, nil, func() {}); kiterror.CodeOf(err) != kiterror.ValidationFailed {
		t.Errorf("what is no JSON: %v", err)
	}
}

// TestOptions holds what the options of a call are on the wire.
func TestOptions(t *testing.T) {
	var sent facade.Invocation
	d := door{&conn{caller: facade.CallerFunc(func(_ context.Context, c *facade.Call) (*facade.Result, error) {
		sent = c.Invocation
		return &facade.Result{}, nil
	})}, "thing"}
	for want, options := range map[string][]CallOption{
		``:                      nil,
		`{"ifMatch":["v"]}`:     {IfMatch("v")},
		`{"ifMatch":["v","w"]}`: {IfMatch("v"), IfMatch("w")},
		`{"fields":["*","etag"],"ifMatch":["v"]}`:           {IfMatch("v"), Fields("*", "etag")},
		`{"where":{"price":{"gte":10}}}`:                    {Where(Filter{"price": Filter{"gte": 10}})},
		`{"where":{"and":[{"a":{"eq":1}},{"b":{"eq":2}}]}}`: {Where(Filter{"a": Filter{"eq": 1}}), Where(Filter{"b": Filter{"eq": 2}})},
		`{"where":null}`: {Where(nil)}, // likewise
		`{"ifMatch":[]}`: {IfMatch()},  // the condition is not dropped: the host refuses it
	} {
		if _, err := d.ask(t.Context(), "update", nil, queryOf(options), nil); err != nil || string(sent.Query) != want {
			t.Errorf("%s (%v), want %s", sent.Query, err, want)
		}
	}
}

// TestCheck holds what is refused before it is sent, and where it is said to stand.
func TestCheck(t *testing.T) {
	all := judgesOf([]byte(`{"x-kit-version":1,"fronds":[{"name":"f","doors":[{"name":"thing","ops":[
		{"name":"touch","kind":"command","params":{"type":"object","properties":{"id":{"type":"string","minLength":2}},"required":["id"]},"input":{"type":"object","properties":{"note":{"type":"string","maxLength":1}}}},
		{"name":"update","kind":"command","mode":"patch","params":{"type":"object","properties":{"id":{"type":"string"}},"required":["id"]},"input":{"title":"thing","type":"object","properties":{"n":{"type":"integer","minimum":1,"x-kit":{"boundary":{"in":{"decode":"ourOwn"}}}},"in":{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"string"}},"required":["a","b"]}}}}
	]}],"facts":[]}]}`))
	for _, c := range []struct {
		op     string
		in     any
		params []string
		want   string
	}{
		{"touch", map[string]any{"id": "xx", "note": "a"}, []string{"id"}, ""},
		{"touch", map[string]any{"id": "x", "note": "ab"}, []string{"id"}, "/params/id minLength, /body/note maxLength"},
		{"touch", map[string]any{}, []string{"id"}, "/params/id required"},
		{"update", map[string]any{"n": 0}, nil, "/body/n minimum"},
		{"update", map[string]any{"in": map[string]any{"a": "x"}}, nil, ""}, // merged with what is there
		{"update", map[string]any{"in": nil}, nil, "/body/in type"},
		{"update", map[string]any{"more": 1}, nil, "/body/more unknown_key"},
	} {
		err := all.check("thing."+c.op, c.in, c.params, nil)
		got := ""
		if err != nil {
			text, _ := json.Marshal(kiterror.AsError(err).Details)
			var details []struct{ Pointer, Code string }
			if err := json.Unmarshal(text, &details); err != nil {
				t.Fatal(err)
			}
			for i, d := range details {
				if i > 0 {
					got += ", "
				}
				got += d.Pointer + " " + d.Code
			}
		}
		if got != c.want {
			t.Errorf("%s of %v: %q, want %q", c.op, c.in, got, c.want)
		}
	}
}

// TestCheckOfNestedRows: the rows of an owner are judged by their own cards, in their places.
func TestCheckOfNestedRows(t *testing.T) {
	order := `{"title":"order","type":"object","properties":{"id":{"type":"string","x-kit":{"role":{"primary":true}}},"note":{"type":"string","maxLength":1},
		"lines":{"type":"array","items":{"type":"string"},"x-kit":{"role":{"relation":{"to":"line","kind":"many"}}}},
		"tags":{"type":"array","items":{"type":"string"},"x-kit":{"role":{"relation":{"to":"tag","kind":"many","through":"ordertag"}}}}},"required":["id","note"]}`
	line := `{"title":"line","type":"object","properties":{"id":{"type":"string","x-kit":{"role":{"primary":true},"lifecycle":{"create":{"generate":"nanoid"}}}},
		"orderId":{"type":"string","x-kit":{"role":{"relation":{"to":"order","kind":"one","onDelete":"cascade"}}}},"sku":{"type":"string","minLength":2}},"required":["orderId","sku"]}`
	link := `{"title":"ordertag","type":"object","properties":{"id":{"type":"string","x-kit":{"role":{"primary":true}}},
		"orderId":{"type":"string","x-kit":{"role":{"relation":{"to":"order","kind":"one","onDelete":"cascade"}}}},"tagId":{"type":"string","x-kit":{"role":{"relation":{"to":"tag","kind":"one"}}}}},"required":["id","orderId","tagId"]}`
	tag := `{"title":"tag","type":"object","properties":{"id":{"type":"string","x-kit":{"role":{"primary":true}}}},"required":["id"]}`
	writes := func(card string) string {
		return `"ops":[{"name":"create","kind":"command","input":` + card + `},{"name":"update","kind":"command","mode":"patch","params":{"type":"object","properties":{"id":{"type":"string"}},"required":["id"]},"input":` + card + `}],"schema":` + card
	}
	all := judgesOf([]byte(`{"x-kit-version":1,"fronds":[{"name":"f","doors":[{"name":"order",` + writes(order) + `,"nested":["lines","tags"]},{"name":"line",` + writes(line) + `},{"name":"orderTag",` + writes(link) + `},{"name":"tag",` + writes(tag) + `}],"facts":[]}]}`))
	for in, want := range map[string]string{
		`create {"id":"a","note":"n","lines":{"create":[{"sku":"aa"},{"id":"l","sku":"bb"}]},"tags":{"connect":["t"]}}`: "",
		`create {"id":"a","note":"n","lines":{"create":[{"sku":"aa"},{"sku":"b"},{}]}}`:                                 "lines.create.1.sku minLength, lines.create.2.sku required",
		`create {"id":"a","note":"long","lines":{"create":[{"sku":"b"}]}}`:                                              "note maxLength",
		`create {"id":"a","note":"n","lines":{"create":[],"set":[]},"tags":{"create":[]}}`:                              "lines set, tags.create unknown_key",
		`update {"lines":{"update":[{"id":"l","sku":"b"},{"id":"m"},{"sku":"cc"}],"delete":["n"]}}`:                     "lines.update.2.id required",
		`update {"lines":{"update":[{"id":"l","sku":"b"},{"id":"m"}],"delete":["n"]}}`:                                  "lines.update.0.sku minLength",
		`update {"lines":{"set":[{"id":"l"},{"sku":"b"},{"sku":"bb","more":1}]},"tags":{"set":["t"]}}`:                  "lines.set.1.sku minLength, lines.set.2.more unknown_key",
	} {
		op, body, _ := strings.Cut(in, " ")
		err := all.check("order."+op, json.RawMessage(body), nil, nil)
		var got []string
		if err != nil {
			for _, d := range kiterror.AsError(err).Details.([]schema.Detail) {
				got = append(got, d.Path+" "+d.Code)
			}
		}
		if strings.Join(got, ", ") != want {
			t.Errorf("%s: %v %q, want %q", in, err, got, want)
		}
	}
}

func TestCheckOfABrokenContract(t *testing.T) {
	for _, text := range []string{`{`, `{"x-kit-version":1,"fronds":[{"name":"f","doors":[{"name":"a","ops":[{"name":"b","input":{"type":"object","properties":{"c":{"type":7}}}}]}]}]}`} {
		err := judgesOf([]byte(text)).check("a.b", nil, nil, nil)
		if kiterror.CodeOf(err) != kiterror.InternalError {
			t.Errorf("%s: %v", text, err)
		}
	}
}

func TestIDs(t *testing.T) {
	if text, err := json.Marshal(ids[string]{}); err != nil || string(text) != `{"ids":[]}` {
		t.Errorf("no ids are %s (%v)", text, err)
	}
}

func TestOne(t *testing.T) {
	for text, want := range map[string]kiterror.Code{`{"id":"x"}`: "", `null`: kiterror.BadGateway, `[]`: kiterror.BadGateway, `{"id":1}`: kiterror.BadGateway} {
		_, err := one[id[string]](json.RawMessage(text), nil)
		if err == nil != (want == "") || err != nil && kiterror.CodeOf(err) != want {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}

// TestPatchOf holds that a patch has what changed, and that a cleared field without null is refused
// before anything is sent.
func TestPatchOf(t *testing.T) {
	all := judgesOf([]byte(`{"x-kit-version":1,"fronds":[{"name":"f","doors":[{"name":"thing","ops":[
		{"name":"update","kind":"command","mode":"patch","params":{"type":"object","properties":{"id":{"type":"string"}},"required":["id"]},"input":{"title":"thing","type":"object","properties":{
			"id":{"type":"string","x-kit":{"role":{"primary":true}}},"n":{"type":"integer"},"nick":{"type":"string"},"note":{"type":["string","null"]},"made":{"type":"string","x-kit":{"boundary":{"in":"closed"}}}}}}
	]}],"facts":[]}]}`))
	type row struct {
		ID   string  `json:"id"`
		N    int     `json:"n"`
		Nick *string `json:"nick,omitempty"`
		Note *string `json:"note"`
		Made string  `json:"made"`
	}
	type patch struct {
		N    Opt[int]     `json:"n,omitzero"`
		Nick Opt[string]  `json:"nick,omitzero"`
		Note Opt[*string] `json:"note,omitzero"`
	}
	before := row{"a", 1, new("x"), new("n"), "then"}
	for _, c := range []struct {
		after row
		want  string
	}{
		{row{"b", 1, new("x"), new("n"), "now"}, `{}`},
		{row{"a", 2, new("y"), nil, "then"}, `{"n":2,"nick":"y","note":null}`},
		{row{"a", 2, nil, new("n"), "then"}, "thing.update: VALIDATION_FAILED: nick must be a string, not null"},
	} {
		got, err := patchOf[patch](all, "thing.update", &before, &c.after)
		text, _ := json.Marshal(got)
		if err != nil {
			text = []byte(err.Error())
		}
		if string(text) != c.want {
			t.Errorf("got %s, want %s", text, c.want)
		}
	}
}

// TestManyRows: the options of writes of many rows, and the rows of their answer.
func TestManyRows(t *testing.T) {
	text, err := json.Marshal(queryOf([]CallOption{Max(3), DryRun(), Faults(2)}, keyed("list,position"), Where(nil)))
	if want := `{"by":"list,position","dryRun":true,"faults":2,"max":3,"where":null}`; err != nil || string(text) != want {
		t.Errorf("%s, %v; want %s", text, err, want)
	}
	if list, err := items[int](json.RawMessage(`{"items":[1,2]}`), nil); err != nil || len(list) != 2 {
		t.Error(list, err)
	}
	if _, err := items[int](json.RawMessage(`[1]`), nil); err == nil {
		t.Error("a bare list is taken")
	}
}
