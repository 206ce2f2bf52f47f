// Package facts kills the processes of a host that emits facts, relays and consumes them, at
// every step, and holds what is left to the promise of docs/facts.md: an event is in the log if
// and only if its command was committed, events of a row have the order of its writes, and a
// consumer that knows ids sees each once. It is tests only.
//
// The rows are the oracle. Every write of an account counts it up by one, so the events of an
// account, taken in the order of the log, have to lead to the row that is there:
//
//	opened 1, changed 2, changed 3, closed 3, opened 1, changed 2    =    {"id": "a7", "count": 2}
//
//	project_test.go   cards, facts, and the commands that a gateway runs at random
//	process_test.go   the processes: gateways, relays, consumers with effects in the store and
//	                  in a file
//	kills_test.go     starts them, kills them, and starts them again: 20 times, or -kills
//	programs_test.go  whole gateways with a webhook, a stream and a consumer, killed as well: 2
//	                  times, or -programs
//	judge_test.go     what the log and the consumers are held to
//	open_test.go      a transaction that stays open: 2 seconds, or -open
package facts
