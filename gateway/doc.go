// Package gateway is the whole service in one value: it reads gateway.yaml,
// opens the store, builds the façade over a project, mounts every surface on a
// router and runs until it is told to stop.
//
//	project, err := facade.Read(os.DirFS("shop"))
//	gw, err := gateway.New(project, &gateway.Options{Config: gateway.Config{Store: "memory"}})
//	err = gw.Run(ctx) // until ctx is done; then it drains
//
// # What is mounted
//
//	/graphql      GraphQL, and GraphiQL for a browser
//	/api/         REST
//	/_kit/call    the envelope, JSON-RPC 2.0; the state a client sends is ignored
//	/livez        200 while the process runs
//	/readyz       200 while calls are welcome, 503 once the gateway drains
//
// With Config.Admin, /metrics stands on a listener for the operator; spans go where
// the variables of OpenTelemetry say, or to Options.Tracing (docs/observability.md).
//
// The gateway listens in [Gateway.Run] alone, and asks an issuer for keys from then
// on, or from the first token. Who has a server already
// takes [Gateway.Handler], or mounts the surfaces on a router with
// [Gateway.Mount] (spec 1.4).
//
// # Settings
//
// Every setting has a key in gateway.yaml and a variable made from it; what is
// said on the command line wins over the variable, which wins over the file.
// [Settings] lists them with their defaults.
package gateway
