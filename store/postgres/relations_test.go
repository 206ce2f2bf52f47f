package postgres

import (
	"fmt"
	"testing"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/filter"
	"github.com/frondhost/frond/facade/rows"
	"github.com/frondhost/frond/schema"
)

const (
	albumCard = `
type: object
properties:
  id: {type: string, x-kit: {role: {primary: true}}}
  title: {type: string}
  tracks: {x-kit: {role: {relation: {to: track, kind: many}}}}
required: [id, title]
x-kit-version: 1
`
	songCard = `
type: object
properties:
  id: {type: string, x-kit: {role: {primary: true}}}
  title: {type: string}
  albumId: {type: string, x-kit: {role: {relation: {to: album, kind: one}}}}
required: [id, title, albumId]
x-kit-version: 1
`
)

// TestRelationsCostTheirTables reads lists whose filters and orders lead through relations that many
// rows share, 400 tracks to each of 20 albums: what is read grows with the tables, and not with their
// product.
func TestRelationsCostTheirTables(t *testing.T) {
	p, set := newObserved(t, "album", albumCard, "track", songCard)
	album, track := set.Entity("album"), set.Entity("track")
	const tracks = 8000
	p.run(t, `INSERT INTO album SELECT 'a' || i, 'album ' || i FROM generate_series(0, 19) AS i`,
		fmt.Sprintf(`INSERT INTO track SELECT 't' || i, 'title ' || i, 'a' || i %% 20 FROM generate_series(1, %d) AS i`, tracks),
		`ANALYZE album, track`)
	through := func(op filter.Op, e *schema.Entity, link string, subs ...*filter.Filter) *filter.Filter {
		return &filter.Filter{Op: op, Link: e.Relation(link), Sub: subs}
	}
	group := func(op filter.Op, subs ...*filter.Filter) *filter.Filter { return &filter.Filter{Op: op, Sub: subs} }
	zzz := &filter.Filter{Op: filter.Contains, Field: track.Property("title"), Values: []any{"zzz"}}
	siblings := func(op filter.Op) *filter.Filter {
		return through(filter.Some, track, "album", through(op, album, "tracks", zzz))
	}
	cases := map[string]*facade.Find{
		"some of the siblings":   {Entity: track, Where: siblings(filter.Some)},
		"none of the siblings":   {Entity: track, Where: siblings(filter.None)},
		"every one of them":      {Entity: track, Where: siblings(filter.Every)},
		"in an alternative":      {Entity: track, Where: group(filter.Or, siblings(filter.Some), siblings(filter.None))},
		"negated":                {Entity: track, Where: group(filter.Not, siblings(filter.Some))},
		"down, up and down":      {Entity: album, Where: through(filter.Some, album, "tracks", siblings(filter.Some))},
		"and once more":          {Entity: album, Where: through(filter.None, album, "tracks", through(filter.Some, track, "album", through(filter.Every, album, "tracks", siblings(filter.None))))},
		"what most of them meet": {Entity: album, Where: through(filter.None, album, "tracks", zzz)},
	}
	size := &schema.Property{Field: &schema.Field{}, Kind: schema.KindInteger}
	size.Name = "album.tracks.count"
	schema.Derive(track.Name, track.Key, []*schema.Property{size})
	siblingsOf := &filter.Derived{As: size, Link: track.Relation("album"), Next: &filter.Derived{As: size, Link: album.Relation("tracks"), Func: filter.Count}}
	cases["ordered by siblings"] = &facade.Find{Entity: track, Sort: []facade.SortKey{{Field: size, Desc: true, Derived: siblingsOf}}}
	for name, q := range cases {
		q.Select, q.Limit, q.Count = rows.NewLayout([]string{"id"}), 50, true
		q.Sort = append(q.Sort, facade.SortKey{Field: q.Entity.Primary})
		if _, err := p.Find(t.Context(), q); err != nil {
			t.Fatal(name, err)
		}
		// Six relations at most, the page and its total; for each row anew it would be millions.
		if root, text := p.explain(t, "auto"); root.read() > 10*tracks {
			t.Errorf("%s: %.0f rows were read of %d\n%s", name, root.read(), tracks, text)
		}
	}
}
