package adopt

import (
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

// outside decides which tables of a database a project leaves out whatever they are: those of schemas that
// the user did not name, and those of a product. It notes the products' by their groups, and keeps the
// product of each table that rows of the application refer to in b.foreign.
func (b *builder) outside(db *dbschema.Database) map[*dbschema.Table]bool {
	out := map[*dbschema.Table]bool{}
	known := map[string]bool{}
	for _, k := range b.opts.Known {
		known[dbschema.FullName(k.Schema, k.Table)] = true
	}
	if b.opts.Schemas != nil {
		for i := range db.Tables {
			t := &db.Tables[i]
			out[t] = !known[t.FullName()] && !slices.Contains(b.opts.Schemas, t.Schema) && !(t.Schema == "" && slices.Contains(b.opts.Schemas, db.Schema))
		}
	}
	if b.opts.Products {
		return out
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
				b.foreign[to] = p
			}
		}
	}
	var groups []string
	count := map[string]int{}
	names := map[string]string{}
	for i := range db.Tables {
		t := &db.Tables[i]
		p := own[t]
		if p == nil || b.foreign[t] != nil || known[t.FullName()] {
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
		b.note(Skipped, group, "", "%d %s of %s itself; --product-tables adds them", count[group], tables, names[group])
	}
	return out
}

// kept reports whether a project has a column of a table that a product made: the columns of people, and
// those that a card has already.
func (b *builder) kept(t *dbschema.Table, column string, known map[string]string) bool {
	p := b.foreign[t]
	return p == nil || known[column] != "" || slices.Contains(p.people[t.FullName()], column)
}

// foreigner notes that a table of a product is read alone.
func (b *builder) foreigner(e *Entity) bool {
	p := b.foreign[e.Table]
	if p == nil {
		return false
	}
	b.note(restricted, e.Table.FullName(), "", "a table of %s itself, to which your rows refer: its rows are read, with %s", p.name, strings.Join(p.people[e.Table.FullName()], ", "))
	return true
}

// plainComment returns a comment without the lines that PostGraphile reads, such as @omit create,update, and
// those lines.
func plainComment(comment string) (text string, tags []string) {
	rest := comment
	for strings.HasPrefix(rest, "@") && len(rest) > 1 && rest[1] >= 'a' && rest[1] <= 'z' {
		line, after, _ := strings.Cut(rest, "\n")
		tags, rest = append(tags, strings.TrimSpace(line)), after
	}
	return rest, tags
}

// tagsOf returns the lines of a comment that PostGraphile reads.
func tagsOf(comment string) []string {
	_, tags := plainComment(comment)
	return tags
}

// omitted lists the operations that tags omit: create, read, update, delete, or all of them for @omit
// alone.
func omitted(tags []string) []string {
	var all []string
	for _, tag := range tags {
		if word, list, _ := strings.Cut(tag, " "); word == "@omit" {
			if list = strings.TrimSpace(list); list == "" {
				return []string{"create", "read", "update", "delete"}
			}
			for op := range strings.SplitSeq(list, ",") {
				all = append(all, strings.TrimSpace(op))
			}
		}
	}
	return all
}

// tagged notes the tags of a comment that have no counterpart in a card.
func (b *builder) tagged(table, column string, tags []string) {
	for _, tag := range tags {
		b.note(smart, table, column, "%s", tag)
	}
}
