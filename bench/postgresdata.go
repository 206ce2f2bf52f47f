package main

import (
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing/fstest"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/gateway"
	"github.com/frondhost/frond/store/postgres"
	"github.com/frondhost/frond/store/postgres/pgtest"
)

// What is asked of PostgreSQL (postgres): 10,000 authors, ten posts of each, three comments on
// each post, and notes, which are only written. The rows are the same in two databases of one
// server: in the tables that the gateway makes, and in plain tables as PostGraphile's users
// have them. Ids are integers, dates are fixed.

// blogCards is the project of the gateway.
var blogCards = fstest.MapFS{
	"entities/author.yaml": {Data: []byte(`
type: object
properties:
  id: {type: integer, x-kit: {role: {primary: true}}}
  name: {type: string}
  email: {type: string}
  bio: {type: [string, 'null']}
  posts: {type: array, items: {type: integer}, x-kit: {role: {relation: {to: post, kind: many}}}}
`)},
	"entities/post.yaml": {Data: []byte(`
type: object
properties:
  id: {type: integer, x-kit: {role: {primary: true}}}
  authorId: {type: integer, x-kit: {role: {relation: {to: author, kind: one}}}}
  title: {type: string}
  body: {type: string}
  createdAt: {type: string, format: date-time}
  comments: {type: array, items: {type: integer}, x-kit: {role: {relation: {to: comment, kind: many}}}}
`)},
	"entities/comment.yaml": {Data: []byte(`
type: object
properties:
  id: {type: integer, x-kit: {role: {primary: true}}}
  postId: {type: integer, x-kit: {role: {relation: {to: post, kind: one}}}}
  body: {type: string}
`)},
	"entities/note.yaml": {Data: []byte(`
type: object
properties:
  id: {type: string, x-kit: {role: {primary: true}, lifecycle: {create: {generate: uuidv7}, update: forbidden}}}
  text: {type: string}
  stars: {type: integer}
  createdAt: {type: string, format: date-time, x-kit: {lifecycle: {create: now, update: forbidden}}}
`)},
}

// The rows as statements, for the tables of authors, posts and comments, and the number of
// authors.
const blogRows = `
insert into %[1]s (id, name, email, bio)
  select i, 'Author '||i, 'author'||i||'@example.org', repeat('a line about it, ', 4) from generate_series(1, %[4]d) i;
insert into %[2]s (id, "authorId", title, body, "createdAt")
  select i, 1 + (i-1)%%%[4]d, 'On the matter of number '||i, repeat('one more sentence of it; ', 6)||i, timestamptz '2026-01-02 03:04:05.678Z' + i * interval '1 minute' from generate_series(1, %[4]d * 10) i;
insert into %[3]s (id, "postId", body)
  select i, 1 + (i-1)%%(%[4]d * 10), 'What somebody said as number '||i from generate_series(1, %[4]d * 30) i;
analyze`

// plainTables are the tables of the second database.
const plainTables = `
create table authors (id int primary key, name text not null, email text not null, bio text);
create table posts (id int primary key, "authorId" int not null references authors, title text not null, body text not null, "createdAt" timestamptz not null);
create table comments (id int primary key, "postId" int not null references posts, body text not null);
create index on posts ("authorId", id);
create index on comments ("postId", id)`

// The databases of the server.
const (
	gatewayDatabase = "gateway"
	plainDatabase   = "plain"
)

// databaseFile is the file in the folder of a measurement that has the URL of the gateway's
// database, for the processes that serve it.
const databaseFile = "postgres.url"

// overPostgres returns a gateway over the tables of the gateway's database, which it makes where they
// are missing. Nothing closes its store but the end of the process.
func overPostgres(dir string, trace func(sql string, args ...any), config gateway.Config) (*gateway.Gateway, error) {
	url, err := os.ReadFile(filepath.Join(dir, databaseFile))
	if err != nil {
		return nil, err
	}
	quiet := slog.New(slog.DiscardHandler)
	store, err := postgres.Open(postgres.Options{URL: string(url), Trace: trace, Logger: quiet, Connections: 10})
	if err != nil {
		return nil, err
	}
	project, err := facade.Read(blogCards)
	if err != nil {
		return nil, err
	}
	return gateway.New(project, &gateway.Options{Store: store, Logger: quiet, Config: config, Undecided: true})
}

// startPostgres starts a server that writes durably, and fills both databases with this number
// of authors. The error wraps pgtest.ErrMissing where PostgreSQL is not installed.
func startPostgres(dir string, authors int) (*pgtest.Cluster, error) {
	c, err := pgtest.Start(pgtest.Options{Durable: true, Settings: []string{
		"shared_buffers=512MB", "jit=off", "autovacuum=off", "synchronous_commit=on",
	}})
	if err != nil {
		return nil, err
	}
	if err := fillPostgres(c.Primary, dir, authors); err != nil {
		_ = c.Close()
		return nil, err
	}
	return c, nil
}

func fillPostgres(s *pgtest.Server, dir string, authors int) error {
	if err := s.Exec("postgres", "create database "+gatewayDatabase, "create database "+plainDatabase); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, databaseFile), []byte(s.URL(gatewayDatabase)), 0o600); err != nil {
		return err
	}
	gw, err := overPostgres(dir, nil, gateway.Config{})
	if err != nil {
		return err
	}
	if err := gw.Close(); err != nil {
		return err
	}
	statements := func(text string, tables ...any) []string { return strings.Split(fmt.Sprintf(text, tables...), ";\n") }
	if err := s.Exec(gatewayDatabase, statements(blogRows, "author", "post", "comment", authors)...); err != nil {
		return err
	}
	if err := s.Exec(plainDatabase, statements(plainTables)...); err != nil {
		return err
	}
	return s.Exec(plainDatabase, statements(blogRows, "authors", "posts", "comments", authors)...)
}
