package storetest

import (
	"fmt"
	"io/fs"
	"strings"
	"testing/fstest"
)

// GraphQL documents that cost more to read than to write. Each aims at one part of a reader
// (merging of fields, fragments, variables, values, the lexer) in which a careless algorithm is
// quadratic or worse. Tests and bench compare their cost with that of an ordinary document of the
// same size.

// People returns the project that the documents of [Worst] are written for, as a folder.
func People() fs.FS {
	return fstest.MapFS{
		// Two relations, so that documents can nest, and arguments of every kind of input.
		"entities/person.yaml": {Data: []byte(`
type: object
properties:
  id: {type: string, x-kit: {role: {primary: true}}}
  name: {type: string}
  email: {type: [string, 'null']}
  age: {type: [integer, 'null']}
  score: {type: [number, 'null']}
  keen: {type: boolean}
  scores: {type: array, items: {type: number}}
  home: {type: [object, 'null'], properties: {street: {type: string}, at: {type: object, properties: {lat: {type: number}, lon: {type: number}}}}}
  meta: {type: [object, 'null'], additionalProperties: true}
  mentorId: {type: [string, 'null'], x-kit: {role: {relation: {to: person, kind: one}}}}
  notes: {type: array, items: {type: string}, x-kit: {role: {relation: {to: note, kind: many}}}}
`)},
		"entities/note.yaml": {Data: []byte(`
type: object
properties:
  id: {type: string, x-kit: {role: {primary: true}}}
  text: {type: string}
  personId: {type: string, x-kit: {role: {relation: {to: person, kind: one}}}}
`)},
	}
}

// Document is a GraphQL document and the name of its weak point.
type Document struct{ Name, Text string }

// Ordinary returns a document as a client prints one, as large as the limits let in: the cost of
// the others is compared with its own. It has 20 root fields, 12 levels deep, some 3,000 fields,
// 4,600 tokens and 60 KiB.
func Ordinary() string {
	var s strings.Builder
	s.WriteString("query Ordinary($first: Int = 10) {\n")
	for i := range 20 {
		in := "  "
		fmt.Fprintf(&s, " r%d: person(id: \"p%d\") {\n", i, i)
		// A level has every field of a person.
		level := func() {
			for _, line := range []string{"id", "name", "email", "age", "score", "keen", "mentorId", "home {", " street", " at { lat lon }", "}"} {
				s.WriteString(in + line + "\n")
			}
		}
		// Down through twelve mentors, then up again: each level closes one brace.
		for range 12 {
			level()
			s.WriteString(in + "mentor {\n")
			in += " "
		}
		s.WriteString(in + "notes(first: $first) {\n" + in + " total\n" + in + "}\n")
		for range 12 {
			in = in[1:]
			s.WriteString(in + "}\n")
		}
		s.WriteString(" }\n")
	}
	s.WriteString("}\n")
	return s.String()
}

