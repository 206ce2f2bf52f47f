package postgres

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/store/dbschema"
	"github.com/frondhost/frond/store/postgres/engine"
)

// Describe reads the catalogue of the database that a URL names, with the tables of any program,
// without a write. Tables of the URL's schema have no schema in the description; the tables of
// PostgreSQL, of its extensions and of this program's bookkeeping are left out. Only ctx bounds the
// statement, which takes seconds for thousands of tables: no caller of a gateway waits for it. The
// error is one sentence that says what to do, and shows no password.
func Describe(ctx context.Context, opts engine.Options) (*dbschema.Database, error) {
	opts.Statement = -1
	db, err := engine.Open(opts)
	if err != nil {
		return nil, err
	}
	defer func() { _ = db.Close() }() // it only read
	var out *dbschema.Database
	err = db.Read(ctx, func(c *engine.Conn) (err error) {
		out, err = readCatalogue(c, db.Address().Schema)
		return err
	})
	switch better := db.Refusal(err); {
	case better != nil:
		return nil, better
	case engine.Unavailable(err):
		config := db.Address().Config
		return nil, kiterror.Errorf(kiterror.ServiceUnavailable, "the database server at %s:%d cannot be reached; start it, or correct the address%w", config.Host, config.Port, maskedError{err})
	}
	return out, err
}

