package explain_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"testing"
	"testing/fstest"
	"testing/synctest"
	"time"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/explain"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/store/postgres"
	"github.com/frondhost/frond/store/postgres/pgtest"
	"github.com/frondhost/frond/store/sqlite"
	"github.com/frondhost/frond/store/storetest"
)

var quiet = slog.New(slog.NewTextHandler(io.Discard, nil))

// project has albums and their tracks. The title of a track has an index if indexed says so.
func project(t *testing.T, indexed bool) *facade.Project {
	t.Helper()
	role := "{}"
	if indexed {
		role = "{index: true}"
	}
	p, err := facade.Read(fstest.MapFS{
		"entities/album.yaml": {Data: []byte("type: object\nproperties:\n  id: {type: string, x-kit: {role: {primary: true}}}\n  name: {type: string}\n")},
		"entities/track.yaml": {Data: fmt.Appendf(nil, `
type: object
properties:
  id: {type: string, x-kit: {role: {primary: true}}}
  title: {type: string, x-kit: {role: %s}}
  year: {type: integer, x-kit: {role: {index: true}}}
  albumId: {type: string, x-kit: {role: {relation: {to: album, kind: one}}}}
`, role)},
	})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

const tracks = 3000

// fill writes an album and its tracks.
func fill(t *testing.T, f *facade.Facade, store facade.Store) {
	t.Helper()
	if _, err := f.Call(t.Context(), &facade.Call{Entity: "album", Operation: "create", Invocation: facade.Invocation{Body: json.RawMessage(`{"id":"a1","name":"First"}`)}}); err != nil {
		t.Fatal(err)
	}
	e := f.Catalog().Set.Entity("track")
	var all []facade.Record
	for i := range tracks {
		record, err := f.Complete(t.Context(), e, fmt.Appendf(nil, `{"id":"t%04d","title":"secret %d","year":%d,"albumId":"a1"}`, i, i, 1900+i%100))
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, record)
	}
	if _, err := store.Insert(t.Context(), e, all, nil, nil); err != nil {
		t.Fatal(err)
	}
}

// list asks for tracks.
func list(t *testing.T, f *facade.Facade, query string) {
	t.Helper()
	if _, err := f.Call(t.Context(), &facade.Call{Entity: "track", Operation: "list", Invocation: facade.Invocation{Query: json.RawMessage(query)}}); err != nil {
		t.Fatal(query, err)
	}
}

// TestAdvice: reads of a whole table are listed by their shapes, with their number, the rows of one and
// the line of the index; reads that an index answers are not, and no value is written.
func TestAdvice(t *testing.T) {
	for name, open := range map[string]func(t *testing.T, entities []*schema.Entity) facade.Store{
		"sqlite": func(t *testing.T, entities []*schema.Entity) facade.Store {
			s, err := sqlite.Open(t.Context(), sqlite.Options{Memory: true, Logger: quiet})
			if err == nil {
				err = s.Prepare(t.Context(), entities)
			}
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = s.Close() })
			return s
		},
		"postgres": func(t *testing.T, entities []*schema.Entity) facade.Store {
			s, err := postgres.Open(postgres.Options{URL: pgtest.Database(t), Logger: quiet})
			if err == nil {
				err = s.Prepare(t.Context(), entities)
			}
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = s.Close() })
			return s
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := project(t, false)
			cards := storetest.Compiled(t, p)
			store := open(t, cards.Catalog.Set.Entities)
			values := store.Abilities().KeyValues
			watch := explain.NewWatch(values, quiet)
			f, err := facade.New(storetest.Compiled(t, p), watch.Store(store), nil)
			if err != nil {
				t.Fatal(err)
			}
			fill(t, f, store)
			for i := range 3 {
				list(t, f, fmt.Sprintf(`{"filter": {"title": {"eq": "secret %d"}}, "total": false}`, i))
			}
			list(t, f, `{"filter": {"year": {"eq": 1950}}, "total": false}`)
			list(t, f, `{"sort": "-title", "limit": 2, "total": false}`)
			list(t, f, `{"limit": 2}`)
			if _, err := f.Call(t.Context(), &facade.Call{Entity: "track", Operation: "aggregate", Invocation: facade.Invocation{Query: json.RawMessage(`{"by": ["title"], "select": ["count"]}`)}}); err != nil {
				t.Fatal(err)
			}
			if _, err := f.Call(t.Context(), &facade.Call{Entity: "track", Operation: "findById", Invocation: facade.Invocation{ID: json.RawMessage(`"t0001"`)}}); err != nil {
				t.Fatal(err)
			}
			if err := watch.Flush(t.Context()); err != nil {
				t.Fatal(err)
			}
			other := explain.NewWatch(values, quiet) // another process
			g, err := facade.New(storetest.Compiled(t, p), other.Store(store), nil)
			if err != nil {
				t.Fatal(err)
			}
			list(t, g, `{"filter": {"title": {"eq": "secret 9"}}, "total": false}`)
			for range 2 { // the second writes nothing
				if err := other.Flush(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
			all, err := explain.ListAdvice(t.Context(), values, f.Catalog())
			if err != nil {
				t.Fatal(err)
			}
			got := map[string]int64{}
			for _, a := range all {
				got[a.Shape] = a.Reads
				if a.Rows < tracks/2 || a.Rows > 3*tracks || a.Took <= 0 || time.Since(a.Last) > time.Minute || a.Index != "write x-kit: {role: {index: true}} at the field title of the card track" {
					t.Errorf("%+v", a)
				}
			}
			if fmt.Sprint(got) != "map[track in groups by title:1 track sort -title, -id:1 track where title eq sort id:4]" {
				t.Errorf("the shapes are %v", got)
			}
			texts, err := values.Values(t.Context(), "")
			if text := fmt.Sprint(texts); err != nil || strings.Contains(text, "secret") {
				t.Errorf("the store has %s, %v", text, err)
			}
			// A card that has got the index needs no advice.
			now := storetest.Compiled(t, project(t, true))
			if all, err := explain.ListAdvice(t.Context(), values, now.Catalog); err != nil || len(all) != 0 {
				t.Errorf("with an index it lists %+v, %v", all, err)
			}
		})
	}
}

