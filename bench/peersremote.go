package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing/fstest"
	"time"

	"github.com/frondhost/frond/envelope"
	"github.com/frondhost/frond/envelope/signing"
	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/gateway"
	"github.com/frondhost/frond/gateway/extra/all"
	"github.com/frondhost/frond/schema/jsontext"
)

// One remote with posts and users, and the contenders in front of it (peers). The remote answers
// from memory, over the envelope and over plain REST with the same rows:
//
//	POST /_kit/call     post.list, user.findByIds
//	GET  /posts         all posts
//	GET  /users?id=1&…  some users
//	GET  /users/1       one user

// The page that all contenders answer.
const (
	feedQuery = `{posts(first:100){items{id,userId,title,user{id,name,email}}}}`
	feedBody  = `{"query":"` + feedQuery + `"}`
)

// feedCards is the project of posts and users.
var feedCards = fstest.MapFS{
	"fronds/blog/entities/post.yaml": {Data: []byte(`
type: object
required: [userId, title, body]
properties:
  id: {type: integer, x-kit: {role: {primary: true}}}
  userId: {type: integer, x-kit: {role: {relation: {to: user, kind: one}}}}
  title: {type: string}
  body: {type: string}
`)},
	"fronds/blog/entities/user.yaml": {Data: []byte(`
type: object
required: [name, email]
properties:
  id: {type: integer, x-kit: {role: {primary: true}}}
  name: {type: string}
  username: {type: string}
  email: {type: string}
  phone: {type: string}
  website: {type: string}
`)},
}

// feedRemote is the remote. It is safe for concurrent use.
type feedRemote struct {
	other http.Handler // answers the calls that are not prepared
	posts []byte
	all   []byte
	users map[string][]byte // by id
}

// newFeedRemote returns the remote with a hundred posts (27 KB) and ten users.
func newFeedRemote() (*feedRemote, error) {
	project, err := facade.Read(feedCards)
	if err != nil {
		return nil, err
	}
	empty, err := gateway.Open(context.Background(), project, &gateway.Options{Undecided: true, Config: gateway.Config{Store: "memory"}, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		return nil, err
	}
	f := &feedRemote{other: envelope.NewHandler(empty.Catalog(), empty.Caller(), nil), users: map[string][]byte{}}
	f.posts = append(f.posts, '[')
	for i := 1; i <= 100; i++ {
		text := strings.Repeat(fmt.Sprintf("One more sentence of post %d. ", i), 6)
		f.posts = fmt.Appendf(jsontext.Comma(f.posts), `{"userId":%d,"id":%d,"title":"The title of post number %d, of middle length","body":%q}`, (i+9)/10, i, i, text)
	}
	f.posts = append(f.posts, ']')
	f.all = append(f.all, '[')
	for i := 1; i <= 10; i++ {
		id := strconv.Itoa(i)
		f.users[id] = fmt.Appendf(nil, `{"id":%d,"name":"User number %d","username":"user%d","email":"user%d@example.org","phone":"+31 20 555 %04d","website":"user%d.example.org"}`, i, i, i, i, i, i)
		f.all = append(jsontext.Comma(f.all), f.users[id]...)
	}
	f.all = append(f.all, ']')
	return f, nil
}

// ServeHTTP answers a call of the envelope or a GET.
func (f *feedRemote) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch one, isOne := strings.CutPrefix(r.URL.Path, "/users/"); {
	case r.URL.Path == envelope.Path:
		f.call(w, r)
	case r.URL.Path == "/posts":
		sendJSON(w, f.posts)
	case r.URL.Path == "/users" && r.URL.RawQuery != "":
		list := []byte{'['}
		for pair := range strings.SplitSeq(r.URL.RawQuery, "&") {
			if user := f.users[strings.TrimPrefix(pair, "id=")]; user != nil {
				list = append(jsontext.Comma(list), user...)
			}
		}
		sendJSON(w, append(list, ']'))
	case r.URL.Path == "/users":
		sendJSON(w, f.all)
	case isOne && f.users[one] != nil:
		sendJSON(w, f.users[one])
	default:
		http.NotFound(w, r)
	}
}

