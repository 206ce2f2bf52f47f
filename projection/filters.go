package projection

import (
	"slices"

	"github.com/vektah/gqlparser/v2/ast"

	"github.com/frondhost/frond/facade/aggregate"
	"github.com/frondhost/frond/facade/filter"
	"github.com/frondhost/frond/schema"
)

// filters are the inputs that select and sort the rows of doors.
type filters struct {
	*typeSet
	shapes    *shapes
	doors     *doors
	shared    map[string]*definition // StringFilter and its like
	direction *definition
}

func newFilters(ss *shapes, ds *doors) *filters {
	return &filters{typeSet: ss.typeSet, shapes: ss, doors: ds, shared: map[string]*definition{}}
}

// filterOf returns the filter input of a door, made at the first call: the filter grammar
// (docs/decisions/filters-and-paging.md) with a name for every field the door shows. Whether one caller may
// filter by a field is decided by the façade, as on every surface.
//
//	input PostFilter {
//	  title: StringFilter
//	  authorId: IDFilter
//	  author: AuthorFilter           relation to one
//	  comments: CommentManyFilter    relation to many: some, none, every
//	  tagIds: IDListFilter           ids in the row
//	  and: [PostFilter!]
//	  or: [PostFilter!]
//	  not: PostFilter
//	}
func (fs *filters) filterOf(d *door) *definition {
	if d.filter != nil {
		return d.filter
	}
	by := &origin{what: "filter", door: d.Door}
	name := fs.free(d.typ+"Filter", by)
	in := fs.newInput(name, "")
	// Entered before its fields are made: post filters by author, and author by posts.
	d.filter = in
	for _, c := range fs.columnsOf(d.Entity) {
		p := c.Property
		if !p.Readable() {
			continue
		}
		add := func(name string, t *ast.Type, what string) {
			fs.addInput(in, by.at(p, what).old(c.old), &arg{name: name, typ: t, deprecated: c.deprecated()})
		}
		switch l := p.Link; {
		case l == nil:
			add(c.name, fs.operators(d, p), "filter")
		case !l.Many:
			add(c.key, fs.scalarFilter(keyType(p)), "filter")
			if to := fs.doors.joined(l); to != nil {
				add(c.relation, fs.filterOf(to).typ(), "filter")
			}
		default:
			if to := fs.doors.joined(l); to != nil {
				add(c.relation, fs.manyFilter(to).typ(), "filter")
			}
			if p.Stored {
				add(c.key, fs.operatorInput(keyType(p).Name()+"ListFilter", ownOrigin, keyType(p), []string{"has"}), "filter")
			}
		}
	}
	all := fs.list(fs.required(in.typ()))
	fs.addInput(in, ownOrigin, &arg{name: "and", typ: all})
	fs.addInput(in, ownOrigin, &arg{name: "or", typ: all})
	fs.addInput(in, ownOrigin, &arg{name: "not", typ: in.typ()})
	return in
}

// manyFilter returns the filter through a many relation to a door: PostManyFilter with some,
// none and every, each a PostFilter, and the functions of these rows. All relations to that door
// share it.
func (fs *filters) manyFilter(to *door) *definition {
	if to.many != nil {
		return to.many
	}
	by := &origin{what: "filter", door: to.Door}
	in := fs.newInput(fs.free(to.typ+"ManyFilter", by), "")
	to.many = in
	of := fs.filterOf(to).typ()
	for _, name := range []string{"some", "none", "every"} {
		fs.putInput(in, &arg{name: name, typ: of})
	}
	fs.putInput(in, &arg{name: "count", typ: fs.scalarFilter(intType), description: "The number of these rows."})
	fs.addFunctions(in, to, by, "Filter", ofFilters, func(f *grouped, fn aggregate.Func) *ast.Type { return fs.scalarFilter(f.result(fn)) })
	return in
}

// functions share an input, whose name has the word. A filter compares a sum with values of another
// type than an average.
type functions struct {
	word string
	of   []aggregate.Func
}

var (
	ofFilters = []functions{
		{"CountDistinct", []aggregate.Func{aggregate.CountDistinct}},
		{"Sum", []aggregate.Func{aggregate.Sum}},
		{"Avg", []aggregate.Func{aggregate.Avg}},
		{"MinMax", []aggregate.Func{aggregate.Min, aggregate.Max}},
	}
	ofOrders = []functions{
		{"Number", []aggregate.Func{aggregate.Sum, aggregate.Avg}}, {"Value", []aggregate.Func{aggregate.CountDistinct, aggregate.Min, aggregate.Max}},
	}
)

