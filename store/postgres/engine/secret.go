package engine

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
)

// Bookkeeping is the schema of the tables that belong to frond and not to the project: leases,
// marks of seeds, the history of migrations, secrets, nonces.
const Bookkeeping = "frond"

// keep makes a table of the bookkeeping, with what else it needs, unless it is there. Several processes may do so at
// once: then one of them finds the other's.
func (d *DB) keep(ctx context.Context, table, columns string, more ...string) error {
	there := false
	if err := d.Read(ctx, func(c *Conn) error {
		return c.Run(&Query{Text: []byte("SELECT to_regclass($1) IS NOT NULL"), Values: [][]byte{[]byte(Bookkeeping + "." + table)}, Row: func(values [][]byte) error {
			there = string(values[0]) == "t"
			return nil
		}})
	}); err != nil || there {
		return err
	}
	statements := []*Query{SQL("CREATE SCHEMA IF NOT EXISTS " + Bookkeeping), SQL(fmt.Sprintf("CREATE TABLE IF NOT EXISTS %s.%s (%s)", Bookkeeping, table, columns))}
	for _, text := range more {
		statements = append(statements, SQL(text))
	}
	var err error
	for range 5 { // IF NOT EXISTS does not see what another transaction is about to commit
		err = d.Write(ctx, func(c *Conn) error {
			return c.Conclude(statements...)
		})
		if code := codeOf(err); code != Unique && code != "42P06" && code != "42P07" {
			break
		}
	}
	return err
}

// secret returns the random bytes that every process over the database knows by a name. The
// first one makes them.
func (d *DB) secret(ctx context.Context, name string, size int) (key []byte, err error) {
	if err := d.keep(ctx, "secrets", "name text PRIMARY KEY, value text NOT NULL"); err != nil {
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
		err = errors.New("the table frond.secrets holds a value of another length; delete its row to have a new one")
	}
	return key, err
}
