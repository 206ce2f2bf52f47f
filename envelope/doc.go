// Package envelope is the JSON-RPC 2.0 surface: POST /_kit/call (spec 4.1).
//
// A frame's method is entity.op and its params are the invocation (spec 2.6), so
// a frame is the call itself, spelled as JSON:
//
//	{"jsonrpc":"2.0","id":1,"method":"post.findById","params":{"params":{"id":"p1"}}}
//
// A [Handler] reads frames into calls, hands them to a [facade.Caller] and writes
// the results; it has no rule of its own about what a call may do. A [Remote] is
// the other end: a Caller that posts frames to an address. What it revives from a
// failure frame equals the failure of a local call, field by field.
//
// # How a host is asked
//
//	Remote.Call   a call becomes a question with texts of its own        question.go
//	flights       equal queries share a trip                             remote.go
//	narrow        what this host takes, by its document                  narrow.go, peer.go
//	each          many keys: findByIds, a batch, single calls            each.go and beside
//	send          retries, the bound, the breaker                        guard.go
//	exchange      one HTTP request                                       trip.go
//	fates         what becomes of what went wrong                        failure.go
//	read          the answer in its form, judged, the page cut           page.go, judge.go
//
// # Which integer stands for what
//
//	-32700  the body is not JSON, not UTF-8, or names a key twice; the id is null
//	-32600  JSON, but not a frame; or a batch of none or of more than [MaxBatch]
//	-32601  a method that is not served; the message names what is
//	-32602  params that are not an invocation; unknown members are named
//	-32000  every other failure: a call's own (spec 7.1)
//
// The integers belong to JSON-RPC. What happened is error.data, always a whole
// KitError, beside the reserved integers too; its code is the one to look at.
// -32603 is never sent: a failure on our side is the code INTERNAL_ERROR.
//
// # When the status is not 200
//
// Every frame is answered with 200, failures included, and with 204 when there is
// nothing to answer (notifications). A request whose credential does not hold is
// 401: every frame of it fails alike. Another status says that no frame came: 404
// another path, 405 another verb, 413 a body over the cap, 415 another media
// type. Its body is a failure frame with a null id that says what to send.
package envelope