// catalogue reads everything in one statement, however many tables there are: a row for each
// type that some column has, and one for each relation. Each row is one JSON document.
const catalogue = `
WITH RECURSIVE relations AS (
	SELECT c.oid, n.oid AS schema, n.nspname, c.relname, c.relkind, c.relispartition
	FROM pg_catalog.pg_class AS c JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
	WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND c.relpersistence <> 't'
		AND n.nspname NOT IN ('information_schema', 'frond') AND n.nspname NOT LIKE 'pg\_%'
		AND NOT EXISTS (SELECT 1 FROM pg_catalog.pg_depend AS d WHERE d.classid = 'pg_catalog.pg_class'::pg_catalog.regclass AND d.objid = c.oid AND d.deptype = 'e')
), used(oid) AS (
	SELECT DISTINCT a.atttypid FROM relations AS r JOIN pg_catalog.pg_attribute AS a ON a.attrelid = r.oid WHERE a.attnum > 0 AND NOT a.attisdropped
	UNION
	SELECT CASE WHEN t.typtype = 'd' THEN t.typbasetype ELSE t.typelem END
	FROM used AS u JOIN pg_catalog.pg_type AS t ON t.oid = u.oid WHERE t.typtype = 'd' OR t.typcategory = 'A' AND t.typelem <> 0
)
SELECT 'type', pg_catalog.json_build_object(
	'oid', t.oid::text, 'name', t.typname, 'schema', n.nspname, 'kind', t.typtype, 'category', t.typcategory,
	'element', t.typelem::text, 'base', t.typbasetype::text, 'mod', t.typtypmod, 'notNull', t.typnotnull,
	'labels', (SELECT pg_catalog.json_agg(e.enumlabel ORDER BY e.enumsortorder) FROM pg_catalog.pg_enum AS e WHERE e.enumtypid = t.oid),
	'checks', (SELECT pg_catalog.json_agg(pg_catalog.pg_get_constraintdef(k.oid) ORDER BY k.conname) FROM pg_catalog.pg_constraint AS k WHERE k.contypid = t.oid AND k.contype = 'c')
)::text
FROM used AS u JOIN pg_catalog.pg_type AS t ON t.oid = u.oid JOIN pg_catalog.pg_namespace AS n ON n.oid = t.typnamespace
UNION ALL
SELECT 'relation', pg_catalog.json_build_object(
	'schema', r.nspname, 'name', r.relname, 'kind', r.relkind, 'comment', pg_catalog.obj_description(r.oid, 'pg_class'),
	'parent', (SELECT p.relname FROM pg_catalog.pg_inherits AS i JOIN pg_catalog.pg_class AS p ON p.oid = i.inhparent WHERE i.inhrelid = r.oid AND r.relispartition LIMIT 1),
	'rights', pg_catalog.json_build_array(
		pg_catalog.has_schema_privilege(r.schema, 'USAGE') AND pg_catalog.has_table_privilege(r.oid, 'SELECT'),
		pg_catalog.has_table_privilege(r.oid, 'INSERT'), pg_catalog.has_table_privilege(r.oid, 'UPDATE'), pg_catalog.has_table_privilege(r.oid, 'DELETE')),
	'secured', (SELECT s.relrowsecurity FROM pg_catalog.pg_class AS s WHERE s.oid = r.oid), 'judged', pg_catalog.row_security_active(r.oid),
	'policies', (SELECT pg_catalog.json_agg(pg_catalog.json_build_object(
			'name', y.polname, 'command', CASE y.polcmd WHEN 'r' THEN 'SELECT' WHEN 'a' THEN 'INSERT' WHEN 'w' THEN 'UPDATE' WHEN 'd' THEN 'DELETE' ELSE 'ALL' END,
			'roles', (SELECT pg_catalog.json_agg(o.rolname ORDER BY o.rolname) FROM pg_catalog.pg_roles AS o WHERE o.oid = ANY (y.polroles)),
			'rows', pg_catalog.pg_get_expr(y.polqual, y.polrelid), 'written', pg_catalog.pg_get_expr(y.polwithcheck, y.polrelid)
		) ORDER BY y.polname)
		FROM pg_catalog.pg_policy AS y JOIN pg_catalog.pg_class AS s ON s.oid = y.polrelid WHERE y.polrelid = r.oid AND s.relrowsecurity),
	'columns', (SELECT pg_catalog.json_agg(pg_catalog.json_build_object(
			'name', a.attname, 'type', pg_catalog.format_type(a.atttypid, a.atttypmod), 'oid', a.atttypid::text, 'mod', a.atttypmod, 'notNull', a.attnotnull,
			'identity', a.attidentity, 'generated', a.attgenerated, 'default', pg_catalog.pg_get_expr(d.adbin, d.adrelid), 'folds', (SELECT NOT l.collisdeterministic FROM pg_catalog.pg_collation AS l WHERE l.oid = a.attcollation), 'comment', pg_catalog.col_description(r.oid, a.attnum)
		) ORDER BY a.attnum)
		FROM pg_catalog.pg_attribute AS a LEFT JOIN pg_catalog.pg_attrdef AS d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
		WHERE a.attrelid = r.oid AND a.attnum > 0 AND NOT a.attisdropped AND a.attname NOT LIKE '` + keptPrefix + `%'),
	'constraints', (SELECT pg_catalog.json_agg(pg_catalog.json_build_object(
			'name', k.conname, 'kind', k.contype, 'onDelete', k.confdeltype, 'text', CASE WHEN k.contype = 'c' THEN pg_catalog.pg_get_constraintdef(k.oid) END,
			'columns', (SELECT pg_catalog.json_agg(a.attname ORDER BY u.place) FROM pg_catalog.unnest(k.conkey) WITH ORDINALITY AS u(number, place) JOIN pg_catalog.pg_attribute AS a ON a.attrelid = k.conrelid AND a.attnum = u.number),
			'toSchema', tn.nspname, 'to', tc.relname,
			'toColumns', (SELECT pg_catalog.json_agg(a.attname ORDER BY u.place) FROM pg_catalog.unnest(k.confkey) WITH ORDINALITY AS u(number, place) JOIN pg_catalog.pg_attribute AS a ON a.attrelid = k.confrelid AND a.attnum = u.number)
		) ORDER BY k.contype, k.conname)
		FROM pg_catalog.pg_constraint AS k LEFT JOIN pg_catalog.pg_class AS tc ON tc.oid = k.confrelid LEFT JOIN pg_catalog.pg_namespace AS tn ON tn.oid = tc.relnamespace
		WHERE k.conrelid = r.oid AND k.contype IN ('p', 'u', 'f', 'c')
			-- Servers of 18 have these columns: a constraint that is not enforced, a foreign key over a period.
			AND pg_catalog.to_jsonb(k) ->> 'conenforced' IS DISTINCT FROM 'false' AND (k.contype <> 'f' OR pg_catalog.to_jsonb(k) ->> 'conperiod' IS DISTINCT FROM 'true')),
	'indexes', (SELECT pg_catalog.json_agg(pg_catalog.json_build_object(
			'name', ic.relname, 'unique', i.indisunique AND i.indpred IS NULL AND i.indexprs IS NULL AND i.indisvalid,
			'columns', (SELECT pg_catalog.json_agg(a.attname ORDER BY u.place) FROM pg_catalog.unnest(i.indkey::pg_catalog.int2[]) WITH ORDINALITY AS u(number, place) JOIN pg_catalog.pg_attribute AS a ON a.attrelid = i.indrelid AND a.attnum = u.number WHERE u.place <= i.indnkeyatts)
		) ORDER BY ic.relname)
		FROM pg_catalog.pg_index AS i JOIN pg_catalog.pg_class AS ic ON ic.oid = i.indexrelid WHERE i.indrelid = r.oid AND NOT i.indisprimary)
)::text
FROM relations AS r`

