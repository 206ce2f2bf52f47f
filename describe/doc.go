// Package describe writes the catalog of a host as documents for other tools: OpenAPI 3.1 of
// REST, OpenRPC 1.3 of JSON-RPC and AsyncAPI 3 of the facts (docs/documents.md).
//
//	doc := describe.OpenAPI(view, routes, describe.Info{REST: "/partner/api"})
//
// A document is made of a catalog as one surface shows it, so that an audience's document
// contains only its own part. The same catalog has the same document, byte by byte: members
// have one order, the examples are derived from names, and the version is a hash of the rest.
//
// Every card is described once, under components, for each of its uses:
//
//	Product              a row as it is answered: without closed fields, with computed ones
//	ProductCreate        the body of create: without what callers cannot send
//	ProductUpdate        the body of update: a patch
//	ProductFilter        the conditions of a list
//	ProductPage          the answer of a list
//	ProductChangedEvent  an event of a fact
//	ProductSearch        an input or output of the author's own
//
// Examples are made by package sample out of the cards and judged by them: one that the judge
// would refuse is left out.
package describe
