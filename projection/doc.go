// Package projection turns the catalog of a host into a GraphQL schema.
//
// A [Builder] collects types and fields. A *facade.Catalog registers its doors, Go code adds
// fields that cards cannot express, and Build returns a [binding.Schema]: the types,
// the SDL, and the source of every generated field.
//
//	b := projection.NewBuilder()
//	err := projection.RegisterAll(b, facade.Catalog(), nil)
//	…
//	schema, err := b.Build()
//
// The parts of the schema that come from a card:
//
//	entity post         type Post, Node's nodeId, one field for each readable field
//	authorId, relation  authorId: ID and author: Author
//	comments, many      comments(filter, orderBy, first, …): CommentConnection
//	nested object       type PostAddress, input PostAddressInput
//	enum                enum PostStatus, where every value is a GraphQL name; else String
//	list, findById, …   posts, post, postsByIds, createPost, updatePost, deletePost
//	publish             postPublish, in Query or Mutation by its kind
//
// Every name is claimed once. Two owners of one name, and names that GraphQL
// cannot write, are errors; Build and RegisterAll name all of them at once.
//
// The package makes no rules: the cards decide which fields can be read, written and sorted,
// and each field that runs calls the façade.
package projection
