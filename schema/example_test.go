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

func ExampleReadCard() {
	card, err := schema.ReadCard("tag.yaml", []byte(`
x-kit-version: 1
properties:
  label: {x-colour: red, maxLength: 20, type: [string, 'null']}
type: object
`))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%s\n", card.AppendJSON(nil))
	// Output:
	// {"type":"object","properties":{"label":{"type":["string","null"],"x-colour":"red","maxLength":20}},"x-kit-version":1}
}

func ExampleFaults() {
	_, err := schema.Compile([]schema.Source{
		{File: "entities/post.yaml", Name: "post", Data: []byte(`
required: [titel]
properties:
  id: {type: string, x-kit: {role: {primary: true}, lifecycle: {create: {generate: snowflake}}}}
  title: {type: string}
`)},
	}, schema.Builtins(), nil)
	fmt.Println(err)
	// Output:
	// entities/post.yaml#/properties/id/x-kit/lifecycle/create/generate: unknown generator "snowflake"; register it, or use cuid2, nanoid, uuid or uuidv7
	// entities/post.yaml#/required/0: required names "titel"; the card has no such field; it has id, title
}

func ExampleReadBundle() {
	sources, err := schema.ReadBundle([]byte(`{"$defs": {
		"author": {"properties": {"id": {"type": "string", "x-kit": {"role": {"primary": true}}}}},
		"post": {"properties": {
			"id": {"type": "string", "x-kit": {"role": {"primary": true}}},
			"authorId": {"type": "string", "x-kit": {"role": {"relation": {"to": "author", "kind": "one"}}}}}}
	}}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	set := schema.MustCompile(sources, nil, nil)
	fmt.Println(set.Entity("post").Relation("author").Target == set.Entity("author"))
	// Output:
	// true
}
