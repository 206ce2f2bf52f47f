package sqlite

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/store/sqlite/engine"
	"github.com/frondhost/frond/store/sqltext"
)

// keyValuesTable has the texts of [facade.KeyValues].
const keyValuesTable = ownPrefix + "values"

// makeKeyValues makes it on first use, in the transaction of a write.
const makeKeyValues = `CREATE TABLE IF NOT EXISTS "` + keyValuesTable + `" (key TEXT NOT NULL PRIMARY KEY, version INTEGER NOT NULL, text TEXT NOT NULL) STRICT, WITHOUT ROWID`

// errForeignValues is the cause of a failed SetValue in another program's database.
var errForeignValues = errors.New("sqlite: no tables are made in another program's database; move the tables")

// keyValues is the [facade.KeyValues] of a database, which may be opened later.
type keyValues struct{ *access }

// Value implements [facade.KeyValues].
func (k keyValues) Value(ctx context.Context, key string) (text json.RawMessage, version int64, err error) {
	err = k.read(ctx, `SELECT text, version FROM "`+keyValuesTable+`" WHERE key = ?`, func(st *engine.Stmt) {
		text, version = json.RawMessage(st.ColumnText(0)), st.ColumnInt64(1)
	}, sqltext.TextValue(key))
	return text, version, err
}

// SetValue implements [facade.KeyValues]. A transaction has the file alone, so within one of ctx the
// write would wait for itself: it is an error.
func (k keyValues) SetValue(ctx context.Context, key string, version int64, text json.RawMessage) (set bool, err error) {
	sql := `UPDATE "` + keyValuesTable + `" SET version = ?2 + 1, text = ?3 WHERE key = ?1 AND version = ?2`
	switch {
	case text == nil:
		sql = `DELETE FROM "` + keyValuesTable + `" WHERE key = ?1 AND version = ?2 AND ?3 IS NOT NULL`
	case version == 0:
		sql = `INSERT INTO "` + keyValuesTable + `" (key, version, text) VALUES (?1, ?2 + 1, ?3) ON CONFLICT DO NOTHING`
	}
	err = k.db.Write(&engine.Op{Ctx: ctx, Run: func(c *engine.Conn) error {
		if k.db.Foreign() {
			return errForeignValues
		}
		if err := c.Exec(makeKeyValues); err != nil {
			return err
		}
		if err := c.Exec(sql, sqltext.TextValue(key), sqltext.IntValue(version), sqltext.TextValue(string(text))); err != nil {
			return err
		}
		set = c.Raw().Changes() > 0
		return nil
	}})
	return set && err == nil, err
}

// keep is [facade.Abilities.KeepValue].
func (k keyValues) keep(ctx context.Context, key string, text json.RawMessage) error {
	set, err := k.SetValue(ctx, key, 0, text)
	if err == nil && !set {
		return kiterror.Errorf(kiterror.Conflict, "the store has the key %s already", key)
	}
	return err
}

// Values implements [facade.KeyValues].
func (k keyValues) Values(ctx context.Context, prefix string) (all map[string]json.RawMessage, err error) {
	all = map[string]json.RawMessage{}
	err = k.read(ctx, `SELECT key, text FROM "`+keyValuesTable+`" WHERE substr(key, 1, length(?1)) = ?1`, func(st *engine.Stmt) {
		all[st.ColumnText(0)] = json.RawMessage(st.ColumnText(1))
	}, sqltext.TextValue(prefix))
	return all, err
}

// read runs a statement over the table, and calls row for each of its rows.
func (k keyValues) read(ctx context.Context, sql string, row func(*engine.Stmt), values ...sqltext.Value) error {
	return k.db.Read(ctx, func(c *engine.Conn) error { return eachOwn(c, keyValuesTable, row, sql, values...) })
}
