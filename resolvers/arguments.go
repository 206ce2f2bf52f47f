package resolvers

import (
	"encoding/json"
	"slices"
	"strconv"

	"github.com/vektah/gqlparser/v2/ast"

	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/resolvers/binding"
	"github.com/frondhost/frond/resolvers/language"
	"github.com/frondhost/frond/schema/jsontext"
)

// arguments are the arguments of one field, compiled for an invocation.
type arguments struct {
	canonical []byte // how they are written, for fetches to be shared
	bound     []bound
	Constant  *invocation // where no variable is among them; made once
}

// bound is an argument that has a value, written or by default, and its place.
type bound struct {
	binding.Arg
	def   *language.Definition
	value *ast.Value
}

// invocation is arguments as a façade takes them. Nil members are not sent. Window is set for
// ToManyIDs alone. An Err fails the field, and no call is made.
type invocation struct {
	ID                  json.RawMessage // of the row that a built-in operation is about
	Params, Query, Body json.RawMessage
	Window              binding.Window  // of a connection over ids
	Err                 *kiterror.Error // the first misfit, or nil
}

// arguments compiles the arguments of a field: the written ones, in their order, then the ones
// that have a default. The order of the members of params and query follows from it.
func (c *compiler) arguments(f *fieldType, b *binding.Field, written ast.ArgumentList) *arguments {
	a := &arguments{canonical: language.AppendArguments(nil, written)}
	find := func(name string) (bound, bool) {
		for _, arg := range b.Args {
			if arg.Name != name {
				continue
			}
			for _, def := range f.Args {
				if def.Name == name {
					return bound{Arg: arg, def: def}, true
				}
			}
		}
		return bound{}, false
	}
	for _, w := range written {
		if x, ok := find(w.Name); ok {
			x.value = w.Value
			a.bound = append(a.bound, x)
		}
	}
	for _, def := range f.Args {
		if written.ForName(def.Name) == nil && def.Default != nil {
			if x, ok := find(def.Name); ok {
				a.bound = append(a.bound, x)
			}
		}
	}
	return a
}

// invocation returns the arguments with the values of variables. vars may be nil for arguments
// without variables. The totals of a list depend on all fields of the fetch, so it is called
// only once the fetch is compiled.
//
//	posts(first: 2, orderBy: [{title: DESC}])   query {"sort":["-title"],"limit":2,"total":false}
//	post(id: "a")                               id "a"
//
// Without variables the result is made once and shared; it must not be changed.
func (f *fetch) Invocation(vars *language.Variables) *invocation {
	if f.Args.Constant != nil {
		return f.Args.Constant
	}
	r := language.Renderer{Vars: vars}
	in := &invocation{}
	params, query := member{}, member{}
	var allParams, allQuery json.RawMessage
	paging := paging{}
	functions := slices.Clip(f.functions)
	for _, b := range f.Args.bound {
		r.Complete = b.Into == binding.IntoWhere
		text, ok := r.Argument(nil, b.def, b.value)
		if !ok {
			continue
		}
		switch b.Into {
		case binding.IntoBody:
			in.Body = text
		case binding.AllParams:
			allParams = text
		case binding.AllQuery:
			allQuery = text
		case binding.IntoID:
			in.ID = text
		case binding.IntoParams:
			params.add(b.Key, text)
		case binding.IntoSort:
			query.add(b.Key, sortKeys(&r, text))
		case binding.IntoGroupBy, binding.IntoHaving, binding.IntoGroupSort:
			text, functions = groupArgument(&r, b.Into, text, functions)
			query.add(b.Key, text)
		case binding.IntoFirst:
			paging.first = text
		case binding.IntoLast:
			paging.last = text
		case binding.IntoAfter:
			paging.after = text
		case binding.IntoBefore:
			paging.before = text
		default:
			if b.Key == "offset" {
				paging.offset = text
			}
			query.add(b.Key, text)
		}
	}
	switch {
	// The ids are in the row: the page is cut here, and findById has no paging.
	case f.Binding.Kind == binding.ToManyIDs:
		paging.sides(&r)
		in.Window = paging.window()
		query = member{}
	case f.Binding.IsList():
		paging.into(&query, &r, f.Binding.List())
		if !f.total {
			query.add("total", []byte("false"))
		}
		if !f.rows && paging.first == nil && paging.last == nil {
			query.add("limit", []byte("0")) // for the total alone
		}
	}
	if len(functions) > 0 {
		query.add("select", jsontext.AppendStrings(nil, functions))
	}
	in.Params, in.Query, in.Err = params.object(), query.object(), r.Err
	// A door without cards for params has the argument id in addition to params; both name
	// members of one object.
	if allParams != nil {
		if whole, err := binding.MergeParams(in.Params, allParams); err != nil {
			in.Err = err
		} else {
			in.Params = whole
		}
	}
	// An open operation has this one argument for query.
	if allQuery != nil {
		in.Query = allQuery
	}
	return in
}

