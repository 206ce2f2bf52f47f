package engine

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
)

// connectLimit is how long connecting may take where the URL has no connect_timeout.
const connectLimit = 5 * time.Second

// connect opens a connection.
func connect(ctx context.Context, config *pgconn.Config) (*pgconn.PgConn, error) {
	if config.ConnectTimeout == 0 {
		limited, done := context.WithTimeout(ctx, connectLimit)
		defer done()
		ctx = limited
	}
	return pgconn.ConnectConfig(ctx, config)
}

// Listen calls heard with the payload of each notification of a channel, an identifier without
// quotes, over a connection of its own. ready is called once the server listens; its error ends
// it. It returns when ctx is done or the connection is lost, always with an error.
func (d *DB) Listen(ctx context.Context, channel string, ready func() error, heard func(payload string)) error {
	config := d.address.Config.Copy()
	config.OnNotification = func(_ *pgconn.PgConn, n *pgconn.Notification) { heard(n.Payload) }
	pg, err := connect(ctx, config)
	if err != nil {
		return err
	}
	defer func() { _ = pg.Conn().Close() }()
	if _, err = pg.Exec(ctx, "LISTEN "+channel).ReadAll(); err == nil {
		err = ready()
	}
	for err == nil {
		err = pg.WaitForNotification(ctx)
	}
	return err
}

// dial opens a connection for the pool.
func (d *DB) dial(ctx context.Context) (*Conn, error) {
	pg, err := connect(ctx, d.address.Config)
	if err == nil {
		err = d.suits(pg)
	}
	if err == nil {
		if err = d.withoutJIT(ctx, pg); err != nil && codeOf(err) == "" {
			err = &lost{err, false} // it broke at once
		}
	}
	if err == nil {
		err = pg.SyncConn(ctx) // which is read without it from now on
	}
	d.reach.note(d, err)
	if err != nil {
		if pg != nil {
			_ = pg.Conn().Close() // the error at hand is the one to report
		}
		return nil, err
	}
	c := &Conn{pg: pg, in: wire{from: pg.Conn()}, state: 'I', trace: d.opts.Trace, slow: d.opts.Slow, slowLog: d.slowLog, measure: d.opts.Measure, log: d.log, opened: time.Now()}
	c.used = c.opened
	c.watchdog.limit, c.watchdog.waitOf = d.opts.Statement, d.waitOf
	if !d.address.Pooled {
		c.kept = newStatements()
	}
	return c, nil
}

// suits refuses a database that cannot keep every text.
func (d *DB) suits(pg *pgconn.PgConn) error {
	if encoding := pg.ParameterStatus("server_encoding"); encoding != "" && encoding != "UTF8" {
		return &unusable{fmt.Sprintf("the database %s has the encoding %s, which cannot keep every text; make one with UTF8: createdb --encoding=UTF8 --template=template0 NAME",
			d.address.Config.Database, encoding)}
	}
	return nil
}

// withoutJIT turns the compilation of statements off for the connection, where the server has
// it. Filters through several relations have estimates so high that the server compiles them:
// a statement over four rows then took more than two seconds. Behind a pooler the setting
// belongs to the server's session, which others use as well; there it is the operator's to make.
func (d *DB) withoutJIT(ctx context.Context, pg *pgconn.PgConn) error {
	const compiles = "current_setting('jit', true) = 'on'"
	if !d.address.Pooled {
		_, err := pg.Exec(ctx, "SELECT set_config('jit', 'off', false) WHERE "+compiles).ReadAll()
		return err
	}
	results, err := pg.Exec(ctx, "SELECT 1 WHERE "+compiles).ReadAll()
	if err == nil && len(results) == 1 && len(results[0].Rows) > 0 {
		d.compiles.Do(func() {
			d.log.Warn("the server compiles statements (jit is on), which can make one take seconds; write ALTER ROLE … SET jit = off for the role of the store's URL", "role", d.address.Config.User)
		})
	}
	return err
}

// unusable is the error of a server or a database that the store cannot work with until
// somebody changes it or the URL. It says what to do and shows no password.
type unusable struct{ Reason string }

func (u *unusable) Error() string { return u.Reason }

// Refusal turns the error of a connection into one with the remedy for its operator; nil where the
// server may be reached later as it is.
//
//	28xxx   the password or pg_hba.conf      3D000   no such database
//	42501   no right to connect              TLS     a certificate that does not fit
func (d *DB) Refusal(err error) error {
	var unsuited *unusable
	if errors.As(err, &unsuited) {
		return unsuited
	}
	config := d.address.Config
	var dial *pgconn.ConnectError
	dialled := errors.As(err, &dial)
	where := fmt.Sprintf("%s:%d", config.Host, config.Port)
	switch code := codeOf(err); {
	case code == "28P01":
		return &unusable{fmt.Sprintf("the server at %s does not take the password of the role %s; write it in the store's URL, or in PGPASSWORD", where, config.User)}
	case strings.HasPrefix(code, "28"):
		return &unusable{fmt.Sprintf("the server at %s does not let the role %s in; check the role's name and pg_hba.conf (and sslmode, which decides which of its lines match)", where, config.User)}
	case code == "3D000":
		return &unusable{fmt.Sprintf("the server at %s has no database %s; make it: createdb --encoding=UTF8 %s", where, config.Database, config.Database)}
	case code == insufficientRights && dialled:
		return &unusable{fmt.Sprintf("the role %s may not connect to the database %s; GRANT CONNECT ON DATABASE %s TO %s", config.User, config.Database, config.Database, config.User)}
	}
	text := lastLine(fmt.Sprint(err)) // "tls error: EOF" is a connection that broke
	if says := func(s string) bool { return strings.Contains(text, s) }; dialled && (says("tls: ") || says("x509") || says("certificate") || says("TLS connection")) {
		return &unusable{fmt.Sprintf("no TLS connection to the server at %s: %s; check sslmode and sslrootcert of the store's URL", where, text)}
	}
	return nil
}

// lastLine is the last line of a text: pgconn lists every attempt on a line of its own.
func lastLine(text string) string {
	text = strings.TrimSpace(text)
	return strings.TrimSpace(text[strings.LastIndexByte(text, '\n')+1:])
}

// reachability logs when the server is lost and when it is back, once each. The opener of the store
// reports that it cannot be reached the first time.
type reachability struct {
	mu      sync.Mutex
	reached bool
	lost    time.Time
}

// note takes the outcome of a connection's opening.
func (r *reachability) note(d *DB, err error) {
	if errors.Is(err, context.Canceled) { // the caller's doing
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case err == nil && !r.lost.IsZero():
		d.log.Info("the database is reached again", "after", time.Since(r.lost).Round(time.Millisecond).String())
		r.lost = time.Time{}
	case err != nil && r.reached && r.lost.IsZero():
		r.lost = time.Now()
		d.log.Error("the database cannot be reached", "error", err)
	}
	r.reached = r.reached || err == nil
}
