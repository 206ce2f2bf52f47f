// Package facade is the waist of the house: whatever the surface, a call is the
// same value, (entity, operation, invocation), and takes the same path (spec 1.1,
// 1.3).
//
//	find      the operation behind entity.op
//	scope     the collectors: who is the caller, what may they touch and see
//	admit     params, query and body judged against the cards; decoded; filled in
//	run       the built-in CRUD over the store, or the author's handler
//	project   closed and hidden fields gone, values encoded, computed fields added
//
// A newcomer reads [Facade.Call] in path.go, which has these five words as its
// statements, and then one file for each of them: find.go, scope.go, admit.go (with
// lifecycle.go and boundary.go), crud.go and list.go (or handler.go), egress.go.
// Nothing on the path asks which surface a call came from.
//
// # A host in ten lines
//
//	project, err := facade.Read(os.DirFS("shop"))
//	post := project.Door("post")
//	facade.HandleCommand(post, "publish", publish)      // func(ctx, PublishInput) (Post, error)
//	facade.Present(post, "excerpt", text, excerpts, "body") // func(ctx, []facade.Row) ([]string, error)
//	f, err := facade.New(project, store, nil)
//	err = f.Seed(ctx)
//	res, err := f.Call(ctx, &facade.Call{Entity: "post", Operation: "list"})
//
// [Read] takes the folder as it is, [New] compiles it and tells every fault at
// once, and what comes out never changes: a host whose cards change has a new
// façade.
//
// # Rows are text
//
// Between a store and a surface nobody decodes rows: a [Rows] is the JSON text a
// store wrote, with an index of where the fields are. The path does not look into
// it. Fields a caller may not read were never selected; only where a value has to
// be encoded, or a computed field to be added, are rows written anew. So a page of
// 100 rows takes some 30 allocations here, whatever is in it.
//
// A call with [Each] asks for many keys in one trip; that is how relations and
// batches are read.
//
// # What a caller may see
//
// One predicate decides what exists for a caller: [Scope.Readable]. What it says
// no to is an unknown key everywhere: in fields, filter and sort, in a cursor, in
// the names an error message lists, and when it is written.
//
// # The two sides of the boundary
//
// Callers stand outside it: what they send is decoded, what they get is encoded,
// closed fields do not pass. The author's own code stands inside: a handler is
// given decoded values and answers values as they are kept. With [From] it calls
// with the rights of whoever called, and gets what they would get; with [Inside]
// it calls as itself.
//
// # Ports
//
// [Store] keeps rows, [Collector] turns a caller's state into a [Scope],
// [Caller] is whatever answers calls: the façade, the client of a remote, and the
// [Middleware] around either. Nothing here knows a network, a file or a query
// language, so the package builds for browsers too (spec 1.8).
package facade
