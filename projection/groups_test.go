package projection_test

import (
	"context"
	"strings"
	"testing"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/project"
	"github.com/frondhost/frond/projection"
	"github.com/frondhost/frond/store/storetest"
)

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
	f, err := facade.New(p, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	for surface, want := range map[catalog.Surface]map[string]bool{
		"":                               {"Author": true, "Comment": true, "Post": false, "Tag": true},
		catalog.OnGraphQL:                {"Author": true, "Comment": false, "Post": false, "Tag": true},
		catalog.OnGraphQL.For("partner"): {"Tag": true, "Comment": false, "Post": false},
	} {
		b := projection.NewBuilder()
		if err := projection.RegisterAll(b, f.Catalog(), &projection.Options{Surface: surface}); err != nil {
			t.Fatal(err)
		}
		s, err := b.Build(f)
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
