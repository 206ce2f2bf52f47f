package adopt

import (
	"fmt"
	"slices"
	"strings"

	"github.com/frondhost/frond/store/dbschema"
)

// product is another program that keeps tables of its own beside an application's. Its tables are left out
// of a project, but for the few to which rows of the application refer: those are read, with the columns of
// people.
type product struct {
	name string
	// marks are tables that this program alone makes; the database is of the product if it has one of them.
	marks []string
	// schemas and prefix identify the product's tables: by their schema, or by the beginning of their names.
	schemas []string
	prefix  string
	// people are the columns that a project keeps of tables to which the application refers, by table.
	people map[string][]string
}

var products = []product{
	{name: "Hasura", marks: []string{"hdb_catalog.hdb_version", "hdb_catalog.hdb_source_catalog_version", "hdb_catalog.event_log"}, schemas: []string{"hdb_catalog", "hdb_views", "hdb_lib"}},
	{
		name: "Supabase", marks: []string{"storage.buckets", "auth.refresh_tokens", "realtime.subscription"},
		schemas: []string{"auth", "storage", "realtime", "_realtime", "vault", "extensions", "graphql", "graphql_public", "pgsodium", "supabase_functions", "supabase_migrations", "net", "cron"},
		people:  map[string][]string{"auth.users": {"id", "email", "created_at"}, "storage.objects": {"id", "bucket_id", "name"}, "storage.buckets": {"id", "name"}},
	},
	{name: "Graphile", marks: []string{"graphile_worker._private_jobs", "graphile_worker.jobs", "graphile_migrate.migrations"}, schemas: []string{"graphile_worker", "graphile_migrate", "postgraphile_watch"}},
	{
		name: "Directus", marks: []string{"directus_collections"}, prefix: "directus_",
		people: map[string][]string{
			"directus_users": {"id", "first_name", "last_name", "email"},
			"directus_files": {"id", "storage", "filename_disk", "filename_download", "title", "type", "filesize", "width", "height"},
			"directus_roles": {"id", "name"}, "directus_folders": {"id", "name"},
		},
	},
	{name: "PocketBase", marks: []string{"_collections"}, prefix: "_"},
}

// has reports whether a table is one of the product's own.
func (p *product) has(t *dbschema.Table) bool {
	if p.prefix != "" {
		return t.Schema == "" && strings.HasPrefix(t.Name, p.prefix)
	}
	return slices.Contains(p.schemas, t.Schema)
}

// group names the product's tables that t is one of, for notes: a schema, or a prefix.
func (p *product) group(t *dbschema.Table) string {
	if p.prefix != "" {
		return p.prefix + "*"
	}
	return t.Schema
}

// productsOf lists the products that have tables in a database.
func productsOf(db *dbschema.Database) []*product {
	var found []*product
	for i := range products {
		p := &products[i]
		if slices.ContainsFunc(db.Tables, func(t dbschema.Table) bool { return slices.Contains(p.marks, t.FullName()) }) {
			found = append(found, p)
		}
	}
	return found
}

// outside decides which tables of a database a project leaves out: the tables of schemas that the user did not
// name (nil: all are taken), and the tables of products unless withProducts is true. Tables that a project has
// already are never left out. foreign has the product of each of its tables to which rows of the application
// refer; the notes name the others by their groups.
func outside(db *dbschema.Database, known map[string]string, schemas []string, withProducts bool) (out map[*dbschema.Table]bool, foreign map[*dbschema.Table]*product, notes []Note) {
	out, foreign = map[*dbschema.Table]bool{}, map[*dbschema.Table]*product{}
	if schemas != nil {
		for i := range db.Tables {
			t := &db.Tables[i]
			out[t] = known[t.FullName()] == "" && !slices.Contains(schemas, t.Schema) && !(t.Schema == "" && slices.Contains(schemas, db.Schema))
		}
	}
	if withProducts {
		return out, foreign, nil
	}
	own := map[*dbschema.Table]*product{}
	for _, p := range productsOf(db) {
		for i := range db.Tables {
			if t := &db.Tables[i]; !out[t] && p.has(t) {
				own[t] = p
			}
		}
	}
	for i := range db.Tables {
		t := &db.Tables[i]
		if own[t] != nil || out[t] {
			continue
		}
		for _, f := range t.ForeignKeys {
			to := db.Table(f.Schema, f.Table)
			if p := own[to]; p != nil && p.people[to.FullName()] != nil {
				foreign[to] = p
			}
		}
	}
	var groups []string
	count := map[string]int{}
	names := map[string]string{}
	for i := range db.Tables {
		t := &db.Tables[i]
		p := own[t]
		if p == nil || foreign[t] != nil || known[t.FullName()] != "" {
			continue
		}
		out[t] = true
		group := p.group(t)
		if count[group]++; count[group] == 1 {
			groups = append(groups, group)
			names[group] = p.name
		}
	}
	for _, group := range groups {
		tables := "tables"
		if count[group] == 1 {
			tables = "table"
		}
		notes = append(notes, Note{Skipped, group, "", fmt.Sprintf("%d %s of %s itself; --product-tables adds them", count[group], tables, names[group])})
	}
	return out, foreign, notes
}
