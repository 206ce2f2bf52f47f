package main

import (
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/frondhost/frond/gateway"
)

// GraphQL over two remotes (remote): posts at one host, their users at another, joined by the
// server under measurement. A page takes two calls, the second with the ids of the first one's
// answer:
//
//	post.list        {"filter":{"likes":{"gte":-1}},"limit":100,…}
//	user.findByIds   {"ids":["u0",…,"u9"],…}
//
// The hosts answer from memory (remotehost.go), so that the time is the server's.

// What is asked for over two remotes: a hundred posts, which one host has, with
// their ten users, whom the other one has. The filter lets every post through
// whatever the variable is, so that queries differ and answers do not.
const (
	blogQuery = `query Page($min: Int!) { posts(first: 100, filter: {likes: {gte: $min}}) { items { id title likes published author { name country } } } }`
	blogFront = `{"query":"` + blogQuery + `","variables":{"min":`
	blogBack  = `}}`
)

// askedBlog returns the query for posts and their authors; least makes queries differ. Likes
// are 0 or more: a negative least lets all posts through.
func askedBlog(least int) request {
	return request{method: "POST", path: "/graphql", body: fmt.Sprint(blogFront, least, blogBack)}
}

// remoteHost is the name a remote is started by. Both hosts are the same program with all
// rows; each is asked for one kind.
const remoteHost = "remote host"

// remoteServed are the contenders in front of two remotes, whose addresses are in the folder
// they are built in. The first one is the remote itself; the four after it are the bases of the
// ratios.
var remoteServed = []contestant{
	{remoteHost, func(string) (http.Handler, error) { return newHost() }},
	{"prebuilt bytes", served[0].build},
	{"backend by hand", func(dir string) (http.Handler, error) {
		posts, users, err := addresses(dir)
		return newBlogByHand(posts, users), err
	}},
	{"plan by hand", func(dir string) (http.Handler, error) {
		posts, users, err := addresses(dir)
		return newBlogPlan(posts, users, false), err
	}},
	{"plan by hand, not coalescing", func(dir string) (http.Handler, error) {
		posts, users, err := addresses(dir)
		return newBlogPlan(posts, users, true), err
	}},
	{"gateway to remotes", func(dir string) (http.Handler, error) { return blogGateway(dir, false) }},
	{"gateway to remotes, not coalescing", func(dir string) (http.Handler, error) { return blogGateway(dir, true) }},
}

// blogGateway returns a gateway in front of two hosts, one with the posts and one with their
// authors. alone switches coalescing off, in GraphQL and towards both remotes. dir has the
// file of their addresses.
func blogGateway(dir string, alone bool) (http.Handler, error) {
	posts, users, err := addresses(dir)
	if err != nil {
		return nil, err
	}
	project, err := blog()
	if err != nil {
		return nil, err
	}
	// The project has both Fronds with their cards; the remotes take the place of their
	// stores.
	gw, err := gateway.New(project, &gateway.Options{Undecided: true, Logger: slog.New(slog.DiscardHandler), Config: gateway.Config{
		Store: "memory", GraphQL: gateway.GraphQL{NoCoalesce: alone},
		Remotes: map[string]gateway.Remote{"posts": {URL: posts, NoCoalesce: alone}, "users": {URL: users, NoCoalesce: alone}},
	}})
	if err != nil {
		return nil, err
	}
	return gw.Handler(), nil
}

// addressFile is the file in dir with the addresses of both remotes, parted by a space.
const addressFile = "addresses"

// addresses returns the URLs of the two hosts, which benchRemote wrote into dir.
func addresses(dir string) (posts, users string, err error) {
	text, err := os.ReadFile(filepath.Join(dir, addressFile))
	if err == nil {
		_, err = fmt.Sscan(string(text), &posts, &users)
	}
	return posts, users, err
}

