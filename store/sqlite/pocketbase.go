package sqlite

import (
	"github.com/frondhost/frond/store/dbschema"
	"github.com/frondhost/frond/store/sqlite/engine"
)

// collections adds the references of a database of PocketBase. It declares no foreign keys: the field of a
// relation is described in its table _collections. A field with several ids is a JSON list, and stays one.
func collections(c *engine.Conn, db *dbschema.Database) error {
	list := db.Table("", "_collections")
	if list == nil || list.Column("fields") == nil || list.Column("name") == nil || list.Column("id") == nil {
		return nil
	}
	return c.Each(func(st *engine.Stmt) {
		t, to := db.Table("", st.ColumnText(0)), db.Table("", st.ColumnText(2))
		if t == nil || to == nil || t.View {
			return
		}
		if column := t.Column(st.ColumnText(1)); column != nil && column.Type.Kind == dbschema.Text {
			t.ForeignKeys = append(t.ForeignKeys, dbschema.Reference{Columns: []string{column.Name}, Table: to.Name, To: []string{"id"}})
		}
	}, `SELECT c.name, f.value ->> '$.name', o.name
		FROM _collections AS c, json_each(CASE WHEN json_valid(c.fields) THEN c.fields ELSE '[]' END) AS f JOIN _collections AS o ON o.id = f.value ->> '$.collectionId'
		WHERE f.type = 'object' AND f.value ->> '$.type' = 'relation' ORDER BY c.name, f.key`)
}
