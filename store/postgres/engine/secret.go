package engine

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
)

// secret returns the random bytes that every process over the database knows by a name. The
// first one makes them.
func (d *DB) secret(ctx context.Context, name string, size int) (key []byte, err error) {
	if err := d.Own(ctx, "secrets", "CREATE TABLE IF NOT EXISTS "+Bookkeeping+".secrets (name text PRIMARY KEY, value text NOT NULL)"); err != nil {
		return nil, err
	}
	fresh := make([]byte, size)
	if _, err := rand.Read(fresh); err != nil {
		return nil, err
	}
	err = d.Write(ctx, func(c *Conn) error {
		key = nil
		return c.Conclude(
			&Query{Text: []byte("INSERT INTO frond.secrets (name, value) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING"), Values: [][]byte{[]byte(name), []byte(hex.EncodeToString(fresh))}},
			&Query{Text: []byte("SELECT value FROM frond.secrets WHERE name = $1"), Values: [][]byte{[]byte(name)}, Row: func(values [][]byte) (err error) {
				key, err = hex.DecodeString(string(values[0]))
				return err
			}})
	})
	if err == nil && len(key) != size {
		err = errors.New("the table frond.secrets has a value of another length; delete its row")
	}
	return key, err
}
