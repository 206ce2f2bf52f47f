// Package diff compares two versions of a project. It reports the changes that break clients,
// the surfaces they break on, and the remedies.
//
//	was, err := diff.New(&diff.Source{Name: "git:main", Project: before})
//	is, err := diff.New(&diff.Source{Name: ".", Project: after})
//	report, err := diff.Compare(was, is)
//	for _, f := range report.Findings { fmt.Println(f.Level, f.Surface, f.At) }
//
// A version is a compiled catalog with its projections: GraphQL types, REST routes, methods,
// facts, tables. The comparison walks both versions side by side and passes each pair of things
// to the rules of its subject; a rule is a name, a level, a way out, and a function over the
// pair (rule.go).
//
//	graphql.go      types, fields, arguments and values of the GraphQL schemas; which type is which: graphqlpairs.go
//	operations.go   operations, their routes and methods
//	members.go      the members of requests and results: request.go and result.go have the rules
//	lists.go        the filters and sort keys of lists, and the length of pages
//	access.go       what each class of callers may do and see
//	effects.go      the rows, fields and operations that single callers gain and lose over a store
//	facts.go        announcements
//	store.go        tables, columns and constraints, from the cards alone
//	documents.go    trusted documents that are gone; usage.go: which findings they touch
//
// A difference without a rule of its own is found by a general rule, so that a version without
// findings behaves as before. The package reads no files and asks no host.
package diff
