package house_test

import (
	"bytes"
	"fmt"
	"log/slog"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/frondhost/frond"
	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/gateway"
)

// remedy is one message that names a line of a file. The mark § of the file's text is
// where the line belongs.
type remedy struct {
	file, text string // the text of the file; the other files are those of [bookshop]
	was        string // what is at § at first
	line       string // a regular expression: the line of the message is its first group
	call       string // the operation whose refusal names the line; "" for a fault of the start
	fill       string // what … in the line stands for
}

// bookshop is the project in which the lines of remedies are written.
func bookshop() map[string]string {
	return map[string]string{
		"gateway.yaml":          "mode: development\nstore: memory\nfiles: {store: 'mem://'}\n",
		"frond.yaml":            "relations: {author.genres: {through: between, to: genre}}\n",
		"entities/genre.yaml":   "type: object\nproperties:\n  id: {type: string, x-kit: {role: {primary: true}, lifecycle: {create: {generate: nanoid}}}}\n  name: {type: string}\n",
		"entities/author.yaml":  "type: object\nproperties:\n  id: {type: string, x-kit: {role: {primary: true}}}\n",
		"entities/carton.yaml":  "type: object\nproperties:\n  id: {type: string, x-kit: {role: {primary: true}}}\n",
		"entities/between.yaml": "type: object\nproperties:\n  id: {type: string, x-kit: {role: {primary: true}}}\n  authorId: {x-kit: {role: {relation: {to: author, kind: one, onDelete: cascade}}}}\n  genreId: {x-kit: {role: {relation: {to: genre, kind: one, onDelete: cascade}}}}\n",
	}
}

const (
	genreCard   = "type: object\nproperties:\n  id: {type: string, x-kit: {role: {primary: true}}}\n"
	betweenCard = "type: object\nproperties:\n  id: {type: string, x-kit: {role: {primary: true}}}\n"
	authorLine  = "  authorId: {x-kit: {role: {relation: {to: author, kind: one, onDelete: cascade}}}}\n"
)

func remedies() []remedy {
	all := []remedy{
		{"frond.yaml", "§", "many: {genre: true}", `write (many: \{.*?\}), or`, "", ""},
		{"frond.yaml", "§", "many: {genre: true}", `, or (many: \{.*\})`, "", ""},
		{"frond.yaml", "§", "facts: {a: 1}", `write (facts: .*)`, "", ""},
		{"frond.yaml", "files: {genre.name: {§}}", "", `write (types: \[.*\])`, "", ""},
		{"frond.yaml", "files: {genre.image: {types: [image/png]}}", "", `add it to the card: (image: .*)`, "", ""},
		{"frond.yaml", "relations: {§}", "genre.authors: {}", `write (product.tags: .*)`, "", ""},
		{"frond.yaml", "search: {genre: {§}}", "", `write (fields: .*)`, "", ""},
		{"frond.yaml", "search: {genre: {fields: {§}}}", "name: 3", `write (name: A)`, "", ""},
		{"frond.yaml", "computed: {genre: {loud: {§}}}", "type: boolean", `write a type and a value: \{(.*)\}`, "", ""},
		{"frond.yaml", "computed: {genre: {loud: {§, value: 'upper(name)'}}}", "type: integer", `write (type: string)`, "", ""},
		{"frond.yaml", "surfaces: {rest: §}", "3", `write true, false, (\{only: .*?\})`, "", ""},
		{"frond.yaml", "surfaces: {rest: §}", "3", `or (\{except: .*?\})`, "", ""},
		{"frond.yaml", "doors: {carton: {plural: genres}, §}", "", `write doors: \{(\w+: .*?\})\}`, "", "boxes"},
		{"frond.yaml", "collectors:\n  genre:\n    - §\n      deny: [findById]", "allow: [list]", `leave deny out, or write (allow: all) in place`, "", ""},
		{"frond.yaml", "collectors:\n  genre:\n    §", "x", `one rule per line: (- when: user != nil)`, "", ""},
		{"frond.yaml", "collectors:\n  genre: §", "x", `or write (open) where`, "", ""},
		{"frond.yaml", "relations: {author.genres: {through: between}}\nnested: {author: [genres]}", "", `write (unique: \[\[.*?\]\])`, "", ""},
		{"frond.yaml", "relations: {author.genres: {through: betwixt}}", "", `write (entities/\S+\.yaml) in this Frond`, "", ""},
		{"entities/between.yaml", betweenCard + "  genreId: {x-kit: {role: {relation: {to: genre, kind: one}}}}\n  §\n", "", `write (authorId: .*) in the card of between`, "", ""},
		{"entities/between.yaml", betweenCard + authorLine + "  §\n", "", `write (genreId: .*) in the card of between`, "", ""},
		{"entities/genre.yaml", "type: object\nproperties:\n  name: {type: string}\n  §\n", "", `add (id: .*)`, "", ""},
		{"entities/genre.yaml", genreCard + "  a: {§, x-kit: {role: {relation: {to: author, kind: one, onDelete: set null}}}}\n", "type: string", `write (type: \[string, 'null'\])`, "", ""},
		{"entities/genre.yaml", genreCard + "  a: {type: string, §}\n", "enum: 3", `write (enum: .*)`, "", ""},
		{"entities/genre.yaml", genreCard + "  a: §\n", "3", `such as (\{.*\})`, "", ""},
		{"entities/genre.yaml", genreCard + "  a: {x-kit: {role: {relation: {to: author, §}}}}\n", "", `write (kind: one)`, "", ""},
		{"entities/genre.yaml", genreCard + "  a: {x-kit: {role: {relation: §}}}\n", "3", `write (\{to: author, kind: one\})`, "", ""},
		{"gateway.yaml", "mode: development\nstore: memory\n§\n", "admin: {listen: ':9464'}", `, (admin: .*)`, "", ""},
		{"gateway.yaml", "mode: development\nstore: memory\n§\n", "limits: {body: {a: 1}}", `write (limits: .*)`, "", ""},
		{"gateway.yaml", "mode: development\nstore: memory\n§\n", "limits: {list: {max: [1]}}", `write (limits: .*)`, "", ""},
		{"gateway.yaml", "mode: development\nstore: memory\n§\n", "title: {a: 1}", `write (title: .*)`, "", "Shelf"},
		{"gateway.yaml", "mode: development\nstore: memory\nremotes: §\n", "[a]", `such as (\{billing: http:\S+\}) or`, "", ""},
		{"gateway.yaml", "mode: development\nstore: memory\nremotes: §\n", "[a]", ` or (\{billing: \{.*?\}\}) in the file`, "", ""},
	}
	for _, operation := range []string{"createMany", "updateMany", "deleteMany", "upsert", "import"} {
		all = append(all, remedy{"frond.yaml", "§", "{}", `; (many: \{.*?\}) in frond.yaml`, operation, ""})
	}
	for _, from := range []string{"nullable: true", "index: true", "unique: true", "autoIncrement: true", "default: a", "readOnly: true", "writeOnly: true"} {
		line := `(x-kit: \{.*?\}\}+)`
		if from == "nullable: true" {
			line = `(type: \[string, 'null'\])`
		}
		all = append(all, remedy{"entities/genre.yaml", genreCard + "  a: {§}\n", "type: string, " + from, "/a/" + strings.Split(from, ":")[0] + `: .*?write .*?` + line, "", "a"})
	}
	return all
}

