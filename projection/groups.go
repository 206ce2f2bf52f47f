package projection

import (
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
	inputs  map[[2]string]*input // by the scalar and the suffix of the name
	units   map[schema.Kind]*enum
	columns map[string]*binding.Field // by the names of fields, which many doors have
}

func newGroups(fs *filters) *groups {
	return &groups{filters: fs, numbers: map[string]*object{}, inputs: map[[2]string]*input{}, units: map[schema.Kind]*enum{}, columns: map[string]*binding.Field{}}
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
func (fs *filters) of(d *door) (fields []grouped) {
	for _, c := range columnsOf(d.Entity) {
		p := c.Property
		if !p.Readable() || !p.Stored || p.Axes.Out.Name != "" || !aggregate.Key.On(p.Kind) || p.Link != nil && p.Link.Many {
			continue
		}
		f := grouped{namedField: c, name: c.name}
		if p.Link != nil {
			f.name = c.key
		}
		switch {
		case p.Link != nil || p.Axes.Primary:
			f.typ = keyType(p)
		case p.Shape.Enum == nil: // its type has no name of its own
			f.typ = fs.shapes.leaf(named{shape: &p.Shape})
		default:
			f.typ = fs.shapes.leaf(fs.doors.home(p, d.typ, d.origin))
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
	key := [2]string{f.scalar, suffix}
	if in := gs.inputs[key]; in != nil {
		return in
	}
	in := gs.newInput(gs.free(f.scalar+suffix, ownOrigin), "")
	gs.inputs[key] = in
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
	kind := f.Kind
	if kind != schema.KindDate && kind != schema.KindDateTime {
		kind = schema.KindJSON // all others
	}
	if gs.units[kind] == nil {
		name, text, of := "GroupValue", "The unit of a key of groups.", []string{"VALUE"}
		switch kind {
		case schema.KindDate:
			name, of = "GroupDate", append(of, "DAY", "WEEK", "MONTH", "QUARTER", "YEAR")
		case schema.KindDateTime:
			name, of = "GroupDateTime", append(of, "HOUR", "DAY", "WEEK", "MONTH", "QUARTER", "YEAR")
		}
		if len(of) > 1 {
			text += " A week begins on Monday."
		}
		gs.units[kind] = gs.newEnum(gs.free(name, ownOrigin), text, of)
	}
	return gs.units[kind].gql
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

	groupsFirst = &arg{name: "first", typ: graphql.Int}
	groupsAfter = &arg{name: "after", typ: graphql.String}
	groupsZone  = &arg{name: "zone", typ: graphql.String}
)

// doorGroups are the types that a door has for its groups.
type doorGroups struct {
	one, key, list      *object
	unit, having, order *input
}

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
	t := &doorGroups{
		one:    gs.newObject(gs.free(d.typ+"Aggregate", by), "Numbers about all rows of a list, or about those of a group."),
		key:    gs.newObject(gs.free(d.typ+"GroupKey", by), "The values that the rows of a group share; null for fields that by does not name."),
		list:   gs.newObject(gs.free(d.typ+"Groups", by), ""),
		unit:   gs.newInput(gs.free(d.typ+"GroupBy", by), "A key of groups, such as {createdAt: MONTH}."),
		having: gs.newInput(gs.free(d.typ+"Having", by), ""),
		order:  gs.newInput(gs.free(d.typ+"GroupOrder", by), "A sort key of groups, such as {count: DESC} or {createdAt: {key: ASC}}."),
	}
	t.unit.oneOf, t.order.oneOf = true, true
	gs.fill(t, by, fields)
	gs.addFields(page, by,
		&field{name: "aggregate", typ: t.one.gql, binding: aggregateBinding, description: "Numbers about all rows that the filter of the list lets through, on all pages."},
		&field{
			name: "groups", typ: t.list.gql, binding: groupsBinding, description: "The same rows in groups, a page of them. Days begin in the time zone, which is UTC unless sent.",
			args: []*arg{
				{name: "by", typ: gs.required(gs.list(gs.required(t.unit.gql)))},
				{name: "having", typ: t.having.gql},
				{name: "orderBy", typ: gs.list(gs.required(t.order.gql))},
				groupsFirst, groupsAfter, groupsZone,
			},
		})
}

// fill gives the types of a door their fields. The names of fields are claimed once, on behalf of by: in
// all types they are the same.
func (gs *groups) fill(t *doorGroups, by *origin, fields []grouped) {
	n := len(fields) + 4
	t.one.fields, t.key.fields, t.unit.fields = make([]*field, 0, n), make([]*field, 0, n), make([]*arg, 0, n)
	t.having.fields, t.order.fields = make([]*arg, 0, n), make([]*arg, 0, n)
	gs.put(t.one, &field{name: binding.GroupKey, typ: gs.required(t.key.gql), binding: groupKeyBinding})
	gs.put(t.one, &field{name: "count", typ: gs.required(graphql.Int), binding: countBinding})
	t.having.fields = append(t.having.fields, &arg{name: "count", typ: gs.scalarFilter(graphql.Int)})
	t.order.fields = append(t.order.fields, &arg{name: "count", typ: gs.directionType().gql})
	room := make([]struct { // in one piece, since a large schema has many
		by               origin
		key, one         field
		unit, as, having arg
	}, len(fields))
	for i := range fields {
		f, to := &fields[i], &room[i]
		to.by = origin{what: by.what, door: by.door, field: f.Property, renamed: f.old}
		if !gs.claims.claim(space{"field", t.key.name}, f.name, &to.by) {
			continue
		}
		old := f.deprecated()
		bound := gs.columns[f.name]
		if bound == nil {
			bound = column(f.name)
			gs.columns[f.name] = bound
		}
		to.key = field{name: f.name, typ: f.typ, deprecated: old, binding: bound}
		to.unit = arg{name: f.name, typ: gs.unitsOf(f), deprecated: old}
		gs.put(t.key, &to.key)
		t.unit.fields = append(t.unit.fields, &to.unit)
		if f.name == "count" || f.name == binding.GroupKey {
			continue // a group has these of its own
		}
		to.one = field{name: f.name, typ: gs.required(gs.numbersOf(f).gql), deprecated: old, binding: bound}
		to.as = arg{name: f.name, typ: gs.directionsOf(f), deprecated: old}
		gs.put(t.one, &to.one)
		t.order.fields = append(t.order.fields, &to.as)
		if f.name != "and" && f.name != "or" && f.name != "not" { // the filter reports these
			to.having = arg{name: f.name, typ: gs.havingOf(f), deprecated: old}
			t.having.fields = append(t.having.fields, &to.having)
		}
	}
	both := gs.list(gs.required(t.having.gql))
	t.having.fields = append(t.having.fields, &arg{name: "and", typ: both}, &arg{name: "or", typ: both}, &arg{name: "not", typ: t.having.gql})
	gs.put(t.list, &field{name: "items", typ: gs.required(gs.list(gs.required(t.one.gql))), binding: groupsOfBinding})
	gs.put(t.list, &field{name: "hasMore", typ: gs.required(graphql.Boolean), binding: hasMoreBinding})
	gs.put(t.list, &field{name: "endCursor", typ: graphql.String, binding: endCursorBinding})
}
