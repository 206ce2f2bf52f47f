package identity

import (
	"context"
	"log/slog"
)

// SessionOf is the session of an identity whose issuer answers what fetch does; nil
// fetches nothing. The test closes it.
func SessionOf(id Config, dir string, fetch func(context.Context) ([]byte, error), log *slog.Logger) (s Session, shut func(), err error) {
	id = id.WithDefaults()
	keys, faults := id.LoadKeys(dir)
	if err := faults.Err(); err != nil {
		return nil, nil, err
	}
	i, err := New(&id, keys, log)
	if err != nil {
		return nil, nil, err
	}
	if fetch != nil {
		i.keys.fetch = fetch
	}
	return i.Session, i.Close, nil
}
