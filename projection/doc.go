// Package projection turns what a host serves into a GraphQL schema.
//
// A [Builder] collects types and fields, a *facade.Catalog registers its doors,
// Go code adds what the cards cannot say, and Build gives a [binding.Schema]:
// graphql-go's schema, its SDL, and what every generated field does.
//
//	b := projection.NewBuilder()
//	err := projection.RegisterAll(b, facade.Catalog(), nil)
//	…
//	schema, err := b.Build(facade)
//
// What a card becomes:
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
// The package makes no rule of its own: what may be read, written and sorted is
// what the cards say, and each field that runs calls the façade.
package projection
