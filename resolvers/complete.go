package resolvers

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"

	"github.com/graphql-go/graphql"
	"github.com/vektah/gqlparser/v2/ast"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/rows"
	"github.com/frondhost/frond/resolvers/binding"
	"github.com/frondhost/frond/resolvers/language"
	"github.com/frondhost/frond/schema/jsontext"
)

// tree is the value of a hand-registered field, for one item: its leaves are JSON, its objects
// are items of a run for all of them together. The zero Tree is null.
type tree struct {
	Kind treeKind
	Text json.RawMessage // of a leaf
	List []tree
	Run  *run // of an object
	At   int
	Err  *language.Error
}

// treeKind says which members of a [tree] are set.
type treeKind uint8

// The kinds, with the members of a [tree] that each sets. The zero tree is null.
const (
	treeNull   treeKind = iota
	treeLeaf            // Text, coerced already: it is written as it is
	treeJSON            // Text, still to be coerced by the type of the field
	treeList            // List, one Tree for each item
	treeObject          // Run and At: item At of Run
	treeError           // Err: the value is null, and this is the reason
)

// completer completes the values of one field: CompleteValue (GraphQL 6.4.3), except that
// objects are collected by type and executed together in the end. runs and items have one
// entry for each type.
type completer struct {
	x     *execution
	w     *customField
	runs  []*run
	items [][]item
}

// run executes the units of the collected objects, one for each type.
func (c *completer) run() {
	for i, r := range c.runs {
		c.x.over(r, c.items[i])
	}
}

// fail is the value of a field that failed with err. Only the text of a facade.Error is sent.
func (c *completer) fail(err error) tree {
	return tree{Kind: treeError, Err: c.x.Failed(err)}
}

// complete completes one value by its type. It accepts:
//
//	func() (any, error)      a thunk, which is run now
//	nil, nil pointers        null
//	facade.Row, *Rows        rows; the zero Row is null
//	*facade.Result           by its form: a value, a row, rows or a page
//	json.RawMessage          JSON, checked when it is written
//	anything else            a list, a leaf or an object, by out
func (c *completer) complete(out *outputType, value any) (t tree) {
	defer func() { // methods of the author's types may panic
		if p := recover(); p != nil {
			t = tree{Kind: treeError, Err: c.x.Panicked(p)}
		}
	}()
	for {
		thunk, ok := value.(func() (any, error))
		if !ok {
			break
		}
		v, err := thunk()
		if err != nil {
			return c.fail(err)
		}
		value = v
	}
	switch v := value.(type) {
	case nil:
		return tree{}
	case tree:
		return v
	case failure:
		return tree{Kind: treeError, Err: v.err}
	case rows.Row:
		// The zero Row is not a row.
		if v == (rows.Row{}) {
			return tree{}
		}
	case *facade.Result:
		if v == nil {
			return tree{}
		}
		return c.result(out, v)
	case *rows.Rows:
		if v == nil {
			return tree{}
		}
		if out.Elem == nil {
			return c.several(v.Len())
		}
	case []rows.Row:
		if out.Elem == nil {
			return c.several(len(v))
		}
	case json.RawMessage:
		return c.json(out, v)
	default:
		if isNil(value) {
			return tree{}
		}
	}
	switch {
	case out.Elem != nil:
		return c.list(out, value)
	case out.Kind != language.Composite:
		return c.leaf(out, value)
	}
	return c.object(out, value)
}

// isNil reports whether value is nil inside an interface: a nil *Author is null and not an
// author.
func isNil(value any) bool {
	v := reflect.ValueOf(value)
	switch v.Kind() {
	case reflect.Pointer, reflect.Map, reflect.Slice, reflect.Func, reflect.Interface:
		return v.IsNil()
	}
	return false
}

// result completes a result of the façade by its form. It records failed computed fields apart
// from the rows, which cannot hold them.
func (c *completer) result(out *outputType, r *facade.Result) tree {
	binding.LoadersOf(c.x.loading).Note(r)
	switch {
	case r.Form == facade.FormValue:
		return c.json(out, r.Value)
	case out.Elem != nil && r.Form == facade.FormRows:
		return c.list(out, r.Rows)
	case out.Elem != nil:
		return c.fail(errors.New("a list was expected, and there is one row or a page"))
	case r.Form == facade.FormPage:
		return c.object(out, r)
	case r.Form == facade.FormRows, r.Rows.Len() > 1:
		return c.several(r.Rows.Len())
	case r.Rows.Len() == 0:
		return tree{}
	}
	return c.object(out, r.Rows.Row(0))
}

