// Package diff compares two versions of a project and says what the change breaks, for whom,
// and what to do about it.
//
//	was, err := diff.New(&diff.Source{Name: "git:main", Project: before})
//	is, err := diff.New(&diff.Source{Name: ".", Project: after})
//	report, err := diff.Compare(was, is)
//	for _, f := range report.Findings { fmt.Println(f.Level, f.Surface, f.At) }
//
// A version is a compiled catalog with what it projects to: GraphQL types, REST routes,
// methods, facts, tables. The comparison walks both versions side by side and hands each pair
// of things to the rules of its subject; a rule is a name, a level, a way out, and one small
// function over the pair.
//
//	graphql.go      types, fields, arguments and values of the GraphQL schemas; which type is which: graphqlpairs.go
//	operations.go   operations, their routes and methods
//	members.go      the members of requests and results: request.go and result.go have the rules
//	lists.go        what a list filters and sorts by, and how long its pages are
//	access.go       what each class of callers may do and see
//	facts.go        announcements
//	store.go        tables, columns and constraints, from the cards alone
//	documents.go    trusted documents that are gone; usage.go: which findings they touch
//	settings.go     settings that bound a request
//
// Whatever differs and has no rule of its own is found by a rule for the rest, so that a
// version without findings behaves as before. The package reads no files and asks no host.
package diff