// addFunctions adds a member for each function of the fields of a door, whose names are claimed for its
// object:
//
//	avg: PostManyAvgFilter      input PostManyAvgFilter { views: FloatFilter }
//	avg: PostManyNumberOrderBy    input PostManyNumberOrderBy { views: SortDirection }
func (fs *filters) addFunctions(in *definition, to *door, by *origin, suffix string, all []functions, typ func(*grouped, aggregate.Func) *ast.Type) {
	fields := fs.of(to)
	for _, shared := range all {
		var own *definition
		for i := range fields {
			f := &fields[i]
			// The least key and the average key have no use.
			isKey := f.Axes.Primary || f.Link != nil && shared.of[0] != aggregate.CountDistinct
			if isKey || !slices.Contains(f.functions(), shared.of[len(shared.of)-1]) {
				continue
			}
			if own == nil {
				own = fs.newInput(fs.free(to.typ+"Many"+shared.word+suffix, by), "")
				own.Directives = in.Directives
			}
			fs.putInput(own, &arg{name: f.name, typ: typ(f, shared.of[0]), deprecated: f.deprecated()})
		}
		for _, fn := range shared.of {
			if own != nil {
				fs.putInput(in, &arg{name: fn.String(), typ: own.typ()})
			}
		}
	}
}

// operators returns the input with the operators of a plain field, by its type:
//
//	primary key              IDFilter, IntFilter, BigIntFilter
//	list of scalars, enums   StringListFilter: has, isNull
//	other list, object       JSONFilter: isNull
//	enum                     PostStatusFilter: eq, ne, in, notIn, isNull
//	scalar                   see operatorsOf
func (fs *filters) operators(d *door, p *schema.Property) *ast.Type {
	s := &p.Shape
	switch {
	case p.Axes.Primary:
		return fs.scalarFilter(keyType(p))
	case s.Type == "array" && s.Items != nil && s.Items.Type != "array" && len(s.Items.Properties) == 0:
		n := fs.doors.home(p, d.typ, d.origin)
		n.shape = n.shape.Items
		return fs.listFilter(fs.shapes.leaf(n), n)
	case s.Type == "array", len(s.Properties) > 0:
		return fs.scalarFilter(jsonAny)
	}
	n := fs.doors.home(p, d.typ, d.origin)
	if t := fs.shapes.leaf(n); isScalar(t) {
		return fs.scalarFilter(t)
	}
	return fs.enumFilter(fs.shapes.leaf(n), n)
}

// The descriptions of operators, and their groups by the kinds of values.
var (
	operatorText = map[string]string{
		"eq":         "Equals this value.",
		"ne":         "Differs from this value.",
		"in":         "Equals one of these values.",
		"notIn":      "Equals none of these values.",
		"lt":         "Is less than this value.",
		"lte":        "Is at most this value.",
		"gt":         "Is greater than this value.",
		"gte":        "Is at least this value.",
		"contains":   "Contains this text.",
		"startsWith": "Starts with this text.",
		"endsWith":   "Ends with this text.",
		"icontains":  "Contains this text, ignoring case.",
		"has":        "Has this value as one of its elements.",
		"isNull":     "With true: is null. With false: is not null.",
	}
	same    = []string{"eq", "ne", "in", "notIn"}
	ordered = append(same[:4:4], "lt", "lte", "gt", "gte")
	textual = append(ordered[:8:8], "contains", "startsWith", "endsWith", "icontains")

	operatorsOf = map[string][]string{
		"String": textual, "ID": ordered, "UUID": ordered, "Boolean": same[:2], "JSON": nil,
		"Int": ordered, "BigInt": ordered, "Float": ordered, "Decimal": ordered,
		"DateTime": ordered, "Date": ordered, "Time": ordered,
	}
)

// scalarFilter returns the operator input of a scalar, one for the whole schema: StringFilter,
// IntFilter, IDFilter.
func (fs *filters) scalarFilter(t *ast.Type) *ast.Type {
	return fs.operatorInput(t.Name()+"Filter", ownOrigin, t, operatorsOf[t.Name()])
}

// enumFilter returns the operator input of one enum: PostStatusFilter. Its name comes from a
// card, so a collision is an error of that card's field.
func (fs *filters) enumFilter(t *ast.Type, n named) *ast.Type {
	return fs.operatorInput(t.Name()+"Filter", &origin{what: "filter", door: n.by.door, op: n.by.op, field: n.by.field}, t, same)
}

