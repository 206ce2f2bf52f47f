// Package graphqlerror has the errors of a GraphQL response (specification 7.1.2).
//
//	error.go     Error, one entry of errors: message, locations, path, extensions; its codes
//	reporter.go  Go errors become entries; what must not be sent is logged
//
// An Error is safe to send as it is. A [Reporter] is the only place where the text of an
// internal failure and the text for the client part.
package graphqlerror
