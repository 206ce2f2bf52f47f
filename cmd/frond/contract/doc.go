// Package contract writes the promises of a Frond as files for other programs: the files that a
// gateway reads instead of the Frond itself, typed Go and TypeScript, and packages of either.
//
//	Layout      a Frond's discovery document  →  files of a project
//	Changes     its discovery now against the one before  →  + product.stock integer
//	Read        a Frond of a catalog  →  Model: types, doors, operations
//	Model.Go    →  typed structs and a client, in one package
//	Model.GoModule, Model.NPM  →  installable packages
//	Plan        files against a folder  →  files to write, to remove, in conflict
//
// The output depends on the cards alone: the same cards make the same bytes.
package contract
