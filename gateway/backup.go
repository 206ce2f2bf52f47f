package gateway

import (
	"context"
	"errors"
	"fmt"

	"github.com/frondhost/frond/store/sqlite"
)

var errInMemory = errors.New("the store is kept in memory, so there is no file of it; name one with --store sqlite:PATH")

// Backup writes the store that the settings name into a new file, as of one moment, and
// returns the file's size in bytes. A gateway may serve the store meanwhile.
func Backup(ctx context.Context, config *Config, to string) (int64, error) {
	c := config.withDefaults()
	path, memory, err := c.storeFile()
	switch {
	case errors.Is(err, errServer):
		err = fmt.Errorf("%w; PostgreSQL has its own tools: pg_dump --format=custom --file=FILE DATABASE", err)
	case err == nil && memory:
		err = errInMemory
	}
	if err != nil {
		return 0, err
	}
	return sqlite.Backup(ctx, path, to)
}

// Restore puts a backup in the place of the store that the settings name, which nothing
// may serve meanwhile. A store that exists is replaced only with replace; kept is its new
// name then.
func Restore(ctx context.Context, config *Config, backup string, replace bool) (kept string, err error) {
	c := config.withDefaults()
	path, memory, err := c.storeFile()
	switch {
	case errors.Is(err, errServer):
		err = fmt.Errorf("%w; PostgreSQL has its own tools: pg_restore --dbname=DATABASE FILE", err)
	case err == nil && memory:
		err = errInMemory
	}
	if err != nil {
		return "", err
	}
	return sqlite.Restore(ctx, backup, path, replace)
}
