package frond_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"strings"
	"testing/fstest"
	"time"

	"github.com/frondhost/frond"
)

// site is a folder with two entities, as a program embeds one.
var site = fstest.MapFS{
	"site/gateway.yaml": {Data: []byte("store: memory\nmode: development\n")},
	"site/frond.yaml": {Data: []byte(`
name: journal
doors:
  post:
    operations:
      publish:
        kind: command
        params: {type: object, properties: {id: {type: string}}, required: [id]}
        output: post
      findBySlug:
        params: {type: object, properties: {slug: {type: string}}, required: [slug]}
        output: post
        cardinality: maybe
collectors:
  post: [{when: user != nil, allow: all}, {rows: {status: {eq: published}}, allow: [list, findById, findByIds, publish, findBySlug]}]
  tag: open
`)},
	"site/entities/post.yaml": {Data: []byte(`
type: object
properties:
  id: {type: string, x-kit: {role: {primary: true}, lifecycle: {create: {generate: cuid2}}}}
  slug: {type: string, x-kit: {role: {unique: [[slug]]}, lifecycle: {create: {generate: slug}}}}
  title: {type: string, minLength: 1, maxLength: 40}
  body: {type: string}
  status: {type: string, enum: [draft, published], x-kit: {boundary: {in: closed}, lifecycle: {create: {value: draft}}}}
  publishedAt: {type: [string, 'null'], format: date-time, x-kit: {boundary: {in: closed}, lifecycle: {create: optional}}}
  likes: {type: integer, x-kit: {lifecycle: {create: {value: 3}}}}
required: [title, body]
`)},
	"site/entities/tag.yaml": {Data: []byte(`
type: object
properties:
  id: {type: integer, x-kit: {role: {primary: true}}}
  name: {type: string}
  postId: {type: string, x-kit: {role: {relation: {to: post, kind: one, onDelete: cascade}}}}
  place: {type: object, properties: {row: {type: string}}, x-kit: {lifecycle: {create: optional}}}
required: [id, name, postId]
`)},
	"site/seeds/post.yaml": {Data: []byte("- {id: p1, slug: knots, title: Knots, body: \"Three\\nstrands.\", status: draft}\n")},
}

type Post struct {
	ID, Slug, Title, Body, Status string
	PublishedAt                   *time.Time
	Likes                         int
}

type Tag struct {
	ID     int
	Name   string
	PostID string
}

// journal is a program over the site, with its two doors.
func journal() (*frond.App, *frond.DoorOf[Post]) {
	app := frond.New(site)
	app.Generator("slug", func() string { return "made-up" })
	frond.Door[Tag](app, "tag")
	return app, frond.Door[Post](app, "post")
}

