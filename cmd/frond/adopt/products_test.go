package adopt_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/frondhost/frond/cmd/frond/adopt"
	"github.com/frondhost/frond/store/dbschema"
)

// TestProducts: tables that another product keeps for itself are left out, but for those that rows of the
// application refer to, of which the columns of people are read.
func TestProducts(t *testing.T) {
	id := integer("id")
	table := func(name string, refs ...dbschema.Reference) dbschema.Table {
		schema, name, ok := strings.Cut(name, ".")
		if !ok {
			schema, name = "", schema
		}
		out := dbschema.Table{Schema: schema, Name: name, Columns: []dbschema.Column{id, text("name")}, Primary: []string{"id"}, ForeignKeys: refs}
		for _, r := range refs {
			out.Columns = append(out.Columns, integer(r.Columns[0]))
		}
		return out
	}
	people := func(name string, refs ...dbschema.Reference) dbschema.Table {
		out := table(name, refs...)
		out.Columns = append(out.Columns, text("email"), text("encrypted_password"), text("first_name"), text("password"))
		out.Uniques, out.Checks = [][]string{{"encrypted_password"}}, []string{"email <> ''"}
		return out
	}
	auth := ref("user_id", "users", "id")
	auth.Schema = "auth"
	directus := []dbschema.Table{
		table("articles", ref("author", "directus_users", "id")), table("directus_collections"), table("directus_roles"), people("directus_users", ref("role", "directus_roles", "id")),
	}
	supabase := []dbschema.Table{table("todos", auth), table("auth.refresh_tokens", auth), people("auth.users"), table("storage.buckets")}
	for name, c := range map[string]struct {
		tables []dbschema.Table
		opts   adopt.Options
		want   []string
	}{
		"Directus": {directus, adopt.Options{}, []string{
			"article: id, name, author -> directusUser", "directusUser: id, email, firstName, articles <- article.; only list findById findByIds",
			"left out directus_*: 2 tables of Directus itself; --product-tables adds them",
			"restricted directus_users: a table of Directus itself, to which your rows refer: its rows are read, with id, first_name, last_name, email",
		}},
		"Supabase": {supabase, adopt.Options{}, []string{
			"todo: id, name, userId -> user", "user: id, email, todos <- todo.; only list findById findByIds",
			"left out auth: 1 table of Supabase itself; --product-tables adds them", "left out storage: 1 table of Supabase itself; --product-tables adds them",
			"restricted auth.users: a table of Supabase itself, to which your rows refer: its rows are read, with id, email, created_at",
		}},
		"one schema": {supabase, adopt.Options{Schemas: []string{"public", "none"}}, []string{
			"todo: id, name, userId", "left out todos, the reference of user_id to auth.users: that table was left out; its columns are plain fields",
			"left out none: --schema names a schema without tables; write a schema of the database",
		}},
		"all of them": {[]dbschema.Table{table("posts"), table("_collections")}, adopt.Options{Products: true}, []string{"post: id, name", "collection: id, name"}},
		"PocketBase":  {[]dbschema.Table{table("posts"), table("_collections"), table("_otps")}, adopt.Options{}, []string{"post: id, name", "left out _*: 2 tables of PocketBase itself; --product-tables adds them"}},
		"a table that a project has": {[]dbschema.Table{table("posts"), table("_collections"), table("_otps")}, adopt.Options{Known: []adopt.Known{{Table: "_otps", Entity: "code", Fields: map[string]string{"id": "id"}}}}, []string{
			"code: id, name", "post: id, name", "left out _*: 1 table of PocketBase itself; --product-tables adds them",
		}},
		"a prefix alone": {[]dbschema.Table{table("_posts"), table("auth.users")}, adopt.Options{}, []string{"post: id, name", "user: id, name"}},
		"Hasura":         {[]dbschema.Table{table("posts"), table("hdb_catalog.hdb_version"), table("hdb_catalog.event_log")}, adopt.Options{}, []string{"post: id, name", "left out hdb_catalog: 2 tables of Hasura itself; --product-tables adds them"}},
	} {
		t.Run(name, func(t *testing.T) {
			p := adopt.New(&dbschema.Database{Product: "PostgreSQL", Schema: "public", Tables: c.tables}, &c.opts)
			var got []string
			for _, e := range p.Entities {
				got = append(got, shape(e))
			}
			for _, n := range p.Notes {
				if n.Kind == adopt.Skipped || strings.Contains(n.Why, "itself") {
					got = append(got, string(n.Kind)+" "+n.String())
				}
			}
			slices.Sort(got)
			slices.Sort(c.want)
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestSmartComments: lines of a comment that PostGraphile reads are no description. A door lacks the
// operations that they omit, a project the tables and columns; the others are listed.
func TestSmartComments(t *testing.T) {
	secret, flag := text("secret"), text("flag")
	secret.Comment, flag.Comment = "@omit", "@omit create,update\n@name isFlagged\nWhether it is flagged."
	p := adopt.New(&dbschema.Database{Product: "PostgreSQL", Tables: []dbschema.Table{
		{Name: "hidden", Comment: "@omit", Columns: []dbschema.Column{integer("id")}, Primary: []string{"id"}},
		{Name: "notes", Comment: "@omit create,delete\nA note.", Columns: []dbschema.Column{integer("id"), secret, flag}, Primary: []string{"id"}},
		{Name: "people", Comment: "@ home", Columns: []dbschema.Column{integer("id")}, Primary: []string{"id"}},
	}}, nil)
	files := p.Files()
	card := files["fronds/app/entities/note.yaml"]
	for _, want := range []string{"description: A note.\n", "    description: Whether it is flagged.\n"} {
		if !strings.Contains(card, want) {
			t.Errorf("the card lacks %q:\n%s", want, card)
		}
	}
	if strings.Contains(card, "secret") || files["fronds/app/entities/hidden.yaml"] != "" || !strings.Contains(files["fronds/app/entities/person.yaml"], `description: "@ home"`) {
		t.Errorf("the files are %v", files)
	}
	if config := files["fronds/app/frond.yaml"]; !strings.Contains(config, "  note:\n    operations: { only: [list, findById, findByIds, update] }\n") {
		t.Error(config)
	}
	report := files["INIT.md"]
	for _, want := range []string{"- hidden: its comment says @omit; remove", "- notes.secret: its comment says @omit; remove", "- notes.flag: @omit create,update\n", "- notes.flag: @name isFlagged\n", "- notes: no delete: its comment says @omit\n"} {
		if !strings.Contains(report, want) {
			t.Errorf("INIT.md lacks %q:\n%s", want, report)
		}
	}
}
