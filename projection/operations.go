package projection

import (
	"github.com/graphql-go/graphql"

	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/resolvers/binding"
	"github.com/frondhost/frond/schema"
)

// addOperations gives Query and Mutation a field for each operation of a door. A built-in
// operation needs rows with a primary key to be addressed by; on a door without them it is
// named as an author's operation is.
func (b *Builder) addOperations(d *door) {
	for _, op := range d.Operations {
		if op.Builtin && d.object != nil && d.Entity.Primary != nil {
			b.addBuiltin(d, op)
		} else {
			b.addNamed(d, op)
		}
	}
}

// addBuiltin adds the field of a CRUD operation (docs/calls.md). Every root field is nullable:
// one that fails is null and reports its error, and its siblings keep their values.
//
//	list       posts(filter, orderBy, first, after, last, before, offset): PostConnection
//	findById   post(id: ID!): Post
//	findByIds  postsByIds(ids: [ID!]!): [Post!]
//	create     createPost(input: CreatePostInput!): Post
//	update     updatePost(id: ID!, ifMatch: String, where: PostFilter, input: UpdatePostInput!): Post
//	delete     deletePost(id: ID!, ifMatch: String, where: PostFilter): Boolean
func (b *Builder) addBuiltin(d *door, op *catalog.Operation) {
	f := &field{description: describeBuiltin(d.typ, op), deprecated: op.Deprecated, binding: &binding.Field{
		Kind: binding.Operation, Operation: op, Door: d.Door, Output: d.Entity,
	}}
	// id and held add the arguments that several operations have in common.
	id := func() {
		f.args = append(f.args, &arg{name: "id", typ: b.required(keyType(d.Entity.Primary))})
		f.binding.Args = append(f.binding.Args, binding.Arg{Name: "id", Into: binding.IntoID})
	}
	// A remote may hold its rows to neither a version nor a condition.
	held := func() {
		for _, name := range []string{"ifMatch", "where"} {
			if op.Query == nil || op.Query.Property(name) == nil {
				continue
			}
			a := &arg{name: name, typ: graphql.String, description: ifMatchText}
			if name == "where" {
				a.typ, a.description = b.filterOf(d).gql, whereText
			}
			f.args = append(f.args, a)
			f.binding.Args = append(f.binding.Args, binding.Arg{Name: name, Into: binding.IntoQuery, Key: name})
		}
	}
	row := d.object.gql
	var name func(typ string) string
	switch op.Name {
	case "list":
		args := b.listArgs(d)
		name = func(typ string) string { return schema.Plural(fieldName(typ)) }
		f.typ = b.connection(&d.shown, d.typ, d.origin).gql
		f.args, f.binding.Args = args.args, args.into
	case "findById":
		name, f.typ = fieldName, row
		id()
	case "findByIds":
		name = func(typ string) string { return schema.Plural(fieldName(typ)) + "ByIds" }
		f.typ = b.list(b.required(row))
		f.args = []*arg{{name: "ids", typ: b.required(b.list(b.required(keyType(d.Entity.Primary))))}}
		f.binding.Args = []binding.Arg{{Name: "ids", Into: binding.IntoQuery, Key: "ids"}}
	case "create":
		name, f.typ = after("create"), row
		b.addBody(f, op)
	case "update":
		name, f.typ = after("update"), row
		id()
		held()
		b.addBody(f, op)
	case "delete":
		name, f.typ = after("delete"), graphql.Boolean
		// delete returns true or false and no row, so its field has no selection.
		f.binding.Door, f.binding.Output = nil, nil
		id()
		held()
	case "createMany", "updateMany", "deleteMany", "upsert":
		name = b.addManyWrites(d, op, f)
	default:
		b.addNamed(d, op)
		return
	}
	b.addRoot(d, f, name)
}

// after returns what names fields by a verb: createPost.
func after(verb string) func(typ string) string {
	return func(typ string) string { return verb + typ }
}

// addRoot adds the root field of an operation, with the name that name makes of the door's
// type, and the same field under each alias of the door. If frond.yaml names the field, that is
// its only name.
func (b *Builder) addRoot(d *door, f *field, name func(typ string) string) {
	op := f.binding.Operation
	if f.name = op.GraphQL; f.name == "" {
		f.name = name(d.typ)
	}
	b.addFields(b.root(op.Kind), &origin{what: fieldItself, op: op}, f)
	if op.GraphQL != "" {
		return
	}
	for _, a := range d.Aliases {
		old, bound := *f, *f.binding
		old.name, old.deprecated, old.binding, bound.Alias = name(schema.GraphQLType(a.Name)), a.Reason(), &bound, a.Name
		if old.name != f.name {
			b.addFields(b.root(op.Kind), &origin{what: fieldItself, op: op, alias: a}, &old)
		}
	}
}

