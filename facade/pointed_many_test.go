package facade_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/facade/seed"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/store/storetest"
)

// tagged is a project whose posts keep the ids of their tags in a list.
func tagged(seeds string) map[string]string {
	return map[string]string{
		"entities/tag.yaml":  "properties:\n  id: {type: string, x-kit: {role: {primary: true}}}\n  hidden: {type: boolean}\n",
		"entities/post.yaml": "properties:\n  id: {type: string, x-kit: {role: {primary: true}}}\n  tags: {x-kit: {role: {relation: {to: tag, kind: many}}}}\n  likes: {x-kit: {role: {relation: {to: post, kind: many}}}}\n",
		"seeds/tag.yaml":     `[{id: a, hidden: false}, {id: b, hidden: false}, {id: h, hidden: true}]`,
		"seeds/post.yaml":    seeds,
		"frond.yaml":         "collectors:\n  tag: [{when: user.role == \"staff\"}, {rows: {hidden: {eq: false}}}]\n",
	}
}

// TestIDsOfAListExist: an id in a many relation answers as a one relation's does: one
// of no row, or of a row that is hidden from the caller, is CONFLICT.
func TestIDsOfAListExist(t *testing.T) {
	f := facadeOf(t, tagged(`[{id: p, tags: [a, h], likes: [q]}, {id: q}]`), nil)
	staff, other := user(f, "id", "s", "role", "staff"), user(f, "id", "o")
	for _, c := range []struct {
		name         string
		caller       facade.Caller
		method       string
		params, body string
		refused      bool
	}{
		{"ids that are there", other, "post.create", "", `{"id":"1","tags":["a","b","a"]}`, false},
		{"an empty list", other, "post.create", "", `{"id":"2","tags":[]}`, false},
		{"an id of no row", other, "post.create", "", `{"id":"3","tags":["a","x"]}`, true},
		{"an id of a hidden row", other, "post.create", "", `{"id":"3","tags":["a","h"]}`, true},
		{"an id of a row that staff sees", staff, "post.create", "", `{"id":"3","tags":["a","h"]}`, false},
		{"an id of no row, for staff", staff, "post.create", "", `{"id":"4","tags":["x"]}`, true},
		{"an id of no row, at update", other, "post.update", `{"id":"q"}`, `{"tags":["x"]}`, true},
		{"what it names already", other, "post.update", `{"id":"p"}`, `{"tags":["h","b"]}`, false},
		{"a list without a collector", other, "post.update", `{"id":"p"}`, `{"likes":["q","none"]}`, true},
		{"a new row that names itself", other, "post.create", "", `{"id":"5","likes":["5"]}`, false},
	} {
		_, err := do(t, c.caller, c.method, c.params, "", c.body)
		if c.refused != (err != nil) || err != nil && (err.Code != kiterror.Conflict || !strings.Contains(err.Message, "tags") && !strings.Contains(err.Message, "likes")) {
			t.Errorf("%s: %v, want it refused: %v", c.name, err, c.refused)
		}
	}
	_, hidden := do(t, other, "post.create", "", "", `{"id":"9","tags":["h"]}`)
	_, absent := do(t, other, "post.create", "", "", `{"id":"9","tags":["x"]}`)
	if hidden == nil || absent == nil || hidden.Error() != absent.Error() || refusals(hidden) != refusals(absent) {
		t.Errorf("a hidden row is told from a missing one:\n%v\n%v", hidden, absent)
	}
}

// TestIDsOfAListInSeeds: an id that is neither among the seeds nor in the store is a
// fault with its place.
func TestIDsOfAListInSeeds(t *testing.T) {
	f, err := facade.New(storetest.Compiled(t, projectOf(t, tagged(`[{id: p, tags: [a, x]}, {id: q, likes: [p, q, none]}]`))), storetest.NewStore(), nil)
	if err != nil {
		t.Fatal(err)
	}
	var faults schema.Faults
	if _, err = seed.Write(t.Context(), f); !errors.As(err, &faults) || len(faults) != 2 || faults[0].Pointer != "/0/tags/1" || faults[1].Pointer != "/1/likes/2" {
		t.Errorf("%v, want a fault for each id of no row", err)
	}
}
