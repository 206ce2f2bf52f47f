// Package filter is the filter grammar of list: what callers, collectors and rules say
// about the rows of one entity.
//
//	{"price": {"gte": 10}, "author": {"name": {"eq": "Ada"}}, "or": [{…}, {…}]}
//
// A [Parser] reads that JSON into a [Filter], a tree checked against the cards and against the fields the
// caller may read, so that a store only translates it. The part that depends on the caller is behind two
// small interfaces: a [Scope] says which fields and rows of an entity exist, a [Host] leads through
// relations and decodes values. The author's own code needs neither:
//
//	f, details := filter.Parse(entity, []byte(`{"price": {"gte": 10}}`), "/rows")
//
// Every fault is a detail with a pointer into the filter; the parser goes on after one.
// [Filter.AppendJSON] writes a filter in the same grammar. [Filter.Meets] and
// [Filter.Reduce] evaluate it for a known row, as a store would.
//
// The package knows no calls, no doors and no SQL; [Card] describes the grammar for
// discovery.
package filter
