package storetest

import (
	"encoding/json"
	"testing"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/facade/rows"
	"github.com/frondhost/frond/schema"
)

// Seeds are rows that an author gives with the project. A store that keeps marks of them
// writes each entity's once, so that rows that users delete do not return at the next start.

// testSeeds checks that seeds are written once in the life of a store, all or none
// (docs/decisions/sqlite.md). A store without a Seeder is skipped. The steps build on one
// another: a refusal leaves neither rows nor marks; a success marks entities without rows too;
// a second time nothing is written, also where rows were deleted since.
func testSeeds(t *testing.T, w *world) {
	store := w.store.Abilities().Seeder
	if store == nil {
		t.Skip("the store keeps no marks of seeds (facade.Seeder)")
	}
	// Authors point at themselves, comments at posts, tags at nothing.
	author, comment, tag := w.entity("author"), w.entity("comment"), w.entity("tag")
	all := []*schema.Entity{author, comment, tag}
	// rows completes texts to whole records.
	found := func(e *schema.Entity, texts ...string) []facade.Record {
		for i := range texts {
			texts[i] = fill(e.Name, texts[i])
		}
		return w.records(e, texts)
	}
	// seeded checks that exactly these entities are marked.
	seeded := func(want ...*schema.Entity) {
		t.Helper()
		done, err := store.Seeded(w.ctx(), all)
		if err != nil {
			t.Fatal(err)
		}
		is := map[*schema.Entity]bool{}
		for _, e := range want {
			is[e] = true
		}
		for _, e := range all {
			if done[e] != is[e] {
				t.Errorf("%s seeded: %v, want %v", e.Name, done[e], is[e])
			}
		}
	}
	seeded()

	// A batch that cannot be written leaves nothing behind, and its entity is named.
	err := store.Seed(w.ctx(), []facade.SeedBatch{
		{Entity: author, Rows: found(author, `{"id":"a"}`)},
		{Entity: comment, Rows: found(comment, `{"id":"c","postId":"nowhere"}`)},
	})
	w.refused(err, kiterror.Conflict, "reference:postId")
	if got := kiterror.AsError(err).Entity; got != "comment" {
		t.Errorf("the refusal names %q", got)
	}
	w.equal("authors after a refusal", "", w.ids("author", nil))
	seeded()

	// Rows, a relation that is set when all of them are there, and an entity without rows.
	err = store.Seed(w.ctx(), []facade.SeedBatch{
		{
			Entity: author, Rows: found(author, `{"id":"a"}`, `{"id":"b"}`),
			// a names b, which is inserted behind it: the field is set last.
			Late: []facade.LateField{{ID: json.RawMessage(`"a"`), Set: w.record(author, `{"mentorId":"b"}`)}},
		},
		{Entity: tag},
	})
	if err != nil {
		t.Fatal(err)
	}
	w.equal("authors", "a b", w.ids("author", nil))
	// An update without a set is a read.
	got, err := w.store.Update(w.ctx(), author, json.RawMessage(`"a"`), nil, nil, nil, rows.NewLayout([]string{"mentorId"}))
	if err != nil {
		t.Fatal(err)
	}
	w.equal("the late field", `[{"mentorId":"b"}]`, string(got.AppendJSON(nil)))
	seeded(author, tag)

	// Seeds are not written again, even where their rows are gone.
	if gone, err := w.store.Delete(w.ctx(), author, json.RawMessage(`"a"`), nil, nil); err != nil || !gone {
		t.Fatal(gone, err)
	}
	err = store.Seed(w.ctx(), []facade.SeedBatch{{
		Entity: author, Rows: found(author, `{"id":"a"}`, `{"id":"b"}`),
		Late: []facade.LateField{{ID: json.RawMessage(`"b"`), Set: w.record(author, `{"mentorId":"b"}`)}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	w.equal("authors after seeding again", "b", w.ids("author", nil))
}
