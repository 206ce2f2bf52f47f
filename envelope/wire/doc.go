// Package wire is what both ends of POST /_kit/call agree on: the shapes of JSON-RPC
// 2.0 frames, the integers of their errors, and the limits that hold for both. It
// reads and writes text and knows no HTTP; package envelope is the receiving end,
// package envelope/client the calling one.
//
//	request frame    AppendRequest  →  {"jsonrpc":"2.0","id":1,"method":"post.list","params":{…}}  →  ReadRequest
//	response frame   ReadResponse   ←  {"jsonrpc":"2.0","id":1,"result":…}                         ←  AppendResult
//	                                ←  {"jsonrpc":"2.0","id":1,"error":{"code":…,"data":KitError}}  ←  AppendFailure
//
// Text has to be checked JSON ([jsontext.Check]) before it is read; the results are parts of
// it, not copies.
package wire

import "strings"

// Path is the path of a host's calls, after its base address (spec 4.1).
const Path = "/_kit/call"

// Discover is the reserved method that answers the discovery document (spec 2.5).
const Discover = "rpc.discover"

// Atomic is the reserved method that makes several calls as one transaction.
const Atomic = "rpc.atomic"

// TimeoutHeader carries the milliseconds that the caller waits for the answer, so that the host
// can stop when they have passed. It is optional: a host may ignore it
// (docs/decisions/remotes.md).
const TimeoutHeader = "X-Kit-Timeout"

const (
	// MaxBatch is how many frames one batch may have.
	MaxBatch = 100
	// MaxAnswer is how many bytes an answer may have: a client reads no more unless its
	// options say so, and a host puts no more into the answer to a batch.
	MaxAnswer = 8 << 20
	// MaxOffset bounds how many rows of a list can be skipped. Hosts count in 32 bits.
	MaxOffset = 1 << 31
)

// The integers of a failure frame (JSON-RPC 2.0 section 5.1; spec 7.1).
const (
	ParseError     = -32700
	InvalidRequest = -32600
	MethodNotFound = -32601
	InvalidParams  = -32602
	Failed         = -32000 // the failure of a call: error.data says which
)

// MethodKey is the key of an operation in maps. Entity names match without regard to
// case, operations by case.
func MethodKey(entity, operation string) string { return strings.ToLower(entity) + "." + operation }
