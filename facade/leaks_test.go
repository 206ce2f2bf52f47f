package facade_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/access"
	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/filter"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/store/storetest"
)

// What the leak proof (e2e/leak) once found, each as small as it gets.

var leakFiles = map[string]string{
	"entities/author.yaml": `
type: object
properties:
  id: {type: string, x-kit: {role: {primary: true}}}
  name: {type: string}
  note: {type: [string, 'null'], x-kit: {lifecycle: {create: optional}}}
  posts: {type: array, items: {type: string}, x-kit: {role: {relation: {to: post, kind: many, by: authorId}}}}
required: [name]
x-kit-version: 1
`,
	"entities/post.yaml": `
type: object
properties:
  id: {type: string, x-kit: {role: {primary: true}}}
  authorId: {type: [string, 'null'], x-kit: {role: {relation: {to: author, kind: one}}, boundary: {out: closed}, lifecycle: {create: optional}}}
required: []
x-kit-version: 1
`,
}

func scopedTo(rows string, hide ...string) access.Collector {
	return access.CollectorFunc(func(_ context.Context, _ access.State, door *catalog.Door, _ *catalog.Operation) (access.Scope, error) {
		s := access.Scope{Hide: hide}
		if rows != "" {
			s.Rows, _ = filter.Parse(door.Entity, json.RawMessage(rows), "")
		}
		return s, nil
	})
}

// The place of a detail disclosed a hidden field, behind those of the card, from one that
// never was, before them.
func TestHiddenFieldIsRefusedWhereUnknownOnesAre(t *testing.T) {
	f := facadeOf(t, leakFiles, func(p *facade.Project) { facade.Collect(p.Door("author"), scopedTo("", "note")) })
	_, hidden := do(t, f, "author.create", "", "", `{"note": "x"}`)
	_, unknown := do(t, f, "author.create", "", "", `{"nose": "x"}`)
	want := "/body/nose unknown_key: is not part of the card; leave it out\n/body/name required: is required"
	if got := refusals(unknown); got != want {
		t.Errorf("unknown:\n%s", got)
	}
	if got := refusals(hidden); got != "/body/note unknown_key: is not part of the card; leave it out\n/body/name required: is required" {
		t.Errorf("hidden:\n%s", got)
	}
}

// What a row points at already may be sent back; who may write the field and not
// read it could have found out by guessing.
func TestWriteOnlyRelationCannotBeGuessed(t *testing.T) {
	p := projectOf(t, leakFiles)
	facade.Collect(p.Door("author"), scopedTo(`{"name": {"eq": "Ada"}}`))
	store := storetest.NewStore()
	f := storetest.New(t, p, store, nil)
	plant := storetest.New(t, projectOf(t, leakFiles), store, nil)
	must(t, plant, "author.create", "", "", `{"id": "bob", "name": "Bob"}`)
	must(t, plant, "post.create", "", "", `{"id": "p", "authorId": "bob"}`)
	for _, guess := range []string{"bob", "eve"} {
		_, err := do(t, f, "post.update", `{"id": "p"}`, "", `{"authorId": "`+guess+`"}`)
		if got := refusals(err); got != "/body/authorId reference: names a author that does not exist; send the id of one that does" {
			t.Errorf("%s: %s", guess, got)
		}
	}
}

// Nothing of the other side of a relation stands in a row, so that a batch has to
// say which field it comes through.
func TestHiddenRelationLeadsNowhere(t *testing.T) {
	files := map[string]string{"entities/author.yaml": leakFiles["entities/author.yaml"], "entities/post.yaml": `
type: object
properties:
  id: {type: string, x-kit: {role: {primary: true}}}
  authorId: {type: string, x-kit: {role: {relation: {to: author, kind: one}}}}
required: [authorId]
x-kit-version: 1
`}
	for name, hide := range map[string][]string{"hidden": {"posts"}, "open": nil} {
		f := facadeOf(t, files, func(p *facade.Project) { facade.Collect(p.Door("author"), scopedTo("", hide...)) })
		_, err := f.Call(t.Context(), &facade.Call{Entity: "post", Operation: "list", Each: &facade.Each{
			Field: "authorId", Keys: []json.RawMessage{json.RawMessage(`"ada"`)},
			Through: &catalog.Through{Entity: "author", Operation: "list", Field: "posts"},
		}})
		if (err != nil) != (hide != nil) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Behind the primary key nothing is left to sort by, and names there were not looked at.
func TestSortBehindThePrimaryKeyIsJudged(t *testing.T) {
	f := facadeOf(t, leakFiles, func(p *facade.Project) { facade.Collect(p.Door("author"), scopedTo("", "note")) })
	for _, sort := range []string{"id,note", "id,nose"} {
		if _, err := do(t, f, "author.list", "", `{"sort": "`+sort+`"}`, ""); kiterror.CodeOf(err) != kiterror.ValidationFailed {
			t.Errorf("sort=%s: %v", sort, err)
		}
	}
	must(t, f, "author.list", "", `{"sort": "-id,name"}`, "")
}
