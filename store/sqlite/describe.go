package sqlite

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/frondhost/frond/store/dbschema"
	"github.com/frondhost/frond/store/sqlite/engine"
	"github.com/frondhost/frond/store/sqltext"
)

// Describe reads the catalogue of a database file of any program, without a write to the file.
// SQLite columns hold values of any type unless their table is STRICT, so Describe reads the
// rows as well: a column with values of another type than it declares is described by its
// values, and one with values of several types is unfit. The error is one sentence that names
// the file.
func Describe(ctx context.Context, path string) (*dbschema.Database, error) {
	c, err := engine.Peek(ctx, path)
	if err != nil {
		return nil, err
	}
	db, err := describe(c, func(*dbschema.Table) bool { return true })
	if err == nil {
		err = collections(c, db)
	}
	return db, errors.Join(err, c.Close())
}

// describe reads the tables of a connection. observe reports whether to read a table's rows
// too; the other tables keep the types that their columns declare.
func describe(c *engine.Conn, observe func(*dbschema.Table) bool) (*dbschema.Database, error) {
	r := &describing{conn: c, byName: map[string]*dbschema.Table{}}
	for _, step := range []func() error{r.tables, r.columns, r.foreignKeys, r.indexes} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	db := &dbschema.Database{Product: "SQLite"}
	for _, t := range r.order {
		if t.Unfit == "" && observe(t) {
			if err := r.observe(t); err != nil {
				return nil, err
			}
		}
		db.Tables = append(db.Tables, *t)
	}
	return db, nil
}

// describing is the state of one reading.
type describing struct {
	conn   *engine.Conn
	order  []*dbschema.Table
	byName map[string]*dbschema.Table // in lower case, as SQLite compares names
}

// tables reads the list of tables. Those of SQLite and of this program are left out.
func (r *describing) tables() error {
	virtual, err := virtualTables(r.conn)
	if err != nil {
		return err
	}
	return r.conn.Each(func(st *engine.Stmt) {
		t := &dbschema.Table{Name: st.ColumnText(0), View: st.ColumnText(1) == "view", NoRowID: st.ColumnInt64(2) != 0}
		owner := storageOf(t.Name, virtual)
		switch kind := st.ColumnText(1); {
		case kind == "virtual":
			t.Unfit = "it is a virtual table, whose content its module decides"
		case owner != "" && kind == "table", kind == "shadow":
			t.Unfit = strings.TrimSuffix("it is the storage of the virtual table "+owner, " ") + ", which a write would break"
		}
		r.order = append(r.order, t)
		r.byName[asciiLower(t.Name)] = t
	}, `SELECT name, type, wr FROM pragma_table_list WHERE schema = 'main'
		AND name NOT LIKE 'sqlite\_%' ESCAPE '\' AND name NOT LIKE '\_frond\_%' ESCAPE '\' ORDER BY name`)
}

// shadows are the ends of the names of the tables in which modules keep their virtual tables. SQLite knows
// them where the module is loaded.
var shadows = map[string][]string{
	"fts3":      {"content", "segments", "segdir", "docsize", "stat"},
	"fts4":      {"content", "segments", "segdir", "docsize", "stat"},
	"fts5":      {"data", "idx", "content", "docsize", "config"},
	"rtree":     {"node", "rowid", "parent"},
	"rtree_i32": {"node", "rowid", "parent"},
	"geopoly":   {"node", "rowid", "parent"},
	"spellfix1": {"vocab"},
}

// virtualTables returns the modules of the virtual tables by their names, both in lower case.
func virtualTables(c *engine.Conn) (map[string]string, error) {
	modules := map[string]string{}
	err := c.Each(func(st *engine.Stmt) {
		_, using, _ := strings.Cut(asciiLower(strings.Join(strings.Fields(st.ColumnText(1)), " ")), " using ")
		module, _, _ := strings.Cut(using, "(")
		modules[asciiLower(st.ColumnText(0))] = strings.Trim(module, " \"`[]")
	}, `SELECT name, sql FROM sqlite_schema WHERE type = 'table' AND sql LIKE 'CREATE VIRTUAL %'`)
	return modules, err
}

