package envelope

import "strings"

// Path is the path of a host's calls, after its base address (spec 4.1).
const Path = "/_kit/call"

// Discover is the reserved method that answers the discovery document (spec 2.5).
const Discover = "rpc.discover"

// atomicMethod is the reserved method that makes several calls as one transaction.
const atomicMethod = "rpc.atomic"

// TimeoutHeader carries the milliseconds that the caller waits for the answer, so that the host
// can stop when they have passed. It is optional: a host may ignore it
// (docs/decisions/remotes.md).
const TimeoutHeader = "X-Kit-Timeout"

// FilesPath is the path of the files of a host's rows for gateways, after its base address:
//
//	GET    /_kit/files?ids=f1,f2            {"files":[{"id":"f1","name":"a.png","type":"image/png","size":3,"sha256":"…","made":"…"}]}
//	GET    /_kit/files?id=f1&size=thumb     the bytes, whole or a range
//	POST   /_kit/files?fields=album.cover   a form with the parts file and identity; 201 with the description
//	DELETE /_kit/files?id=f1                204: a file that no row has taken
//
// It is additive: a host that has it names fileFields in its discovery document.
const FilesPath = "/_kit/files"

// StateHeader has the caller's state of an unsigned request for files: JSON in base64url, without padding.
const StateHeader = "X-Kit-State"

// The parts of a form that brings a file. PartIdentity has a second token, which binds the hash of the file;
// an unsigned form has none.
const (
	PartFile     = "file"
	PartIdentity = "identity"
)

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
	callFailed     = -32000 // the failure of a call: error.data says which
)

// MethodKey is the key of an operation in maps. Entity names match without regard to
// case, operations by case.
func MethodKey(entity, operation string) string { return strings.ToLower(entity) + "." + operation }
