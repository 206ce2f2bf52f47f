// Package subscriptions hands the events of facts to GraphQL subscribers, whichever way their
// answers leave: package graphqlws sends them over websockets, package graphqlhttp as event
// streams.
//
//	stream, err := hub.Open(ctx, subscription, caller, wake)
//	…
//	answers, err := stream.Next(ctx) // whenever wake was called
//
// A stream costs no goroutine. Each pulls: one that does not is behind and costs nobody
// anything, and finds what it missed in the log when it goes on. Subscriptions whose answers
// are equal share them: an event is judged, executed and encoded once for all of them.
package subscriptions