// several refuses a list of rows in place of one object: the first of them would hide the
// others.
func (c *completer) several(n int) tree {
	return c.fail(fmt.Errorf("one object was expected, and there are %d rows as a list", n))
}

// json completes a value that is JSON text. Leaves are checked against their type when they
// are written; objects become items, so that hand-written fields and relations below them
// work.
func (c *completer) json(out *outputType, text json.RawMessage) tree {
	switch kind := jsontext.KindOf(text); {
	case kind == jsontext.Invalid || kind == jsontext.Null:
		return tree{}
	// Leaves and lists of leaves stay one text; the writer walks it.
	case out.named().Kind != language.Composite:
		return tree{Kind: treeJSON, Text: text}
	case out.Elem == nil:
		return c.object(out, text)
	case kind != jsontext.Array:
		return c.fail(fmt.Errorf("a list was expected, and there is none"))
	}
	t := tree{Kind: treeList}
	for _, item := range jsontext.Elements(text) {
		t.List = append(t.List, c.json(out.Elem, item))
	}
	return t
}

// list completes each item of a list: rows, a []any, or any Go slice or array.
func (c *completer) list(out *outputType, value any) tree {
	t := tree{Kind: treeList}
	switch list := value.(type) {
	case *rows.Rows:
		for i := range list.Len() {
			t.List = append(t.List, c.complete(out.Elem, list.Row(i)))
		}
		return t
	case []any:
		for _, v := range list {
			t.List = append(t.List, c.complete(out.Elem, v))
		}
		return t
	}
	v := reflect.Indirect(reflect.ValueOf(value))
	if k := v.Kind(); k != reflect.Slice && k != reflect.Array {
		return c.fail(fmt.Errorf("%T is not a list", value))
	}
	for i := range v.Len() {
		t.List = append(t.List, c.complete(out.Elem, v.Index(i).Interface()))
	}
	return t
}

// leaf is result coercion of a Go value (specification 3.5): built-in scalars by package
// scalar, other leaves by Serialize of their graphql-go type. A value that Serialize turns
// into nil is an error, and not a null without one.
func (c *completer) leaf(out *outputType, value any) tree {
	switch out.Kind {
	case language.Int, language.Float, language.String, language.Boolean, language.ID:
		text, ok := language.FromGo(out.Kind, value)
		if !ok {
			return c.misfit(out)
		}
		return tree{Kind: treeLeaf, Text: text}
	}
	// Enums and custom scalars have Go values of their own, which only their type can
	// serialize.
	leaf, ok := c.x.Schema.GraphQL().Type(out.Definition.Name).(graphql.Leaf)
	if !ok {
		return c.fail(fmt.Errorf("%s is not a leaf type", out.Definition.Name))
	}
	v := leaf.Serialize(value)
	if v == nil || isNil(v) {
		return c.misfit(out)
	}
	if s, ok := v.(string); ok {
		return tree{Kind: treeLeaf, Text: jsontext.Quote(s)}
	}
	if raw, ok := v.(json.RawMessage); ok {
		return tree{Kind: treeJSON, Text: raw}
	}
	text, err := marshal(v)
	if err != nil {
		return c.fail(err)
	}
	return tree{Kind: treeLeaf, Text: text}
}

// misfit is the error of a value of another type.
func (c *completer) misfit(out *outputType) tree {
	f := c.w.Field.Type
	return tree{Kind: treeError, Err: c.x.broken(fmt.Sprintf("The value of field %s.%s cannot be represented as %s.", f.Parent.Name, f.Definition.Name, out.Definition.Name))}
}

// marshal returns v as JSON, without the escapes of <, > and & that encoding/json makes for
// HTML.
func marshal(v any) (json.RawMessage, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return jsontext.Trim(b.Bytes()), nil
}

