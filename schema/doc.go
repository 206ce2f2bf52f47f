// Package schema is cards, and everything that can be known of a card without
// a call, a store or a network.
//
// A card is one entity as a JSON Schema document whose fields carry further axes under x-kit
// (spec 2.1, 2.2). It has two types, on purpose. A [Card] is the document as plain data:
// [ReadCard] reads it, and it is written back without loss. An [Entity] is the compiled card:
// [Compile] makes it from all the cards of a host at once, links its relations and builds its
// judge. An entity never changes and may be shared between goroutines.
//
//	set, err := schema.Compile(sources, schema.Builtins(), nil)
//	if err != nil { … }                            // schema.Faults: every fault of every card
//	post := set.Entity("post")
//	members, details := post.Judge(schema.Create, body, "/body")
//
// Faults are for authors: a file, a pointer into it, and the remedy. Details are for callers: a
// path, a word, and a sentence that never repeats the value. Package schema knows no error
// codes: the façade gives details one.
//
// The package imports no network and no file system, and builds for browsers
// (spec 1.8).
package schema
