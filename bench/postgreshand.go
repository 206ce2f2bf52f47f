package main

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/frondhost/frond/gateway"
	"github.com/frondhost/frond/schema/jsontext"
)

// The handler that the gateway is measured against over PostgreSQL (postgres): four requests,
// written by hand for speed and for nothing else. It runs the statements that the gateway runs
// for the same requests, which it records once, in as many round trips, reads the values as the
// server sends them, and appends the answer as text. Where the gateway's statements change so that this program cannot
// run them, it fails instead of comparing different work.

// blogByHandOnPostgres answers the queries of [blogRequests] over ten connections. It
// is safe for concurrent use.
type blogByHandOnPostgres struct {
	free     chan *pgx.Conn      // connections that no request has
	sql      map[string][]string // by the name of the request
	requests map[string]func(context.Context, *pgx.Conn, []byte, handVariables) ([]byte, error)
}

// handVariables are those of the requests.
type handVariables struct {
	ID   int64 `json:"id"`
	Note struct {
		Text  string `json:"text"`
		Stars int64  `json:"stars"`
	} `json:"note"`
}

// newBlogByHandOnPostgres returns the handler over the database that dir names.
func newBlogByHandOnPostgres(dir string) (http.Handler, error) {
	sql, err := recorded(dir)
	if err != nil {
		return nil, err
	}
	url, err := os.ReadFile(filepath.Join(dir, databaseFile))
	if err != nil {
		return nil, err
	}
	h := &blogByHandOnPostgres{free: make(chan *pgx.Conn, 10), sql: sql}
	for range cap(h.free) {
		conn, err := pgx.Connect(context.Background(), string(url))
		if err != nil {
			return nil, err
		}
		h.free <- conn
	}
	h.requests = map[string]func(context.Context, *pgx.Conn, []byte, handVariables) ([]byte, error){
		nestedQuery: h.nested, listQuery: h.list, rowQuery: h.row, createMutation: h.create,
	}
	return h, nil
}

// recorded are the statements that the gateway runs for each request, by its name.
func recorded(dir string) (map[string][]string, error) {
	var heard []string
	gw, err := overPostgres(dir, func(sql string, _ ...any) { heard = append(heard, sql) }, gateway.Config{})
	if err != nil {
		return nil, err
	}
	defer func() { _ = gw.Close() }()
	sql := map[string][]string{}
	for _, r := range blogRequests {
		heard = nil
		if _, err := r.gateway(4242).answer(gw.Handler()); err != nil {
			return nil, err
		}
		if len(heard) != r.statements {
			return nil, fmt.Errorf("the gateway runs %d statements for %s, and this handler knows %d: %q", len(heard), r.name, r.statements, heard)
		}
		sql[r.name] = heard
	}
	return sql, nil
}

// ServeHTTP answers a request of [blogRequests].
func (h *blogByHandOnPostgres) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var req struct {
		Query     string        `json:"query"`
		Variables handVariables `json:"variables"`
	}
	if err := json.NewDecoder(r.Body).Decode(&req); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	answer := h.requests[req.Query]
	if answer == nil {
		http.Error(w, "there is no such query", http.StatusBadRequest)
		return
	}
	conn := <-h.free
	// A client that leaves would otherwise cost the connection.
	text, err := answer(context.WithoutCancel(r.Context()), conn, make([]byte, 0, 16<<10), req.Variables)
	h.free <- conn
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.Header().Set("Content-Length", strconv.Itoa(len(text)))
	_, _ = w.Write(text) // a client that is gone is nobody's error
}

// level is what one statement answered: rows of an id and a text, and for each key it was asked
// for where its rows begin and end.
type level struct {
	ids      []int64
	text     []byte
	ends     []int // of each row's text
	from, to []int // by key
}

// add appends a row.
func (l *level) add(id, text []byte) {
	l.ids = append(l.ids, int64Of(id))
	l.text = append(l.text, text...)
	l.ends = append(l.ends, len(l.text))
}

