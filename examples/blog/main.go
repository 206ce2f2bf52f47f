// Command blog is a gateway with code of its own: a command that publishes a post, a query
// by web address, a computed field and a generator. The cards are in site/.
package main

import (
	"context"
	"embed"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"time"

	"github.com/frondhost/frond"
)

//go:embed site
var site embed.FS

// Post is a row of site/entities/post.yaml.
type Post struct {
	ID, Slug, Title, Body, Status, AuthorID string
	PublishedAt                             *time.Time
	CreatedAt                               time.Time
}

func main() { frond.Main(newApp()) }

func newApp() *frond.App {
	app := frond.New(site)
	app.Generator("slug", slug)
	app.Session(session)
	post := frond.Door[Post](app, "post")
	frond.Command(post, "publish", publish)
	frond.Query(post, "bySlug", bySlug)
	frond.Computed(post, "readingMinutes", readingMinutes, frond.Described("At 180 words a minute."))
	return app
}

// publish turns a draft into a post. Callers cannot write its status; Inside can. The read
// and the write are one transaction: of two callers at once one publishes.
func publish(ctx context.Context, in struct{ ID string }) (*Post, error) {
	if frond.User(ctx) == nil {
		return nil, frond.Errorf(frond.Unauthorized, "only writers publish; send the token of one")
	}
	posts := frond.Inside[Post](ctx)
	post, err := posts.Find(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	if post.Status == "published" {
		return nil, frond.Errorf(frond.Conflict, "%q is published already", post.Title)
	}
	return posts.Update(ctx, in.ID, frond.Set{"status": "published", "publishedAt": time.Now()})
}

func bySlug(ctx context.Context, in struct{ Slug string }) (*Post, error) {
	return frond.From[Post](ctx).First(ctx, frond.Eq("slug", in.Slug))
}

func readingMinutes(p Post) int { return 1 + len(strings.Fields(p.Body))/180 }

// slug makes an address for a post that was sent without one.
func slug() string {
	first := []string{"quiet", "salt", "north", "early", "tarred", "blue", "lost", "slow"}
	second := []string{"harbour", "lantern", "gull", "rope", "jetty", "tide", "mast", "fog"}
	return fmt.Sprintf("%s-%s-%04d", first[rand.IntN(8)], second[rand.IntN(8)], rand.IntN(10000))
}

// writers are the users who may publish, by the token they send.
var writers = map[string]string{"lamp-oil": "a-ottilie", "hot-glue": "a-samir", "small-fish": "a-june"}

func session(r *http.Request) (frond.State, error) {
	token, sent := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	if id := writers[token]; id != "" {
		return frond.SignedIn(id), nil
	} else if sent {
		return nil, frond.Errorf(frond.Unauthorized, "nobody has this token")
	}
	return nil, nil // an anonymous reader
}