// Worst returns documents of at most 64 KiB that make their readers work, each as large as the
// limits let in. Some are valid, the others are refused for a fault and not for their size.
func Worst() []Document {
	const head = `{ person(id: "p") { `
	again := strings.Repeat
	person := func(fields string) string { return head + fields + `} }` }
	note := func(meta string) string {
		return `mutation { updatePerson(id: "p", input: {meta: ` + meta + `}) { id } }`
	}
	// keys writes an object of n keys, of which every step-th is next. Where n and step have
	// no common divisor each key comes once, in an order that depends on the step.
	keys := func(n int, step int) string { // the same keys for every step that has no divisor with n
		var s strings.Builder
		for i := range n {
			fmt.Fprintf(&s, "k%d: 1 ", i*step%n)
		}
		return "{" + s.String() + "}"
	}
	return []Document{
		// Merging: the same field many times (GraphQL spec section 5.3.2).
		{"one field, again and again", person(again("name ", 3400))},
		{"one object, again and again", person(again("mentor { id } ", 1200))},
		{"one tree, again and again", person(again("mentor { mentor { mentor { mentor { id } } } } ", 380))},
		{"all fields, again and again", person(again("id name email age score keen home { street at { lat lon } } mentor { name } notes { total } ", 100))},
		// Fragments: inline, nested, spread once, in chains, in circles and doubling.
		{"inline fragments", person(again("... on Person { id } ", 800))},
		{"inline fragments in each other", person(again("... on Person { ", 900) + "id " + again("} ", 900))},
		{"inline fragments without a type", person(again("... { id } ", 1200))},
		{"fragments nobody spreads", person("...f0 ") + numbered(500, " fragment f% on Person { id }")},
		{"fragments, each spread once", person(numbered(400, "...f% ")) + numbered(400, " fragment f% on Person { id }")},
		{"a chain of fragments", person("...f0 ") + chain(450, 1)},
		{"a chain spread in many places", person("...f0 "+branches(4, "...f0 ")) + chain(200, 1)},
		{"fragments that spread twice", person("...f0 ") + chain(11, 2)},
		{"a spiral", person("...f0 ") + spiral(10)},
		{"a spiral for every root field", "{ " + numbered(20, `a%: person(id: "p") { ...f0 } `) + "}" + spiral(5)},
		{"one fragment, again and again", person(again("...f ", 1600)) + " fragment f on Person { id }"},
		{"a circle of fragments", person("...f0 ") + numbered(450, " fragment f% on Person { id ...f% }")},
		{"fragments that spread the two after them", person("...f0 ") + mesh(15)},
		// Names that do not exist: each could cost a search for one that is spelled alike.
		{"unknown fields", person(numbered(3400, "f% "))},
		{"unknown fragments", person(numbered(2000, "...f% "))},
		{"unknown arguments", "{ people(" + numbered(1600, "a%: 1 ") + ") { total } }"},
		{"one argument, again and again", "{ people(" + again("first: 1 ", 1600) + ") { total } }"},
		{"unknown types", person(numbered(800, "... on T% { id } "))},
		{"one unknown name, long", person("..." + again("x", 60000))},
		// Variables, declared, used, and of types that are deep.
		{"variables", "query(" + numbered(1000, "$v%: Int ") + ") { people { total } }"},
		{"variables, all used", "query(" + numbered(480, "$v%: ID ") + ") { people(filter: {id: {in: [" + numbered(480, "$v% ") + "]}}) { total } }"},
		{"one variable, again and again", "query($v: ID) { people(filter: {id: {in: [" + again("$v ", 2400) + "]}}) { total } }"},
		{"variables nobody declared", "{ people(filter: {id: {in: [" + numbered(2400, "$v% ") + "]}}) { total } }"},
		{"variables of deep types", "query($a: " + again("[", 990) + "Int" + again("]", 990) + ", $b: " + again("[", 990) + "Int" + again("]", 990) + ") { people(first: $a, offset: $b) { total } }"},
		// Operations: all of them are validated, one of them runs.
		{"operations", numbered(400, "query Q% { people { total } } ")},
		{"operations of one name", again("query Q { people { total } } ", 400)},
		{"operations without a name", again("{ people { total } } ", 500)},
		{"operations over one fragment", numbered(90, "query Q% { ...f } ") + "fragment f on Query { " + again("people { total } ", 18) + "}"},
		{"operations over a chain with a variable", numbered(70, `query Q%($v: Int) { person(id: "p") { ...f0 } } `) + chain(120, 1) + " fragment g on Person { notes(first: $v) { total } }"},
		// Directives, known ones and others.
		{"directives", "{ " + again("people @include(if: true) { total } ", 19) + `person(id: "p") { ` + again("id @skip(if: false) ", 500) + "} }"},
		{"unknown directives", person("id " + numbered(2400, "@d% "))},
		{"one directive, again and again", person("id " + again("@skip(if: true) ", 700))},
		// Values: depth, length and keys.
		{"a deep list", note("{a: " + again("[", 900) + again("]", 900) + "}")},
		{"a deep object", note(again("{a: ", 900) + "1" + again("}", 900))},
		{"a long text deep down", note("{a: " + again("[", 900) + `"` + again("x", 55000) + `"` + again("]", 900) + "}")},
		{"a long list", note("{a: [" + again("1 ", 4900) + "]}")},
		{"a long list of one type", `mutation { updatePerson(id: "p", input: {scores: [` + again("1.5 ", 4900) + "]}) { id } }"},
		{"a list of what does not fit", `mutation { updatePerson(id: "p", input: {scores: [` + again("a ", 4900) + "]}) { id } }"},
		{"an object of many keys", note(keys(1600, 1))},
		{"unknown keys", `mutation { updatePerson(id: "p", input: ` + keys(1600, 1) + ") { id } }"},
		{"one object twice, keys in another order", "mutation { " + again(`updatePerson(id: "p", input: {meta: `+keys(700, 1)+`}) { id } updatePerson(id: "p", input: {meta: `+keys(700, 3)+"}) { id } ", 1) + "}"},
		// Conflicts of equal response names, where a comparison of all pairs is quadratic.
		{"conflicts", person(numbered(15, "a%: id a%: name "))},
		{"conflicts below", person(again("notes(first: 1) { total } notes(first: 2) { total } ", 200))},
		{"conflicts of types", `{ node(nodeId: "x") { ` + again("... on Person { a: keen } ... on Note { a: text } ", 15) + "} }"},
		{"types of an interface", `{ node(nodeId: "x") { ` + again("nodeId ... on Person { id } ... on Note { text } ", 300) + "} }"},
		// Introspection, whose answer is large for a short document.
		{"introspection", "{ " + numbered(20, "s%: __schema { types { name fields { name args { name type { name ofType { name ofType { name } } } } type { name ofType { name } } } } } ") + "}"},
		// The lexer: text that is not a token, and tokens that are long.
		{"a comment", "{ __typename } #" + again("x", 64<<10-20)},
		{"comments", "{ __typename } " + again("#\n", 4900)},
		{"white space", "{" + again(" \n,\t", 16<<10-10) + "__typename }"},
		{"a text", `{ person(id: "` + again("x", 64<<10-40) + `") { id } }`},
		{"escapes", `{ person(id: "` + again(`\u00e9`, 10000) + `") { id } }`},
		{"a block of text", `{ person(id: """` + again("\n  x", 15000) + `""") { id } }`},
		{"letters beyond ASCII", `{ person(id: "` + again("é世😀", 7000) + `") { id } } # ` + again("é", 100)},
		{"a long number", `mutation { updatePerson(id: "p", input: {score: ` + again("9", 64<<10-80) + "}) { id } }"},
		{"a long name", "query " + again("q", 64<<10-50) + " { __typename }"},
	}
}

