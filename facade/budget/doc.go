// Package budget bounds what all requests of a process hold at once: the bytes of their
// rows and answers, and how many of them execute.
//
//	ctx, account, err := b.Open(ctx) // SERVICE_UNAVAILABLE if there is no room
//	defer account.Close()
//	err = account.Begin()            // an execution, or SERVICE_UNAVAILABLE
//	err = account.Reserve(n)         // bytes of an answer; PAYLOAD_TOO_LARGE if it never fits
//
// Work that does not fit is refused at once. A store finds the account in the context and
// charges rows by a [Meter] while it writes them.
package budget
