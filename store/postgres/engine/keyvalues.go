package engine

import (
	"context"
	"encoding/json"
	"strconv"
	"sync"
)

// KeyValues are texts that processes over a database share, in a table of their own, frond.values.
// It is a [facade.KeyValues] and may be used from many goroutines.
type KeyValues struct {
	db *DB

	mu   sync.Mutex
	made bool // the table is there
}

const (
	makeKeyValues = `CREATE TABLE IF NOT EXISTS ` + Bookkeeping + `.values (schema text NOT NULL, key text NOT NULL, version bigint NOT NULL, text text NOT NULL, PRIMARY KEY (schema, key))`

	// setKeyValue finds the row by its key alone; a new key is known from version 0 alone.
	setKeyValue  = `UPDATE ` + Bookkeeping + `.values SET version = $3::bigint + 1, text = $4 WHERE schema = $1 AND key = $2 AND version = $3::bigint`
	keepKeyValue = `INSERT INTO ` + Bookkeeping + `.values (schema, key, version, text) VALUES ($1, $2, $3::bigint + 1, $4)`
	addKeyValue  = keepKeyValue + ` ON CONFLICT DO NOTHING`
)

// NewKeyValues returns the key values of a database. The table is made when it is first needed.
func NewKeyValues(db *DB) *KeyValues { return &KeyValues{db: db} }

// prepare makes the table, once in the life of the process.
func (k *KeyValues) prepare(ctx context.Context) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.made {
		return nil
	}
	err := k.db.Own(ctx, "values", makeKeyValues)
	k.made = err == nil
	return k.db.Public(ctx, err)
}

// outside is ctx outside of any transaction, on the primary.
func (k *KeyValues) outside(ctx context.Context) context.Context {
	return OnPrimary(context.WithValue(ctx, levelKey{k.db}, (*level)(nil)))
}

// Value implements [facade.KeyValues].
func (k *KeyValues) Value(ctx context.Context, key string) (text json.RawMessage, version int64, err error) {
	ctx = k.outside(ctx)
	if err := k.prepare(ctx); err != nil {
		return nil, 0, err
	}
	q := &Query{
		Text:   []byte(`SELECT text, version FROM ` + Bookkeeping + `.values WHERE schema = $1 AND key = $2`),
		Values: [][]byte{[]byte(k.db.address.Schema), []byte(key)},
		Reset:  func() { text, version = nil, 0 },
		Row: func(v [][]byte) (err error) {
			text = append(json.RawMessage(nil), v[0]...)
			version, err = strconv.ParseInt(string(v[1]), 10, 64)
			return err
		},
	}
	err = k.db.Read(ctx, func(c *Conn) error { return c.Run(q) })
	return text, version, err
}

// SetValue implements [facade.KeyValues]: one statement.
func (k *KeyValues) SetValue(ctx context.Context, key string, version int64, text json.RawMessage) (set bool, err error) {
	ctx = k.outside(ctx)
	if err := k.prepare(ctx); err != nil {
		return false, err
	}
	sql := setKeyValue
	switch {
	case text == nil:
		sql = `DELETE FROM ` + Bookkeeping + `.values WHERE schema = $1 AND key = $2 AND version = $3::bigint AND $4::text IS NULL`
	case version == 0:
		sql = addKeyValue
	}
	q := &Query{Text: []byte(sql), Values: [][]byte{[]byte(k.db.address.Schema), []byte(key), strconv.AppendInt(nil, version, 10), text}}
	if err := k.db.single(ctx, q); err != nil {
		return false, err
	}
	return q.Count == 1, nil
}

// Keep is [facade.Abilities.KeepValue].
func (k *KeyValues) Keep(ctx context.Context, key string, text json.RawMessage) error {
	if err := k.prepare(k.outside(ctx)); err != nil {
		return err
	}
	q := &Query{Text: []byte(keepKeyValue), Values: [][]byte{[]byte(k.db.address.Schema), []byte(key), []byte("0"), text}}
	return k.db.Defer(ctx, q, func() {})
}

// Values implements [facade.KeyValues].
func (k *KeyValues) Values(ctx context.Context, prefix string) (all map[string]json.RawMessage, err error) {
	ctx = k.outside(ctx)
	if err := k.prepare(ctx); err != nil {
		return nil, err
	}
	q := &Query{
		Text:   []byte(`SELECT key, text FROM ` + Bookkeeping + `.values WHERE schema = $1 AND starts_with(key, $2)`),
		Values: [][]byte{[]byte(k.db.address.Schema), []byte(prefix)},
		Reset:  func() { all = map[string]json.RawMessage{} },
		Row: func(v [][]byte) error {
			all[string(v[0])] = append(json.RawMessage(nil), v[1]...)
			return nil
		},
	}
	err = k.db.Read(ctx, func(c *Conn) error { return c.Run(q) })
	return all, err
}
