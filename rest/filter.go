package rest

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/frondhost/frond/facade/filter"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// Filters in a query string (docs/decisions/filters-and-paging.md). The parameters become a tree, the tree is
// checked, and then written as the JSON that the façade parses:
//
//	filter[price][gte]=10&filter[status]=draft
//	{"price":{"gte":10},"status":{"eq":"draft"}}
//
// Only the written form is judged here. Fields, operators and values are judged by the façade,
// with the messages of every other surface.

// maxFilterDepth is the limit of brackets in the name of one parameter: it bounds the
// recursion below. The façade has a limit of its own for the depth of a filter.
const maxFilterDepth = 20

// condition is a node of the tree that the parameters filter[…][…] describe: one pair of
// brackets each, and the values of the parameter that ends there. A node can have both values
// and children, as price in
//
//	filter[price]=10&filter[price][lt]=20
type condition struct {
	key    string
	param  string // the first parameter that has it, for messages
	values []string
	under  []*condition // in the order of the URL
}

// child returns the node for key below c, and makes it the first time.
func (c *condition) child(key, param string) *condition {
	for _, u := range c.under {
		if u.key == key {
			return u
		}
	}
	u := &condition{key: key, param: param}
	c.under = append(c.under, u)
	return u
}

// readFilter converts the parameters filter[…], where[…] of a write or having[…] of groups to the JSON object
// that every surface takes; word is that before the brackets. Texts become values by the card of the field they are compared with; whether
// there is such a field, and which operators it takes, is judged by the façade. The result
// is nil where something was refused.
func readFilter(a *arguments, word string, parameters []parameter, e *schema.Entity, write writer) json.RawMessage {
	root := &condition{param: word}
	ok := true
	for _, p := range parameters {
		path := brackets(strings.TrimPrefix(p.name, word))
		switch {
		case len(path) > maxFilterDepth:
			a.refuse(word, "maxItems", "has a condition in more than "+strconv.Itoa(maxFilterDepth)+" brackets; ask for it in fewer")
			ok = false
			continue
		case path == nil:
			a.refuse(p.name, "pattern", "is not a filter; send "+word+"[field][operator], such as "+word+"[price][gte]")
			ok = false
			continue
		}
		at := root
		for _, key := range path {
			at = at.child(key, p.name)
		}
		at.values = append(at.values, p.values...)
	}
	if !root.check(a, word) || !ok {
		return nil
	}
	return tree(nil, root, e, write)
}

// check refuses operands that JSON cannot write. It uses the words of the grammar and never a
// card: a message that depended on one would reveal fields that the caller may not read.
func (c *condition) check(a *arguments, word string) bool {
	ok := true
	refuse := func(code, message string) { ok = false; a.refuse(c.param, code, message) }
	bare := slices.ContainsFunc(c.under, func(u *condition) bool { return u.key == "eq" })
	switch {
	case c.key == "and" || c.key == "or":
		if len(c.values) > 0 || slices.ContainsFunc(c.under, func(u *condition) bool { return u.number() < 0 }) {
			refuse("pattern", "takes numbered branches; send "+word+"["+c.key+"][0][field], "+word+"["+c.key+"][1][field]")
		}
	case c.key == "not" && len(c.values) > 0:
		refuse("pattern", "needs a field in brackets, such as "+c.param+"[name]")
	case bare && len(c.values) > 0:
		refuse("maxItems", "is sent more than once, with and without [eq]; send it once")
	case len(c.values) > 1 && c.key != "in" && c.key != "notIn":
		refuse("maxItems", "is sent more than once; send it once, or [in] with a list")
	}
	for _, u := range c.under {
		ok = u.check(a, word) && ok
	}
	return ok
}

// number returns the number of a branch of and, or; -1 for any other key.
func (c *condition) number() int {
	n, err := strconv.Atoi(c.key)
	// Leading zeros are the same number as without: [00] and [0] are two branches that sort
	// together, in the order of the URL.
	if err != nil || n < 0 {
		return -1
	}
	return n
}

