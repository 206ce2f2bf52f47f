// Package documents holds the API documents against the tools of others: linters and parsers
// read them (js/lint.mjs), a validating proxy stands between REST and its callers, and every
// method of OpenRPC is called as its example says.
package documents
