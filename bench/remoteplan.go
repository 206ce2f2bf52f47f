package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/frondhost/frond/envelope"
	"github.com/frondhost/frond/facade/singleflight"
	"github.com/frondhost/frond/schema/jsontext"
)

// blogPlan is the page of posts as a program that knows nothing else: the two exchanges of the
// plan over net/http, and the page copied together from the bytes of their answers. It checks no
// answer, judges no value and retries nothing. It is safe for concurrent use.
type blogPlan struct {
	client       *http.Client
	posts, users string // addresses
	lastID       atomic.Int64
	alone        bool // equal requests are answered one by one
	group        singleflight.Group[string, planPage]
}

// planPage is a page that equal requests share, or the reason for its absence.
type planPage struct {
	text []byte
	err  error
}

// newBlogPlan returns the plan over two hosts. posts and users are their addresses, without the
// envelope's path.
func newBlogPlan(posts, users string, alone bool) *blogPlan {
	return &blogPlan{
		client: &http.Client{Timeout: 5 * time.Second, Transport: &http.Transport{MaxIdleConns: 512, MaxIdleConnsPerHost: 256, DisableCompression: true}},
		posts:  posts + envelope.Path, users: users + envelope.Path, alone: alone,
	}
}

// ServeHTTP answers the page for any request whose variables have a min.
func (p *blogPlan) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	least := jsontext.Get(jsontext.Get(body, "variables"), "min")
	if err != nil || least == nil {
		http.Error(w, "send the query of the page with its min", http.StatusBadRequest)
		return
	}
	run := func(ctx context.Context) planPage {
		text, err := p.page(ctx, least)
		return planPage{text, err}
	}
	var page planPage
	if p.alone {
		page = run(r.Context())
	} else if page, _, err = p.group.Do(r.Context(), string(body), run); err != nil {
		return // the client has left
	}
	if page.err != nil {
		if r.Context().Err() == nil {
			slog.Error("page", "error", page.err)
		}
		http.Error(w, "something went wrong", http.StatusBadGateway)
		return
	}
	head := w.Header()
	head.Set("Content-Type", "application/json; charset=utf-8")
	head.Set("Vary", "Accept")
	head.Set("X-Content-Type-Options", "nosniff")
	head.Set("Content-Length", strconv.Itoa(len(page.text)))
	_, _ = w.Write(page.text) // a failed write means that the client has left
}

// page makes both exchanges and copies the page together.
func (p *blogPlan) page(ctx context.Context, least json.RawMessage) ([]byte, error) {
	answer, err := p.ask(ctx, p.posts, "post.list", fmt.Appendf(nil, `{"fields":["id","title","likes","published","authorId"],"filter":{"likes":{"gte":%s}},"total":false,"limit":100}`, least))
	if err != nil {
		return nil, err
	}
	posts := jsontext.Get(answer, "items")
	ids := []byte{'['}
	var known jsontext.Distinct
	known.Reset(16)
	var authors []int // of each post, the number of its author
	for _, post := range jsontext.Elements(posts) {
		id := jsontext.Get(post, "authorId")
		n := len(known.Texts())
		author := known.Add(id)
		if author == n {
			ids = append(jsontext.Comma(ids), id...)
		}
		authors = append(authors, author)
	}
	users, err := p.ask(ctx, p.users, "user.findByIds", fmt.Appendf(nil, `{"ids":%s],"fields":["name","country","id"]}`, ids))
	if err != nil {
		return nil, err
	}
	found := make([][]byte, len(known.Texts()))
	for _, user := range jsontext.Elements(users) {
		if at := known.Add(jsontext.Get(user, "id")); at < len(found) {
			found[at] = fmt.Appendf(nil, `{"name":%s,"country":%s}`, jsontext.Get(user, "name"), jsontext.Get(user, "country"))
		}
	}
	page := append(make([]byte, 0, 2*len(posts)), `{"data":{"posts":{"items":[`...)
	for i, post := range jsontext.Elements(posts) {
		page = append(jsontext.Comma(page), '{')
		for name, value := range jsontext.RawMembers(post) {
			if string(name) != `"authorId"` {
				page = append(append(append(append(page, name...), ':'), value...), ',')
			}
		}
		page = append(append(append(page, `"author":`...), found[authors[i]]...), '}')
	}
	return append(page, `]}}}`...), nil
}

// ask makes one call and returns the text of its result.
func (p *blogPlan) ask(ctx context.Context, address, method string, query []byte) (json.RawMessage, error) {
	frame := envelope.AppendRequest(make([]byte, 0, 512), p.lastID.Add(1), method, func(dst []byte) []byte {
		return append(append(append(dst, `{"query":`...), query...), '}')
	})
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, address, bytes.NewReader(frame))
	if err != nil {
		return nil, err
	}
	req.Header["Content-Type"] = jsonType
	resp, err := p.client.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	body := make([]byte, max(resp.ContentLength, 0))
	if _, err := io.ReadFull(resp.Body, body); err != nil {
		return nil, err
	}
	result := jsontext.Get(body, "result")
	if result == nil {
		return nil, errors.New(resp.Status)
	}
	return result, nil
}