// room makes room for rows.
func (l *level) room(rows int) {
	l.ids, l.ends, l.text = make([]int64, 0, rows), make([]int, 0, rows), make([]byte, 0, rows*32)
}

// read runs a statement for the first rows; its columns are an id and a text.
func read(ctx context.Context, conn *pgx.Conn, sql string, limit int) (l level, err error) {
	rows, err := conn.Query(ctx, sql, limit)
	if err != nil {
		return l, err
	}
	defer rows.Close()
	for l.room(limit); rows.Next(); {
		v := rows.RawValues()
		l.add(v[0], v[1])
	}
	return l, rows.Err()
}

// readOf runs the statement that reads rows of keys, behind the one that sets how; its columns are
// the key, by which the rows are ordered, an id and a text. There are fewer rows than limit allows
// for all keys together.
func readOf(ctx context.Context, conn *pgx.Conn, set, sql string, keys []int64, limit int) (l level, err error) {
	places := make([]int, len(keys)) // in the order of the keys
	array := make([]byte, 0, len(keys)*8)
	for i, key := range keys {
		places[i] = i
		array = strconv.AppendInt(append(array, ','), key, 10)
	}
	slices.SortFunc(places, func(a, b int) int { return cmp.Compare(keys[a], keys[b]) })
	array[0] = '{'
	var batch pgconn.Batch
	for i, text := range []string{set, sql} {
		prepared, err := conn.Prepare(ctx, text, text) // once
		if err != nil {
			return l, err
		}
		if i == 0 {
			batch.ExecPrepared(prepared.Name, nil, nil, nil)
			continue
		}
		batch.ExecPrepared(prepared.Name, [][]byte{append(array, '}'), strconv.AppendInt(nil, int64(len(keys)*limit), 10)}, nil, []int16{1, 1, 0})
	}
	answers := conn.PgConn().ExecBatch(ctx, &batch)
	l.room(len(keys) * limit)
	l.from, l.to = make([]int, len(keys)), make([]int, len(keys))
	next := 0
	for answers.NextResult() {
		rows := answers.ResultReader()
		for rows.NextRow() {
			v := rows.Values()
			if len(v) < 3 {
				continue // of the setting
			}
			for key := int64Of(v[0]); keys[places[next]] != key; next++ {
				l.from[places[next+1]] = len(l.ids)
			}
			l.add(v[1], v[2])
			l.to[places[next]] = len(l.ids)
		}
	}
	return l, answers.Close()
}

// object appends the beginning of row i: {"id":7,"title":"…"
func (l *level) object(dst []byte, i int, name string) []byte {
	from := 0
	if i > 0 {
		from = l.ends[i-1]
	}
	dst = strconv.AppendInt(append(dst, `{"id":`...), l.ids[i], 10)
	return appendQuoted(append(dst, name...), l.text[from:l.ends[i]])
}

// of is the rows of a key, at most limit of them.
func (l *level) of(key, limit int) (from, to int) {
	return l.from[key], min(l.to[key], l.from[key]+limit)
}

func int64Of(v []byte) int64 { return int64(binary.BigEndian.Uint64(v)) }

// appendQuoted appends a text as JSON.
func appendQuoted(dst, text []byte) []byte { return jsontext.AppendText(dst, text) }

