package existing_test

import "testing"

// TestNames: tables and columns may be called anything that a database takes.
func TestNames(t *testing.T) {
	sql := `CREATE TABLE "a""b; DROP TABLE ""select"" --" ("c""d" integer PRIMARY KEY, "e'f\" varchar(20), "select" integer, "ä ö" varchar(20), "1st" varchar(20), "%s $1 ?" varchar(20));
CREATE TABLE "select" ("from" integer, "where" integer, "order" varchar(20), "a"".x" integer REFERENCES "a""b; DROP TABLE ""select"" --", PRIMARY KEY ("from", "where"));
CREATE TABLE "user" (id integer PRIMARY KEY, "group" varchar(20), "__typename" varchar(20), "Üne" varchar(20));
INSERT INTO "a""b; DROP TABLE ""select"" --" VALUES (1, 'x''y', 7, 'z', 'first', 'p');
INSERT INTO "select" VALUES (1, 2, 'o', 1);
INSERT INTO "user" VALUES (1, 'g', 't', 'u');`
	for name, open := range map[string]func(*testing.T, string) *database{"sqlite": openSQLite, "postgres": openPostgres} {
		t.Run(name, func(t *testing.T) {
			db := open(t, sql)
			unchanged(t, db)
			ask, _ := serve(t, db, nil)
			same(t, `{"data": {"abDropTableSelects": {"items": [{"cD": 1, "eF": "x'y", "select": 7, "aeOe": "z", "f1st": "first", "s1": "p", "selects": {"items": [{"id": "1,2", "from": 1, "order": "o"}]}}]}}}`,
				ask(`{ abDropTableSelects(filter: {eF: {contains: "'"}, aeOe: {eq: "z"}}, orderBy: [{f1st: DESC}]) { items { cD eF select aeOe f1st s1 selects { items { id from order } } } } }`))
			same(t, `{"data": {"users": {"items": [{"id": 1, "group": "g", "typename": "t", "uene": "u"}]}, "select": {"where": 2, "aX": {"eF": "x'y"}}}}`,
				ask(`{ users { items { id group typename uene } } select(id: "1,2") { where aX { eF } } }`))
			same(t, `{"data": {"createSelect": {"id": "1,3", "order": null}}}`,
				ask(`mutation { createSelect(input: {from: 1, where: 3, aX: 1}) { id order } }`))
		})
	}
}
