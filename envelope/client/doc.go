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
//	list          the window of rows to request                           list.go, window.go, position.go
//	each          many keys: findByIds, a batch, single calls             each.go, each_*.go, keys.go
//	single        one frame: written, signed, read, checked               host.go, conformance.go
//	send          retries, the bound on what is in flight, the breaker    send.go, guard.go
//	roundTrip     one HTTP request                                        roundtrip.go
//	read          the result in its form, the page cut                    result.go, result_page.go, page.go
//
// failure.go has the table of what can go wrong on the way and what follows from it.
//
// The package knows nothing of a gateway's topology: who calls which host, and what
// happens when a host's document changes, is decided there.
package client
