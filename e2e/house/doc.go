// Package house holds the repository to its plan. It is tests only:
//
//	floors_test.go     the imports that each package may have, the modules that it may use, the top folders
//	files_test.go      the files of a package that need each other in both ways
//	picture_test.go    the picture of the packages in docs/design.md
//	core_test.go       the modules, packages, code lines and bytes of a program that names no extra
//	sizes_test.go      bounds of sizes, each beside its aim; the sizes of the code
//	middle_test.go     the sizes of the path in facade, and of functions that both stores have
//	prose_test.go      the sizes of comments, messages and pages
//	words_test.go      words that names, comments and pages do not use
//	comments_test.go   files and [links] that comments name
//	docs_test.go       the pages: records, links, named code, the lists of CONTRIBUTING.md
//	snippets_test.go   the blocks of Go and YAML in the pages
//	reference_test.go  the keys of cards and frond.yaml in the reference
//	remedies_test.go   the line that a message says to write is accepted
//	tracked_test.go    the sizes of the files that git has
//
// The tests run at the repository's root, so that every path in them begins there.
package house