// call answers one frame of the envelope. The rows have all fields.
func (f *feedRemote) call(w http.ResponseWriter, r *http.Request) {
	frame, err := io.ReadAll(r.Body)
	if err != nil || jsontext.Check(frame) != nil || jsontext.KindOf(frame) != jsontext.Object {
		http.Error(w, "the body is no frame; write one JSON object", http.StatusBadRequest)
		return
	}
	answer := append(make([]byte, 0, len(f.posts)+128), `{"jsonrpc":"2.0","id":`...)
	answer = append(append(answer, jsontext.Get(frame, "id")...), `,"result":`...)
	switch method, _ := jsontext.Text(jsontext.Get(frame, "method")); method {
	case "post.list":
		answer = append(append(append(answer, `{"items":`...), f.posts...), `,"total":100,"hasMore":false,"endCursor":null}`...)
	case "user.findByIds":
		answer = append(answer, '[')
		for _, id := range jsontext.Elements(jsontext.Get(jsontext.Get(jsontext.Get(frame, "params"), "query"), "ids")) {
			answer = append(jsontext.Comma(answer), f.users[string(id)]...)
		}
		answer = append(answer, ']')
	default:
		again := httptest.NewRequestWithContext(r.Context(), http.MethodPost, envelope.Path, bytes.NewReader(frame))
		again.Header = r.Header
		f.other.ServeHTTP(w, again)
		return
	}
	sendJSON(w, append(answer, '}'))
}

// sendJSON writes an answer in one piece.
func sendJSON(w http.ResponseWriter, text []byte) {
	head := w.Header()
	head["Content-Type"], head["Content-Length"] = jsonType, []string{strconv.Itoa(len(text))}
	_, _ = w.Write(text) // the client may have gone
}

// feedPlan answers the page by hand: the plan of the query is the code. It reads the posts and
// their users over REST, finds the spans of the selected fields and copies them. It is safe for
// concurrent use.
type feedPlan struct {
	client  *http.Client
	remote  string
	buffers sync.Pool
	signer  *signing.Signer // signs each request; nil: they are unsigned
}

// newFeedPlan returns the plan over the remote at an address.
func newFeedPlan(remote string) *feedPlan {
	return &feedPlan{
		client: &http.Client{Timeout: 5 * time.Second, Transport: &http.Transport{MaxIdleConns: 512, MaxIdleConnsPerHost: 256, DisableCompression: true}},
		remote: remote, buffers: sync.Pool{New: func() any { b := make([]byte, 0, 32<<10); return &b }},
	}
}

// ServeHTTP answers the one query that it knows.
func (p *feedPlan) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil || jsontext.Check(body) != nil {
		http.Error(w, "the body is no JSON; write {\"query\": …}", http.StatusBadRequest)
		return
	}
	if query, _ := jsontext.Text(jsontext.Get(body, "query")); query != feedQuery {
		http.Error(w, "the query is unknown; write the query of the page", http.StatusBadRequest)
		return
	}
	buffer := p.buffers.Get().(*[]byte)
	defer p.buffers.Put(buffer)
	if *buffer, err = p.page(r.Context(), (*buffer)[:0]); err != nil {
		http.Error(w, "the remote failed", http.StatusBadGateway)
		return
	}
	sendJSON(w, *buffer)
}

// page appends the answer.
func (p *feedPlan) page(ctx context.Context, dst []byte) ([]byte, error) {
	posts, err := p.get(ctx, "/posts")
	if err != nil {
		return dst, err
	}
	type post struct{ id, userID, title []byte }
	list := make([]post, 0, 100)
	path, users := []byte("/users"), map[string][]byte{}
	for _, row := range jsontext.Elements(posts) {
		var one post
		for name, value := range jsontext.RawMembers(row) {
			switch string(name) {
			case `"id"`:
				one.id = value
			case `"userId"`:
				one.userID = value
			case `"title"`:
				one.title = value
			}
		}
		if _, known := users[string(one.userID)]; !known {
			mark := "&id="
			if len(users) == 0 {
				mark = "?id="
			}
			users[string(one.userID)] = nil
			path = append(append(path, mark...), one.userID...)
		}
		list = append(list, one)
	}
	found, err := p.get(ctx, string(path))
	if err != nil {
		return dst, err
	}
	for _, row := range jsontext.Elements(found) {
		var id, name, email []byte
		for field, value := range jsontext.RawMembers(row) {
			switch string(field) {
			case `"id"`:
				id = value
			case `"name"`:
				name = value
			case `"email"`:
				email = value
			}
		}
		text := append(append(make([]byte, 0, 128), `{"id":`...), id...)
		text = append(append(text, `,"name":`...), name...)
		users[string(id)] = append(append(append(text, `,"email":`...), email...), '}')
	}
	dst = append(dst, `{"data":{"posts":{"items":[`...)
	for i, one := range list {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(append(dst, `{"id":`...), one.id...)
		dst = append(append(dst, `,"userId":`...), one.userID...)
		dst = append(append(dst, `,"title":`...), one.title...)
		dst = append(append(append(dst, `,"user":`...), users[string(one.userID)]...), '}')
	}
	return append(dst, `]}}}`...), nil
}

