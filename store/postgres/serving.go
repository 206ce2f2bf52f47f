package postgres

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"sync"
	"time"

	"github.com/frondhost/frond/store/postgres/engine"
)

// serving has other processes know which definitions of tables this one serves, so that a change of tables knows whether gateways with
// other cards would meet it (docs/migrations.md). An entry lasts for 45 seconds and is renewed every fifteen; closing the store
// removes it.
type serving struct {
	*access
	id string

	mu     sync.Mutex
	values []byte // of the entry; nil: there is none
	// look is called after each renewal.
	look   func(context.Context)
	cancel context.CancelFunc
	done   chan struct{}
}

const (
	makeServing = `CREATE TABLE IF NOT EXISTS ` + engine.Bookkeeping + `.serving (id text PRIMARY KEY, schema text NOT NULL, definitions text NOT NULL, until timestamptz NOT NULL)`

	writeServing = `INSERT INTO ` + engine.Bookkeeping + `.serving (id, schema, definitions, until) VALUES ($1, $2, $3, now() + interval '45 seconds')
 ON CONFLICT (id) DO UPDATE SET definitions = excluded.definitions, until = excluded.until`

	dropServing = `DELETE FROM ` + engine.Bookkeeping + `.serving WHERE id = $1 OR until < now() - interval '1 day'`

	readServing = `SELECT definitions FROM ` + engine.Bookkeeping + `.serving WHERE schema = $1 AND id <> $2 AND until > now()`
)

func newServing(a *access) *serving { return &serving{access: a, id: rand.Text()} }

// enter makes or changes the entry, and has look called after each renewal of it. A role that may not write it serves without one.
func (s *serving) enter(ctx context.Context, definitions map[string]string, look func(context.Context)) error {
	text, err := json.Marshal(definitions)
	if err != nil {
		return err
	}
	err = s.db.Own(ctx, "serving", makeServing)
	if err == nil {
		err = s.write(ctx, text)
	}
	if engine.Withheld(err) {
		s.db.Log().Info("the role of the connection may not write the record of gateways; a change of tables does not know that this one serves", "error", err)
		return nil
	}
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.values, s.look = text, look
	if s.cancel == nil {
		s.done = make(chan struct{})
		ctx, s.cancel = context.WithCancel(context.WithoutCancel(ctx))
		go s.renew(ctx, s.done)
	}
	return nil
}

// write writes the entry.
func (s *serving) write(ctx context.Context, definitions []byte) error {
	return s.db.Once(ctx, &engine.Query{Text: []byte(writeServing), Values: [][]byte{[]byte(s.id), []byte(s.db.Address().Schema), definitions}})
}

// renew renews the entry until leave is called.
func (s *serving) renew(ctx context.Context, done chan struct{}) {
	defer close(done)
	for {
		select {
		case <-time.After(15 * time.Second):
		case <-ctx.Done():
			return
		}
		s.mu.Lock()
		text, look := s.values, s.look
		s.mu.Unlock()
		if s.write(ctx, text) == nil { // else the next one may reach the server
			look(ctx)
		}
	}
}

// leave removes the entry.
func (s *serving) leave() {
	s.mu.Lock()
	cancel, done := s.cancel, s.done
	s.mu.Unlock()
	if cancel == nil {
		return
	}
	cancel()
	<-done
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	_ = s.db.Once(ctx, &engine.Query{Text: []byte(dropServing), Values: [][]byte{[]byte(s.id)}}) // it ends by itself
}

// readOthers returns the definitions of tables that other gateways serve, by table, one map a gateway.
func readOthers(c *engine.Conn, schema, id string) (all []map[string]string, err error) {
	err = c.Run(&engine.Query{Text: []byte(readServing), Values: [][]byte{[]byte(schema), []byte(id)}, Row: func(v [][]byte) error {
		one := map[string]string{}
		all = append(all, one)
		return json.Unmarshal(v[0], &one)
	}})
	if engine.Missing(err) || engine.Lacks(err) != "" {
		return nil, nil
	}
	return all, err
}
