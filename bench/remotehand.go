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
)

// blogByHand is the page of posts as a careful author would write a backend for a frontend: a
// list of posts, their users by id, a map, a struct for each row, encoding/json for all of it,
// one client whose connections are kept. It is safe for concurrent use.
type blogByHand struct {
	client       *http.Client
	posts, users string // addresses
	lastID       atomic.Int64
}

// newBlogByHand returns the backend for a frontend that a team would write by hand over the
// same two hosts. posts and users are their addresses, without the envelope's path.
func newBlogByHand(posts, users string) *blogByHand {
	return &blogByHand{
		// As many idle connections as there are clients of wrk and more: none is opened under
		// load.
		client: &http.Client{Timeout: 5 * time.Second, Transport: &http.Transport{MaxIdleConns: 512, MaxIdleConnsPerHost: 256, DisableCompression: true}},
		posts:  posts + envelope.Path, users: users + envelope.Path,
	}
}

// handPost is a post as that program decodes it and encodes it again. AuthorID is cleared
// before, as it is not in the answer.
type handPost struct {
	ID        string    `json:"id"`
	Title     string    `json:"title"`
	Likes     int64     `json:"likes"`
	Published bool      `json:"published"`
	AuthorID  string    `json:"authorId,omitempty"`
	Author    *handUser `json:"author"`
}

// handUser is an author as that program decodes it.
type handUser struct {
	ID      string `json:"id,omitempty"`
	Name    string `json:"name"`
	Country string `json:"country"`
}

// ServeHTTP answers the one query that this server knows.
func (h *blogByHand) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var req struct {
		Query     string `json:"query"`
		Variables struct {
			Min int64 `json:"min"`
		} `json:"variables"`
	}
	// The query is compared as a text: this server knows no other.
	if err := json.NewDecoder(r.Body).Decode(&req); err != nil || req.Query != blogQuery {
		http.Error(w, "the page is all there is", http.StatusBadRequest)
		return
	}
	page, err := h.page(r.Context(), req.Variables.Min)
	if err != nil {
		if r.Context().Err() == nil { // else nobody waits for the answer
			slog.Error("page", "error", err)
		}
		http.Error(w, "something went wrong", http.StatusBadGateway)
		return
	}
	type posts struct {
		Items []handPost `json:"items"`
	}
	type data struct {
		Posts posts `json:"posts"`
	}
	text, err := json.Marshal(struct {
		Data data `json:"data"`
	}{data{posts{page}}})
	if err != nil {
		slog.Error("page", "error", err)
		http.Error(w, "something went wrong", http.StatusInternalServerError)
		return
	}
	head := w.Header()
	head.Set("Content-Type", "application/json; charset=utf-8")
	head.Set("Vary", "Accept")
	head.Set("X-Content-Type-Options", "nosniff")
	head.Set("Content-Length", strconv.Itoa(len(text)))
	_, _ = w.Write(text) // a client that is gone is nobody's error
}

// page makes the two calls that the gateway makes: the posts with at least so many likes, then
// each of their users once. Posts of one user share its struct. A user who is not there stays
// empty.
func (h *blogByHand) page(ctx context.Context, least int64) ([]handPost, error) {
	type atLeast struct {
		Gte int64 `json:"gte"`
	}
	type filter struct {
		Likes atLeast `json:"likes"`
	}
	var posts struct {
		Items []handPost `json:"items"`
	}
	// Total false, as the gateway sends for a query that does not ask for it.
	err := h.ask(ctx, h.posts, "post.list", struct {
		Fields []string `json:"fields"`
		Filter filter   `json:"filter"`
		Total  bool     `json:"total"`
		Limit  int      `json:"limit"`
	}{[]string{"id", "title", "likes", "published", "authorId"}, filter{atLeast{least}}, false, 100}, &posts)
	if err != nil {
		return nil, err
	}
	authors := map[string]*handUser{}
	var ids []string
	for i := range posts.Items {
		// Each user is asked for once, however many posts they wrote.
		if id := posts.Items[i].AuthorID; authors[id] == nil {
			authors[id] = &handUser{}
			ids = append(ids, id)
		}
	}
	var users []handUser
	err = h.ask(ctx, h.users, "user.findByIds", struct {
		IDs    []string `json:"ids"`
		Fields []string `json:"fields"`
	}{ids, []string{"name", "country", "id"}}, &users)
	if err != nil {
		return nil, err
	}
	for _, u := range users {
		if a := authors[u.ID]; a != nil {
			*a = handUser{Name: u.Name, Country: u.Country}
		}
	}
	for i := range posts.Items {
		p := &posts.Items[i]
		p.Author, p.AuthorID = authors[p.AuthorID], ""
	}
	return posts.Items, nil
}

// ask makes one JSON-RPC call and decodes its result into result, a pointer.
//
//	{"jsonrpc":"2.0","id":1,"method":"post.list","params":{"query":{…}}}
//
// An error of the envelope, another status than 200 and the id of another call are errors.
func (h *blogByHand) ask(ctx context.Context, address, method string, query, result any) error {
	type params struct {
		Query any `json:"query"`
	}
	id := h.lastID.Add(1)
	frame, err := json.Marshal(struct {
		Version string `json:"jsonrpc"`
		ID      int64  `json:"id"`
		Method  string `json:"method"`
		Params  params `json:"params"`
	}{"2.0", id, method, params{query}})
	if err != nil {
		return err
	}
	// The caller's context: a client who leaves ends the calls made for it.
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, address, bytes.NewReader(frame))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := h.client.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	// The limit of the gateway's own client.
	body, err := io.ReadAll(io.LimitReader(resp.Body, envelope.MaxAnswer))
	if err != nil {
		return err
	}
	reply := struct {
		ID     int64 `json:"id"`
		Result any   `json:"result"`
		Error  *struct {
			Message string `json:"message"`
		} `json:"error"`
	}{Result: result}
	// result is decoded in place, into the struct that the caller gave.
	switch err := json.Unmarshal(body, &reply); {
	case err != nil:
		return err
	case reply.Error != nil:
		return errors.New(reply.Error.Message)
	case resp.StatusCode != http.StatusOK || reply.ID != id:
		return fmt.Errorf("%s: %s", resp.Status, body)
	}
	return nil
}
