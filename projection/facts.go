package projection

import (
	"github.com/vektah/gqlparser/v2/ast"

	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/resolvers/binding"
	"github.com/frondhost/frond/schema"
)

// facts are the fields of Subscription.
type facts struct {
	*roots
	doors     *doors
	filters   *filters
	rows      *rows
	rowChange *definition
	actor     *definition
}

// add gives Subscription the field of a fact (docs/facts.md), named as the fact is:
//
//	orderPlaced(after: String, filter: OrderFilter): OrderPlacedEvent!
//	productChanged(after: String, filter: ProductFilter): ProductChangedEvent!
//
//	type OrderPlacedEvent { id: ID!  position: String!  at: DateTime!  key: ID  order: Order }
//
// An event of a fact whose card is an entity or a view has the row under its name, and the
// member change if the fact reports changes. The data of other facts is under data.
//
// Rows that a caller cannot read in this schema are hidden from facts too: a fact about the
// rows of a door has no field if the door is not in the schema, or has no built-in query.
func (fs *facts) add(f *catalog.Fact) {
	by := &origin{what: fieldItself, fact: f}
	if !fs.doors.catalog.Announces(f) {
		return
	}
	var d *door
	if f.Door != nil {
		if d = fs.doors.byKey[f.Door.Entity.Key]; d == nil { // Options.Filter leaves it out
			return
		}
	}
	typ, name := schema.GraphQLType(f.Name), f.Name
	if !schema.IsGraphQLName(name) { // order.placed
		name = fieldName(typ)
	}
	typed := &origin{what: "event", fact: f}
	if d != nil {
		typed.door = d.Door
	}
	event := fs.newObject(fs.free(typ+"Event", typed), "")
	root := &field{
		name: name, typ: fs.required(event.typ()), description: "Sends each event of this fact from now on, or after the position after.",
		binding: &binding.Field{Kind: binding.Event, Fact: f.Name, Output: f.Data, Frond: f.Frond.Name},
	}
	root.take(&ast.ArgumentDefinition{Name: "after", Type: stringType, Description: afterText}, binding.Arg{Into: binding.IntoQuery, Key: "after"})
	if d != nil && f.Data == d.Entity {
		root.take(&ast.ArgumentDefinition{Name: "filter", Type: fs.filters.filterOf(d).typ(), Description: "Condition on the row. Events of other rows are not sent."}, binding.Arg{Into: binding.IntoQuery, Key: "filter"})
	}
	fs.addFields(fs.subscribing(), by, root)
	fs.addEventFields(event, typed, d)
}

// afterText describes the argument after.
const afterText = "The position of the last event already seen; \"start\" begins with the oldest event in the log."

// addEventFields gives an event its members.
func (fs *facts) addEventFields(event *definition, by *origin, d *door) {
	card := by.fact.Data
	fs.addFields(event, by,
		&field{name: "id", typ: fs.required(idType), description: "The id of the event, the same on every surface. Use it to detect duplicates.", binding: fs.column("id")},
		&field{name: "position", typ: fs.required(stringType), description: "The position of the event in the log. Send it as after to continue with the next event.", binding: fs.column("position")},
		&field{name: "at", typ: fs.required(dateTime), description: "The time of the event.", binding: fs.column("at")})
	if by.fact.ShowsActor {
		fs.addFields(event, by, &field{name: "actor", typ: fs.actorType().typ(), description: "Who caused the event. Null if you may not know, or if the event does not say.", binding: fs.column("actor")})
	}
	if d != nil && by.fact.Changes {
		fs.addFields(event, by, &field{name: "change", typ: fs.required(fs.rowChangeType().typ()), binding: fs.column("change")})
	}
	if d != nil && d.Entity.Primary != nil && d.Entity.Primary.Readable() {
		fs.addFields(event, by, &field{name: "key", typ: keyType(d.Entity.Primary), description: "The key of the row. Null if you may not read it.", binding: fs.column("key")})
	}
	if card == nil {
		fs.addFields(event, by, &field{name: "data", typ: jsonAny, binding: fs.column("data")})
		return
	}
	s := fs.rows.show(card, nil)
	if s.object == nil { // every field of the card is write-only
		return
	}
	name := fieldName(s.object.Name)
	row := &binding.Field{Kind: binding.EventRow, Output: card}
	switch {
	case d != nil && card == d.Entity:
		row.Door, name = d.Door, fieldName(d.typ)
	case card.Name == schema.GraphQLType(by.fact.Name)+"Fact": // the card is written in the declaration of the fact
		name = "data"
	}
	// Nullable: a row that left the view of the caller has an event all the same.
	fs.addFields(event, by, &field{name: name, typ: s.object.typ(), binding: row})
}

// actorType returns the object EventActor, made with the first fact that shows it.
func (fs *facts) actorType() *definition {
	if fs.actor == nil {
		fs.actor = fs.newObject(fs.free("EventActor", ownOrigin), "Who caused an event.")
		for _, m := range []struct {
			name, description string
			typ               *ast.Type
		}{
			{"user", "The id of the user; null for an anonymous caller and for the host itself.", stringType},
			{"call", "The operation that was called, such as order.update, or the name of the consumer.", stringType},
			{"request", "The id of the trace of the call.", stringType},
			{"by", "The source of the call: call, handler, job, import, consumer or signed.", fs.required(stringType)},
			{"as", "The id of the user who acted for the user.", stringType},
			{"token", "The name of the token that the call had.", stringType},
		} {
			fs.addFields(fs.actor, ownOrigin, &field{name: m.name, typ: m.typ, description: m.description, binding: column(m.name)})
		}
	}
	return fs.actor
}

// rowChangeType returns the enum RowChange, made with the first fact about changes.
func (fs *facts) rowChangeType() *definition {
	if fs.rowChange == nil {
		fs.rowChange = fs.newEnum("RowChange", "The change of a row. LEFT: the row is no longer visible to the subscriber.", []string{"CREATED", "UPDATED", "DELETED", "LEFT"})
	}
	return fs.rowChange
}

// addLive gives Subscription the query fields of the doors whose changes are announced, which
// are live queries where a document has them with @live (docs/decisions/streams.md):
//
//	subscription { products(first: 10) @live { items { name } } }
//
// A fact of the same name keeps it.
func (fs *facts) addLive() {
	announced := map[string]bool{} // by the names of doors: a surface has doors of its own
	for f := range fs.doors.catalog.Facts() {
		if f.Changes && fs.doors.catalog.Announces(f) {
			announced[f.Door.Name] = true
		}
	}
	for _, q := range fs.query.Fields {
		of := fs.bindings.Of("Query", q.Name)
		if of == nil || of.Kind != binding.Operation || of.Door == nil || !announced[of.Door.Name] || fs.subscription.Fields.ForName(q.Name) != nil {
			continue
		}
		bound := *of
		if fs.claims.claim(space{"field", "Subscription"}, q.Name, &origin{what: fieldItself, op: bound.Operation}) {
			fs.subscription.Fields = append(fs.subscription.Fields, q)
			fs.bindings["Subscription"][q.Name] = &bound
		}
		fs.live = true
	}
}
