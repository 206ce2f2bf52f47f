// Package gateway runs a project as one service: it reads gateway.yaml, opens the store,
// compiles the façade, mounts every surface on a router and serves until it is stopped.
//
//	project, err := facade.Read(os.DirFS("shop"))
//	gw, err := gateway.New(project, &gateway.Options{Config: gateway.Config{Store: "memory"}})
//	err = gw.Run(ctx) // until ctx is done; then it drains
//
// # Paths
//
//	/graphql      GraphQL, also over websockets, and the console for a browser
//	/graphql/stream  GraphQL over server-sent events
//	/api/         REST
//	/_kit/call    the envelope, JSON-RPC 2.0; the state in a frame is ignored
//	/livez        200 while the process runs
//	/readyz       200 while calls are welcome, 503 once the gateway drains
//
// With Config.Admin, /metrics is on a listener for the operator; spans go where the
// variables of OpenTelemetry say, or to Options.Tracing (docs/observability.md).
//
// The gateway listens in [Gateway.Run] only, and fetches an issuer's keys from then on, or
// from the first token. A program with a server of its own uses [Gateway.Handler], or
// mounts the surfaces on a router with [Gateway.Mount] (spec 1.4).
//
// # Settings
//
// Every setting has a key in gateway.yaml and a variable made from it; the command line
// wins over the variable, which wins over the file. [Settings] lists them with their
// defaults.
//
// # Programs
//
// A program that runs a gateway has its flags from [Flags], and its signals and exit codes from
// [Main]. Neither knows a flag library:
//
//	flags := &gateway.Flags{} // hand flags.All() to a flag library
//	os.Exit(gateway.Main("blog", os.Stderr, func(ctx context.Context) error {
//		project, config, err := flags.Load(".", os.Environ(), os.Stderr, read)
//		…
//		return gateway.Serve(ctx, gw)
//	}))
//
// # How it is made
//
// The package wires and has no rule of its own. A [Host] is a project over its store: its
// façade is compiled again whenever a remote serves something else. A generation is one
// such façade with every surface over it, and takes the place of the last one whole. The
// rules are in the packages below, which do not know each other:
//
//	gateway/graphqlhttp   GraphQL over HTTP: requests, trusted documents, the console
//	gateway/subscriptions GraphQL over websockets and server-sent events; equal subscribers share answers
//	gateway/identity      identifies the caller
//	gateway/telemetry     spans, metrics, the access log
//	gateway/guard         the guards in front of every surface, and the certificate of the listener
//	gateway/topology      which Fronds run elsewhere, and how calls of them are signed
//	gateway/publish       webhooks and NATS
//	gateway/setting       reads one setting; the others use it
package gateway