// benchRemote serves the page over two remotes, each contender in a process of its own on one
// core. The remotes run beside wrk on the other core: what they take is the same for all
// contenders, and no part of what is measured. Every contender has to answer with the
// gateway's page first.
func benchRemote(rounds int, _ time.Duration) error {
	if !mayLoad("GraphQL over two remotes under load") {
		return nil
	}
	dir, err := os.MkdirTemp("", "frond-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	var servers []*server
	defer func() {
		for _, s := range servers {
			s.stop()
		}
	}()
	var hosts []string
	// Two hosts of the same rows: a gateway and a backend by hand both call each of them once.
	for range 2 {
		s, err := serve(remoteHost, dir, loadCore)
		if err != nil {
			return fmt.Errorf("%s: %w", remoteHost, err)
		}
		defer s.stop()
		hosts = append(hosts, strings.TrimSuffix(s.url, "/graphql"))
	}
	if err := os.WriteFile(filepath.Join(dir, addressFile), []byte(strings.Join(hosts, " ")), 0o600); err != nil {
		return err
	}
	// The page also warms both hosts: their answers are kept from then on.
	page, err := blogPage(dir)
	if err != nil {
		return err
	}
	// Without the remote itself, which is in the table to be started by name.
	contenders := remoteServed[1:]
	for _, c := range contenders {
		s, err := serve(c.name, dir, serverCore)
		if err != nil {
			return fmt.Errorf("%s: %w", c.name, err)
		}
		servers = append(servers, s)
		if err := s.agrees(page, askedBlog(-1), askedBlog(-99)); err != nil {
			return err
		}
	}
	fmt.Printf("\nGraphQL over two remotes, a page of 100 posts with their 10 users (%d bytes), %d connections; the server on one core, wrk and the remotes on another\n", len(page), connections)
	for i, l := range loads(blogFront, blogBack) {
		if err := loadScript(rounds, dir, l.script, servers); err != nil {
			return err
		}
		// Equal queries are measured beside the plan that coalesces, different ones beside the other.
		printLoad(l.title, servers, []*server{servers[0], servers[1], servers[2+i]},
			"of the plan by hand, the gateway over equal queries 0.75 by CPU; not coalescing, over different ones, 0.80 by CPU")
	}
	return blogAllocations(dir, contenders)
}

// blogPage returns the page that everybody has to answer, as the gateway does, for which the
// remotes receive both calls and keep the answers. It also writes the page for the contender
// of prebuilt bytes.
func blogPage(dir string) ([]byte, error) {
	h, err := blogGateway(dir, true)
	if err != nil {
		return nil, err
	}
	page, err := askedBlog(-1).answer(h)
	if err != nil {
		return nil, err
	}
	if n := strings.Count(page, `"author":{"name":"User`); n != 100 {
		return nil, fmt.Errorf("%d posts with their users, want 100: %s", n, page)
	}
	return []byte(page), os.WriteFile(filepath.Join(dir, prebuilt), []byte(page), 0o600)
}

// blogAllocations prints what each contender's handler allocates for a page, with what its
// calls of the remotes take, and without what it takes to make a request. The handlers run in
// this process.
func blogAllocations(dir string, contenders []contestant) error {
	page := askedBlog(-1)
	count := func(h http.Handler) (allocs, kb float64) {
		// The handler calls the remotes, which have to be up. Pages come one after another, so
		// that no two of their calls are coalesced.
		run := page.to(h)
		for range 100 { // connections form, pools fill
			run()
		}
		return allocations(run, 1000)
	}
	// A handler that does nothing: what remains is the request's own.
	none, noneKB := count(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("{}")) }))
	fmt.Print("\n  allocations a page, both calls of the remotes among them\n")
	for _, c := range contenders[1:] {
		h, err := c.build(dir)
		if err != nil {
			return err
		}
		allocs, kb := count(h)
		fmt.Printf("    %36s %6.0f  %6.1f KiB\n", c.name, allocs-none, kb-noneKB)
	}
	return nil
}