func (h *blogByHandOnPostgres) nested(ctx context.Context, conn *pgx.Conn, dst []byte, _ handVariables) ([]byte, error) {
	sql := h.sql["nested"]
	authors, err := read(ctx, conn, sql[0], 51)
	if err != nil {
		return nil, err
	}
	posts, err := readOf(ctx, conn, sql[1], sql[2], authors.ids[:min(50, len(authors.ids))], 11)
	if err != nil {
		return nil, err
	}
	// The eleventh post of an author is not in the answer, and its comments are not asked for.
	shown := make([]int64, 0, 500)
	for a := range posts.from {
		from, to := posts.of(a, 10)
		shown = append(shown, posts.ids[from:to]...)
	}
	comments, err := readOf(ctx, conn, sql[3], sql[4], shown, 6)
	if err != nil {
		return nil, err
	}
	dst = append(dst, `{"data":{"authors":{"items":[`...)
	post := 0
	for a := range posts.from {
		dst = append(authors.object(comma(dst, a), a, `,"name":`), `,"posts":{"items":[`...)
		from, to := posts.of(a, 10)
		for p := from; p < to; p++ {
			dst = append(posts.object(comma(dst, p-from), p, `,"title":`), `,"comments":{"items":[`...)
			first, last := comments.of(post, 5)
			for c := first; c < last; c++ {
				dst = append(comments.object(comma(dst, c-first), c, `,"body":`), '}')
			}
			dst = append(dst, "]}}"...)
			post++
		}
		dst = append(dst, "]}}"...)
	}
	return append(dst, "]}}}"...), nil
}

// comma appends one in front of every item but the first.
func comma(dst []byte, i int) []byte {
	if i == 0 {
		return dst
	}
	return append(dst, ',')
}

func (h *blogByHandOnPostgres) list(ctx context.Context, conn *pgx.Conn, dst []byte, _ handVariables) ([]byte, error) {
	rows, err := conn.Query(ctx, h.sql["list"][0], 101)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	dst = append(dst, `{"data":{"posts":{"items":[`...)
	for i := 0; rows.Next() && i < 100; i++ {
		v := rows.RawValues()
		dst = strconv.AppendInt(append(comma(dst, i), `{"id":`...), int64Of(v[0]), 10)
		dst = appendQuoted(append(dst, `,"title":`...), v[1])
		dst = time.UnixMicro(epoch+int64Of(v[2])).UTC().AppendFormat(append(dst, `,"createdAt":"`...), "2006-01-02T15:04:05.000Z")
		dst = append(dst, `"}`...)
	}
	rows.Close()
	return append(dst, "]}}}"...), rows.Err()
}

// epoch is the beginning of the year 2000, from which PostgreSQL counts, in microseconds.
const epoch = 946684800 * 1_000_000

func (h *blogByHandOnPostgres) row(ctx context.Context, conn *pgx.Conn, dst []byte, v handVariables) ([]byte, error) {
	var id, authorID int64
	var title, name string
	err := conn.QueryRow(ctx, h.sql["row"][0], v.ID).Scan(&id, &authorID, &title)
	if errors.Is(err, pgx.ErrNoRows) {
		return append(dst, `{"data":{"post":null}}`...), nil
	}
	if err != nil {
		return nil, err
	}
	var n int64
	if err := conn.QueryRow(ctx, h.sql["row"][1], authorID).Scan(&n, &authorID, &name); err != nil {
		return nil, err
	}
	dst = strconv.AppendInt(append(dst, `{"data":{"post":{"id":`...), id, 10)
	dst = jsontext.AppendString(append(dst, `,"title":`...), title)
	dst = strconv.AppendInt(append(dst, `,"author":{"id":`...), authorID, 10)
	return append(jsontext.AppendString(append(dst, `,"name":`...), name), "}}}}"...), nil
}

// create writes a note, and answers once it is durable.
func (h *blogByHandOnPostgres) create(ctx context.Context, conn *pgx.Conn, dst []byte, v handVariables) ([]byte, error) {
	id := strconv.FormatInt(time.Now().UnixNano(), 36) + rand.Text() // grows with time, as the gateway's ids do
	var written string
	if err := conn.QueryRow(ctx, h.sql["create"][0], id, v.Note.Text, v.Note.Stars, time.Now().UTC()).Scan(&written); err != nil {
		return nil, err
	}
	return append(jsontext.AppendString(append(dst, `{"data":{"createNote":{"id":`...), written), "}}}"...), nil
}
