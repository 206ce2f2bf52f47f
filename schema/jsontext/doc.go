// Package jsontext reads and writes JSON as text: it finds where the members of
// an object begin and end, and leaves them undecoded.
//
// Values are kept as the text they arrived in (rows from a store, bodies
// from a caller, results from a remote), so most of its work is finding spans
// and copying them. What comes from outside passes [Check] once; every other
// function here expects text that did, and is free to trust it.
//
//	for name, value := range jsontext.Members(body) { … }
//
// The package builds for every target and imports no other package of this module.
package jsontext
