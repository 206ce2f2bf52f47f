// Package contract writes what a Frond promises down for others to build on: the
// files a gateway reads in the Frond's stead, typed Go and TypeScript, and packages
// of either.
//
//	Layout      a Frond's discovery document  →  files of a project
//	Changes     its discovery now against the one before  →  + product.stock integer
//	Read        a Frond of a catalog  →  Model: types, doors, operations
//	Model.Go    →  typed structs and a client, in one package
//	Model.GoModule, Model.NPM  →  installable packages
//	Plan        files against a folder  →  what is written, removed, in the way
//
// What is written depends on the cards alone: the same cards are the same bytes.
package contract
