package projection

import (
	"strings"

	"github.com/graphql-go/graphql"

	"github.com/frondhost/frond/facade/aggregate"
	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/resolvers/binding"
	"github.com/frondhost/frond/schema"
)

// groups are the types of aggregate and groups on the connections of doors. The functions and
// the units of a field depend on its scalar alone, so their types are shared by all doors:
//
//	type IntAggregate        countDistinct sum avg min max
//	input IntHaving          the same, with filters
//	input IntGroupOrder      the same and key, with directions
//	enum GroupDate           VALUE DAY WEEK MONTH QUARTER YEAR
//
// A door has its own types for the names of its fields: PostAggregate, PostGroups, PostGroupKey,
// PostGroupBy, PostHaving and PostGroupOrder.
type groups struct {
	*filters
	numbers map[string]*object
	inputs  map[string]*input
	units   map[string]*enum
	columns map[string]*binding.Field // by the names of fields, which many doors have
}

func newGroups(fs *filters) *groups {
	return &groups{filters: fs, numbers: map[string]*object{}, inputs: map[string]*input{}, units: map[string]*enum{}, columns: map[string]*binding.Field{}}
}

// grouped is a field that rows are grouped by and that functions are of.
type grouped struct {
	namedField
	name string         // in the types of groups
	typ  graphql.Output // of its values
	// scalar begins the names of the shared types. Enums and booleans have no order and share
	// those of Value.
	scalar string
}

// of returns the fields of a door that callers may group by. A field whose values are converted when they
// leave is none of them.
func (gs *groups) of(d *door) (fields []grouped) {
	for _, c := range columnsOf(d.Entity) {
		p := c.Property
		if !p.Readable() || !p.Stored || p.Axes.Out.Name != "" || !aggregate.Key.On(p.Kind) || p.Link != nil && p.Link.Many {
			continue
		}
		f := grouped{namedField: c, name: c.name}
		if p.Link != nil {
			f.name = c.key
		}
		if p.Link != nil || p.Axes.Primary {
			f.typ = keyType(p)
		} else {
			f.typ = gs.shapes.leaf(gs.doors.home(p, d.typ, d.origin))
		}
		f.scalar = "Value"
		if s, ok := f.typ.(*graphql.Scalar); ok && s != graphql.Boolean {
			f.scalar = s.Name()
		}
		fields = append(fields, f)
	}
	return fields
}

// functions are those that a field has here.
func (f *grouped) functions() (list []aggregate.Func) {
	for _, fn := range aggregate.OfField {
		if fn.On(f.Kind) && (fn == aggregate.CountDistinct || f.scalar != "Value") {
			list = append(list, fn)
		}
	}
	return list
}

// result returns the type of a function's values.
func (f *grouped) result(fn aggregate.Func) *graphql.Scalar {
	s, _ := f.typ.(*graphql.Scalar)
	switch integer := f.Kind == schema.KindInteger; {
	case fn == aggregate.CountDistinct:
		return graphql.Int
	case fn == aggregate.Sum && integer:
		return bigInt
	case fn == aggregate.Avg && integer:
		return graphql.Float
	}
	return s
}

// numbersOf returns the type of the functions of a field.
func (gs *groups) numbersOf(f *grouped) *object {
	if o := gs.numbers[f.scalar]; o != nil {
		return o
	}
	o := gs.newObject(gs.free(f.scalar+"Aggregate", ownOrigin), "")
	gs.numbers[f.scalar] = o
	for _, fn := range f.functions() {
		gs.addFields(o, ownOrigin, &field{name: fn.String(), typ: gs.unless(fn != aggregate.CountDistinct, f.result(fn)), binding: column(fn.String())})
	}
	return o
}

// inputOf returns a shared input with a member for each function of a field; typ is the type of one.
func (gs *groups) inputOf(f *grouped, suffix string, typ func(aggregate.Func) graphql.Input) *input {
	name := f.scalar + suffix
	if in := gs.inputs[name]; in != nil {
		return in
	}
	in := gs.newInput(gs.free(name, ownOrigin), "")
	gs.inputs[name] = in
	for _, fn := range f.functions() {
		gs.addInput(in, ownOrigin, &arg{name: fn.String(), typ: typ(fn)})
	}
	return in
}

// havingOf returns the conditions on the functions of a field.
func (gs *groups) havingOf(f *grouped) graphql.Input {
	return gs.inputOf(f, "Having", func(fn aggregate.Func) graphql.Input { return gs.scalarFilter(f.result(fn)) }).gql
}

// directionsOf returns the directions by the functions of a field, and by itself as a key.
func (gs *groups) directionsOf(f *grouped) graphql.Input {
	direction := gs.directionType().gql
	in := gs.inputOf(f, "GroupOrder", func(aggregate.Func) graphql.Input { return direction })
	if !in.oneOf {
		in.oneOf = true
		gs.addInput(in, ownOrigin, &arg{name: binding.GroupKey, typ: direction, description: "By the key of the group."})
	}
	return in.gql
}

// unitsOf returns the units that a field is grouped by.
func (gs *groups) unitsOf(f *grouped) graphql.Input {
	name, of := "GroupValue", []string{"VALUE"}
	switch f.Kind {
	case schema.KindDate:
		name, of = "GroupDate", append(of, "DAY", "WEEK", "MONTH", "QUARTER", "YEAR")
	case schema.KindDateTime:
		name, of = "GroupDateTime", append(of, "HOUR", "DAY", "WEEK", "MONTH", "QUARTER", "YEAR")
	}
	if gs.units[name] == nil {
		gs.units[name] = gs.newEnum(gs.free(name, ownOrigin), "The unit of a key of groups."+strings.Repeat(" A week begins on Monday.", min(len(of)-1, 1)), of)
	}
	return gs.units[name].gql
}

