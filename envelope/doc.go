// Package envelope is JSON-RPC 2.0 over POST /_kit/call (spec 4.1): the frames, and the receiving
// end. Package envelope/client is the calling end, and envelope/signing how calls between
// processes are signed.
//
// A frame's method is entity.op and its params are the invocation (spec 2.6), so a
// frame is the call itself, written as JSON:
//
//	{"jsonrpc":"2.0","id":1,"method":"post.findById","params":{"params":{"id":"p1"}}}
//
// A [Handler] reads frames into calls, passes them to a [facade.Caller] and writes the results.
// It has no rules of its own about calls:
//
//	ServeHTTP       one HTTP request: budget, body, deadline, status    serve.go, http.go
//	identify        the caller                                          request.go
//	appendAnswers   a batch, ten frames at once                         request.go, batch.go
//	run             frame → invocation → call → result                  invocation.go, synonyms.go
//
// # Frames
//
// Both ends write and read frames as text:
//
//	request frame    AppendRequest  →  {"jsonrpc":"2.0","id":1,"method":"post.list","params":{…}}  →  readRequest
//	response frame   ReadResponse   ←  {"jsonrpc":"2.0","id":1,"result":…}                         ←  appendResult
//	                                ←  {"jsonrpc":"2.0","id":1,"error":{"code":…,"data":KitError}}  ←  appendFailure
//
// Text has to be checked JSON ([jsontext.Check]) before it is read; the results are parts of
// it, not copies.
//
// # The integers of errors
//
//	-32700  the body is not JSON, not UTF-8, or names a key twice; the id is null
//	-32600  JSON, but not a frame; or a batch that is empty or of more than [MaxBatch]
//	-32601  an unknown method; the message names the known ones
//	-32602  params other than an invocation; unknown members are named
//	-32000  every other failure: a call's own (spec 7.1)
//
// The integers belong to JSON-RPC. error.data is always a whole KitError, also with the
// reserved integers, and its code is the one to read. -32603 is never sent: a failure of the
// host is the code INTERNAL_ERROR.
//
// # Positions of pages
//
// The page of a single frame has the header [facade.PositionHeader]. Frames of a batch have the
// member position beside result, where the request says Prefer: position=any; clients that know
// the members of JSON-RPC alone never see it. Prefer: position also reads every page from the
// store itself, which knows the position where a copy does not.
//
// # When the status is not 200
//
// Every frame is answered with 200, failures included, and with 204 if no frame has an answer
// (notifications). A request with an invalid credential is 401: every frame of it fails alike.
// Other statuses mean that no frame was read: 404 another path, 405 another verb, 413 a body
// over the cap, 415 another media type. Their body is a failure frame with a null id that names
// the remedy.
package envelope