// object collects a value as an item of the run for its type, and returns the place that it
// will have there. An object whose type has generated fields is marshaled: those fields are
// read from its JSON as from a row.
func (c *completer) object(out *outputType, value any) tree {
	typ, err := c.typeOf(out.Definition, value)
	if err != nil {
		return c.fail(err)
	}
	it := item{source: value}
	switch v := value.(type) {
	case rows.Row:
		it.row = v
	case *facade.Result:
		it.page, it.rows = &v.Page, make([]rows.Row, v.Rows.Len())
		for i := range it.rows {
			it.rows[i] = v.Rows.Row(i)
		}
	case json.RawMessage:
		it.text = v
		if jsontext.KindOf(v) != jsontext.Object {
			return c.fail(errors.New("an object was expected, and there is none"))
		}
		// Hand-written fields below this object read a map, as with graphql-go; generated ones
		// read the text.
		var decoded map[string]any
		if err := json.Unmarshal(v, &decoded); err != nil {
			return c.fail(err)
		}
		it.source = decoded
	default:
		if len(c.x.Schema.Fields[typ.Name]) > 0 { // its fields are read as a row's
			if it.text, err = marshal(value); err != nil {
				return c.fail(err)
			}
			if jsontext.KindOf(it.text) != jsontext.Object {
				return c.fail(fmt.Errorf("%T is not an object", value))
			}
		}
	}
	// A connection has rows and a page, which no other value has.
	if typ.Page != (it.page != nil) {
		return c.fail(fmt.Errorf("a %s has to be a *facade.Result of the form page", typ.Name))
	}
	// Objects of one type are one run, whichever item or list they came from, so a relation
	// below them is one call.
	u := c.w.Values.unit(typ)
	for i, r := range c.runs {
		if r.Unit == u {
			c.items[i] = append(c.items[i], it)
			return tree{Kind: treeObject, Run: r, At: len(c.items[i]) - 1}
		}
	}
	// The first object of its type.
	r := &run{Unit: u}
	c.runs = append(c.runs, r)
	c.items = append(c.items, []item{it})
	return tree{Kind: treeObject, Run: r}
}

// typeOf returns the object type of a value: the field's own, or the one that the interface or
// the union resolves it to (ResolveAbstractType, GraphQL 6.4.3). ResolveType is asked first,
// then IsTypeOf of each possible type. A value that the type refuses is an error.
func (c *completer) typeOf(def *ast.Definition, value any) (*objectType, error) {
	name := def.Name
	// An interface or a union: the value decides.
	if def.Kind != ast.Object {
		var o *graphql.Object
		p := graphql.ResolveTypeParams{Value: value, Info: c.info(), Context: c.x.Ctx}
		switch t := c.x.Schema.GraphQL().Type(name).(type) {
		case *graphql.Interface:
			if t.ResolveType != nil {
				o = t.ResolveType(p)
			}
		case *graphql.Union:
			if t.ResolveType != nil {
				o = t.ResolveType(p)
			}
		}
		if o == nil {
			o = c.claimed(def, p)
		}
		if o == nil {
			return nil, fmt.Errorf("nothing says which type of %s a %T is", name, value)
		}
		if typ := c.x.Types.object(o.Name()); typ == nil || !c.x.Types.is(typ, name) {
			return nil, fmt.Errorf("%s is not a type of %s", o.Name(), name)
		}
		name = o.Name()
	} else if o, ok := c.x.Schema.GraphQL().Type(name).(*graphql.Object); ok && o.IsTypeOf != nil &&
		!o.IsTypeOf(graphql.IsTypeOfParams{Value: value, Info: c.info(), Context: c.x.Ctx}) {
		return nil, fmt.Errorf("%s does not take a %T for its own", name, value)
	}
	return c.x.Types.object(name), nil
}

// info describes the field to ResolveType and IsTypeOf. It is empty for fields without a
// definition in graphql-go.
func (c *completer) info() graphql.ResolveInfo {
	if c.w.Def == nil {
		return graphql.ResolveInfo{}
	}
	return c.x.info(c.w)
}

// claimed returns the first possible type whose IsTypeOf accepts the value, or nil.
func (c *completer) claimed(def *ast.Definition, p graphql.ResolveTypeParams) *graphql.Object {
	for _, d := range c.x.Types.Schema.PossibleTypes[def.Name] {
		o, ok := c.x.Schema.GraphQL().Type(d.Name).(*graphql.Object)
		if ok && o.IsTypeOf != nil && o.IsTypeOf(graphql.IsTypeOfParams(p)) {
			return o
		}
	}
	return nil
}