// brackets returns the path in the name of a parameter after filter or where, or nil if the
// brackets are empty or not in pairs. Reading stops after the first bracket beyond the limit.
//
//	[author][name]  ->  [author name]
//	[a][            ->  nil
func brackets(rest string) []string {
	var path []string
	for rest != "" {
		end := strings.IndexByte(rest, ']')
		if rest[0] != '[' || end < 2 {
			return nil
		}
		if len(path) > maxFilterDepth {
			return path
		}
		key := rest[1:end]
		if strings.IndexByte(key, '[') >= 0 {
			return nil
		}
		path, rest = append(path, key), rest[end+1:]
	}
	return path
}

// The functions below write the tree as JSON. The entity and the shape say what kind of
// value a text is; both are nil below a name that no card has, where texts stay strings.

// writer writes the conditions under one name, on the rows of e or on groups of them.
type writer func(dst []byte, c *condition, e *schema.Entity) []byte

// tree writes the conditions under c, each name's by write.
func tree(dst []byte, c *condition, e *schema.Entity, write writer) []byte {
	dst = c.open(dst, nil)
	for _, u := range c.under {
		dst = name(dst, u.key)
		switch u.key {
		case "and", "or":
			dst = branches(dst, u, e, write)
		case "not":
			dst = tree(dst, u, e, write)
		default:
			dst = write(dst, u, e)
		}
	}
	return append(dst, '}')
}

// ofGroups writes the conditions under one name on groups of the rows of e:
//
//	having[count][gte]=5&having[total][sum][gt]=100  ->  {"count":{"gte":5},"total":{"sum":{"gt":"100"}}}
func ofGroups(dst []byte, c *condition, e *schema.Entity) []byte {
	if c.key == "count" {
		return comparisons(dst, c, &whole)
	}
	dst = c.open(dst, nil)
	for _, fn := range c.under {
		dst = comparisons(name(dst, fn.key), fn, functionShape(fieldOf(e, c.key), fn.key))
	}
	return append(dst, '}')
}

// functionShape is the shape of the values of a function of a field; p is nil if no card has the field.
func functionShape(p *schema.Property, fn string) *schema.Shape {
	switch {
	case p == nil:
		return nil
	case fn == "countDistinct":
		return &whole
	case fn == "avg" && p.Kind == schema.KindInteger:
		return &number
	}
	return &p.Shape
}

// whole and number are the shapes of counts and of averages.
var whole, number = schema.Shape{Type: "integer"}, schema.Shape{Type: "number"}

// open begins the object of c. A value without an operator means eq.
func (c *condition) open(dst []byte, shape *schema.Shape) []byte {
	dst = append(dst, '{')
	if len(c.values) > 0 {
		dst = operand(name(dst, "eq"), c, shape)
	}
	return dst
}

// branches writes the branches of and, or, in the order of their numbers, without the gaps:
//
//	filter[or][5][b]=2&filter[or][1][a]=1  ->  [{"a":{"eq":1}},{"b":{"eq":2}}]
func branches(dst []byte, c *condition, e *schema.Entity, write writer) []byte {
	under := slices.Clone(c.under)
	slices.SortStableFunc(under, func(x, y *condition) int { return x.number() - y.number() })
	return jsontext.AppendList(dst, under, func(dst []byte, u *condition) []byte { return tree(dst, u, e, write) })
}

// ofRows writes the conditions under one name on rows: a field's, or a relation's.
func ofRows(dst []byte, c *condition, e *schema.Entity) []byte {
	var link *schema.Link
	var shape *schema.Shape
	if e != nil {
		link = e.Relation(c.key)
		field := fieldOf(e, c.key)
		if a := e.Alias(c.key); a != nil && field == nil && link == nil { // of the relation
			field, link = a.Field, a.Field.Link
		}
		if field != nil {
			shape = &field.Shape
		}
	}
	switch {
	case link == nil:
		return comparisons(dst, c, shape)
	case link.Many:
		return quantified(dst, c, link)
	}
	return tree(dst, c, link.Target, ofRows)
}