// member is an unfinished object of an invocation. The zero member means that the invocation
// lacks it.
type member struct{ text []byte }

// add appends a member. The caller adds a name once.
func (m *member) add(name string, value []byte) {
	if m.text == nil {
		m.text = append(m.text, '{')
	} else {
		m.text = append(m.text, ',')
	}
	m.text = jsontext.AppendName(m.text, name)
	m.text = append(m.text, value...)
}

// object ends the object and returns it, or nil if it is empty.
func (m *member) object() json.RawMessage {
	if m.text == nil {
		return nil
	}
	return append(m.text, '}')
}

// paging are the paging arguments as text; nil: not sent. An explicit null counts as not sent:
// clients send it for variables they leave open.
type paging struct{ first, last, after, before, offset []byte }

// sent reports whether an argument has a value other than null.
func sent(text []byte) bool { return text != nil && !jsontext.IsNull(text) }

// into writes the arguments of a connection as list takes them: one limit for first and last,
// the cursors, and the direction where the cursors do not imply it (docs/decisions/graphql-schema.md).
func (p *paging) into(query *member, r *language.Renderer, list *catalog.Operation) {
	p.sides(r)
	limit := p.first
	if sent(p.last) {
		limit = p.last
	}
	if name, value := binding.DirectionMember(sent(p.first), sent(p.last), sent(p.after), sent(p.before)); name != "" {
		if !list.Takes(name) {
			r.Fail(kiterror.BadRequest, "the host of this list does not read that range; send first with after, or last with before")
		}
		query.add(name, []byte(value))
	}
	if sent(limit) {
		query.add("limit", limit)
	}
	if sent(p.after) {
		query.add("after", p.after)
	}
	if sent(p.before) {
		query.add("before", p.before)
	}
}

// sides refuses arguments that contradict each other, such as first with last.
func (p *paging) sides(r *language.Renderer) {
	if err := binding.CheckPaging(count(p.first), count(p.last), count(p.offset), string(p.after) == `""`, string(p.before) == `""`); err != nil && r.Err == nil {
		r.Err = err
	}
}

// count returns a number from a text coerced to Int, or binding.Unsent.
func count(text []byte) int {
	if !sent(text) {
		return binding.Unsent
	}
	n, _ := strconv.Atoi(string(text))
	return n
}

// window returns the arguments as the window of a connection over ids, which is cut here and
// not by a list.
func (p *paging) window() (w binding.Window) {
	number := func(text []byte) *int {
		if !sent(text) {
			return nil
		}
		n := count(text)
		return &n
	}
	text := func(v []byte) *string {
		if !sent(v) {
			return nil
		}
		s := jsontext.Unquote(v)
		return &s
	}
	return binding.Window{First: number(p.first), Last: number(p.last), Offset: number(p.offset), After: text(p.after), Before: text(p.before)}
}

// sortKeys returns orderBy as query.sort has it.
func sortKeys(r *language.Renderer, orderBy []byte) []byte {
	if !sent(orderBy) {
		return []byte("null")
	}
	keys, err := binding.Sort(orderBy)
	if err != nil {
		r.Fail(err.Code, "%s", err.Message)
		return []byte("null")
	}
	return keys
}

// finish makes the invocation of a fetch whose arguments hold no variables, once for all
// executions.
func (f *fetch) finish() {
	for _, b := range f.Args.bound {
		if b.value != nil && language.HasVariables(b.value) {
			return
		}
	}
	f.Args.Constant = f.Invocation(nil)
}
