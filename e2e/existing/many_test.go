package existing_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/frondhost/frond/gateway"
)

// manyTables is a made-up database of 500 tables: each but the first refers to an earlier one, and
// each has a row.
func manyTables(integer string) string {
	var sql strings.Builder
	for i := range 500 {
		fmt.Fprintf(&sql, "CREATE TABLE part_%03d (id %s PRIMARY KEY, name varchar(40) NOT NULL, price numeric(8,2), made date, note text, amount integer NOT NULL DEFAULT 1, parent_id integer REFERENCES part_%03d);\n", i, integer, i/2)
		fmt.Fprintf(&sql, "CREATE INDEX part_%03d_parent ON part_%03d (parent_id);\nINSERT INTO part_%03d (id, name, parent_id) VALUES (1, 'part %d', %s);\n", i, i, i, i, map[bool]string{true: "NULL", false: "1"}[i == 0])
	}
	return sql.String()
}

// TestManyTables makes, serves and queries a database of 500 tables, and prints how long the
// catalogue takes.
func TestManyTables(t *testing.T) {
	for name, make := range map[string]func(*testing.T) *database{
		"sqlite":   func(t *testing.T) *database { return openSQLite(t, "BEGIN; "+manyTables("INTEGER")+"COMMIT") },
		"postgres": func(t *testing.T) *database { return openPostgres(t, manyTables("integer")) },
	} {
		t.Run(name, func(t *testing.T) {
			db := make(t)
			unchanged(t, db)
			began := time.Now()
			is, err := db.describe()
			if err != nil || len(is.Tables) != 500 {
				t.Fatal(err)
			}
			t.Logf("the catalogue of 500 tables: %s", time.Since(began).Round(time.Millisecond))
			ask, made := serve(t, db, nil)
			if len(made.Entities) != 500 || len(made.Notes) != 0 {
				t.Errorf("%s: %v", made.Summary(), report(made))
			}
			same(t, `{"data": {"part499": {"name": "part 499", "parent": {"name": "part 249", "parent": {"name": "part 124", "part249s": {"items": [{"name": "part 249"}]}}}}}}`,
				ask(`{ part499(id: 1) { name parent { name parent { name part249s { items { name } } } } } }`))
			want := `{"data": {"createPart010": {"id": 2, "amount": 1, "parent": {"name": "part 5"}}}}`
			same(t, want, ask(`mutation { createPart010(input: {id: 2, name: "x", parentId: 1}) { id amount parent { name } } }`))
		})
	}
}

// TestRules: rules hold for rows whose keys the database makes, as for all others.
func TestRules(t *testing.T) {
	for file, document := range map[string]string{
		"chinook.sqlite.sql":  `mutation { yes: createArtist(input: {name: "Accept 2"}) { artistId } no: createArtist(input: {name: "Zappa"}) { artistId } }`,
		"pagila.postgres.sql": `mutation { yes: createActor(input: {firstName: "A", lastName: "Accept 2"}) { actorId } no: createActor(input: {firstName: "A", lastName: "Zappa"}) { actorId } }`,
	} {
		t.Run(file, func(t *testing.T) {
			db := open(t, file)
			ask, _ := serve(t, db, pagilaKeys, func(files map[string]string) {
				rule := `artist: [{rows: {name: {lt: "B"}}}]`
				if strings.HasPrefix(file, "pagila") {
					rule = `actor: [{rows: {lastName: {lt: "B"}}}]`
				}
				files["fronds/app/frond.yaml"] += "collectors:\n  " + rule + "\n"
			})
			same(t, `{"data": {"yes": {"`+map[bool]string{true: "artistId", false: "actorId"}[strings.HasPrefix(file, "chinook")]+`": 4}, "no": null}, "errors": [{"message": "you may not create a row that your access rules would hide from you", "path": ["no"]}]}`,
				withoutDetails(t, ask(document)))
		})
	}
}

// TestRoleWithoutRights: a role that may read alone has doors that read, and one that may not read
// a table is an error of the start.
func TestRoleWithoutRights(t *testing.T) {
	owner := openPostgres(t, `CREATE TABLE shown (id int PRIMARY KEY, name text); CREATE TABLE secret (id int PRIMARY KEY, name text); INSERT INTO shown VALUES (1, 'a');
DO $$ BEGIN IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'existing_reader') THEN CREATE ROLE existing_reader LOGIN PASSWORD 'x'; END IF; END $$;
GRANT SELECT ON shown TO existing_reader`)
	reader := asRole(t, owner, "existing_reader", "x")
	ask, made := serve(t, reader, nil)
	same(t, `{"data": {"showns": {"items": [{"name": "a"}]}, "__type": null}}`, ask(`{ showns { items { name } } __type(name: "CreateShownInput") { name } }`))
	want := []string{
		"left out secret: the role of the connection may not read it; GRANT SELECT on it, or connect as another role",
		"restricted shown: the role of the connection lacks the right INSERT",
		"restricted shown: the role of the connection lacks the right UPDATE",
		"restricted shown: the role of the connection lacks the right DELETE",
	}
	if got := report(made); strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("%q", got)
	}
	p, _ := project(t, owner, nil)
	_, err := gateway.New(p, settings(reader))
	if err == nil || !strings.Contains(err.Error(), "entity secret: the role of the connection may not read secret; let it: GRANT SELECT ON secret") {
		t.Error(err)
	}
}
