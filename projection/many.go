package projection

import (
	"github.com/graphql-go/graphql"

	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/resolvers/binding"
	"github.com/frondhost/frond/schema"
)

// addManyWrites adds the field of a write of many rows (docs/many.md), and returns how it is named.
//
//	createMany   createPosts(input: [CreatePostInput!]!): [Post!]
//	updateMany   updatePosts(where: PostFilter!, set: UpdatePostInput!, max: Int): WrittenPosts
//	deleteMany   deletePosts(where: PostFilter!, max: Int): WrittenPosts
//	upsert       upsertPost(by: PostKey!, input: CreatePostInput!): UpsertedPost
func (b *Builder) addManyWrites(d *door, op *catalog.Operation, f *field) (name func(typ string) string) {
	add := func(name string, typ graphql.Input, into binding.Place) {
		f.args = append(f.args, &arg{name: name, typ: typ})
		f.binding.Args = append(f.binding.Args, binding.Arg{Name: name, Into: into, Key: name})
	}
	plural := func(verb string) func(typ string) string {
		return func(typ string) string { return verb + schema.Plural(typ) }
	}
	in := b.inputOf(op)
	switch op.Name {
	case "createMany":
		if in != nil {
			add("input", b.required(b.list(b.required(in.gql))), binding.IntoBody)
		}
		f.typ = b.list(b.required(d.object.gql))
		return plural("create")
	case "upsert":
		var keys []string
		for _, key := range catalog.UniqueKeys(d.Entity) {
			keys = append(keys, catalog.KeyName(key))
		}
		by := b.newEnum(b.free(d.typ+"Key", d.origin), "A unique key of "+words(d.typ)+".", keys)
		add("by", b.required(by.gql), binding.IntoQuery)
		if in != nil {
			add("input", b.required(in.gql), binding.IntoBody)
		}
		out := b.newObject(b.free("Upserted"+d.typ, d.origin), "")
		b.addFields(out, d.origin,
			&field{name: "created", typ: b.required(graphql.Boolean), binding: &binding.Field{Kind: binding.Created}},
			&field{name: fieldName(d.typ), typ: b.required(d.object.gql), binding: &binding.Field{Kind: binding.WrittenRow, Output: d.Entity, Door: d.Door}})
		f.typ = out.gql
		return after("upsert")
	}
	add("where", b.required(b.filterOf(d).gql), binding.IntoQuery)
	if in != nil && op.Patch {
		add("set", b.required(in.gql), binding.IntoBody)
	}
	add("max", graphql.Int, binding.IntoQuery)
	if d.written == nil {
		d.written = b.newObject(b.free("Written"+schema.Plural(d.typ), d.origin), "")
		b.addFields(d.written, d.origin,
			&field{name: "count", typ: b.required(graphql.Int), binding: totalBinding},
			&field{name: "items", typ: b.required(b.list(b.required(d.object.gql))), binding: &binding.Field{Kind: binding.Items, Output: d.Entity, Door: d.Door}})
	}
	f.typ = d.written.gql
	if op.Patch {
		return plural("update")
	}
	return plural("delete")
}
