// Package client calls a host elsewhere over JSON-RPC 2.0 (spec 4.1). A [Remote] is a
// facade.Caller: callers see the same results and failures as of a local façade, field
// by field; only latency and typed availability errors differ.
//
//	host := client.New("http://10.0.0.7:4100", nil)
//	result, err := host.Call(ctx, &facade.Call{Entity: "post", Operation: "list"})
//
// # How a call reaches its host
//
//	Remote.Call   look the call up, account for it, observe it            remote.go, pending.go
//	share         equal queries made together are one call                remote.go
//	fetch         the query as this host accepts it, by its document      query.go, knowledge.go
//	list          the window of rows to request                           list.go, window.go
//	each          many keys: findByIds, a batch, single calls             each.go, each_*.go, keys.go
//	single        one frame: written, signed, read, checked               host.go, conformance.go
//	send          retries, the bound on requests in flight, the breaker   send.go, guard.go
//	roundTrip     one HTTP request                                        roundtrip.go, connections_unix.go
//	read          the result in its form, the page cut                    result.go, result_page.go, page.go
//
// failure.go has the table of failures of the transport and their consequences.
//
// The package does not know a gateway's topology: the gateway decides which host is called, and
// reacts to a changed document of a host.
package client
