// Package resolvers runs GraphQL documents over the façade: a plan compiled once
// per document and executed breadth first, one call per relation per level, and
// the same fields as plain graphql-go resolvers, the twin the fast path is
// tested against. Package projection builds the schema both of them run.
package resolvers
