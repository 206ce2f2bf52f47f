// Command pocketbase serves the collection "posts" of 10,000 rows with PocketBase, for `bench
// peers`. It has a module of its own, so that the product does not depend on PocketBase. bench
// builds it, starts it and adds PocketBase's arguments: serve --http ADDRESS --dir FOLDER.
package main

import (
	"fmt"
	"log"

	"github.com/pocketbase/pocketbase"
	"github.com/pocketbase/pocketbase/core"
)

func main() {
	app := pocketbase.New()
	app.OnServe().BindFunc(func(e *core.ServeEvent) error {
		settings := app.Settings()
		settings.Logs.MaxDays = 0 // no log of requests: the other contenders write none
		if err := app.Save(settings); err != nil {
			return err
		}
		if err := fill(app); err != nil {
			return err
		}
		return e.Next()
	})
	if err := app.Start(); err != nil {
		log.Fatal(err)
	}
}

// fill makes the collection, which everybody may read and write, and its rows.
func fill(app core.App) error {
	open := ""
	posts := core.NewBaseCollection("posts")
	posts.ListRule, posts.ViewRule, posts.CreateRule = &open, &open, &open
	posts.Fields.Add(
		&core.NumberField{Name: "author"},
		&core.TextField{Name: "title", Required: true, Max: 200},
		&core.TextField{Name: "body"},
		&core.TextField{Name: "status"},
		&core.NumberField{Name: "score"},
		&core.AutodateField{Name: "created", OnCreate: true},
		&core.AutodateField{Name: "updated", OnCreate: true, OnUpdate: true},
	)
	if err := app.Save(posts); err != nil {
		return err
	}
	return app.RunInTransaction(func(tx core.App) error {
		for i := 1; i <= 10_000; i++ {
			post := core.NewRecord(posts)
			post.Set("id", fmt.Sprintf("post%011d", i))
			post.Set("author", i%100)
			post.Set("title", fmt.Sprintf("The title of post number %d", i))
			post.Set("body", fmt.Sprintf("The text of post number %d, which is about as long as a short paragraph of a page that people read", i))
			post.Set("status", "published")
			post.Set("score", float64(i)/8)
			if err := tx.Save(post); err != nil {
				return err
			}
		}
		return nil
	})
}
