package schema_test

import (
	"encoding/json"
	"fmt"

	"github.com/frondhost/frond/schema"
)

const author = `
properties:
  id: {type: string, x-kit: {role: {primary: true}, lifecycle: {create: {generate: cuid2}}}}
  name: {type: string, minLength: 1}
  posts: {x-kit: {role: {relation: {to: post, kind: many}}}}
required: [name]
`

const post = `
properties:
  id: {type: string, x-kit: {role: {primary: true}, lifecycle: {create: {generate: cuid2}}}}
  title: {type: string, minLength: 3}
  status: {type: string, enum: [draft, published], x-kit: {lifecycle: {create: {value: draft}}}}
  subtitle: {type: [string, 'null']}
  authorId: {x-kit: {role: {relation: {to: author, kind: one, onDelete: cascade}}}}
  createdAt: {type: string, format: date-time, x-kit: {lifecycle: {create: now, update: forbidden}, boundary: {in: closed}}}
required: [title, subtitle, authorId]
`

func Example() {
	set, err := schema.Compile([]schema.Source{
		{File: "author.yaml", Name: "author", Data: []byte(author)},
		{File: "post.yaml", Name: "post", Data: []byte(post)},
	}, schema.Builtins(), nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	body := json.RawMessage(`{"title": "No", "stars": 5, "createdAt": "2026-05-01T10:00:00Z"}`)
	_, details := set.Entity("post").Judge(schema.Create, body, "/body")
	for _, d := range details {
		fmt.Println(d.Pointer, d.Code, "—", d.Message)
	}
	link := set.Entity("post").Relation("author")
	fmt.Println(link.Key, link.Target.Name, set.Entity("author").Relation("posts").Inverse.Name)
	// Output:
	// /body/stars unknown_key — is not part of the card; leave it out
	// /body/title minLength — must have at least 3 characters
	// /body/subtitle required — is required
	// /body/authorId required — is required
	// /body/createdAt read_only — is written by the host alone; leave it out
	// authorId author authorId
}