// storageOf returns the virtual table that a table is the storage of, by its name; "" for any other table.
// An unknown module may have any table whose name begins with the name of the virtual table.
//
//	notes_data   notes
func storageOf(table string, virtual map[string]string) string {
	name := asciiLower(table)
	for of, module := range virtual {
		end, begins := strings.CutPrefix(name, of+"_")
		if ends, known := shadows[module]; begins && (!known || slices.Contains(ends, end)) {
			return of
		}
	}
	return ""
}

// columns reads the columns of every table and view, and their primary keys. A column that is
// the row's own number is filled by SQLite: INTEGER PRIMARY KEY, in exactly these words. A view
// over something that is gone cannot be read, and is unfit.
func (r *describing) columns() error {
	for _, t := range r.order {
		if t.Unfit != "" {
			continue
		}
		err := r.conn.Each(func(st *engine.Stmt) {
			c := dbschema.Column{Name: st.ColumnText(0), Type: declaredType(st.ColumnText(1)), NotNull: st.ColumnInt64(2) != 0, Default: st.ColumnText(3)}
			switch hidden := st.ColumnInt64(5); {
			case hidden == 2, hidden == 3:
				c.Fill = dbschema.FillAlways // GENERATED ALWAYS AS
			case c.Default != "" && !strings.EqualFold(c.Default, "NULL"):
				c.Fill = dbschema.FillDefault
			}
			if place := int(st.ColumnInt64(4)); place > 0 {
				for len(t.Primary) < place {
					t.Primary = append(t.Primary, "")
				}
				t.Primary[place-1] = c.Name
			}
			if !t.View { // an error: of no collation
				_, c.Type.Collation, _, _, _, _ = r.conn.Raw().TableColumnMetadata("main", t.Name, c.Name)
			}
			if c.Type.Collation == "BINARY" {
				c.Type.Collation = ""
			}
			c.Type.Folds = c.Type.Collation != ""
			t.Columns = append(t.Columns, c)
		}, `SELECT name, type, "notnull", dflt_value, pk, hidden FROM pragma_table_xinfo(?) ORDER BY cid`, sqltext.TextValue(t.Name))
		switch {
		case err != nil && t.View && !errors.Is(err, context.Canceled):
			t.Unfit = "it cannot be read: " + reason(err)
		case err != nil:
			return err
		}
		if len(t.Primary) != 1 {
			continue
		}
		if c := t.Column(t.Primary[0]); t.IsRowID(c) {
			c.Fill, c.NotNull = dbschema.FillDefault, true
		}
	}
	return nil
}

// reason is SQLite's own sentence for an error, without the statement.
func reason(err error) string {
	text := err.Error()
	return text[strings.LastIndex(text, "sqlite3: ")+len("sqlite3: "):]
}

// foreignKeys reads what each table refers to. A reference that names no columns leads to the
// primary key of its table.
func (r *describing) foreignKeys() error {
	last := -1
	err := r.conn.Each(func(st *engine.Stmt) {
		t := r.byName[asciiLower(st.ColumnText(0))]
		if t == nil {
			return
		}
		id := int(st.ColumnInt64(1))
		if n := len(t.ForeignKeys); n == 0 || id != last {
			target := st.ColumnText(2)
			if other := r.byName[asciiLower(target)]; other != nil {
				target = other.Name // as it was declared: SQLite compares without regard to case
			}
			t.ForeignKeys = append(t.ForeignKeys, dbschema.Reference{Table: target, OnDelete: onDeleteWord(st.ColumnText(5))})
		}
		last = id
		f := &t.ForeignKeys[len(t.ForeignKeys)-1]
		f.Columns = append(f.Columns, columnOf(t, st.ColumnText(3)))
		if to := st.ColumnText(4); to != "" {
			f.To = append(f.To, columnOf(r.byName[asciiLower(f.Table)], to))
		}
	}, `SELECT t.name, f.id, f."table", f."from", f."to", f.on_delete
		FROM pragma_table_list AS t, pragma_foreign_key_list(t.name) AS f WHERE t.schema = 'main' AND t.type = 'table' ORDER BY t.name, f.id DESC, f.seq`)
	for _, t := range r.order {
		for i := range t.ForeignKeys {
			f := &t.ForeignKeys[i]
			if other := r.byName[asciiLower(f.Table)]; f.To == nil && other != nil {
				f.To = other.Primary
			}
		}
	}
	return err
}

