// Command blog is a gateway with code of its own: a command that publishes a
// post, a field that is computed, and a generator that thinks of web addresses.
// What the blog is made of stands in site/; this file is all the Go there is.
package main

import (
	"cmp"
	"context"
	"embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"net/http"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/gateway"
	"github.com/frondhost/frond/schema"
)

//go:embed site
var files embed.FS

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	config, err := gateway.LoadConfig(".", "", os.Environ())
	if err != nil {
		return err
	}
	config.Mode = cmp.Or(config.Mode, gateway.Development) // the console, introspection and suggestions, for who tries it
	config.Listen = cmp.Or(config.Listen, "127.0.0.1:8081")
	config.Store = cmp.Or(config.Store, "sqlite:.frond/blog.db")
	project, err := newProject()
	if err != nil {
		return err
	}
	gw, err := gateway.New(project, &gateway.Options{Config: *config, Session: session})
	if err != nil {
		return err
	}
	return gw.Run(ctx)
}

// newProject reads the site and attaches the code to it.
func newProject() (*facade.Project, error) {
	site, err := fs.Sub(files, "site")
	if err != nil {
		return nil, err
	}
	project, err := facade.Read(site)
	if err != nil {
		return nil, err
	}
	project.Registry.Generators["slug"] = slug
	post := project.Door("post")
	facade.HandleCommand(post, "publish", publish)
	facade.HandleQuery(post, "bySlug", bySlug)
	facade.Present(post, "readingMinutes", schema.Shape{Type: "integer", Description: "For somebody who is not in a hurry."}, readingMinutes, "body")
	return project, nil
}

// writers are the people who may publish, by the token they send.
var writers = map[string]string{"lamp-oil": "a-ottilie", "hot-glue": "a-samir", "small-fish": "a-june"}

// session tells who is calling. A token nobody has is refused, never taken for a reader's.
func session(r *http.Request) (facade.State, error) {
	token, sent := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	if !sent {
		return nil, nil
	}
	id, known := writers[token]
	if !known {
		return nil, facade.Errorf(facade.Unauthorized, "nobody here has this token")
	}
	return facade.State{"user": map[string]any{"id": id}}, nil
}

// publish turns a draft into a post. status and publishedAt are closed for
// everybody outside; Inside is the way for our own code to write them.
func publish(ctx context.Context, in struct{ ID string }) (*facade.Result, error) {
	if facade.StateFrom(ctx).User() == nil {
		return nil, facade.Errorf(facade.Unauthorized, "only writers publish; send the token of one")
	}
	id := text(map[string]string{"id": in.ID})
	found, err := facade.Inside(ctx).Call(ctx, &facade.Call{Entity: "post", Operation: "findById", Invocation: facade.Invocation{Params: id}})
	if err != nil {
		return nil, err
	}
	if found.Rows.Len() == 0 {
		return nil, facade.Errorf(facade.NotFound, "there is no post %q", in.ID)
	}
	var post struct{ Status, Title string }
	if err := found.Rows.Row(0).Decode(&post); err != nil {
		return nil, err
	}
	if post.Status == "published" {
		return nil, facade.Errorf(facade.Conflict, "%q is published already", post.Title)
	}
	now := time.Now().UTC().Format(time.RFC3339Nano)
	return facade.Inside(ctx).Call(ctx, &facade.Call{
		Entity: "post", Operation: "update",
		Invocation: facade.Invocation{Params: id, Body: text(map[string]string{"status": "published", "publishedAt": now})},
	})
}

func bySlug(ctx context.Context, in struct{ Slug string }) (*facade.Result, error) {
	query := text(map[string]any{"limit": 1, "filter": map[string]any{"slug": map[string]string{"eq": in.Slug}}})
	found, err := facade.From(ctx).Call(ctx, &facade.Call{Entity: "post", Operation: "list", Invocation: facade.Invocation{Query: query}})
	if err != nil {
		return nil, err
	}
	return &facade.Result{Form: facade.FormRow, Rows: found.Rows}, nil
}

// readingMinutes is asked once for all the posts of an answer.
func readingMinutes(_ context.Context, posts []facade.Row) ([]int, error) {
	minutes := make([]int, len(posts))
	for i, post := range posts {
		minutes[i] = 1 + len(strings.Fields(string(post.Get("body"))))/180
	}
	return minutes, nil
}

// slug is an address for a post whose author did not think of one.
func slug() (json.RawMessage, error) {
	first := []string{"quiet", "salt", "north", "early", "tarred", "blue", "lost", "slow"}
	second := []string{"harbour", "lantern", "gull", "rope", "jetty", "tide", "mast", "fog"}
	return text(fmt.Sprintf("%s-%s-%04d", first[rand.IntN(8)], second[rand.IntN(8)], rand.IntN(10000))), nil
}

// text is a value as JSON; the maps and strings here always have one.
func text(v any) json.RawMessage {
	b, _ := json.Marshal(v)
	return b
}
