// Package jsontext reads and writes JSON as text: it finds where the members of
// an object begin and end, and leaves them undecoded.
//
// Values stay the text they arrived in (rows from a store, bodies from a caller, results
// from a remote), so most of the work is finding spans and copying them.
//
// Text from outside passes [Check] once. Every other function expects text that did: it
// does not validate again, and on any other text its result is unspecified and it may
// panic.
//
//	if err := jsontext.Check(body); err != nil { … }   // *Error: line, column, JSON pointer
//	for name, value := range jsontext.Members(body) {  // value is a span of body
//		if jsontext.KindOf(value) == jsontext.String { … jsontext.Unquote(value) … }
//	}
//
// Spans share the memory of the text they are cut from; their capacity ends with them, so
// that appending to one copies it. All functions may be called from many goroutines.
//
// The package does not decode values into Go types, convert numbers or know schemas.
// The package builds for every target and imports no other package of this module.
package jsontext