// columnOf is a column's name as its table declares it; the name itself where t is nil.
func columnOf(t *dbschema.Table, name string) string {
	if t != nil {
		if c := findColumn(t, name); c != nil {
			return c.Name
		}
	}
	return name
}

// onDeleteWord is a foreign key's action in a card's words.
func onDeleteWord(action string) string {
	switch word := strings.ToLower(action); word {
	case "cascade", "restrict", "set null":
		return word
	}
	return ""
}

// indexes reads the unique constraints and the columns that lead an index.
func (r *describing) indexes() error {
	type index struct {
		t               *dbschema.Table
		unique, partial bool
		columns         []string
		expression      bool
	}
	var all []*index
	byName := map[string]*index{}
	err := r.conn.Each(func(st *engine.Stmt) {
		t := r.byName[asciiLower(st.ColumnText(0))]
		if t == nil || st.ColumnText(4) == "pk" {
			return
		}
		ix := byName[st.ColumnText(1)]
		if ix == nil {
			ix = &index{t: t, unique: st.ColumnInt64(2) != 0, partial: st.ColumnInt64(3) != 0}
			byName[st.ColumnText(1)] = ix
			all = append(all, ix)
		}
		if isNull(st, 5) {
			ix.expression = true
			return
		}
		ix.columns = append(ix.columns, st.ColumnText(5))
	}, `SELECT t.name, i.name, i."unique", i.partial, i.origin, x.name
		FROM pragma_table_list AS t, pragma_index_list(t.name) AS i, pragma_index_info(i.name) AS x
		WHERE t.schema = 'main' AND t.type = 'table' ORDER BY t.name, i.seq DESC, x.seqno`)
	for _, ix := range all {
		if ix.partial || ix.expression || len(ix.columns) == 0 {
			continue
		}
		if ix.unique {
			ix.t.Uniques = append(ix.t.Uniques, ix.columns)
		}
		ix.t.Indexed = append(ix.t.Indexed, ix.columns[0])
	}
	return err
}

// declaredType is the type that a column declares, by the rules of SQLite's affinities (its
// documentation, "Determination Of Column Affinity") and a few words that programs write for
// others: BOOLEAN, DATE, DATETIME, JSON.
//
//	INT, BIGINT, TINYINT     integer
//	NVARCHAR(40), TEXT       text, of 40 characters at most
//	REAL, DOUBLE, FLOAT      float
//	NUMERIC(10,2), DECIMAL   float: SQLite keeps a binary number
//	BLOB                     unfit
func declaredType(declared string) dbschema.Type {
	t := dbschema.Type{Name: declared}
	word, size, _ := strings.Cut(strings.ToUpper(declared), "(")
	word = strings.TrimSpace(word)
	has := func(parts ...string) bool {
		for _, p := range parts {
			if strings.Contains(word, p) {
				return true
			}
		}
		return false
	}
	switch {
	case word == "BOOLEAN", word == "BOOL":
		t.Kind = dbschema.Boolean
	case word == "DATE":
		t.Kind = dbschema.Date
	case has("DATETIME", "TIMESTAMP"):
		t.Kind = dbschema.DateTime
	case word == "TIME":
		t.Kind = dbschema.Time
	case has("JSON"):
		t.Kind = dbschema.JSON
	case has("INT"):
		t.Kind, t.Bits = dbschema.Integer, 32 // the rows may show more
		if has("BIG", "INT8") {
			t.Bits = 64
		}
	case has("CHAR", "CLOB", "TEXT", "UUID"):
		t.Kind = dbschema.Text
		size, _, _ = strings.Cut(size, ")")
		t.Length, _ = strconv.Atoi(strings.TrimSpace(size)) // no number: no bound
	case has("BLOB"):
		t.Kind, t.Unfit = dbschema.Unfit, "it holds bytes, which a row of JSON cannot carry"
	case has("REAL", "FLOA", "DOUBLE", "NUMERIC", "DECIMAL", "NUMBER", "MONEY"):
		t.Kind = dbschema.Float
	default:
		t.Kind = dbschema.Other // the rows say it
	}
	return t
}
