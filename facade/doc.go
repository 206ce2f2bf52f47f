// Package facade is the waist of the gateway: on every surface a call is the same value,
// (entity, operation, invocation), and takes the same path (spec 1.1, 1.3).
//
//	find      the operation behind entity.op, and who answers it
//	scope     the collectors: the caller, their rights, the rows and fields that exist for them
//	admit     params, query and body judged against the cards; decoded; filled in
//	run       the built-in CRUD over the store, the author's handler, or the remote
//	project   closed and hidden fields removed, values encoded, computed fields added
//
// Read walk in path.go first, which has these five words as its statements, and then the files of
// each: scope.go for find and scope; admit.go with lifecycle.go; read.go and
// write.go, handler.go or remote.go; egress.go. Nothing on the path asks which surface a call
// came from. An execution goes along the path. It has a viewer: the caller, and the doors and
// fields that exist for it. Both are in execution.go. A function that needs less than them is
// given less.
//
// [New] decides once who answers an operation and who keeps the rows of a door: a runner and a
// keeper (host.go). The store of this host, the author's handlers and the remotes have one each,
// and bind.go chooses. No step asks again. A [Trace] follows an execution, for explanations and
// live queries.
//
// # A host in ten lines
//
//	project, err := facade.Read(os.DirFS("shop"))
//	post := project.Door("post")
//	facade.HandleCommand(post, "publish", publish)      // func(ctx, PublishInput) (Post, error)
//	facade.Present(post, "excerpt", text, excerpts, "body") // func(ctx, []facade.Row) ([]string, error)
//	f, err := facade.New(project, store, nil)
//	err = seed.Write(ctx, f)
//	res, err := f.Call(ctx, &facade.Call{Entity: "post", Operation: "list"})
//
// [Read] reads the folder, [New] compiles it and reports every fault at once. The result
// never changes: a host whose cards change has a new façade. Package frond, at the root of
// the module, is what Go authors write against; it attaches its typed doors here.
//
// # The packages below
//
//	facade/catalog     doors, operations, facts and surfaces, as data
//	facade/compile     a project becomes a catalog
//	facade/access      collectors: rules, scopes, computed fields
//	facade/expression  what authors write in frond.yaml to be evaluated
//	facade/filter      the filter grammar of list and of rules
//	facade/rows        rows as JSON text with an index
//	facade/budget      bounds on the memory of a process
//	facade/project     a project as it is written: folders, frond.yaml, discovery documents
//	facade/kiterror    the error that every failure leaves by
//
// None of them knows a call. [New] binds the compiled catalog to the code that answers: see
// bind.go.
//
// # The packages above
//
//	facade/remote      the calls of Fronds that run elsewhere
//	facade/seed        the rows of the first start
//	facade/explain     a report of one call
//	facade/readset     the rows that a live query read
//
// # Rows are text
//
// Between a store and a surface nobody decodes rows: a [rows.Rows] is the JSON text that a store
// wrote. Fields a caller may not read were never selected; only where a value has to be
// encoded, or a computed field to be added, are rows written again. So a page of 100 rows
// takes some 30 allocations here, with any fields. A call with [Each] asks for many keys
// in one execution; that is how relations and batches are read.
//
// # The fields of a caller
//
// One predicate decides what exists for a caller: [access.Scope.Readable]. A field that it denies
// is an unknown key everywhere: in fields, filter and sort, in a cursor, in the names that
// a message lists, and when it is written.
//
// # The two sides of the boundary
//
// Callers are outside of it: their values are decoded, their answers are encoded, closed
// fields do not pass. The author's own code is inside: a handler is given decoded
// values and answers values as they are kept. With [From] it calls with the rights of
// its own caller, and gets the same answer; with [Inside] it calls as itself.
//
// # Ports
//
// [Store] keeps rows, [access.Collector] turns a caller's state into a [access.Scope], [Caller] is
// anything that answers calls: the façade, the client of a remote, and the [Middleware] around
// either. Nothing here knows a network, a file or a query language, so the package builds
// for browsers too (spec 1.8).
package facade
