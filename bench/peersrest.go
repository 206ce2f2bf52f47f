package main

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing/fstest"
	"time"

	sqlite3 "github.com/ncruces/go-sqlite3"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/rows"
	"github.com/frondhost/frond/gateway"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
	"github.com/frondhost/frond/store/sqlite"
)

// REST over SQLite (peers): 10,000 posts, each contender with a file of its own. The handler by
// hand uses the gateway's SQLite library, prepares each statement once, appends columns as JSON
// text and commits the waiting creates together. Commits of both are durable (synchronous=FULL).

// postRows is the number of posts.
const postRows = 10_000

// postCards is the project of the gateway.
var postCards = fstest.MapFS{
	"entities/post.yaml": {Data: []byte(`
type: object
required: [title]
properties:
  id: {type: string, x-kit: {role: {primary: true}, lifecycle: {create: {generate: nanoid}}}}
  author: {type: number}
  title: {type: string, maxLength: 200}
  body: {type: string}
  status: {type: string, enum: [draft, published]}
  score: {type: number}
  created: {type: string, format: date-time, x-kit: {lifecycle: {create: now}}}
  updated: {type: string, format: date-time, x-kit: {lifecycle: {create: now, update: now}}}
`)},
}

// postCreate is the body of a create.
const postCreate = `{"author":42,"title":"A title of the usual length","body":"A text that is about as long as a short paragraph of a page","status":"draft","score":1.5}`

// postText returns the title and the body of a post.
func postText(i int) (title, body string) {
	return fmt.Sprintf("The title of post number %d", i), fmt.Sprintf("The text of post number %d, which is about as long as a short paragraph of a page that people read", i)
}

// postServed are the contenders that are this program.
var postServed = []contestant{
	{postName + "the gateway", func(dir string) (http.Handler, error) { return postGateway(dir, false) }},
	{postName + "by hand", func(dir string) (http.Handler, error) { return newPostsByHand(filepath.Join(dir, "byhand.db")) }},
}

// postRules are three rules, which show every post.
var postRules = map[string]string{"frond.yaml": `
collectors:
  post: [{when: user.role == "staff"}, {when: user.role == "guest", deny: all}, {rows: {status: {in: [draft, published]}}}]
`}

// postGateway returns a gateway over a new file with the posts.
func postGateway(dir string, equipped bool) (http.Handler, error) {
	quiet := slog.New(slog.DiscardHandler)
	store, err := sqlite.Open(context.Background(), sqlite.Options{Path: filepath.Join(dir, "gateway.db"), Logger: quiet})
	if err != nil {
		return nil, err
	}
	var config gateway.Config
	cards := postCards
	if equipped {
		if cards, err = equip(dir, cards, postRules, &config); err != nil {
			return nil, err
		}
	}
	project, err := facade.Read(cards)
	if err != nil {
		return nil, err
	}
	gw, err := gateway.New(project, &gateway.Options{Store: store, Logger: quiet, Undecided: true, Config: config})
	if err != nil {
		return nil, err
	}
	e := gw.Catalog().Set.Entity("post")
	records := make([]facade.Record, 0, postRows)
	for i := 1; i <= postRows; i++ {
		title, body := postText(i)
		const moment = `"2026-01-01T00:00:00Z"`
		values := map[string]string{
			"id": fmt.Sprintf(`"post%011d"`, i), "author": strconv.Itoa(i % 100), "title": strconv.Quote(title), "body": strconv.Quote(body),
			"status": `"published"`, "score": fmt.Sprint(float64(i) / 8), "created": moment, "updated": moment,
		}
		var r facade.Record
		for _, field := range e.Fields {
			r = append(r, schema.Member{Name: field.Name, Value: json.RawMessage(values[field.Name])})
		}
		records = append(records, r)
	}
	_, err = store.Insert(context.Background(), e, records, nil, rows.NewLayout(nil))
	return gw.Handler(), err
}

// postsByHand serves the posts by hand. It is safe for concurrent use.
type postsByHand struct {
	reading                    sync.Mutex // guards the statements that read
	one, page, count           *sqlite3.Stmt
	jobs                       chan *postJob
	begin, insert, commit, end *sqlite3.Stmt
}

// postJob is a create that waits for its commit.
type postJob struct {
	id, now             string
	Author, Score       float64
	Title, Body, Status string
	done                chan error
}

// postColumns are the columns in the order of the answer.
const postColumns = "id, author, title, body, status, score, created, updated"

// newPostsByHand makes the file with the posts and returns the handler.
func newPostsByHand(path string) (*postsByHand, error) {
	open := func() (*sqlite3.Conn, error) {
		db, err := sqlite3.Open("file:" + path)
		if err != nil {
			return nil, err
		}
		return db, db.Exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA cache_size = -32768; PRAGMA busy_timeout = 5000")
	}
	writer, err := open()
	if err != nil {
		return nil, err
	}
	if err := writer.Exec("CREATE TABLE posts (id TEXT PRIMARY KEY, author REAL, title TEXT NOT NULL, body TEXT, status TEXT, score REAL, created TEXT, updated TEXT)"); err != nil {
		return nil, err
	}
	h := &postsByHand{jobs: make(chan *postJob, 256)}
	reader, err := open()
	if err != nil {
		return nil, err
	}
	prepare := func(db *sqlite3.Conn, sql string) (s *sqlite3.Stmt) {
		if err == nil {
			s, _, err = db.PrepareFlags(sql, sqlite3.PREPARE_PERSISTENT)
		}
		return s
	}
	h.one = prepare(reader, "SELECT "+postColumns+" FROM posts WHERE id = ?")
	h.page = prepare(reader, "SELECT "+postColumns+" FROM posts ORDER BY id LIMIT ?")
	h.count = prepare(reader, "SELECT count(*) FROM posts")
	h.begin, h.commit, h.end = prepare(writer, "BEGIN IMMEDIATE"), prepare(writer, "COMMIT"), prepare(writer, "ROLLBACK")
	h.insert = prepare(writer, "INSERT INTO posts ("+postColumns+") VALUES (?, ?, ?, ?, ?, ?, ?, ?)")
	if err != nil {
		return nil, err
	}
	jobs := make([]*postJob, 0, postRows)
	for i := 1; i <= postRows; i++ {
		title, body := postText(i)
		jobs = append(jobs, &postJob{id: fmt.Sprintf("post%011d", i), now: "2026-01-01T00:00:00.000Z", Author: float64(i % 100), Score: float64(i) / 8, Title: title, Body: body, Status: "published"})
	}
	if err := h.write(jobs); err != nil {
		return nil, err
	}
	go h.writeAll()
	return h, nil
}