// stub answers every read at once, with err.
type stub struct {
	facade.Store
	err error
}

func (s stub) Find(context.Context, *facade.Find) (*facade.Found, error) { return nil, s.err }

// entity is the track of a project without a store.
func entity(t *testing.T) (*facade.Facade, *schema.Entity) {
	t.Helper()
	f, err := facade.New(storetest.Compiled(t, project(t, false)), nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	return f, f.Catalog().Set.Entity("track")
}

// TestLimit: a read that ends at its limit names the index in the log and is listed, though it has no
// plan.
func TestLimit(t *testing.T) {
	f, track := entity(t)
	var log bytes.Buffer
	values := storetest.NewStore()
	watch := explain.NewWatch(values, slog.New(slog.NewTextHandler(&log, nil)))
	for field, limit := range map[string]error{"title": kiterror.TooCostly(2*time.Second, false), "year": kiterror.TooCostly(2*time.Second, false), "albumId": kiterror.Errorf(kiterror.UnprocessableEntity, "no")} {
		q := &facade.Find{Entity: track, Sort: []facade.SortKey{{Field: track.Property(field)}}}
		if _, err := watch.Store(stub{err: limit}).Find(t.Context(), q); !errors.Is(err, limit) {
			t.Errorf("the error is %v", err)
		}
	}
	if err := watch.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	all, err := explain.ListAdvice(t.Context(), values, f.Catalog())
	if err != nil || len(all) != 1 || all[0].Shape != "track sort title" {
		t.Errorf("it lists %+v, %v", all, err)
	}
	if text := log.String(); strings.Count(text, "\n") != 1 || !strings.Contains(text, `shape="track sort title"`) || !strings.Contains(text, "at the field title of the card track") {
		t.Errorf("the log has %s", text)
	}
}

// TestManyShapes: shapes beyond the bound are answered and not counted.
func TestManyShapes(t *testing.T) {
	f, track := entity(t)
	values := storetest.NewStore()
	watch := explain.NewWatch(values, quiet)
	store := watch.Store(stub{err: kiterror.TooCostly(time.Second, false)})
	for i := range 1100 {
		q := &facade.Find{Entity: track}
		for bit := range 11 {
			q.Sort = append(q.Sort, facade.SortKey{Field: track.Property("title"), Desc: i>>bit&1 == 1})
		}
		if _, err := store.Find(t.Context(), q); err == nil {
			t.Fatal("the read is not answered")
		}
	}
	if err := watch.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	if all, err := explain.ListAdvice(t.Context(), values, f.Catalog()); err != nil || len(all) != 1000 {
		t.Errorf("it lists %d shapes, %v", len(all), err)
	}
}

// TestOldShapes: a shape that is not read for 30 days is forgotten.
func TestOldShapes(t *testing.T) {
	f, track := entity(t)
	synctest.Test(t, func(t *testing.T) {
		values := storetest.NewStore()
		watch := explain.NewWatch(values, quiet)
		store := watch.Store(stub{err: kiterror.TooCostly(time.Second, false)})
		read := func(desc bool) {
			_, _ = store.Find(t.Context(), &facade.Find{Entity: track, Sort: []facade.SortKey{{Field: track.Property("title"), Desc: desc}}})
			if err := watch.Flush(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		shapes := func(want int) {
			t.Helper()
			all, err := explain.ListAdvice(t.Context(), values, f.Catalog())
			if err != nil || len(all) != want {
				t.Errorf("it lists %+v, %v; want %d", all, err, want)
			}
		}
		read(false)
		time.Sleep(29 * 24 * time.Hour)
		shapes(1)
		read(true)
		time.Sleep(2 * 24 * time.Hour)
		shapes(1)
		read(true)
		if kept, err := values.Values(t.Context(), ""); err != nil || len(kept) != 1 {
			t.Errorf("the store has %s, %v", kept, err)
		}
	})
}

// TestAllocs: a read of a known shape allocates nothing for being counted.
func TestAllocs(t *testing.T) {
	_, track := entity(t)
	store := explain.NewWatch(storetest.NewStore(), quiet).Store(stub{})
	q := &facade.Find{Entity: track, Sort: []facade.SortKey{{Field: track.Property("title")}, {Field: track.Primary}}}
	if n := testing.AllocsPerRun(100, func() { _, _ = store.Find(t.Context(), q) }); n > 0 {
		t.Errorf("a counted read takes %v allocations", n)
	}
}
