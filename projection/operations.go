package projection

import (
	"github.com/vektah/gqlparser/v2/ast"

	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/resolvers/binding"
	"github.com/frondhost/frond/schema"
)

// operations are the fields of Query and Mutation.
type operations struct {
	*roots
	doors   *doors
	filters *filters
	pages   *pages
	rows    *rows
	inputs  *inputs
}

// add gives Query and Mutation a field for each operation of a door. A built-in
// operation needs rows with a primary key to be addressed by; on a door without them it is
// named as an author's operation is.
func (os *operations) add(d *door) {
	for _, op := range d.Operations {
		if op.Builtin && d.object != nil && d.Entity.Primary != nil {
			os.addBuiltin(d, op)
		} else {
			os.addNamed(d, op)
		}
	}
}

// addBuiltin adds the field of a CRUD operation (docs/calls.md). Every root field is nullable:
// one that fails is null and reports its error, and its siblings keep their values.
//
//	list       posts(filter, orderBy, first, after, last, before, offset): PostConnection
//	aggregate  posts(filter, search): PostNumbers, where the door has no list
//	findById   post(id: ID!): Post
//	findByIds  postsByIds(ids: [ID!]!): [Post!]
//	create     createPost(input: CreatePostInput!): Post
//	update     updatePost(id: ID!, ifMatch: String, where: PostFilter, input: UpdatePostInput!): Post
//	delete     deletePost(id: ID!, ifMatch: String, where: PostFilter): Boolean
func (os *operations) addBuiltin(d *door, op *catalog.Operation) {
	if op.Aggregates() && (d.Operation("list") != nil || len(os.filters.of(d)) == 0) {
		return // it is on connections
	}
	f := &field{description: describeBuiltin(d.typ, op), deprecated: op.Deprecated, binding: &binding.Field{
		Kind: binding.Operation, Operation: op, Door: d.Door, Output: d.Entity,
	}}
	row := d.object.typ()
	var name func(typ string) string
	switch op.Name {
	case "list":
		args := os.pages.listArgs(d)
		name = func(typ string) string { return schema.Plural(fieldName(typ)) }
		f.typ = os.pages.connection(&d.shown, d.typ, d.origin).typ()
		f.args, f.binding.Args = args.args, args.into
	case catalog.Aggregate:
		name = func(typ string) string { return schema.Plural(fieldName(typ)) }
		os.addNumbers(f, d)
	case "findById":
		name, f.typ = fieldName, row
		os.addTarget(f, d)
	case "findByIds":
		name = func(typ string) string { return schema.Plural(fieldName(typ)) + "ByIds" }
		f.typ = os.list(os.required(row))
		f.take(&ast.ArgumentDefinition{Name: "ids", Type: os.required(os.list(os.required(keyType(d.Entity.Primary))))}, binding.Arg{Into: binding.IntoQuery, Key: "ids"})
	case "create":
		name, f.typ = after("create"), row
		os.addBody(f, op)
	case "update":
		name, f.typ = after("update"), row
		os.addTarget(f, d)
		os.addConditions(f, d)
		os.addBody(f, op)
	case "delete":
		name, f.typ = after("delete"), booleanType
		// delete returns true or false and no row, so its field has no selection.
		f.binding.Door, f.binding.Output = nil, nil
		os.addTarget(f, d)
		os.addConditions(f, d)
	case "createMany", "updateMany", "deleteMany", "upsert":
		name = os.addManyWrites(d, op, f)
	default:
		if op.Name != "import" || !op.IsMany() { // a file of rows has paths of REST
			os.addNamed(d, op)
		}
		return
	}
	os.addRoot(d, f, name)
}

// addNumbers gives the field of aggregate its type and its arguments, by which the rows are chosen.
func (os *operations) addNumbers(f *field, d *door) {
	by := &origin{what: "aggregate", door: d.Door}
	page := os.newObject(os.free(d.typ+"Numbers", by), "")
	os.pages.groups.addTo(page, d)
	f.typ = page.typ()
	f.take(&ast.ArgumentDefinition{Name: "filter", Type: os.filters.filterOf(d).typ()}, binding.Arg{Into: binding.IntoQuery, Key: "filter"})
	if d.Entity.Search != nil && f.binding.Operation.Takes(catalog.SearchKey) {
		f.take(searchArg, binding.Arg{Into: binding.IntoQuery, Key: catalog.SearchKey})
	}
}

// addTarget adds the argument id of an operation on one row.
func (os *operations) addTarget(f *field, d *door) {
	f.take(&ast.ArgumentDefinition{Name: "id", Type: os.required(keyType(d.Entity.Primary))}, binding.Arg{Into: binding.IntoID})
}