// ServeHTTP answers one post, a list or a create.
func (h *postsByHand) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	id, isOne := strings.CutPrefix(r.URL.Path, "/posts/")
	var text []byte
	var err error
	switch {
	case r.Method == http.MethodPost:
		text, err = h.create(r.Body)
	case isOne:
		text, err = h.find(id)
	default:
		text, err = h.list(100, r.URL.RawQuery == "total")
	}
	if err != nil {
		slog.Error("posts", "error", err)
		http.Error(w, "something went wrong", http.StatusInternalServerError)
		return
	}
	sendJSON(w, text)
}

// find reads one post.
func (h *postsByHand) find(id string) ([]byte, error) {
	h.reading.Lock()
	defer h.reading.Unlock()
	s := h.one
	if err := s.BindText(1, id); err != nil {
		return nil, err
	}
	if !s.Step() {
		return nil, errors.Join(errors.New("no such post"), s.Err(), s.Reset())
	}
	text := appendPost(make([]byte, 0, 512), s)
	return text, errors.Join(s.Err(), s.Reset())
}

// list reads the first posts, and their number where the request asks for it.
func (h *postsByHand) list(n int, total bool) ([]byte, error) {
	h.reading.Lock()
	defer h.reading.Unlock()
	text := append(make([]byte, 0, 48<<10), `{"items":[`...)
	s := h.page
	if err := s.BindInt(1, n+1); err != nil {
		return nil, err
	}
	rows, more := 0, false
	for s.Step() {
		if more = rows == n; more {
			continue
		}
		if rows++; rows > 1 {
			text = append(text, ',')
		}
		text = appendPost(text, s)
	}
	if err := errors.Join(s.Err(), s.Reset()); err != nil {
		return nil, err
	}
	count := int64(-1)
	if total {
		if h.count.Step() {
			count = h.count.ColumnInt64(0)
		}
		if err := errors.Join(h.count.Err(), h.count.Reset()); err != nil {
			return nil, err
		}
	}
	text = strconv.AppendInt(append(text, `],"total":`...), count, 10)
	return append(strconv.AppendBool(append(text, `,"hasMore":`...), more), '}'), nil
}

// appendPost appends the row that a statement is at.
func appendPost(b []byte, s *sqlite3.Stmt) []byte {
	text := func(name string, column int) {
		b = append(append(append(b, '"'), name...), `":`...)
		b = append(jsontext.AppendText(b, s.ColumnRawText(column)), ',')
	}
	number := func(name string, column int) {
		b = append(append(append(b, '"'), name...), `":`...)
		b = append(strconv.AppendFloat(b, s.ColumnFloat(column), 'f', -1, 64), ',')
	}
	b = append(b, '{')
	text("id", 0)
	number("author", 1)
	text("title", 2)
	text("body", 3)
	text("status", 4)
	number("score", 5)
	text("created", 6)
	text("updated", 7)
	b[len(b)-1] = '}'
	return b
}

// create checks a body, waits until the row is durable and returns the row.
func (h *postsByHand) create(body io.Reader) ([]byte, error) {
	j := &postJob{id: rand.Text(), now: time.Now().UTC().Format("2006-01-02T15:04:05.000Z"), done: make(chan error, 1)}
	d := json.NewDecoder(body)
	d.DisallowUnknownFields()
	if err := d.Decode(j); err != nil || j.Title == "" || len(j.Title) > 200 {
		return nil, fmt.Errorf("the body is no post: %w", err)
	}
	h.jobs <- j
	if err := <-j.done; err != nil {
		return nil, err
	}
	return json.Marshal(map[string]any{
		"id": j.id, "author": j.Author, "title": j.Title, "body": j.Body, "status": j.Status, "score": j.Score, "created": j.now, "updated": j.now,
	})
}

// writeAll commits the creates that wait together.
func (h *postsByHand) writeAll() {
	for first := range h.jobs {
		batch := []*postJob{first}
		for more := true; more && len(batch) < 128; {
			select {
			case j := <-h.jobs:
				batch = append(batch, j)
			default:
				more = false
			}
		}
		err := h.write(batch)
		for _, j := range batch {
			j.done <- err
		}
	}
}

// write inserts rows in one transaction.
func (h *postsByHand) write(batch []*postJob) error {
	if err := h.begin.Exec(); err != nil {
		return err
	}
	for _, j := range batch {
		s := h.insert
		err := errors.Join(s.BindText(1, j.id), s.BindFloat(2, j.Author), s.BindText(3, j.Title), s.BindText(4, j.Body),
			s.BindText(5, j.Status), s.BindFloat(6, j.Score), s.BindText(7, j.now), s.BindText(8, j.now))
		if err == nil {
			err = s.Exec()
		}
		if err != nil {
			return errors.Join(err, h.end.Exec())
		}
	}
	return h.commit.Exec()
}