// ifMatchText describes the argument ifMatch.
const ifMatchText = "The expected version of the row, its etag. The call fails with PRECONDITION_FAILED if the row has another."

// whereText describes the argument where.
const whereText = "Condition on the row at the time of the write. The call fails with PRECONDITION_FAILED if the row does not meet it."

// addBody adds the argument input for the operation's body, unless the caller can send none of
// its fields.
func (b *Builder) addBody(f *field, op *catalog.Operation) {
	in := b.inputOf(op)
	if in == nil {
		return
	}
	// update wants its patch, though every field of it may be left out.
	f.args = append(f.args, &arg{name: "input", typ: b.unless(!in.required() && !op.Builtin, in.gql)})
	f.binding.Args = append(f.binding.Args, binding.Arg{Name: "input", Into: binding.IntoBody})
}

// addNamed adds the field of an author's operation, <entity><Op>, with its params and its
// query as arguments and its body as input:
//
//	publish of post     postPublish(id: ID!, notify: Boolean, input: PostPublishInput!): Post
//
// Where no card declares them (op.Open), the arguments are params and query, each any JSON, and on
// a door of rows id, which is a member of params. Without a card, input is any JSON too.
func (b *Builder) addNamed(d *door, op *catalog.Operation) {
	f := &field{description: op.Description, deprecated: op.Deprecated, binding: &binding.Field{Kind: binding.Operation, Operation: op}}
	typ := d.typ + schema.GraphQLType(op.Name)
	args := space{"argument", op.Door.Name + "." + op.Name}
	if op.Open {
		if e := op.Door.Entity; e != nil && e.Primary != nil {
			f.args = append(f.args, &arg{name: "id", typ: keyType(e.Primary)})
			f.binding.Args = append(f.binding.Args, binding.Arg{Name: "id", Into: binding.IntoParams, Key: "id"})
		}
		open := []binding.Arg{{Name: "params", Into: binding.AllParams}, {Name: "query", Into: binding.AllQuery}, {Name: "input", Into: binding.IntoBody}}
		if op.Input != nil {
			open = open[:2]
		}
		for _, a := range open {
			f.args = append(f.args, &arg{name: a.Name, typ: jsonAny})
			f.binding.Args = append(f.binding.Args, a)
		}
	}
	b.addArgs(f, args, op, op.Params, binding.IntoParams, typ)
	b.addArgs(f, args, op, op.Query, binding.IntoQuery, typ)
	// The argument input is claimed after those of params and query: a member of theirs called
	// input is the one that has to be renamed.
	if before := len(f.args); op.Input != nil {
		if b.addBody(f, op); len(f.args) > before {
			b.claims.claim(args, "input", &origin{what: "body", op: op})
		}
	}
	b.addOutput(f, d, op)
	b.addRoot(d, f, func(typ string) string { return fieldName(typ) + schema.GraphQLType(op.Name) })
}

// addArgs adds an argument for each field of e, the card of the operation's params or query;
// nil adds none. names is the space of names that both share. typ is the prefix of types made
// for arguments.
func (b *Builder) addArgs(f *field, names space, op *catalog.Operation, e *schema.Entity, into binding.Place, typ string) {
	if e == nil {
		return
	}
	required := set(e.Card.Required)
	by := &origin{what: "argument", op: op}
	for _, p := range e.Fields {
		if !b.claims.claim(names, p.Name, by) {
			continue
		}
		a := &arg{
			name:        p.Name,
			description: described(&p.Shape, p.Name),
			deprecated:  p.Shape.WhyDeprecated(),
			typ:         b.unless(p.Shape.Nullable || !required[p.Name], b.argType(op, p, typ, by)),
		}
		// GraphQL 3.13.3: a required argument must not be deprecated.
		if _, must := a.typ.(*graphql.NonNull); must {
			a.deprecated = ""
		}
		f.args = append(f.args, a)
		f.binding.Args = append(f.binding.Args, binding.Arg{Name: p.Name, Into: into, Key: p.Name})
	}
}