// numbered repeats a format n times, with the number in the place of each %: numbered(2, "f%
// ") is "f0 f1 ".
func numbered(n int, format string) string {
	var s strings.Builder
	for i := range n {
		s.WriteString(strings.ReplaceAll(format, "%", fmt.Sprint(i)))
	}
	return s.String()
}

// chain returns fragments f0 to fn that each spread the next, so many times. With times 2 what
// f0 comes to doubles with each of them.
func chain(n, times int) string {
	var s strings.Builder
	for i := range n {
		fmt.Fprintf(&s, " fragment f%d on Person { %s}", i, strings.Repeat(fmt.Sprintf("...f%d ", i+1), times))
	}
	fmt.Fprintf(&s, " fragment f%d on Person { id }", n)
	return s.String()
}

// spiral returns fragments that each spread the next in a field that is written twice: the result
// doubles every time.
func spiral(n int) string {
	var s strings.Builder
	for i := range n {
		fmt.Fprintf(&s, " fragment f%d on Person { mentor { ...f%d } mentor { ...f%d } }", i, i+1, i+1)
	}
	fmt.Fprintf(&s, " fragment f%d on Person { id }", n)
	return s.String()
}

// mesh returns fragments that each spread the two after them: the paths to the last are the
// Fibonacci numbers.
func mesh(n int) string {
	var s strings.Builder
	for i := range n {
		fmt.Fprintf(&s, " fragment f%d on Person { ...f%d ...f%d }", i, i+1, i+2)
	}
	fmt.Fprintf(&s, " fragment f%d on Person { id } fragment f%d on Person { id }", n, n+1)
	return s.String()
}

// branches returns a tree of fields, so many levels of two, with fields at every leaf: 2 to
// the power of levels leaves.
func branches(levels int, fields string) string {
	for range levels {
		fields = "mentor { " + fields + "} notes { items { person { " + fields + "} } } "
	}
	return fields
}
