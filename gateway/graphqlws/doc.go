// Package graphqlws answers GraphQL over websockets with the protocol graphql-transport-ws
// (the repository graphql-ws, PROTOCOL.md): queries, mutations and subscriptions of one caller,
// side by side on one connection.
//
//	server.go   accepts connections, keeps them alive, and ends them when the program stops
//	conn.go     one connection: its phases, who is calling, and how it ends
//	read.go     messages of the client
//	operate.go  operations
//	write.go    messages of the server
//	close.go    the close codes
//	socket.go   the network connection under the websocket, and text frames
//
// A connection that waits has one goroutine, which reads. An [outlet.Pump] writes while there is
// something to write: what is ready is sent together, so that a fact with many events a second
// costs few system calls. A client that does not read is cut off after [Options.Patience]; the
// events that it received have the position to resume from.
package graphqlws
