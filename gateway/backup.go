package gateway

import (
	"context"
	"errors"
	"fmt"

	"github.com/frondhost/frond/store/sqlite"
)

var errInMemory = errors.New("the store is kept in memory, so there is no file of it; name one with --store sqlite:PATH")

// Backup writes the store that the settings name into a new file, as of one moment, and
// returns the file's size in bytes. A gateway may serve the store at the same time.
func Backup(ctx context.Context, config *Config, to string) (int64, error) {
	path, err := config.file("pg_dump --format=custom --file=FILE DATABASE")
	if err != nil {
		return 0, err
	}
	return sqlite.Backup(ctx, path, to)
}

// Restore puts a backup in the place of the store that the settings name. Nothing may serve
// the store during it. A store that exists is replaced only with replace; kept is its new
// name then.
func Restore(ctx context.Context, config *Config, backup string, replace bool) (kept string, err error) {
	path, err := config.file("pg_restore --dbname=DATABASE FILE")
	if err != nil {
		return "", err
	}
	return sqlite.Restore(ctx, backup, path, replace)
}

// file is the store's file. The error of a store on PostgreSQL names its own tool.
func (c *Config) file(tool string) (string, error) {
	whole := c.withDefaults()
	path, memory, err := whole.storeFile()
	switch {
	case errors.Is(err, errServer):
		err = fmt.Errorf("%w; PostgreSQL has its own tools: %s", err, tool)
	case err == nil && memory:
		err = errInMemory
	}
	return path, err
}
