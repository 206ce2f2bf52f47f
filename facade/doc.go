// Package facade is the waist of the house: whatever the surface, a call is the
// same value, (entity, operation, invocation), and takes the same path.
//
// The surfaces above read their request into a [Call], hand it to a [Caller] and
// write the [Result]; the stores beside answer the [Store] port. Nothing here
// knows a network, a file or a query language, so the package builds for
// browsers too (spec 1.8).
package facade