// addConditions adds the arguments ifMatch and where, each if the operation accepts it: a
// remote may support neither.
func (os *operations) addConditions(f *field, d *door) {
	query := f.binding.Operation.Query
	if query == nil {
		return
	}
	if query.Property("ifMatch") != nil {
		f.take(&ast.ArgumentDefinition{Name: "ifMatch", Type: stringType, Description: ifMatchText}, binding.Arg{Into: binding.IntoQuery, Key: "ifMatch"})
	}
	if query.Property("where") != nil {
		f.take(&ast.ArgumentDefinition{Name: "where", Type: os.filters.filterOf(d).typ(), Description: whereText}, binding.Arg{Into: binding.IntoWhere, Key: "where"})
	}
}

// after returns what names fields by a verb: createPost.
func after(verb string) func(typ string) string {
	return func(typ string) string { return verb + typ }
}

// addRoot adds the root field of an operation, with the name that name makes of the door's
// type, and the same field under each alias of the door. If frond.yaml names the field, that is
// its only name.
func (os *operations) addRoot(d *door, f *field, name func(typ string) string) {
	op := f.binding.Operation
	if f.name = op.GraphQL; f.name == "" {
		f.name = name(d.typ)
	}
	os.addFields(os.of(op.Kind), &origin{what: fieldItself, op: op}, f)
	if op.GraphQL != "" {
		return
	}
	for _, a := range d.Aliases {
		old, bound := *f, *f.binding
		old.name, old.deprecated, old.binding, bound.Alias = name(schema.GraphQLType(a.Name)), a.Reason(), &bound, a.Name
		if old.name != f.name {
			os.addFields(os.of(op.Kind), &origin{what: fieldItself, op: op, alias: a}, &old)
		}
	}
}

// ifMatchText describes the argument ifMatch.
const ifMatchText = "The expected version of the row, its etag. The call fails with PRECONDITION_FAILED if the row has another."

// whereText describes the argument where.
const whereText = "Condition on the row at the time of the write. The call fails with PRECONDITION_FAILED if the row does not meet it."

// addBody adds the argument input for the operation's body, if the caller can send at least one
// of its fields.
func (os *operations) addBody(f *field, op *catalog.Operation) {
	in := os.inputs.inputOf(op)
	if in == nil {
		return
	}
	// update wants its patch, though every field of it may be left out.
	f.take(&ast.ArgumentDefinition{Name: "input", Type: os.unless(!demanded(in) && !op.Builtin, in.typ())}, binding.Arg{Into: binding.IntoBody})
}

// addNamed adds the field of an author's operation, <entity><Op>, with its params and its
// query as arguments and its body as input:
//
//	publish of post     postPublish(id: ID!, notify: Boolean, input: PostPublishInput!): Post
//
// Without a card for them (op.Open), the arguments are params and query, each any JSON, and on a
// door of rows id, which is a member of params. Without a card, input is any JSON too.
func (os *operations) addNamed(d *door, op *catalog.Operation) {
	f := &field{description: op.Description, deprecated: op.Deprecated, binding: &binding.Field{Kind: binding.Operation, Operation: op}}
	typ := d.typ + schema.GraphQLType(op.Name)
	args := space{"argument", op.Door.Name + "." + op.Name}
	if op.Open {
		if e := op.Door.Entity; e != nil && e.Primary != nil {
			f.take(&ast.ArgumentDefinition{Name: "id", Type: keyType(e.Primary)}, binding.Arg{Into: binding.IntoParams, Key: "id"})
		}
		open := []binding.Arg{{Name: "params", Into: binding.AllParams}, {Name: "query", Into: binding.AllQuery}, {Name: "input", Into: binding.IntoBody}}
		if op.Input != nil {
			open = open[:2]
		}
		for _, a := range open {
			f.take(&ast.ArgumentDefinition{Name: a.Name, Type: jsonAny}, a)
		}
	}
	os.addArgs(f, args, op, op.Params, binding.IntoParams, typ)
	os.addArgs(f, args, op, op.Query, binding.IntoQuery, typ)
	// The argument input is claimed after the members of params and query: one of them called
	// input has to be renamed.
	if before := len(f.args); op.Input != nil {
		if os.addBody(f, op); len(f.args) > before {
			os.claims.claim(args, "input", &origin{what: "body", op: op})
		}
	}
	os.addOutput(f, d, op)
	os.addRoot(d, f, func(typ string) string { return fieldName(typ) + schema.GraphQLType(op.Name) })
}

// addArgs adds an argument for each field of e, the card of the operation's params or query,
// unless e is nil. names is the space of names that both share. typ is the prefix of types made
// for arguments.
func (os *operations) addArgs(f *field, names space, op *catalog.Operation, e *schema.Entity, into binding.Place, typ string) {
	if e == nil {
		return
	}
	required := set(e.Card.Required)
	by := &origin{what: "argument", op: op}
	for _, p := range e.Fields {
		if !os.claims.claim(names, p.Name, by) {
			continue
		}
		a := &ast.ArgumentDefinition{
			Name:        p.Name,
			Description: described(&p.Shape, p.Name),
			Type:        os.unless(p.Shape.Nullable || !required[p.Name], os.argType(op, p, typ, by)),
		}
		if !a.Type.NonNull { // GraphQL 3.13.3: a required argument must not be deprecated
			a.Directives = os.deprecated(p.Shape.WhyDeprecated())
		}
		f.take(a, binding.Arg{Into: into, Key: p.Name})
	}
}