// get reads an answer of the remote, which is checked to be JSON.
func (p *feedPlan) get(ctx context.Context, path string) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, p.remote+path, nil)
	if err != nil {
		return nil, err
	}
	if p.signer != nil {
		token, refused := p.signer.Authorize(signing.Request{Method: req.Method, Path: req.URL.Path, Query: req.URL.RawQuery}, "blog", nil)
		if refused != nil {
			return nil, refused
		}
		req.Header["Authorization"] = []string{token}
	}
	resp, err := p.client.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s: %s", path, resp.Status)
	}
	text := make([]byte, max(0, resp.ContentLength))
	if _, err := io.ReadFull(resp.Body, text); err != nil {
		return nil, err
	}
	return text, jsontext.Check(text)
}

// feedAddress returns the address of the remote, which is in the folder of the measurement.
func feedAddress(dir string) (string, error) {
	text, err := os.ReadFile(filepath.Join(dir, addressFile))
	return string(text), err
}

// feedRules are three rules for each door, which show what no rules show.
var feedRules = map[string]string{"fronds/blog/frond.yaml": `
collectors:
  post: [{when: user.role == "staff"}, {when: user.role == "guest", deny: all}, {deny: [delete]}]
  user: [{when: user.role == "staff"}, {when: user.role == "guest", deny: all}, {hide: [phone]}]
`}

// feedGateway returns a gateway in front of the remote.
func feedGateway(dir string, alone, equipped bool) (http.Handler, error) {
	url, err := feedAddress(dir)
	if err != nil {
		return nil, err
	}
	cards, config := feedCards, gateway.Config{
		Store: "memory", GraphQL: gateway.GraphQL{NoCoalesce: alone},
		Remotes: map[string]gateway.Remote{"blog": {URL: url, NoCoalesce: alone}},
	}
	if equipped {
		if cards, err = equip(dir, cards, feedRules, &config); err != nil {
			return nil, err
		}
	}
	project, err := facade.Read(cards)
	if err != nil {
		return nil, err
	}
	gw, err := gateway.New(project, &gateway.Options{Undecided: true, Logger: slog.New(slog.DiscardHandler), Config: config})
	if err != nil {
		return nil, err
	}
	return gw.Handler(), nil
}

// bare answers {__typename} without GraphQL.
func bare(w http.ResponseWriter, r *http.Request) {
	if _, err := io.Copy(io.Discard, r.Body); err != nil {
		http.Error(w, "the body does not end", http.StatusBadRequest)
		return
	}
	head := w.Header()
	head.Set("Content-Type", "application/json; charset=utf-8")
	head.Set("Vary", "Accept")
	head.Set("X-Content-Type-Options", "nosniff")
	sendJSON(w, []byte(`{"data":{"__typename":"Query"}}`))
}

// The names of the contenders of peers, for the processes that serve them.
const (
	feedName = "peers: remote"
	postName = "peers: posts: "
)

// feedServed are the contenders over one remote that are this program.
var feedServed = []contestant{
	{feedName, func(string) (http.Handler, error) { return newFeedRemote() }},
	{feedName + ", nothing shared", func(dir string) (http.Handler, error) { return feedGateway(dir, true, false) }},
	{feedName + ", sharing", func(dir string) (http.Handler, error) { return feedGateway(dir, false, false) }},
	{feedName + ", plan by hand", func(dir string) (http.Handler, error) {
		url, err := feedAddress(dir)
		return newFeedPlan(url), err
	}},
	{feedName + ", bare handler", func(string) (http.Handler, error) { return http.HandlerFunc(bare), nil }},
}

