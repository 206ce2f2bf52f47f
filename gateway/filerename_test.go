package gateway_test

import (
	"context"
	"image/color"
	"log/slog"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/gateway"
	"github.com/frondhost/frond/gateway/extra/all"
	"github.com/frondhost/frond/store/postgres/pgtest"
)

// TestRenamedFiles: files follow the names of their field and of its entity, also where gateways with the older
// cards go on beside, and where their old names are given to others.
func TestRenamedFiles(t *testing.T) {
	project := func(name, field, more string) *facade.Project {
		return folderOf(t, map[string]string{
			"fronds/shop/entities/" + name + ".yaml": "type: object\nproperties:\n  id: {type: string, x-kit: {role: {primary: true}}}\n  " + field + ": {type: [string, 'null'], x-kit: {lifecycle: {create: optional}}}\nrequired: [id]\n",
			"fronds/shop/frond.yaml":                 "collectors: {'*': open}\nfiles: {" + name + "." + field + ": {types: [image/png]}}\n" + more,
		})
	}
	const renamed = "renamed: {album: record, album.cover: record.picture}\n"
	for store, beside := range map[string]bool{"sqlite": false, "postgres": true} {
		t.Run(store, func(t *testing.T) {
			c := gateway.Config{Extras: all.Extras(), Store: "sqlite:" + filepath.Join(t.TempDir(), "shop.db"), Mode: gateway.Development}
			if beside {
				c.Store = pgtest.Database(t)
				c.Files.Store = "file://" + filepath.ToSlash(t.TempDir())
			}
			open := func(p *facade.Project) (*fileSite, *gateway.Gateway) {
				g, err := gateway.New(p, &gateway.Options{Config: c, Logger: slog.New(slog.DiscardHandler)})
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() { _ = g.Close() })
				server := httptest.NewServer(g.Handler())
				t.Cleanup(server.Close)
				return &fileSite{t, server.URL}, g
			}
			put := func(s *fileSite, path string, shade uint8) string {
				_, text := s.want(200, "", "PUT", path, pngOf(3, 3, color.Gray{shade}), aPNG)
				return sent(t, text)
			}
			const asJSON = "Content-Type: application/json"
			before, g := open(project("album", "cover", ""))
			for _, row := range []string{"a", "b", "c"} {
				before.want(201, "", "POST", "/api/shop/albums", []byte(`{"id":"`+row+`"}`), asJSON)
			}
			a, b := put(before, "/api/shop/albums/a/cover", 1), put(before, "/api/shop/albums/b/cover", 2)
			if !beside {
				_ = g.Close()
			}
			after, newer := open(project("record", "picture", renamed))
			after.want(200, "PNG", "GET", "/api/shop/records/a/picture", nil)
			after.want(200, a, "PATCH", "/api/shop/records/a", []byte(`{"picture":"`+a+`"}`), asJSON) // the row holds it already
			ofC := put(after, "/api/shop/records/c/picture", 3)
			was := b
			b = put(after, "/api/shop/records/b/picture", 4)
			later := time.Now().Add(30 * time.Hour)
			swept := func(g *gateway.Gateway) (gone []string) {
				if err := g.Host().SweepFilesAt(t.Context(), later, func(_ context.Context, id string) error {
					gone = append(gone, id)
					return nil
				}); err != nil {
					t.Fatal(err)
				}
				return gone
			}
			if gone := swept(newer); !slices.Equal(gone, []string{was}) {
				t.Errorf("a sweep removes %v, and %s has been replaced", gone, was)
			}
			if !beside {
				_ = newer.Close()
				before, g = open(project("album", "cover", ""))
			}
			before.want(200, "PNG", "GET", "/api/shop/albums/c/cover", nil)
			before.want(200, ofC, "PATCH", "/api/shop/albums/c", []byte(`{"cover":"`+ofC+`"}`), asJSON)
			before.want(200, b, "PATCH", "/api/shop/albums/b", []byte(`{"cover":"`+b+`"}`), asJSON)
			if gone := swept(g); slices.ContainsFunc([]string{a, b, ofC}, func(id string) bool { return slices.Contains(gone, id) }) {
				t.Errorf("a gateway with the older cards removes %v", gone)
			}
			_ = g.Close()
			if !beside {
				again, g := open(project("record", "picture", renamed))
				again.want(200, "PNG", "GET", "/api/shop/records/c/picture", nil)
				_ = g.Close()
			} else {
				_ = newer.Close()
			}
			// The line is removed, and another entity gets the old names, with rows of the same keys.
			two := project("record", "picture", "")
			other := project("album", "cover", "")
			two.Fronds[0].Cards = append(two.Fronds[0].Cards, other.Fronds[0].Cards...)
			two.Fronds[0].Config.Data = []byte("collectors: {'*': open}\nfiles: {record.picture: {types: [image/png]}, album.cover: {types: [image/png]}}\n")
			both, g := open(two)
			both.want(201, "", "POST", "/api/shop/albums", []byte(`{"id":"a"}`), asJSON)
			put(both, "/api/shop/albums/a/cover", 9)
			if gone := swept(g); slices.ContainsFunc([]string{a, b, ofC}, func(id string) bool { return slices.Contains(gone, id) }) {
				t.Errorf("the files of a renamed entity are removed: %v", gone)
			}
			both.want(200, a, "PATCH", "/api/shop/records/a", []byte(`{"picture":"`+a+`"}`), asJSON)
			both.want(400, "is not the id of a file", "PATCH", "/api/shop/albums/a", []byte(`{"cover":"`+a+`"}`), asJSON)
		})
	}
}
