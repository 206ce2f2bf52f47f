// Package consumer runs a function of the program for every event of some facts.
//
// The function runs in a transaction, in which the position of the consumer moves too: what
// it writes to the store is committed with the position, or neither is. So the store has the
// effect of each event once, whatever is killed when. An effect elsewhere, such as a mail,
// happens at least once: it is made idempotent by the id of the event.
//
// One process at a time consumes, under the lease of package delivery. Events come in the order
// of the log. One that fails is set aside in the store and tried again, later and later;
// meanwhile those of its entity and key wait behind it, in their order, and all others go on. After
// the last try it is dead: it stays in the store for `frond facts dead` and `frond facts
// replay`, and those behind it go on.
package consumer