// The bindings that are the same in every connection.
var (
	aggregateBinding = &binding.Field{Kind: binding.Aggregate}
	groupsBinding    = &binding.Field{Kind: binding.Groups, Args: []binding.Arg{
		{Name: "by", Into: binding.IntoGroupBy, Key: "by"},
		{Name: "having", Into: binding.IntoHaving, Key: "having"},
		{Name: "orderBy", Into: binding.IntoGroupSort, Key: "sort"},
		{Name: "first", Into: binding.IntoQuery, Key: "limit"},
		{Name: "after", Into: binding.IntoQuery, Key: "after"},
		{Name: "zone", Into: binding.IntoQuery, Key: "zone"},
	}}
	countBinding    = column("count")
	groupKeyBinding = column(binding.GroupKey)
	groupsOfBinding = &binding.Field{Kind: binding.Items}
)

// addTo adds aggregate and groups to the connection of a door that has the operation:
//
//	aggregate: PostAggregate
//	groups(by: [PostGroupBy!]!, having: PostHaving, orderBy: [PostGroupOrder!], first: Int, after: String, zone: String): PostGroups
func (gs *groups) addTo(page *object, d *door) {
	fields := gs.of(d)
	if !d.has(catalog.Aggregate) || len(fields) == 0 {
		return
	}
	by := &origin{what: "aggregate", door: d.Door}
	one := gs.newObject(gs.free(d.typ+"Aggregate", by), "Numbers about rows: about all of the list, or about those of a group.")
	key := gs.newObject(gs.free(d.typ+"GroupKey", by), "The keys of a group: the values that its rows share. A field that by does not name is null.")
	list := gs.newObject(gs.free(d.typ+"Groups", by), "")
	unit := gs.newInput(gs.free(d.typ+"GroupBy", by), "A key of groups, such as {createdAt: MONTH}.")
	having := gs.newInput(gs.free(d.typ+"Having", by), "")
	order := gs.newInput(gs.free(d.typ+"GroupOrder", by), "A sort key of groups, such as {count: DESC} or {createdAt: {key: ASC}}.")
	unit.oneOf, order.oneOf = true, true
	whole, text := gs.required(graphql.Int), graphql.String
	gs.addFields(one, ownOrigin, &field{name: binding.GroupKey, typ: gs.required(key.gql), binding: groupKeyBinding}, &field{name: "count", typ: whole, binding: countBinding})
	gs.addInput(having, ownOrigin, &arg{name: "count", typ: gs.scalarFilter(graphql.Int)})
	gs.addInput(order, ownOrigin, &arg{name: "count", typ: gs.directionType().gql})
	for i := range fields {
		f := &fields[i]
		at := by.at(f.Property, "aggregate").old(f.old)
		bound := gs.columns[f.name]
		if bound == nil {
			bound = column(f.name)
			gs.columns[f.name] = bound
		}
		gs.addFields(key, at, &field{name: f.name, typ: f.typ, deprecated: f.deprecated(), binding: bound})
		gs.addInput(unit, at, &arg{name: f.name, typ: gs.unitsOf(f), deprecated: f.deprecated()})
		if f.name == "count" || f.name == binding.GroupKey {
			continue // a group has these of its own
		}
		gs.addFields(one, at, &field{name: f.name, typ: gs.required(gs.numbersOf(f).gql), deprecated: f.deprecated(), binding: bound})
		if f.name != "and" && f.name != "or" && f.name != "not" { // the filter reports these
			gs.addInput(having, at, &arg{name: f.name, typ: gs.havingOf(f), deprecated: f.deprecated()})
		}
		gs.addInput(order, at, &arg{name: f.name, typ: gs.directionsOf(f), deprecated: f.deprecated()})
	}
	both := gs.list(gs.required(having.gql))
	gs.addInput(having, ownOrigin, &arg{name: "and", typ: both})
	gs.addInput(having, ownOrigin, &arg{name: "or", typ: both})
	gs.addInput(having, ownOrigin, &arg{name: "not", typ: having.gql})
	gs.addFields(list, by,
		&field{name: "items", typ: gs.required(gs.list(gs.required(one.gql))), binding: groupsOfBinding},
		&field{name: "hasMore", typ: gs.required(graphql.Boolean), binding: hasMoreBinding},
		&field{name: "endCursor", typ: text, binding: endCursorBinding})
	gs.addFields(page, by,
		&field{name: "aggregate", typ: one.gql, binding: aggregateBinding, description: "Numbers about all rows that the filter of the list lets through, on all pages."},
		&field{name: "groups", typ: list.gql, binding: groupsBinding, description: "The same rows in groups, a page of them.", args: []*arg{
			{name: "by", typ: gs.required(gs.list(gs.required(unit.gql)))},
			{name: "having", typ: having.gql, description: "Which groups."},
			{name: "orderBy", typ: gs.list(gs.required(order.gql)), description: "The order of the groups. Their keys end every order."},
			{name: "first", typ: graphql.Int},
			{name: "after", typ: text},
			{name: "zone", typ: text, description: "The time zone in which days begin, such as Europe/Paris; UTC unless sent."},
		}})
}