// readCatalogue reads the catalogue on a connection. in is the schema whose tables are described
// without a schema.
func readCatalogue(c *engine.Conn, in string) (*dbschema.Database, error) {
	types := map[string]*typeRow{}
	var relations []*relationRow
	// Compiling the statement to machine code would take longer than it runs. Both are one
	// transaction, which SET LOCAL ends with.
	err := c.Run(&engine.Query{Text: []byte("SET LOCAL jit = off")}, &engine.Query{Text: []byte(catalogue), Row: func(values [][]byte) error {
		if string(values[0]) == "type" {
			t := &typeRow{}
			err := json.Unmarshal(values[1], t)
			types[t.OID] = t
			return err
		}
		r := &relationRow{}
		relations = append(relations, r)
		return json.Unmarshal(values[1], r)
	}})
	if err != nil {
		return nil, err
	}
	db := &dbschema.Database{Product: "PostgreSQL", Schema: in, Tables: make([]dbschema.Table, len(relations))}
	for i, r := range relations {
		db.Tables[i] = r.table(types, in)
	}
	slices.SortFunc(db.Tables, func(a, b dbschema.Table) int {
		if a.Schema != b.Schema {
			return strings.Compare(a.Schema, b.Schema)
		}
		return strings.Compare(a.Name, b.Name)
	})
	return db, nil
}

// relationRow is a relation as the statement gives it.
type relationRow struct {
	Schema, Name, Kind string
	Comment, Parent    *string
	Rights             [4]bool
	Policies           []dbschema.Policy
	Secured, Judged    bool
	Columns            []columnRow
	Constraints        []struct {
		Name, Kind, OnDelete string
		Text, ToSchema, To   *string
		Columns, ToColumns   []string
	}
	Indexes []struct {
		Name    string
		Unique  bool
		Columns []string
	}
}

// columnRow is a column as the statement gives it.
type columnRow struct {
	Name, Type, OID     string
	Mod                 int
	NotNull             bool
	Identity, Generated string
	Default, Comment    *string
	Folds               bool // by its collation
}

// typeRow is a type as the statement gives it.
type typeRow struct {
	OID, Name, Schema, Kind, Category, Element, Base string
	Mod                                              int
	NotNull                                          bool
	Labels, Checks                                   []string
}

// rights are the rights of relationRow.Rights, in its order.
var rights = [4]string{"SELECT", "INSERT", "UPDATE", "DELETE"}

// table describes a relation.
func (r *relationRow) table(types map[string]*typeRow, in string) dbschema.Table {
	t := dbschema.Table{Schema: r.Schema, Name: r.Name, View: r.Kind == "v" || r.Kind == "m", Comment: text(r.Comment), Named: map[string][]string{}}
	if t.Schema == in {
		t.Schema = ""
	}
	if r.Parent != nil {
		t.Unfit = "it is a partition of " + *r.Parent + ", whose door has its rows"
	}
	t.Policies, t.Secured, t.Judged = r.Policies, r.Secured, r.Judged
	for i, has := range r.Rights {
		if !has {
			t.Denied = append(t.Denied, rights[i])
		}
	}
	for _, c := range r.Columns {
		t.Columns = append(t.Columns, c.column(types, &t))
	}
	for _, k := range r.Constraints {
		t.Named[k.Name] = k.Columns
		switch k.Kind {
		case "p":
			t.Primary = k.Columns
		case "u":
			t.Uniques = append(t.Uniques, k.Columns)
		case "c":
			t.Checks = append(t.Checks, strings.TrimPrefix(text(k.Text), "CHECK "))
		case "f":
			f := dbschema.Reference{Columns: k.Columns, Schema: text(k.ToSchema), Table: text(k.To), To: k.ToColumns}
			if f.Schema == in {
				f.Schema = ""
			}
			f.OnDelete = map[string]string{"c": "cascade", "r": "restrict", "n": "set null"}[k.OnDelete]
			t.ForeignKeys = append(t.ForeignKeys, f)
		}
	}
	for _, ix := range r.Indexes {
		if len(ix.Columns) == 0 {
			continue
		}
		t.Indexed = append(t.Indexed, ix.Columns[0])
		if !ix.Unique {
			continue
		}
		t.Named[ix.Name] = ix.Columns
		if !slices.ContainsFunc(t.Uniques, func(other []string) bool { return slices.Equal(other, ix.Columns) }) {
			t.Uniques = append(t.Uniques, ix.Columns)
		}
	}
	return t
}