// tailcallConfig returns Tailcall's configuration over the remote: a request for each user, and
// equal requests in flight shared.
func tailcallConfig(port int, remote string) string {
	return fmt.Sprintf(`schema @server(port: %d, hostname: "127.0.0.1") @upstream(poolMaxIdlePerHost: 200, tcpKeepAlive: 60) {
  query: Query
}
type Query {
  posts: [Post] @http(url: "%s/posts", dedupe: true)
}
type Post {
  id: Int!
  userId: Int!
  title: String!
  body: String!
  user: User @http(url: "%s/users/{{value.userId}}", dedupe: true)
}
type User {
  id: Int!
  name: String!
  username: String!
  email: String!
  phone: String
  website: String
}
`, port, remote, remote)
}

// What an installation adds to a request (peers, equipped). Each gateway of the other parts runs
// beside one that also has
//
//	signing     every call of the remote is signed with Ed25519
//	telemetry   a span of each request, call and exchange is sent over OTLP, and /metrics is kept
//	collectors  three rules on each door, the last of which matches
//
// A second one traces a tenth of the requests, by OpenTelemetry's own sampler. Over the remote there
// are the plan by hand too, and the plan that signs its two requests.
// The spans go to a process on the load's core that reads and forgets them.

const (
	equippedMark = ", equipped"
	sampledMark  = ", equipped, a tenth traced"
	signingMark  = ", signing"
	sinkName     = "peers: sink of spans"
	sinkFile     = "sink.url"
	signingFile  = "signing.pem"
)

// equippedServed are the contenders of the part, and the sink.
var equippedServed = func() []contestant {
	all := []contestant{
		{sinkName, func(string) (http.Handler, error) { return http.HandlerFunc(forget), nil }},
		{feedServed[3].name + signingMark, func(dir string) (http.Handler, error) {
			url, err := feedAddress(dir)
			if err != nil {
				return nil, err
			}
			text, err := os.ReadFile(filepath.Join(dir, signingFile))
			if err != nil {
				return nil, err
			}
			key, err := signing.ReadPrivate(text)
			plan := newFeedPlan(url)
			plan.signer = signing.NewSigner(key, "plan")
			return plan, err
		}},
	}
	for _, c := range []contestant{
		{feedServed[1].name, func(dir string) (http.Handler, error) { return feedGateway(dir, true, true) }},
		{feedServed[2].name, func(dir string) (http.Handler, error) { return feedGateway(dir, false, true) }},
		{postServed[0].name, func(dir string) (http.Handler, error) { return postGateway(dir, true) }},
	} {
		all = append(all, contestant{c.name + equippedMark, c.build}, contestant{c.name + sampledMark, func(dir string) (http.Handler, error) {
			err := errors.Join(os.Setenv("OTEL_TRACES_SAMPLER", "parentbased_traceidratio"), os.Setenv("OTEL_TRACES_SAMPLER_ARG", "0.1"))
			if err != nil {
				return nil, err
			}
			return c.build(dir)
		}})
	}
	return all
}()

// forget reads a body and answers as a collector of spans that took them all.
func forget(w http.ResponseWriter, r *http.Request) {
	if _, err := io.Copy(io.Discard, r.Body); err != nil {
		http.Error(w, "the body does not end", http.StatusBadRequest)
		return
	}
	w.Header().Set("Content-Type", "application/x-protobuf")
}

// equip adds rules for doors to a project's cards, and to config a signing key, metrics and the
// address of the sink in dir.
func equip(dir string, cards fstest.MapFS, rules map[string]string, config *gateway.Config) (fstest.MapFS, error) {
	config.Extras = all.Extras()
	cards = maps.Clone(cards)
	for file, text := range rules {
		cards[file] = &fstest.MapFile{Data: []byte(text)}
	}
	sink, err := os.ReadFile(filepath.Join(dir, sinkFile))
	if err != nil {
		return nil, err
	}
	config.Dir, config.Admin.Listen = dir, "127.0.0.1:0"
	if config.Remotes != nil {
		config.Signing.Key = signingFile
	}
	return cards, os.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", string(sink))
}

// writeSigningKey writes a private key for equip.
func writeSigningKey(dir string) error {
	private, _, _, err := signing.NewKey()
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, signingFile), private, 0o600)
}
