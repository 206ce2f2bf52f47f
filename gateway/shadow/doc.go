// Package shadow sends copies of queries to the host that a Frond may move to, and compares the answers (docs/shadow.md).
//
// The Frond runs in this process and answers. Of a share of its queries the host gets a copy once the answer is sent: the queue of
// copies is bounded, and a full one drops them. Commands are never copied. A difference is counted, logged and kept, the last hundred
// of them.
//
//	shadow.go    the middleware that takes copies, and the share of each Frond
//	queue.go     the copies that wait, and the goroutines that ask the host
//	compare.go   two answers, field by field
//	report.go    the counts and the differences, for the admin listener and the log
//	line.go      a call as a line for frond call
//
// A copy is made by a façade in which the Frond is remote, as a move makes it, so that access rules, projection and relations are
// those after the move. The author's middleware does not see it.
package shadow
