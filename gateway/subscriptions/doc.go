// Package subscriptions hands the events of facts to GraphQL subscribers, and answers live queries.
// The answers leave over websockets or as server-sent events.
//
//	stream, err := hub.Open(ctx, subscription, caller, wake)
//	…
//	answers, err := stream.Next(ctx) // whenever wake was called
//
// A stream costs no goroutine. Each pulls: a slow one falls behind at no cost to the others,
// and finds the missed events in the log when it goes on. Subscriptions whose answers are equal
// share them: an event is judged, executed and encoded once for all of them.
//
//	hub.go           Hub: opens streams, and bounds how many there are
//	stream.go        Stream: the answers of one subscription
//	live.go          live queries, executed again when their rows change
//	lane.go          the turns of their executions
//
// A [SocketServer] speaks graphql-transport-ws (the repository graphql-ws, PROTOCOL.md): queries,
// mutations and subscriptions of one caller, side by side on one connection. A connection that waits
// has one goroutine, which reads; an [outlet.Pump] writes. Ready messages leave together, so that a
// fact with many events a second costs few system calls. A client that does not read is cut off; the
// events that it received have the position to resume from.
//
//	ws.go            SocketServer: accepts connections, keeps them alive, and ends them
//	ws_conn.go       one connection: its phases, its caller, and its end
//	ws_read.go       messages of the client
//	ws_operate.go    operations
//	ws_write.go      messages of the server
//	ws_socket.go     the network connection under the websocket, and text frames
//
// An [EventServer] answers with server-sent events (the repository graphql-sse, PROTOCOL.md), in both
// modes of the protocol:
//
//	sse_distinct.go  a stream for each operation, at /graphql and /graphql/stream
//	sse_reserved.go  one stream for many operations, at /graphql/stream
package subscriptions