// addOutput gives the field the type of the operation's result. All are nullable, since a root
// field that fails must not take its siblings along (docs/decisions/graphql-schema.md):
//
//	one, maybe            T
//	many                  [T!]
//	page                  TConnection
//	no output, or no shape     JSON
func (os *operations) addOutput(f *field, d *door, op *catalog.Operation) {
	f.typ = jsonAny
	if op.Output == nil || op.Cardinality == catalog.NoOutput {
		return
	}
	s := os.rows.show(op.Output, op)
	if s.object == nil { // every field of the card is write-only
		return
	}
	f.binding.Output = op.Output
	by, typ := &origin{what: "output", view: op.Output}, s.object.Name
	if s.door != nil {
		f.binding.Door = s.door.Door
		by, typ = s.door.origin, s.door.typ
	}
	switch row := s.object.typ(); op.Cardinality {
	case catalog.Many:
		f.typ = os.list(os.required(row))
	case catalog.PageOf:
		f.typ = os.pages.connection(s, typ, by).typ()
	default:
		f.typ = row
	}
}

// argType returns the type of an argument. A relation's key has the type of the target's key.
// One called id has the type ID where the door stores rows and the card says it is a string:
// it is taken for the door's own key.
func (os *operations) argType(op *catalog.Operation, p *schema.Property, typ string, by *origin) *ast.Type {
	if p.Link != nil && !p.Link.Many || p.Name == "id" && op.Door.Entity != nil && p.Shape.Type == "string" {
		return keyType(p)
	}
	return os.inputs.shapes.input(named{&p.Shape, typ + schema.GraphQLType(p.Name), by})
}

// addManyWrites adds the field of a write of many rows (docs/many.md), and returns how it is named.
//
//	createMany   createPosts(input: [CreatePostInput!]!): [Post!]
//	updateMany   updatePosts(where: PostFilter!, set: UpdatePostInput!, max: Int): WrittenPosts
//	deleteMany   deletePosts(where: PostFilter!, max: Int): WrittenPosts
//	upsert       upsertPost(by: PostUniqueKey!, input: CreatePostInput!): UpsertedPost
func (os *operations) addManyWrites(d *door, op *catalog.Operation, f *field) (name func(typ string) string) {
	add := func(name string, typ *ast.Type, into binding.Place) {
		f.take(&ast.ArgumentDefinition{Name: name, Type: typ}, binding.Arg{Into: into, Key: name})
	}
	plural := func(verb string) func(typ string) string {
		return func(typ string) string { return verb + schema.Plural(typ) }
	}
	in := os.inputs.inputOf(op)
	switch op.Name {
	case "createMany":
		if in != nil {
			add("input", os.required(os.list(os.required(in.typ()))), binding.IntoBody)
		}
		f.typ = os.list(os.required(d.object.typ()))
		return plural("create")
	case "upsert":
		var keys []string
		for _, key := range catalog.UniqueKeys(d.Entity) {
			keys = append(keys, catalog.KeyName(key))
		}
		by := os.newEnum(os.free(d.typ+"UniqueKey", d.origin), "A unique key of "+words(d.typ)+".", keys)
		add("by", os.required(by.typ()), binding.IntoQuery)
		if in != nil {
			add("input", os.required(in.typ()), binding.IntoBody)
		}
		out := os.newObject(os.free("Upserted"+d.typ, d.origin), "")
		os.addFields(out, d.origin,
			&field{name: "created", typ: os.required(booleanType), binding: &binding.Field{Kind: binding.Created}},
			&field{name: fieldName(d.typ), typ: os.required(d.object.typ()), binding: &binding.Field{Kind: binding.WrittenRow, Output: d.Entity, Door: d.Door}})
		f.typ = out.typ()
		return after("upsert")
	}
	add("where", os.required(os.filters.filterOf(d).typ()), binding.IntoWhere)
	if in != nil && op.Patch {
		add("set", os.required(in.typ()), binding.IntoBody)
	}
	add("max", intType, binding.IntoQuery)
	if d.written == nil {
		d.written = os.newObject(os.free("Written"+schema.Plural(d.typ), d.origin), "")
		os.addFields(d.written, d.origin,
			&field{name: "count", typ: os.required(intType), binding: totalBinding},
			&field{name: "items", typ: os.required(os.list(os.required(d.object.typ()))), binding: &binding.Field{Kind: binding.Items, Output: d.Entity, Door: d.Door}})
	}
	f.typ = d.written.typ()
	if op.Patch {
		return plural("update")
	}
	return plural("delete")
}
