package resolvers_test

import (
	"testing"
)

// TestRowsThatManyReferTo: what is copied is what would have been written, under
// every alias, on every level, with faults in between and in lists of ids.
func TestRowsThatManyReferTo(t *testing.T) {
	b := newBlog(t)
	for _, q := range []string{
		`{ posts { items { id author { id name } } } }`,
		`{ posts { items { a: author { id } author { name mentor { id mentor { name } } } b: author { id } } } }`,
		`{ posts { items { author { name posts(first: 2) { items { title author { id } } } } } } }`,
		`{ posts { items { author { broken: name } editor { name } } } }`,
		`{ posts { items { author { name } broken title } } }`,
		`{ posts { items { id tags { items { label } total } author { name } } } }`,
		`{ posts { edges { node { tags(first: 1) { edges { node { id label } cursor } } } } } }`,
		`{ posts { items { a: author { a: id } b: author { b: id } c: author { c: id } d: author { d: id } e: author { e: id } f: author { f: id } g: author { g: id } h: author { h: id } i: author { i: id } } } }`,
		`{ comments(first: 20) { items { post { id author { id } excerpt broken } author { name } } } }`,
	} {
		b.same(t, q, "")
	}
}
