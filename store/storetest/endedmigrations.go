package storetest

import (
	"testing"

	"github.com/frondhost/frond/store/migration"
)

// RunEndedRenames applies renames alone, as a run does that ends after them, and then the whole:
// its computed values read the rows by the names of before, by those between and by those of now.
// open gives a store over an empty database.
func RunEndedRenames(t *testing.T, open func(t testing.TB) Migrator) {
	const renamed = "renamed: {thing.a: thing.b, thing.b: thing.c}"
	for _, expression := range []string{"lower(a)", "lower(b)", "lower(c)"} {
		t.Run(expression, func(t *testing.T) {
			store := open(t)
			before := Version{Fields: []string{"a: type: string"}}.Compile(t)
			if err := store.Prepare(t.Context(), before.Set.Entities); err != nil {
				t.Fatal(err)
			}
			InsertRows(t, store, before.Set.Entity("thing"), `{"id":"1","a":"Tea"}`, `{"id":"2","a":"Cup"}`)
			ended := Version{Fields: []string{"c: type: string"}, Changes: renamed}.Compile(t)
			if _, err := store.Migrate(t.Context(), &migration.Task{Entities: ended.Set.Entities, Changes: ended.Changes}); err != nil {
				t.Fatal(err)
			}
			whole := Version{Fields: []string{"c: type: string", "d: type: string"}, Changes: renamed + "\nvalues: {thing.d: '" + expression + "'}"}.Compile(t)
			if _, err := store.Migrate(t.Context(), &migration.Task{Entities: whole.Set.Entities, Changes: whole.Changes}); err != nil {
				t.Fatal(err)
			}
			if got, want := RowsOf(t, store, whole.Set.Entity("thing")), `[{"id":"1","c":"Tea","d":"tea"},{"id":"2","c":"Cup","d":"cup"}]`; got != want {
				t.Errorf("the rows are %s, want %s", got, want)
			}
		})
	}
}