// text is a text that may be null.
func text(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// column describes a column. Checks of its domain that a card cannot say become the table's.
func (c *columnRow) column(types map[string]*typeRow, t *dbschema.Table) dbschema.Column {
	out := dbschema.Column{Name: c.Name, NotNull: c.NotNull && !t.View, Default: text(c.Default), Comment: text(c.Comment)}
	switch {
	case c.Identity == "a", c.Generated != "":
		out.Fill = dbschema.FillAlways
	case c.Identity == "d", c.Default != nil:
		out.Fill = dbschema.FillDefault
	}
	out.Type = dbschema.Type{Name: c.Type, Folds: c.Folds}
	oid, mod := c.OID, c.Mod
	for types[oid] != nil && types[oid].Kind == "d" {
		domain := types[oid]
		if out.Type.Domain == "" {
			out.Type.Domain = domain.Name
		}
		out.NotNull = out.NotNull || domain.NotNull && !t.View
		for _, check := range domain.Checks {
			if !bounds(&out.Type, check) {
				t.Checks = append(t.Checks, fmt.Sprintf("%s of the domain %s: %s", c.Name, domain.Name, strings.TrimPrefix(check, "CHECK ")))
			}
		}
		oid, mod = domain.Base, domain.Mod
	}
	is := types[oid]
	if is != nil && is.Category == "A" && types[is.Element] != nil {
		out.Type.List = true
		is = types[is.Element]
		for is.Kind == "d" && types[is.Base] != nil {
			is = types[is.Base]
		}
	}
	if is == nil {
		out.Type.Kind, out.Type.Unfit = dbschema.Unfit, "its type is not in the catalogue"
		return out
	}
	if out.Type.Domain != "" && !out.Type.List {
		out.Type.Name = is.name() // statements compare values by the type that they have
	}
	is.describe(&out.Type, mod)
	return out
}

// name is the name of the type in SQL, with its schema unless PostgreSQL defines the type.
func (is *typeRow) name() string {
	if is.Schema == "pg_catalog" {
		return is.Name
	}
	return quote(is.Schema) + "." + quote(is.Name)
}

// boundText is one bound of a domain over whole numbers.
var boundText = regexp.MustCompile(`^VALUE (>=|<=|>|<) '?(-?[0-9]{1,18})'?(::[a-z]+)?$`)

// bounds takes the bounds of a domain's check, CHECK (((VALUE >= 1901) AND (VALUE <= 2155))),
// into the type. It returns false, and leaves the type as it is, for any other check.
func bounds(t *dbschema.Type, check string) bool {
	plain := strings.NewReplacer("CHECK ", "", "(", "", ")", "").Replace(check)
	var least, most *int64
	for part := range strings.SplitSeq(plain, " AND ") {
		m := boundText.FindStringSubmatch(part)
		if m == nil {
			return false
		}
		n, err := strconv.ParseInt(m[2], 10, 64)
		if err != nil {
			return false
		}
		switch m[1] {
		case ">":
			n++
			least = &n
		case ">=":
			least = &n
		case "<":
			n--
			most = &n
		case "<=":
			most = &n
		}
	}
	if least != nil {
		t.Least = least
	}
	if most != nil {
		t.Most = most
	}
	return true
}

// describe describes the values of a type that is neither a domain nor an array. mod is the
// modifier of the column: a length, or a precision and a scale.
func (is *typeRow) describe(t *dbschema.Type, mod int) {
	unfit := func(why string) { t.Kind, t.Unfit = dbschema.Unfit, why }
	switch is.Kind {
	case "e":
		t.Kind, t.Values = dbschema.Enum, is.Labels
		return
	case "c":
		unfit("it is a row within the row")
		return
	case "r", "m":
		t.Kind = dbschema.Other // the text of a range
		return
	}
	switch is.Name {
	case "bool":
		t.Kind = dbschema.Boolean
	case "int2", "int4", "int8":
		t.Kind = dbschema.Integer
		t.Bits = map[string]int{"int2": 16, "int4": 32, "int8": 64}[is.Name]
	case "float4", "float8":
		t.Kind = dbschema.Float
	case "numeric":
		t.Kind = dbschema.Decimal
		if mod >= 4 && !t.List {
			t.Precision, t.Scale = (mod-4)>>16&0xffff, (mod-4)&0x7ff
		}
	case "text", "name", "citext":
		t.Kind, t.Folds = dbschema.Text, t.Folds || is.Name == "citext"
	case "varchar", "bpchar":
		t.Kind = dbschema.Text
		if mod > 4 {
			t.Length = mod - 4
		}
	case "date":
		t.Kind = dbschema.Date
	case "timestamptz":
		t.Kind = dbschema.Instant
	case "timestamp":
		t.Kind = dbschema.DateTime
	case "time", "timetz":
		t.Kind = dbschema.Time
	case "uuid":
		t.Kind = dbschema.UUID
	case "json", "jsonb":
		t.Kind = dbschema.JSON
	case "interval", "inet", "cidr", "macaddr", "macaddr8", "bit", "varbit", "xml", "ltree", "char", "money":
		t.Kind = dbschema.Other
	case "bytea":
		unfit("it holds bytes, which a row of JSON cannot carry")
	case "tsvector", "tsquery":
		unfit("it is an index for text search and has no value to show")
	case "point", "line", "lseg", "box", "path", "polygon", "circle":
		unfit("it holds a shape, for which cards have no form")
	default:
		unfit("no card has a form for this type")
	}
}