// A folder of cards and a few functions are a program. Main is what a program ends its
// main function with; Open calls it without serving it.
func ExampleNew() {
	app := frond.New(site)
	app.Generator("slug", func() string { return "made-up" })
	frond.Door[Post](app, "post")

	ctx, closeApp, err := app.Open(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	defer closeApp()
	post, err := frond.Inside[Post](ctx).Create(ctx, Post{Title: "Rope", Body: "Four strands."})
	fmt.Println(post.Title, post.Slug, post.Status, post.Likes, err)
	// Output: Rope made-up draft 3 <nil>
}

func ExampleDoor() {
	app, _ := journal() // frond.Door[Post](app, "post"), frond.Door[Tag](app, "tag")
	ctx, closeApp, err := app.Open(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	defer closeApp()
	posts, tags := frond.Inside[Post](ctx), frond.Inside[Tag](ctx)
	for i, name := range []string{"sea", "craft", "boats"} {
		if _, err := tags.Create(ctx, Tag{ID: i, Name: name, PostID: "p1"}); err != nil {
			log.Fatal(err)
		}
	}
	tag, err := tags.Find(ctx, 1)
	fmt.Println(tag.Name, err)
	page, err := tags.List(ctx, frond.Ne("name", "sea"), frond.Sort("-name"), frond.Counted())
	fmt.Println(page.Items[0].Name, page.Items[1].Name, page.Total, err)
	first, err := posts.First(ctx, frond.StartsWith("title", "K"), frond.Eq("status", "draft"))
	fmt.Println(first.Title, err)
	fmt.Println(tags.Delete(ctx, 2), frond.CodeOf(tags.Delete(ctx, 2)))
	// Output:
	// craft <nil>
	// craft boats 2 <nil>
	// Knots <nil>
	// <nil> NOT_FOUND
}

func ExampleCommand() {
	app, post := journal()
	frond.Command(post, "publish", func(ctx context.Context, in struct{ ID string }) (*Post, error) {
		if frond.User(ctx) == nil {
			return nil, frond.Errorf(frond.Unauthorized, "only writers publish")
		}
		return frond.Inside[Post](ctx).Update(ctx, in.ID, frond.Set{"status": "published", "publishedAt": time.Now()})
	})
	ctx, closeApp, err := app.Open(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	defer closeApp()
	_, err = frond.Call[Post](ctx, "post.publish", frond.Set{"id": "p1"})
	fmt.Println(err)
	got, err := frond.Call[Post](frond.As(ctx, frond.SignedIn("ada")), "post.publish", frond.Set{"id": "p1"})
	fmt.Println(got.Title, got.Status, err)
	// Output:
	// post.publish: UNAUTHORIZED: only writers publish
	// Knots published <nil>
}

func ExampleComputed() {
	app, post := journal()
	frond.Computed(post, "words", func(p Post) int { return len(strings.Fields(p.Body)) })
	ctx, closeApp, err := app.Open(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	defer closeApp()
	got, err := frond.Call[struct{ Words int }](frond.As(ctx, frond.SignedIn("ada")), "post.findById", frond.Set{"id": "p1"})
	fmt.Println(got.Words, err)
	// Output: 2 <nil>
}

// Inside is the program itself; From has the rights of the caller.
func ExampleInside() {
	app, _ := journal()
	ctx, closeApp, err := app.Open(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	defer closeApp()
	post, err := frond.Inside[Post](ctx).Find(ctx, "p1")
	fmt.Println(post.Title, err)
	_, err = frond.From[Post](ctx).Find(ctx, "p1") // a draft, which anonymous callers do not see
	fmt.Println(frond.CodeOf(err))
	// Output:
	// Knots <nil>
	// NOT_FOUND
}

func ExampleDoorOf_Before() {
	app, post := journal()
	post.Before("create", func(_ context.Context, c *frond.Change[Post]) error {
		if strings.HasSuffix(c.Row.Title, "!") {
			return frond.Errorf(frond.UnprocessableEntity, "nobody shouts here")
		}
		c.Set["slug"] = strings.ToLower(c.Row.Title)
		return nil
	})
	ctx, closeApp, err := app.Open(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	defer closeApp()
	posts := frond.From[Post](frond.As(ctx, frond.SignedIn("ada")))
	_, err = posts.Create(ctx, Post{Title: "Boo!"})
	fmt.Println(err)
	rope, err := posts.Create(ctx, Post{Title: "Rope"})
	fmt.Println(rope.Slug, err)
	// Output:
	// post.create: UNPROCESSABLE_ENTITY: nobody shouts here
	// rope <nil>
}

func ExampleDoorOf_After() {
	app, post := journal()
	post.After("update", func(_ context.Context, c *frond.Change[Post]) {
		fmt.Println("is now:", c.ID, c.Row.Title, c.Row.Body == "Three\nstrands.")
	})
	ctx, closeApp, err := app.Open(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	defer closeApp()
	posts := frond.Inside[Post](ctx)
	_, err = posts.Update(ctx, "p1", frond.Set{"title": strings.Repeat("too long ", 10)})
	fmt.Println(frond.CodeOf(err))
	_, err = posts.Update(ctx, "p1", frond.Set{"title": "Bends"})
	fmt.Println(errors.Join(err))
	// Output:
	// VALIDATION_FAILED
	// is now: p1 Bends true
	// <nil>
}
