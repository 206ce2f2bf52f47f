package files

import (
	"bytes"
	"context"
	"io"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"sync"
)

// memory is a storage that ends with the process.
type memory struct {
	mu  sync.Mutex
	all map[string][]byte
}

// Write implements storage.
func (m *memory) Write(ctx context.Context, key, _ string, from io.Reader) error {
	text, err := io.ReadAll(from)
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.all[key] = text
	return nil
}

// Open implements storage.
func (m *memory) Open(_ context.Context, key string) (io.ReadSeekCloser, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	text, there := m.all[key]
	if !there {
		return nil, fs.ErrNotExist
	}
	return open{bytes.NewReader(text)}, nil
}

// open is a reader without an end of its own.
type open struct{ *bytes.Reader }

func (open) Close() error { return nil }

// Remove implements storage.
func (m *memory) Remove(_ context.Context, id string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	maps.DeleteFunc(m.all, func(key string, _ []byte) bool { return strings.HasPrefix(key, id+"/") })
	return nil
}

// There implements storage.
func (*memory) There() error { return nil }

// Each implements storage.
func (m *memory) Each(ctx context.Context, do func(key string, size int64) error) error {
	m.mu.Lock()
	all := maps.Clone(m.all)
	m.mu.Unlock()
	for _, key := range slices.Sorted(maps.Keys(all)) {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := do(key, int64(len(all[key]))); err != nil {
			return err
		}
	}
	return nil
}

// Held implements storage.
func (*memory) Held() int { return Copied }

// Close implements storage.
func (*memory) Close() error { return nil }
