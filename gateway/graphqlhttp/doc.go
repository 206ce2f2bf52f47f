// Package graphqlhttp answers GraphQL over HTTP (the draft of the GraphQL foundation) with
// the engine of package resolvers. A request passes
//
//	accepted   the media type of the answer, by Accept
//	read       the members of the request, from the body or the address
//	state      the caller's state, by Options.Session
//	document   the document: its text, or an id in place of it
//	Execute    the engine
//
// The first failure of a step refuses the request, as a GraphQL response with a code.
//
// # Documents
//
// [ReadFolder] reads trusted documents from .graphql files and from the manifests that
// builds of clients write; a request names them by id. Each surface executes those that
// its schema allows ([Folder.Verify]). Automatic persisted queries are kept by their hash,
// in memory, after they have been executed once.
//
// # Other packages
//
// The package does not check where a request comes from, how often, or from which site: a guard
// in front of the handler does, and refuses with [Refuse]. The engine holds the limits of
// documents. The console's files belong to package console.
package graphqlhttp
