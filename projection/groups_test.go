package projection_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/project"
	"github.com/frondhost/frond/projection"
	"github.com/frondhost/frond/store/storetest"
)

// TestNeighbouringNames has two entities, one of which is called like the other and a word that domains
// use: group and group list. No type that is derived from one has a name of the other's.
func TestNeighbouringNames(t *testing.T) {
	card := func(name string) []byte {
		return fmt.Appendf(nil, `
type: object
properties:
  id: {type: string, x-kit: {role: {primary: true}}}
  name: {type: string, x-kit: {role: {unique: [[name]]}}}
  views: {type: integer}
  at: {type: string, format: date-time}
  parentId: {type: string, x-kit: {role: {relation: {to: %s, kind: one}}}}
  parts: {x-kit: {role: {relation: {to: %[1]s, kind: many}}}}
required: [id, name]
x-kit-version: 1
`, name)
	}
	for _, word := range strings.Fields("Group List Order Key Value Number Sum Item Line Type Date Unit Entry Log Tag Member User") {
		f := facadeOf(t, []txtar.File{
			{Name: "fronds/shop/frond.yaml", Data: fmt.Appendf(nil, "many: {thing: '*', thing%s: '*'}\nsearch: {thing: {fields: {name: A}}, thing%[1]s: {fields: {name: A}}}\n", word)},
			{Name: "fronds/shop/entities/thing.yaml", Data: card("thing")},
			{Name: "fronds/shop/entities/thing" + word + ".yaml", Data: card("thing" + word)},
		})
		b := projection.NewBuilder()
		err := projection.RegisterAll(b, f.Catalog(), &projection.Options{})
		if err == nil {
			_, err = b.Build()
		}
		if err != nil {
			t.Errorf("thing and thing%s: %v", word, err)
		}
	}
}

// TestGroupFields: a connection has aggregate and groups where callers of the surface have the operation.
func TestGroupFields(t *testing.T) {
	p := storetest.Project(t)
	for _, f := range p.Fronds {
		if f.Name == "blog" {
			f.Config.Data = append(f.Config.Data, "\nsurfaces: {graphql: {except: [comment.aggregate]}, audiences: {partner: {graphql: {only: [post.list, comment.list, tag.list, tag.aggregate]}}}}\n"...)
			f.Config = project.Text{File: f.Config.File, Data: f.Config.Data}
		}
	}
	facade.Handle(p.Door("post"), "list", func(ctx context.Context, c *facade.Call) (any, error) { return facade.Inside(ctx).Call(ctx, c) })
	f := storetest.Compiled(t, p)
	for surface, want := range map[catalog.Surface]map[string]bool{
		"":                               {"Author": true, "Comment": true, "Post": false, "Tag": true},
		catalog.OnGraphQL:                {"Author": true, "Comment": false, "Post": false, "Tag": true},
		catalog.OnGraphQL.For("partner"): {"Tag": true, "Comment": false, "Post": false},
	} {
		b := projection.NewBuilder()
		if err := projection.RegisterAll(b, f.Catalog, &projection.Options{Surface: surface}); err != nil {
			t.Fatal(err)
		}
		s, err := b.Build()
		if err != nil {
			t.Fatal(err)
		}
		for typ, has := range want {
			fields, types := s.Fields.Of(typ+"Connection", "aggregate") != nil && s.Fields.Of(typ+"Connection", "groups") != nil, strings.Contains(s.SDL(), "type "+typ+"Aggregate ")
			if fields != has || types != has || s.Fields.Of(typ+"Connection", "items") == nil {
				t.Errorf("%q: %s has aggregate: %v, and its types: %v", surface, typ, fields, types)
			}
		}
	}
}