// TestRemediesCanBeWritten writes the line that each message names in the place of the line that it
// refuses, and starts the program.
func TestRemediesCanBeWritten(t *testing.T) {
	for i, r := range remedies() {
		t.Run(fmt.Sprintf("%d %s", i, r.line), func(t *testing.T) {
			files := bookshop()
			files[r.file] = strings.ReplaceAll(r.text, "§", r.was)
			says := refusal(t, files, r.call)
			found := regexp.MustCompile(r.line).FindStringSubmatch(says)
			if found == nil {
				t.Fatalf("%s\nhas no line such as %s", says, r.line)
			}
			line := strings.ReplaceAll(found[1], "…", r.fill)
			write(files, r, line)
			if says := refusal(t, files, r.call); strings.Contains(says, found[0]) || r.call == "" && says != "" {
				t.Errorf("the line %s is refused itself:\n%s", line, says)
			}
		})
	}
}

// write puts a line to the place that its message names.
func write(files map[string]string, r remedy, line string) {
	switch {
	case strings.HasPrefix(line, "entities/"):
		files[line] = betweenCard + authorLine + "  genreId: {x-kit: {role: {relation: {to: genre, kind: one}}}}\n"
	case strings.HasPrefix(line, "image:"): // in the card
		files["entities/genre.yaml"] += "  " + line + "\n"
	case strings.HasPrefix(line, "unique:"): // under role
		files["entities/between.yaml"] = strings.Replace(files["entities/between.yaml"], "{role: {relation", "{role: {"+line+", relation", 1)
	case strings.HasPrefix(line, "product.tags:"): // an example of another project
		line = strings.NewReplacer("product.tags", "genre.authors", "productTag", "between").Replace(line)
		fallthrough
	default:
		line = strings.NewReplacer("product", "genre", "category", "author", "order.delete", "carton.delete", "schema: order", "schema: genre", "stock > 0", "name != nil").Replace(line)
		if strings.HasPrefix(line, "x-kit:") {
			line = "type: string, " + line
		}
		files[r.file] = strings.ReplaceAll(r.text, "§", line)
	}
}

// refusal is what the program says that does not start, with its notices; of one that
// starts, what a call of genre answers with. "" for neither.
func refusal(t *testing.T, files map[string]string, call string) string {
	t.Helper()
	fsys := fstest.MapFS{}
	for name, text := range files {
		fsys[name] = &fstest.MapFile{Data: []byte(text)}
	}
	var notices bytes.Buffer
	app := frond.New(fsys)
	app.Configure(func(o *gateway.Options) {
		o.Logger = slog.New(slog.NewTextHandler(&notices, &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
			if a.Key == "note" {
				return a
			}
			return slog.Attr{}
		}}))
	})
	ctx, closeApp, err := app.Open(t.Context())
	if err != nil {
		return err.Error()
	}
	defer closeApp()
	if call != "" {
		if _, err := facade.From(ctx).Call(ctx, &facade.Call{Entity: "genre", Operation: call}); err != nil {
			return err.Error()
		}
		return ""
	}
	return strings.TrimSpace(notices.String())
}
