package facade_test

import (
	"testing"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/schema/jsontext"
)

// patched is a field of the note after a patch over what stands there.
func patched(t *testing.T, merge bool, field, stands, patch string) (string, *kiterror.Error) {
	t.Helper()
	f, _ := notes(t, nil)
	staff := user(f, "role", "staff")
	must(t, staff, "note.update", `{"id":"n"}`, "", `{"`+field+`":null}`)
	must(t, staff, "note.update", `{"id":"n"}`, "", `{"`+field+`":`+stands+`}`)
	res, err := staff.Call(t.Context(), &facade.Call{Entity: "note", Operation: "update", Merge: merge, Invocation: facade.Invocation{
		Params: raw(`{"id":"n"}`), Body: raw(`{"` + field + `":` + patch + `}`),
	}})
	if err != nil {
		return "", kiterror.AsError(err)
	}
	return string(jsontext.Get(res.AppendJSON(nil), field)), nil
}

// TestMergePatches is the table in the appendix of RFC 7396, for a field that is any
// JSON, as far as its values are those of one member: of the whole row the members
// are the card's.
func TestMergePatches(t *testing.T) {
	for _, c := range [][3]string{
		{`{"a":"b"}`, `{"a":"c"}`, `{"a":"c"}`},
		{`{"a":"b"}`, `{"b":"c"}`, `{"a":"b","b":"c"}`},
		{`{"a":"b"}`, `{"a":null}`, `{}`},
		{`{"a":"b","b":"c"}`, `{"a":null}`, `{"b":"c"}`},
		{`{"a":["b"]}`, `{"a":"c"}`, `{"a":"c"}`},
		{`{"a":"c"}`, `{"a":["b"]}`, `{"a":["b"]}`},
		{`{"a":{"b":"c"}}`, `{"a":{"b":"d","c":null}}`, `{"a":{"b":"d"}}`},
		{`{"a":[{"b":"c"}]}`, `{"a":[1]}`, `{"a":[1]}`},
		{`["a","b"]`, `["c","d"]`, `["c","d"]`},
		{`{"a":"b"}`, `["c"]`, `["c"]`},
		{`{"a":"foo"}`, `null`, `null`},
		{`{"a":"foo"}`, `"bar"`, `"bar"`},
		{`{"e":null}`, `{"a":1}`, `{"e":null,"a":1}`},
		{`[1,2]`, `{"a":"b","c":null}`, `{"a":"b"}`},
		{`{}`, `{"a":{"bb":{"ccc":null}}}`, `{"a":{"bb":{}}}`},
	} {
		if got, err := patched(t, true, "any", c[0], c[1]); err != nil || got != c[2] {
			t.Errorf("%s patched by %s: %s, %v; want %s", c[0], c[1], got, err, c[2])
		}
	}
}

// What a patch that does not call itself a merge patch does to objects, and where the
// judge has another word than the RFC.
func TestPatchesOfObjects(t *testing.T) {
	for _, c := range []struct {
		name                 string
		merge                bool
		field, stands, patch string
		want                 string
	}{
		{"an open object is replaced", false, "open", `{"a":1,"b":2}`, `{"a":null}`, `{"a":null}`},
		{"and merged by a merge patch", true, "open", `{"a":1,"b":2}`, `{"a":null}`, `{"b":2}`},
		{"an object with members is merged", false, "place", `{"street":"a","town":"b"}`, `{"town":"c"}`, `{"street":"a","town":"c"}`},
		{"by a merge patch as well", true, "place", `{"street":"a","town":"b"}`, `{"town":"c"}`, `{"street":"a","town":"c"}`},
		{"null is a value where it may be", true, "place", `{"street":"a","floor":3}`, `{"floor":null}`, `{"street":"a","floor":null}`},
		{"and refused where it may not", true, "place", `{"street":"a","town":"b"}`, `{"town":null}`, "/body/place/town type: must be a string, not null"},
		{"an object with members in another one", false, "place", `{"street":"a","at":{"lat":1,"lon":2}}`, `{"at":{"lat":3}}`, `{"street":"a","at":{"lon":2,"lat":3}}`},
		{"and by a merge patch", true, "place", `{"street":"a","at":{"lat":1,"lon":2}}`, `{"at":{"lat":3}}`, `{"street":"a","at":{"lon":2,"lat":3}}`},
		{"a further member of it is replaced", false, "place", `{"street":"a","at":{"lat":1,"on":{"x":1}}}`, `{"at":{"on":{"y":2},"by":null}}`, `{"street":"a","at":{"lat":1,"on":{"y":2},"by":null}}`},
		{"and merged by a merge patch", true, "place", `{"street":"a","at":{"lat":1,"on":{"x":1},"by":1}}`, `{"at":{"on":{"y":2},"by":null}}`, `{"street":"a","at":{"lat":1,"on":{"x":1,"y":2}}}`},
		{"a member that is open is replaced", false, "place", `{"street":"a","marks":{"x":1,"y":2}}`, `{"marks":{"x":null}}`, `{"street":"a","marks":{"x":null}}`},
		{"and merged by a merge patch", true, "place", `{"street":"a","marks":{"x":1,"y":2}}`, `{"marks":{"x":null}}`, `{"street":"a","marks":{"y":2}}`},
		{"an object in an object that is open", false, "open", `{"a":{"b":1}}`, `{"a":{"c":2}}`, `{"a":{"c":2}}`},
	} {
		got, err := patched(t, c.merge, c.field, c.stands, c.patch)
		if err != nil {
			got = refusals(err)
		}
		if got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

// Two merge patches of one open object keep each other's members.
func TestMergePatchesOfOneObject(t *testing.T) {
	f, store := notes(t, nil)
	staff := user(f, "role", "staff")
	store.rival = func() {
		if _, err := staff.Call(t.Context(), &facade.Call{Entity: "note", Operation: "update", Merge: true, Invocation: facade.Invocation{Params: raw(`{"id":"n"}`), Body: raw(`{"open":{"theirs":1}}`)}}); err != nil {
			t.Error(err)
		}
	}
	res, err := staff.Call(t.Context(), &facade.Call{Entity: "note", Operation: "update", Merge: true, Invocation: facade.Invocation{Params: raw(`{"id":"n"}`), Body: raw(`{"open":{"mine":2,"x":null}}`)}})
	if err != nil {
		t.Fatal(err)
	}
	if got := string(jsontext.Get(res.AppendJSON(nil), "open")); got != `{"theirs":1,"mine":2}` {
		t.Errorf("%s", got)
	}
}

// A remote is not sent a merge patch that it would take for another one.
func TestMergePatchesAtARemote(t *testing.T) {
	f := atRemote(t, hosting(t, nil), knownAlone, nil)
	call := func(body string) error {
		_, err := f.Call(t.Context(), &facade.Call{Entity: "post", Operation: "update", Merge: true, Invocation: facade.Invocation{Params: raw(`{"id":"p1"}`), Body: raw(body)}})
		return err
	}
	if err := call(`{"meta":{"a":1}}`); kiterror.CodeOf(err) != kiterror.NotImplemented {
		t.Errorf("an open object: %v", err)
	}
	if err := call(`{"title":"merged"}`); err != nil {
		t.Errorf("none: %v", err)
	}
}
