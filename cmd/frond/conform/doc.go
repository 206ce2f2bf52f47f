// Package conform tries a host against the specification, clause by clause: the suite that the author of a Frond in any language
// runs against their host. Each area of clauses has a file: discovery, frames, reads, errors, writes, and the paths beside calls.
package conform
