package rest

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// maxFilterDepth is how many brackets one parameter may have.
const maxFilterDepth = 20

// condition is a node of the tree that the brackets of filter[…][…] write.
type condition struct {
	key    string
	param  string // the parameter it was first seen in, for messages
	values []string
	under  []*condition
}

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

// readFilter is the parameters filter[…] as the JSON object that every surface
// takes. It turns texts into values by the card of the field they are compared
// with; whether there is such a field, and such an operator, the façade says.
// Nil: a was told what is wrong.
func readFilter(a *arguments, parameters []parameter) json.RawMessage {
	root := &condition{param: "filter"}
	ok := true
	for _, p := range parameters {
		path := brackets(p.name)
		switch {
		case len(path) > maxFilterDepth:
			a.refuse("filter", "maxItems", "has a condition in more than "+strconv.Itoa(maxFilterDepth)+" brackets; ask for it in fewer")
			ok = false
			continue
		case path == nil:
			a.refuse(p.name, "pattern", "is not a filter; send filter[field][operator], such as filter[price][gte]")
			ok = false
			continue
		}
		at := root
		for _, key := range path {
			at = at.child(key, p.name)
		}
		at.values = append(at.values, p.values...)
	}
	f := filterWriter{a: a, ok: ok}
	text := f.object(nil, root, a.op.Door.Entity)
	if !f.ok {
		return nil
	}
	return text
}

// brackets is the path in filter[a][b], or nil where the brackets are not in pairs
// or are empty. Those past the first too many are not read.
func brackets(name string) []string {
	rest := strings.TrimPrefix(name, "filter")
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

// filterWriter writes the tree as JSON.
type filterWriter struct {
	a  *arguments
	ok bool
}

// object writes the conditions under c on the rows of e; e is nil below what no card knows.
func (f *filterWriter) object(dst []byte, c *condition, e *schema.Entity) []byte {
	if len(c.values) > 0 {
		f.refuse(c, "pattern", "needs a field in brackets behind it, such as "+c.param+"[name]")
	}
	dst = append(dst, '{')
	for i, u := range c.under {
		dst = f.name(dst, i, u.key)
		switch u.key {
		case "and", "or":
			dst = f.numbered(dst, u, e)
			continue
		case "not":
			dst = f.object(dst, u, e)
			continue
		}
		var link *schema.Link
		var field *schema.Property
		if e != nil {
			link, field = e.Relation(u.key), fieldOf(e, u.key)
		}
		if link != nil && !f.reaches(link) {
			link, field = nil, nil // here it is like any name that no card knows
		}
		switch {
		case link != nil && link.Many:
			dst = f.quantified(dst, u, link)
		case link != nil:
			dst = f.object(dst, u, link.Target)
		case field != nil:
			dst = f.operators(dst, u, &field.Shape)
		default:
			dst = f.plain(dst, u)
		}
	}
	return append(dst, '}')
}

// reaches says whether a filter may go through a relation, or ask for the ids that
// stand in its row.
func (f *filterWriter) reaches(l *schema.Link) bool {
	return f.a.catalog.Joins(l) || l.Many && l.Field.Stored
}

// fieldOf is the field a key of a filter compares: a field goes by its own name,
// the key of a relation by the link's key name.
func fieldOf(e *schema.Entity, key string) *schema.Property {
	if p := e.Property(key); p != nil {
		return p
	}
	for _, p := range e.Fields {
		if p.Link != nil && p.Link.Key == key {
			return p
		}
	}
	return nil
}

// numbered writes the branches of and, or: filter[or][0][…], filter[or][1][…].
func (f *filterWriter) numbered(dst []byte, c *condition, e *schema.Entity) []byte {
	at := func(u *condition) int {
		n, err := strconv.Atoi(u.key)
		if err != nil || n < 0 {
			return -1
		}
		return n
	}
	branches := slices.Clone(c.under)
	slices.SortStableFunc(branches, func(x, y *condition) int { return at(x) - at(y) })
	if len(c.values) > 0 || len(branches) > 0 && at(branches[0]) < 0 {
		f.refuse(c, "pattern", "takes numbered branches; send filter["+c.key+"][0][field], filter["+c.key+"][1][field]")
		return dst
	}
	dst = append(dst, '[')
	for i, u := range branches {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = f.object(dst, u, e)
	}
	return append(dst, ']')
}

// quantified writes some, none and every of a many relation.
func (f *filterWriter) quantified(dst []byte, c *condition, link *schema.Link) []byte {
	if len(c.values) > 0 {
		f.refuse(c, "pattern", "is a list of rows; send "+c.param+"[some][field], or none or every instead of some")
	}
	dst = append(dst, '{')
	for i, u := range c.under {
		dst = f.name(dst, i, u.key)
		switch {
		case len(u.under) > 0 || len(u.values) == 0:
			dst = f.object(dst, u, link.Target)
		case u.key == "isNull": // the ids stand in the row: an array like others
			dst = f.one(dst, u, &boolean)
		default:
			dst = f.one(dst, u, link.Field.Shape.Items)
		}
	}
	return append(dst, '}')
}

// operators writes the comparisons of one field.
func (f *filterWriter) operators(dst []byte, c *condition, shape *schema.Shape) []byte {
	dst = append(dst, '{')
	n := 0
	if len(c.values) > 0 { // no operator means eq
		dst = f.one(f.name(dst, n, "eq"), c, shape)
		n++
	}
	for _, u := range c.under {
		if u.key == "eq" && len(c.values) > 0 {
			f.refuse(u, "maxItems", "stands more than once, with and without [eq]; send it once")
			continue
		}
		dst = f.name(dst, n, u.key)
		n++
		switch {
		case len(u.under) > 0:
			dst = f.plain(dst, u)
		case u.key == "in" || u.key == "notIn":
			dst = append(dst, readList(u.values, shape)...)
		case u.key == "isNull":
			dst = f.one(dst, u, &boolean)
		case u.key == "has":
			dst = f.one(dst, u, shape.Items)
		case slices.Contains(onText, u.key):
			dst = f.one(dst, u, nil)
		default:
			dst = f.one(dst, u, shape)
		}
	}
	return append(dst, '}')
}

var boolean = schema.Shape{Type: "boolean"}

// onText are the operators whose operand is text, whatever it looks like.
var onText = []string{"contains", "icontains", "startsWith", "endsWith"}

// one writes the value of a condition that has to stand once.
func (f *filterWriter) one(dst []byte, c *condition, shape *schema.Shape) []byte {
	if len(c.values) != 1 {
		f.refuse(c, "maxItems", "stands more than once; send it once, or [in] with a list")
	}
	return append(dst, coerce(shape, c.values[0])...)
}

// plain writes what no card knows: objects and strings, for the façade to refuse.
func (f *filterWriter) plain(dst []byte, c *condition) []byte {
	if len(c.under) == 0 {
		return f.one(dst, c, nil)
	}
	if len(c.values) > 0 {
		f.refuse(c, "pattern", "needs an operator in brackets behind it, such as "+c.param+"[eq]")
	}
	dst = append(dst, '{')
	for i, u := range c.under {
		dst = f.plain(f.name(dst, i, u.key), u)
	}
	return append(dst, '}')
}

// name begins the i-th member of an object.
func (f *filterWriter) name(dst []byte, i int, key string) []byte {
	if i > 0 {
		dst = append(dst, ',')
	}
	return append(jsontext.AppendString(dst, key), ':')
}

func (f *filterWriter) refuse(c *condition, code, message string) {
	f.ok = false
	f.a.refuse(c.param, code, message)
}
