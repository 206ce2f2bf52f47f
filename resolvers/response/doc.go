// Package response writes the response of an execution as JSON text (specification 7).
//
// A [Writer] goes through a selection set depth first and copies the text of columns; a value
// that does not fit its type becomes null where the type allows it, and takes its parent along
// where not (6.4.4):
//
//	write.go        Writer: root fields, rows, errors, the limit and the budget
//	write_page.go   connections and edges
//	write_tree.go   values of fields that were registered by hand
//	write_again.go  rows that many refer to, whose text is copied
//	leaf.go         JSON values by their type: leaves, lists, nested objects
//	introspect.go   __schema and __type (4)
//
// It makes no call; it reads the results of package execution.
package response