// addOutput gives the field the type of the operation's result. All are nullable, since a root
// field that fails must not take its siblings along (docs/decisions/graphql-schema.md):
//
//	one, maybe            T
//	many                  [T!]
//	page                  TConnection
//	none, or no shape     JSON
func (b *Builder) addOutput(f *field, d *door, op *catalog.Operation) {
	f.typ = jsonAny
	if op.Output == nil || op.Cardinality == catalog.NoOutput {
		return
	}
	s := b.show(op.Output, op)
	if s.object == nil { // every field of the card is write-only
		return
	}
	f.binding.Output = op.Output
	by, typ := &origin{what: "output", view: op.Output}, s.object.name
	if s.door != nil {
		f.binding.Door = s.door.Door
		by, typ = s.door.origin, s.door.typ
	}
	switch row := s.object.gql; op.Cardinality {
	case catalog.Many:
		f.typ = b.list(b.required(row))
	case catalog.PageOf:
		f.typ = b.connection(s, typ, by).gql
	default:
		f.typ = row
	}
}

// argType returns the type of an argument. A relation's key has the type of the target's key.
// One called id has the type ID where the door stores rows and the card says it is a string:
// it is taken for the door's own key.
func (b *Builder) argType(op *catalog.Operation, p *schema.Property, typ string, by *origin) graphql.Input {
	if p.Link != nil && !p.Link.Many || p.Name == "id" && op.Door.Entity != nil && p.Shape.Type == "string" {
		return keyType(p)
	}
	return b.input(named{&p.Shape, typ + schema.GraphQLType(p.Name), by})
}

// addManyWrites adds the field of a write of many rows (docs/many.md), and returns how it is named.
//
//	createMany   createPosts(input: [CreatePostInput!]!): [Post!]
//	updateMany   updatePosts(where: PostFilter!, set: UpdatePostInput!, max: Int): WrittenPosts
//	deleteMany   deletePosts(where: PostFilter!, max: Int): WrittenPosts
//	upsert       upsertPost(by: PostKey!, input: CreatePostInput!): UpsertedPost
func (b *Builder) addManyWrites(d *door, op *catalog.Operation, f *field) (name func(typ string) string) {
	add := func(name string, typ graphql.Input, into binding.Place) {
		f.args = append(f.args, &arg{name: name, typ: typ})
		f.binding.Args = append(f.binding.Args, binding.Arg{Name: name, Into: into, Key: name})
	}
	plural := func(verb string) func(typ string) string {
		return func(typ string) string { return verb + schema.Plural(typ) }
	}
	in := b.inputOf(op)
	switch op.Name {
	case "createMany":
		if in != nil {
			add("input", b.required(b.list(b.required(in.gql))), binding.IntoBody)
		}
		f.typ = b.list(b.required(d.object.gql))
		return plural("create")
	case "upsert":
		var keys []string
		for _, key := range catalog.UniqueKeys(d.Entity) {
			keys = append(keys, catalog.KeyName(key))
		}
		by := b.newEnum(b.free(d.typ+"Key", d.origin), "A unique key of "+words(d.typ)+".", keys)
		add("by", b.required(by.gql), binding.IntoQuery)
		if in != nil {
			add("input", b.required(in.gql), binding.IntoBody)
		}
		out := b.newObject(b.free("Upserted"+d.typ, d.origin), "")
		b.addFields(out, d.origin,
			&field{name: "created", typ: b.required(graphql.Boolean), binding: &binding.Field{Kind: binding.Created}},
			&field{name: fieldName(d.typ), typ: b.required(d.object.gql), binding: &binding.Field{Kind: binding.WrittenRow, Output: d.Entity, Door: d.Door}})
		f.typ = out.gql
		return after("upsert")
	}
	add("where", b.required(b.filterOf(d).gql), binding.IntoQuery)
	if in != nil && op.Patch {
		add("set", b.required(in.gql), binding.IntoBody)
	}
	add("max", graphql.Int, binding.IntoQuery)
	if d.written == nil {
		d.written = b.newObject(b.free("Written"+schema.Plural(d.typ), d.origin), "")
		b.addFields(d.written, d.origin,
			&field{name: "count", typ: b.required(graphql.Int), binding: totalBinding},
			&field{name: "items", typ: b.required(b.list(b.required(d.object.gql))), binding: &binding.Field{Kind: binding.Items, Output: d.Entity, Door: d.Door}})
	}
	f.typ = d.written.gql
	if op.Patch {
		return plural("update")
	}
	return plural("delete")
}
