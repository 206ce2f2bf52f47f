package storetest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/frondhost/frond/facade"
)

// The key values of the reference store, and their tests.

// versioned is one text.
type versioned struct {
	text    json.RawMessage
	version int64
}

var _ facade.KeyValues = (*Store)(nil)

// Value implements [facade.KeyValues].
func (s *Store) Value(_ context.Context, key string) (json.RawMessage, int64, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	v := s.values[key]
	return v.text, v.version, nil
}

// SetValue implements [facade.KeyValues].
func (s *Store) SetValue(_ context.Context, key string, version int64, text json.RawMessage) (bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.values[key].version != version {
		return false, nil
	}
	if s.values == nil {
		s.values = map[string]versioned{}
	}
	if s.values[key] = (versioned{slices.Clone(text), version + 1}); text == nil {
		delete(s.values, key)
	}
	return true, nil
}

// Values implements [facade.KeyValues].
func (s *Store) Values(_ context.Context, prefix string) (map[string]json.RawMessage, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := map[string]json.RawMessage{}
	for key, v := range s.values {
		if strings.HasPrefix(key, prefix) {
			all[key] = v.text
		}
	}
	return all, nil
}

// testKeyValues: texts by their versions, and one winner of many writers.
func testKeyValues(t *testing.T, w *world) {
	values := w.store.Abilities().KeyValues
	if values == nil {
		t.Skip("the store keeps no key values")
	}
	ctx := t.Context()
	is := func(key, want string, wantVersion int64) {
		t.Helper()
		text, version, err := values.Value(ctx, key)
		if err != nil || string(text) != want || version != wantVersion {
			t.Errorf("%s is %s of version %d, %v; want %s of %d", key, text, version, err, want, wantVersion)
		}
	}
	set := func(key string, version int64, text string, want bool) {
		t.Helper()
		if got, err := values.SetValue(ctx, key, version, json.RawMessage(text)); err != nil || got != want {
			t.Errorf("set %s over version %d: %v, %v, want %v", key, version, got, err, want)
		}
	}
	if all, err := values.Values(ctx, ""); err != nil || len(all) != 0 {
		t.Errorf("a new store has %s, %v", all, err)
	}
	is("job a", "", 0)
	set("job a", 1, `{"no": 1}`, false)
	set("job a", 0, `{"n": "ü'\""}`, true)
	set("job a", 0, `{"n": 2}`, false)
	is("job a", `{"n": "ü'\""}`, 1)
	set("job a", 1, `{"n": 3}`, true)
	set("job a", 1, `{"n": 4}`, false)
	is("job a", `{"n": 3}`, 2)
	set("job b%", 0, `5`, true)
	set("Job c", 0, `6`, true)
	set("jobs", 0, `7`, true)
	all, err := values.Values(ctx, "job ")
	if names := slices.Sorted(maps.Keys(all)); err != nil || fmt.Sprint(names) != "[job a job b%]" || string(all["job a"]) != `{"n": 3}` {
		t.Errorf("the keys of a prefix are %q with %s, %v", names, all, err)
	}
	if removed, err := values.SetValue(ctx, "jobs", 2, nil); err != nil || removed {
		t.Errorf("a key of version 1 is removed by another version: %v", err)
	}
	if removed, err := values.SetValue(ctx, "jobs", 1, nil); err != nil || !removed {
		t.Errorf("a key is not removed: %v", err)
	}
	is("jobs", "", 0)
	set("jobs", 0, `8`, true)
	is("jobs", `8`, 1)
	var won atomic.Int64
	var group sync.WaitGroup
	for i := range 8 {
		group.Go(func() {
			got, err := values.SetValue(ctx, "raced", 0, fmt.Appendf(nil, "%d", i))
			if err != nil {
				t.Error("raced:", err)
			}
			if got {
				won.Add(1)
			}
		})
	}
	group.Wait()
	if won.Load() != 1 {
		t.Errorf("%d writers of one version have won", won.Load())
	}
	testKeptValues(t, w, values)
}

// testKeptValues: a text that is written in a transaction is there if and only if that is committed.
func testKeptValues(t *testing.T, w *world, values facade.KeyValues) {
	can := w.store.Abilities()
	if can.KeepValue == nil {
		return
	}
	ctx := t.Context()
	for _, c := range []struct {
		key, want string
		fails     error
	}{{"kept 1", `1`, nil}, {"kept 2", ``, errors.New("it is rolled back")}} {
		err := can.Transactor.Transact(ctx, func(ctx context.Context) error {
			if err := can.KeepValue(ctx, c.key, json.RawMessage(`1`)); err != nil {
				t.Error(err)
			}
			inner := can.Transactor.Transact(ctx, func(ctx context.Context) error {
				if err := can.KeepValue(ctx, c.key+" inner", json.RawMessage(`1`)); err != nil {
					t.Error(err)
				}
				return errors.New("a part of it is rolled back")
			})
			if inner == nil {
				t.Error("the inner transaction is committed")
			}
			return c.fails
		})
		if (err != nil) != (c.fails != nil) {
			t.Errorf("the transaction: %v, want %v", err, c.fails)
		}
		for key, want := range map[string]string{c.key: c.want, c.key + " inner": ""} {
			if text, _, err := values.Value(ctx, key); err != nil || string(text) != want {
				t.Errorf("%s is %s, %v; want %s", key, text, err, want)
			}
		}
	}
	if err := can.Transactor.Transact(ctx, func(ctx context.Context) error { return can.KeepValue(ctx, "kept 1", json.RawMessage(`2`)) }); err == nil {
		t.Error("a second transaction keeps the key of the first")
	}
	if text, version, err := values.Value(ctx, "kept 1"); err != nil || string(text) != `1` || version != 1 {
		t.Errorf("the kept text is %s of version %d, %v", text, version, err)
	}
	if err := can.KeepValue(ctx, "kept 3", json.RawMessage(`3`)); err != nil {
		t.Error(err)
	}
	if text, version, err := values.Value(ctx, "kept 3"); err != nil || string(text) != `3` || version != 1 {
		t.Errorf("a text outside of a transaction is %s of version %d, %v", text, version, err)
	}
}
