package projection

import (
	"github.com/vektah/gqlparser/v2/ast"

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
//	input IntGroupsOrderBy      the same and key, with directions
//	enum GroupDate           VALUE DAY WEEK MONTH QUARTER YEAR
//
// A door has its own types for the names of its fields: PostAggregate, PostGroups, PostGroupsKey,
// PostGroupsBy, PostHaving and PostGroupsOrderBy.
type groups struct {
	*filters
	numbers map[string]*definition
	inputs  map[[2]string]*definition // by the scalar and the suffix of the name
	units   map[schema.Kind]*definition
}

func newGroups(fs *filters) *groups {
	return &groups{filters: fs, numbers: map[string]*definition{}, inputs: map[[2]string]*definition{}, units: map[schema.Kind]*definition{}}
}

// grouped is a field that rows are grouped by and that functions are of.
type grouped struct {
	namedField
	name string    // in the types of groups
	typ  *ast.Type // of its values
	// scalar begins the names of the shared types. Enums and booleans have no order and share
	// the types of Value.
	scalar string
}

// of returns the fields of a door that callers may group by. It leaves out fields without a name in
// GraphQL, and fields whose values are converted when they leave.
func (fs *filters) of(d *door) []grouped {
	if d.grouped != nil {
		return d.grouped
	}
	fields := []grouped{}
	for _, c := range fs.columnsOf(d.Entity) {
		p := c.Property
		if !p.Readable() || !p.Stored || p.Axes.Out.Name != "" || !aggregate.Key.On(p.Kind) || p.Link != nil && p.Link.Many {
			continue
		}
		f := grouped{namedField: c, name: c.name}
		if p.Link != nil {
			f.name = c.key
		}
		if !schema.IsGraphQLName(f.name) {
			continue // the object reports it
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
		if isScalar(f.typ) && f.typ != booleanType {
			f.scalar = f.typ.NamedType
		}
		fields = append(fields, f)
	}
	d.grouped = fields
	return fields
}

// functions are the functions that a field has here.
func (f *grouped) functions() (list []aggregate.Func) {
	for _, fn := range aggregate.OfField {
		if fn.On(f.Kind) && (fn == aggregate.CountDistinct || f.scalar != "Value") {
			list = append(list, fn)
		}
	}
	return list
}

// result returns the type of a function's values.
func (f *grouped) result(fn aggregate.Func) *ast.Type {
	switch integer := f.Kind == schema.KindInteger; {
	case fn == aggregate.CountDistinct:
		return intType
	case fn == aggregate.Sum && integer:
		return bigInt
	case fn == aggregate.Avg && integer:
		return floatType
	}
	return f.typ
}

// numbersOf returns the type of the functions of a field.
func (gs *groups) numbersOf(f *grouped) *definition {
	if o := gs.numbers[f.scalar]; o != nil {
		return o
	}
	text := ""
	if f.scalar == "Value" {
		text = "Enums and booleans have no order here: group by them for the rows of each value."
	}
	o := gs.newObject(gs.free(f.scalar+"Aggregate", ownOrigin), text)
	gs.numbers[f.scalar] = o
	for _, fn := range f.functions() {
		gs.addFields(o, ownOrigin, &field{name: fn.String(), typ: gs.unless(fn != aggregate.CountDistinct, f.result(fn)), binding: gs.column(fn.String())})
	}
	return o
}

// inputOf returns a shared input with a member for each function of a field; typ is the type of one.
func (gs *groups) inputOf(f *grouped, suffix string, typ func(aggregate.Func) *ast.Type) *definition {
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
func (gs *groups) havingOf(f *grouped) *ast.Type {
	return gs.inputOf(f, "Having", func(fn aggregate.Func) *ast.Type { return gs.scalarFilter(f.result(fn)) }).typ()
}

// directionsOf returns the directions by the functions of a field, and by itself as a key.
func (gs *groups) directionsOf(f *grouped) *ast.Type {
	direction := gs.directionType().typ()
	in := gs.inputOf(f, "GroupsOrderBy", func(aggregate.Func) *ast.Type { return direction })
	if in.Directives == nil {
		in.Directives = gs.oneOf
		gs.addInput(in, ownOrigin, &arg{name: binding.GroupKey, typ: direction, description: "By the key of the group."})
	}
	return in.typ()
}

// unitsOf returns the units that a field is grouped by.
func (gs *groups) unitsOf(f *grouped) *ast.Type {
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
	return gs.units[kind].typ()
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

	groupsFirst = &ast.ArgumentDefinition{Name: "first", Type: intType}
	groupsAfter = &ast.ArgumentDefinition{Name: "after", Type: stringType}
	groupsZone  = &ast.ArgumentDefinition{Name: "zone", Type: stringType}
)

// doorGroups are the types that a door has for its groups.
type doorGroups struct {
	one, key, list      *definition
	unit, having, order *definition
}

// addTo adds aggregate and groups to the connection of a door that has the operation:
//
//	aggregate: PostAggregate
//	groups(by: [PostGroupsBy!]!, having: PostHaving, orderBy: [PostGroupsOrderBy!], first: Int, after: String, zone: String): PostGroups
func (gs *groups) addTo(page *definition, d *door) {
	fields := gs.of(d)
	if !d.has(catalog.Aggregate) || len(fields) == 0 {
		return
	}
	by := &origin{what: "aggregate", door: d.Door}
	if d.groups == nil {
		d.groups = &doorGroups{
			one:    gs.newObject(gs.free(d.typ+"Aggregate", by), "Numbers about all rows of a list, or about those of a group."),
			key:    gs.newObject(gs.free(d.typ+"GroupsKey", by), "The values that the rows of a group share; null for fields that by does not name."),
			list:   gs.newObject(gs.free(d.typ+"Groups", by), ""),
			unit:   gs.newOneOf(gs.free(d.typ+"GroupsBy", by), "A key of groups, such as {createdAt: MONTH}."),
			having: gs.newInput(gs.free(d.typ+"Having", by), ""),
			order:  gs.newOneOf(gs.free(d.typ+"GroupsOrderBy", by), "A sort key of groups, such as {count: DESC} or {createdAt: {key: ASC}}."),
		}
		gs.fill(d.groups, by, fields)
	}
	t := d.groups
	gs.addFields(page, by,
		&field{name: "aggregate", typ: t.one.typ(), binding: aggregateBinding, description: "Numbers about all rows that the filter of the list lets through, on all pages."},
		&field{
			name: "groups", typ: t.list.typ(), binding: groupsBinding, description: "The same rows in groups, a page of them. Days begin in the time zone, which is UTC unless sent.",
			args: ast.ArgumentDefinitionList{
				{Name: "by", Type: gs.required(gs.list(gs.required(t.unit.typ())))},
				{Name: "having", Type: t.having.typ()},
				{Name: "orderBy", Type: gs.list(gs.required(t.order.typ()))},
				groupsFirst, groupsAfter, groupsZone,
			},
		})
}

// fill gives the types of a door their fields. The names of fields are claimed once, on behalf of by: in
// all types they are the same.
func (gs *groups) fill(t *doorGroups, by *origin, fields []grouped) {
	for _, d := range []*definition{t.one, t.key, t.unit, t.having, t.order} {
		d.Fields = make(ast.FieldList, 0, len(fields)+4)
	}
	gs.put(t.one, &field{name: binding.GroupKey, typ: gs.required(t.key.typ()), binding: groupKeyBinding})
	gs.put(t.one, &field{name: "count", typ: gs.required(intType), binding: countBinding})
	gs.putInput(t.having, &arg{name: "count", typ: gs.scalarFilter(intType)})
	gs.putInput(t.order, &arg{name: "count", typ: gs.directionType().typ()})
	for i := range fields {
		f := &fields[i]
		if !gs.claims.claim(space{"field", t.key.Name}, f.name, by.at(f.Property, by.what).old(f.old)) {
			continue
		}
		old := f.deprecated()
		bound := gs.column(f.name)
		gs.put(t.key, &field{name: f.name, typ: f.typ, deprecated: old, binding: bound})
		gs.putInput(t.unit, &arg{name: f.name, typ: gs.unitsOf(f), deprecated: old})
		if f.name == "count" || f.name == binding.GroupKey {
			continue // a group has these of its own
		}
		gs.put(t.one, &field{name: f.name, typ: gs.required(gs.numbersOf(f).typ()), deprecated: old, binding: bound})
		gs.putInput(t.order, &arg{name: f.name, typ: gs.directionsOf(f), deprecated: old})
		if f.name != "and" && f.name != "or" && f.name != "not" { // the filter reports these
			gs.putInput(t.having, &arg{name: f.name, typ: gs.havingOf(f), deprecated: old})
		}
	}
	both := gs.list(gs.required(t.having.typ()))
	gs.putInput(t.having, &arg{name: "and", typ: both})
	gs.putInput(t.having, &arg{name: "or", typ: both})
	gs.putInput(t.having, &arg{name: "not", typ: t.having.typ()})
	gs.put(t.list, &field{name: "items", typ: gs.required(gs.list(gs.required(t.one.typ()))), binding: groupsOfBinding})
	gs.put(t.list, &field{name: "hasMore", typ: gs.required(booleanType), binding: hasMoreBinding})
	gs.put(t.list, &field{name: "endCursor", typ: stringType, binding: endCursorBinding})
}
