package engine

import (
	"context"
	"fmt"
	"strings"
)

// Bookkeeping is the schema of the tables that belong to frond and not to the project: leases,
// marks of seeds, the history of migrations, secrets, nonces, the outbox.
const Bookkeeping = "frond"

// Own makes a table of the bookkeeping by the statements of create, which are one transaction, unless it is there. Several
// processes may do so at once: then each finds what another has made. It is no part of a
// transaction of ctx. Where the role lacks the right, the error says what the database's owner
// has to run.
func (d *DB) Own(ctx context.Context, table string, create ...string) error {
	return d.Maintain(ctx, func(c *Conn) error {
		for range 5 { // IF NOT EXISTS does not see what another transaction is about to commit
			there := false
			err := c.Run(&Query{Text: []byte("SELECT to_regclass($1) IS NOT NULL"), Values: [][]byte{[]byte(Bookkeeping + "." + table)}, Row: func(values [][]byte) error {
				there = string(values[0]) == "t"
				return nil
			}})
			if err != nil || there {
				return err
			}
			if err = c.Exec(strings.Join(create, "; ")); Missing(err) {
				err = c.Exec("CREATE SCHEMA IF NOT EXISTS " + Bookkeeping)
			}
			if what := Lacks(err); what != "" {
				role := d.address.Config.User
				return rightMissing(fmt.Sprintf("the role %s may not make the schema %s in the database %s, or a table in it (%s): this program keeps there what it knows of the database; make it as the database's owner: CREATE SCHEMA %s AUTHORIZATION %s",
					role, Bookkeeping, d.address.Config.Database, what, Bookkeeping, `"`+strings.ReplaceAll(role, `"`, `""`)+`"`))
			}
			if err != nil && !Exists(err) {
				return err
			}
		}
		return nil
	})
}

// rightMissing says which right a role lacks, and what gives it. It is no error of the server, so
// that nothing takes it for one about a caller's statement.
type rightMissing string

// Error implements error.
func (e rightMissing) Error() string { return string(e) }
