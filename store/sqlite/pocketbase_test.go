package sqlite_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/frondhost/frond/store/dbschema"
	"github.com/frondhost/frond/store/sqlite"
)

// TestDescribeCollections: relations of PocketBase are references, those of several ids and to unknown
// collections aside.
func TestDescribeCollections(t *testing.T) {
	path := foreign(t, `
CREATE TABLE _collections (id TEXT PRIMARY KEY, name TEXT, fields JSON);
CREATE TABLE users (id TEXT PRIMARY KEY, name TEXT);
CREATE TABLE posts (id TEXT PRIMARY KEY, author TEXT DEFAULT '' NOT NULL, editors JSON DEFAULT '[]' NOT NULL, lost TEXT);
CREATE VIEW recent AS SELECT id, author FROM posts;
INSERT INTO _collections VALUES ('u', 'users', '[{"name": "name", "type": "text"}]'), ('x', 'gone', '[{"name": "author", "type": "relation", "collectionId": "u"}]'), ('bad', 'bad', 'no JSON'),
	('r', 'recent', '[{"name": "author", "type": "relation", "collectionId": "u"}]'),
	('p', 'posts', '[1, {"name": "author", "type": "relation", "collectionId": "u", "maxSelect": 1}, {"name": "editors", "type": "relation", "collectionId": "u", "maxSelect": 9}, {"name": "lost", "type": "relation", "collectionId": "nowhere"}, {"name": "dropped", "type": "relation", "collectionId": "u"}]');
INSERT INTO posts VALUES ('a', 'b', '["b"]', 'c');`)
	db, err := sqlite.Describe(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string][]dbschema.Reference{}
	for _, table := range db.Tables {
		if table.ForeignKeys != nil {
			got[table.Name] = table.ForeignKeys
		}
	}
	want := map[string][]dbschema.Reference{"posts": {{Columns: []string{"author"}, Table: "users", To: []string{"id"}}}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
