// Package soak holds a gateway under load while the hosts behind it are killed,
// started again, slowed, and made to answer garbage. It is tests only.
//
// Whatever happens, what the gateway answers is held to five things: every row is
// whole and the one that was asked for (each bears a sum over itself), what is missing
// has an error beside it, every error has a code of the table, no command runs twice,
// and when all is over there is no goroutine and no connection left of it, and no more
// memory in use than half way through.
//
//	host_test.go   a host with moods
//	load_test.go   who asks what
//	judge_test.go  what an answer is held to, and seeded faults that it has to find
//	soak_test.go   the soak: ten seconds, or -for as long as is said
package soak
