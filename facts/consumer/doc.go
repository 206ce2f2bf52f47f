// Package consumer runs a function of the program for every event of some facts.
//
// The function runs in a transaction, in which the position of the consumer moves too: its
// writes to the store are committed with the position, or neither is. So the store has the
// effect of each event once, after any crash. An effect outside of the store, such as a mail,
// happens at least once: the id of the event makes it idempotent.
//
// One process at a time consumes, under the lease of package delivery. Events come in the order
// of the log. A failed event is moved to the dead events of the store and tried again, with
// growing waits. Later events of its entity and key wait for it, in their order, and all others
// go on. After the last try it is dead: it stays in the store for `frond facts dead` and `frond
// facts replay`, and the waiting events go on.
package consumer