// fieldOf returns the field that a key of a filter compares, or nil: a field by its own
// name or an old one, the key of a relation by the link's key name (authorId).
func fieldOf(e *schema.Entity, key string) *schema.Property {
	if p := e.Property(key); p != nil {
		return p
	}
	if a := e.Alias(key); a != nil && key != a.Relation && e.Relation(key) == nil {
		return a.Field
	}
	for _, p := range e.Fields {
		if p.Link != nil && p.Link.Key == key {
			return p
		}
	}
	return nil
}

// quantified writes some, none and every of a many relation, or conditions on its ids:
//
//	filter[tracks][some][title]=A  ->  {"some":{"title":{"eq":"A"}}}
//	filter[tracks][count][gte]=5   ->  {"count":{"gte":5}}
//	filter[tracks][has]=t1         ->  {"has":"t1"}
func quantified(dst []byte, c *condition, link *schema.Link) []byte {
	dst = c.open(dst, link.Field.Shape.Items)
	for _, u := range c.under {
		dst = name(dst, u.key)
		switch fn := filter.Function(u.key); {
		case fn == filter.Count:
			dst = comparisons(dst, u, shapeOf(schema.KindInteger))
		case fn != filter.Key:
			dst = aggregates(dst, u, fn, link.Target)
		case len(u.under) > 0:
			dst = tree(dst, u, link.Target, ofRows)
		default: // the row has the ids: an array like others
			dst = operand(dst, u, link.Field.Shape.Items)
		}
	}
	return append(dst, '}')
}

// aggregates writes the conditions on a function of the fields of many rows:
//
//	filter[tracks][avg][length][gte]=180  ->  {"avg":{"length":{"gte":180}}}
func aggregates(dst []byte, c *condition, fn filter.Func, e *schema.Entity) []byte {
	dst = c.open(dst, nil)
	for _, u := range c.under {
		var shape *schema.Shape
		if p := fieldOf(e, u.key); p != nil {
			shape = shapeOf(fn.Kind(p.Kind))
		}
		dst = comparisons(name(dst, u.key), u, shape)
	}
	return append(dst, '}')
}

// shapeOf returns the shape of values of a kind; nil: they are texts.
func shapeOf(k schema.Kind) *schema.Shape {
	switch k {
	case schema.KindInteger:
		return &schema.Shape{Type: "integer"}
	case schema.KindNumber:
		return &schema.Shape{Type: "number"}
	case schema.KindBoolean:
		return &boolean
	}
	return nil
}

// comparisons writes the operators of one field.
func comparisons(dst []byte, c *condition, shape *schema.Shape) []byte {
	dst = c.open(dst, shape)
	for _, u := range c.under {
		dst = name(dst, u.key)
		switch {
		// A second pair of brackets below an operator has no meaning in the grammar. It is
		// written out all the same, for the façade to refuse by its pointer.
		case len(u.under) > 0:
			dst = comparisons(dst, u, nil)
		// The operand of has is one item of the array, so that it has the shape of an item.
		case u.key == "has" && shape != nil:
			dst = operand(dst, u, shape.Items)
		default:
			dst = operand(dst, u, shape)
		}
	}
	return append(dst, '}')
}

// boolean is the shape of the operand of isNull, for a field of any type.
var boolean = schema.Shape{Type: "boolean"}

// onText are the operators whose operand is a string even if it looks like a number.
var onText = []string{"contains", "icontains", "startsWith", "endsWith"}

// operand writes the value of a condition: a list for in and notIn, else one value.
// [condition.check] made sure that there is one.
func operand(dst []byte, c *condition, shape *schema.Shape) []byte {
	switch {
	case c.key == "in" || c.key == "notIn":
		return append(dst, readList(c.values, shape)...)
	case c.key == "isNull":
		shape = &boolean
	case slices.Contains(onText, c.key):
		shape = nil
	}
	return append(dst, coerce(shape, c.values[0])...)
}

// name begins a member of the object that is being written.
func name(dst []byte, key string) []byte {
	if dst[len(dst)-1] != '{' {
		dst = append(dst, ',')
	}
	return jsontext.AppendName(dst, key)
}
