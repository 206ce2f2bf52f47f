// Package frond is the interface for programs in Go: a folder of cards becomes a gateway, and
// the functions of the program become its commands, queries, computed fields and hooks.
//
//	//go:embed site
//	var site embed.FS
//
//	type Post struct {
//		ID, Title, Body, Status string
//		PublishedAt             *time.Time
//	}
//
//	func main() {
//		app := frond.New(site)
//		post := frond.Door[Post](app, "post")
//		frond.Command(post, "publish", publish)
//		frond.Computed(post, "readingMinutes", func(p Post) int { return 1 + len(strings.Fields(p.Body))/180 })
//		frond.Main(app) // environment, flags, signals, exit codes
//	}
//
//	func publish(ctx context.Context, in struct{ ID string }) (*Post, error) {
//		if frond.User(ctx) == nil {
//			return nil, frond.Errorf(frond.Unauthorized, "only writers publish")
//		}
//		return frond.Inside[Post](ctx).Update(ctx, in.ID, frond.Set{"status": "published", "publishedAt": time.Now()})
//	}
//
// # Types and cards
//
// A struct field belongs to the field of the card with its name, or the name of its json tag,
// in any case. A struct need not have every field of its card, but a struct that a command
// returns has every field of the operation's output. Mismatches are reported when the program
// starts, all at once.
//
// # Rows
//
// [Inside] reads and writes rows as the program itself: every field, no collector, values
// as they are kept. [From] reads and writes them with the rights of the caller. Both work
// in commands, queries, hooks and computed fields, in tests ([Test]), and in the context of
// [App.Open].
//
// # Limits
//
// The package has no rules of its own: calls take the one path of package facade, and settings,
// surfaces and identity are package gateway's. [App.Project] and [App.Configure] give access to
// the parts that have no function here.
package frond