// listFilter returns the operator input of a list of values: StringListFilter,
// PostTagsListFilter. A list of any JSON has the operators of JSON alone.
func (fs *filters) listFilter(item *ast.Type, n named) *ast.Type {
	if item == jsonAny {
		return fs.scalarFilter(jsonAny)
	}
	by := ownOrigin
	if !isScalar(item) {
		by = &origin{what: "filter", door: n.by.door, op: n.by.op, field: n.by.field}
	}
	return fs.operatorInput(item.Name()+"ListFilter", by, item, []string{"has"})
}

// operatorInput returns the input called name with these operators on values of t, made at the
// first call. in and notIn take a list of values; every such input ends with isNull.
func (fs *filters) operatorInput(name string, by *origin, t *ast.Type, operators []string) *ast.Type {
	if in := fs.shared[name]; in != nil {
		return in.typ()
	}
	in := fs.newInput(fs.free(name, by), "")
	fs.shared[name] = in
	said := operatorText
	if by != ownOrigin {
		said = nil // the shared filters have the descriptions
	}
	for _, op := range operators {
		typ := t
		if op == "in" || op == "notIn" {
			typ = fs.list(fs.required(t))
		}
		fs.putInput(in, &arg{name: op, typ: typ, description: said[op]})
	}
	fs.putInput(in, &arg{name: "isNull", typ: booleanType, description: said["isNull"]})
	return in.typ()
}

// orderOf returns the input of one sort key, PostOrderBy, or nil without sortable fields. A
// sortable field is readable, stored and not JSON: a computed field has no column, and JSON no
// order.
func (fs *filters) orderOf(d *door) *definition {
	if d.order != nil {
		return d.order
	}
	var sortable []namedField
	for _, c := range fs.columnsOf(d.Entity) {
		if c.Readable() && c.Stored && c.Kind != schema.KindJSON {
			sortable = append(sortable, c)
		}
	}
	if len(sortable) == 0 {
		return nil
	}
	by := &origin{what: "order", door: d.Door}
	in := fs.newOneOf(fs.free(d.typ+"OrderBy", by), "A sort key. In a list the first key sorts first: [{a: DESC}, {b: ASC}].")
	d.order = in
	for _, c := range sortable {
		name := c.name
		if c.Link != nil {
			name = c.key
		}
		fs.addInput(in, by.at(c.Property, "order").old(c.old), &arg{name: name, typ: fs.directionType().typ(), deprecated: c.deprecated()})
	}
	if s := d.Entity.Search; s != nil && s.Rank != nil {
		fs.addInput(in, by, &arg{name: schema.RankKey, typ: fs.directionType().typ(), description: "How well a row meets search. Only with search."})
	}
	fs.addRelations(in, d, by)
	return in
}

// addRelations adds the orders behind the relations of a door: by a field of the one row, or by a
// function of many. A relation to one with the name of a function would be taken for it.
func (fs *filters) addRelations(in *definition, d *door, by *origin) {
	for _, c := range fs.columnsOf(d.Entity) {
		if c.Link == nil || !c.Readable() {
			continue
		}
		to := fs.doors.joined(c.Link)
		if to == nil {
			continue
		}
		var order *definition
		if c.Link.Many {
			order = fs.manyOrder(to)
		} else if filter.Function(c.relation) == filter.Key {
			order = fs.orderOf(to)
		}
		if order != nil {
			fs.addInput(in, by.at(c.Property, "order").old(c.old), &arg{name: c.relation, typ: order.typ(), deprecated: c.deprecated()})
		}
	}
}

// manyOrder returns the order by the rows behind a many relation to a door: PostManyOrderBy.
func (fs *filters) manyOrder(to *door) *definition {
	if to.manyOrder != nil {
		return to.manyOrder
	}
	by := &origin{what: "order", door: to.Door}
	in := fs.newOneOf(fs.free(to.typ+"ManyOrderBy", by), "")
	to.manyOrder = in
	direction := fs.directionType().typ()
	fs.putInput(in, &arg{name: "count", typ: direction})
	fs.addFunctions(in, to, by, "OrderBy", ofOrders, func(*grouped, aggregate.Func) *ast.Type { return direction })
	return in
}

// directionType returns the enum SortDirection, made with the first order.
func (fs *filters) directionType() *definition {
	if fs.direction == nil {
		fs.direction = fs.newEnum("SortDirection", "The direction of a sort key. Null sorts as the smallest value.", []string{"ASC", "DESC"})
	}
	return fs.direction
}
