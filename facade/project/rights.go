package project

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// A rights.yaml beside a frond.yaml has tests of access rules: a list of callers with their rights (docs/rights.md).
//
//	- as: {user: {id: ada}}
//	  name: a customer
//	  sees: {order: 3, customer: [ada], supplier: denied}
//	  hidden: {order: [internalNote]}
//	  may: [{order.create: {body: {…}}}]
//	  mayNot: [{order.update: {params: {id: o-1}, body: {status: paid}, code: FORBIDDEN}}]

// CallerRights is one entry of a rights.yaml.
type CallerRights struct {
	Frond       string
	File, At    string         // At is the JSON pointer to the entry
	Name        string         // the caller in words; without a name their state as JSON, or nobody
	As          map[string]any // the state of the caller; nil: nobody
	Visible     []VisibleRows  // the key sees
	Hidden      []hiddenFields
	May, MayNot []Attempt
}

// VisibleRows is the rows of a door that a caller sees.
type VisibleRows struct {
	Door, At string
	Denied   bool              // the door is closed
	Keys     []json.RawMessage // exactly these rows; nil: Count rows
	Count    int64
}

// hiddenFields is the fields of a door that a caller does not see.
type hiddenFields struct {
	Door, At string
	Fields   []Named
}

// Attempt is a call to try. Code is the expected refusal; "": any.
type Attempt struct {
	Entity, Operation, At string
	Params, Query, Body   json.RawMessage
	Code                  string
}

// ReadRights reads the rights.yaml of all Fronds. Whether doors, fields and operations exist is not checked. The error is schema.Faults;
// the entries without faults are returned beside it.
func ReadRights(fronds []*Frond) (all []*CallerRights, err error) {
	var faults schema.Faults
	for _, f := range fronds {
		if f.Rights.File == "" {
			continue
		}
		data, err := schema.ToJSON(f.Rights.File, f.Rights.Data)
		if err != nil {
			var broken schema.Faults
			errors.As(err, &broken) // ToJSON's error is schema.Faults
			faults = append(faults, broken...)
			continue
		}
		r := &configReader{file: f.Rights.File}
		if kind := jsontext.KindOf(data); kind != jsontext.Array && kind != jsontext.Null {
			r.fault("", "rights have to be a list of callers", "begin each caller with a hyphen: - as: {user: {id: ada}}")
		}
		for i, entry := range jsontext.List(data) {
			c := r.callerRights(entry, fmt.Sprint("/", i))
			c.Frond, c.File = f.Name, f.Rights.File
			all = append(all, c)
		}
		faults = append(faults, r.faults...)
	}
	return all, faults.Err()
}

// callerRights reads an entry.
func (r *configReader) callerRights(value json.RawMessage, at string) *CallerRights {
	c := &CallerRights{At: at}
	given, before := false, len(r.faults)
	r.members(value, at, "a caller", []string{"as", "name", "sees", "hidden", "may", "mayNot"}, readers{
		"as":     func(value json.RawMessage, at string) { given, c.As = true, r.state(value, at) },
		"name":   into(&c.Name, r.string),
		"sees":   into(&c.Visible, r.visibleRows),
		"hidden": into(&c.Hidden, r.hiddenFields),
		"may":    into(&c.May, func(value json.RawMessage, at string) []Attempt { return r.attempts(value, at, nil) }),
		"mayNot": into(&c.MayNot, func(value json.RawMessage, at string) []Attempt { return r.attempts(value, at, []string{"code"}) }),
	})
	switch {
	case len(r.faults) > before:
	case !given:
		r.fault(at, "this entry names no caller", "write as: {user: {id: ada}}, or as: null for an anonymous caller")
	case len(c.Visible)+len(c.Hidden)+len(c.May)+len(c.MayNot) == 0:
		r.fault(at, "this entry checks nothing", "write sees, hidden, may or mayNot")
	}
	if c.Name == "" {
		c.Name = "nobody"
		if c.As != nil {
			c.Name = string(jsontext.Get(value, "as"))
		}
	}
	return c
}

// state reads the state of a caller. A state without user belongs to an anonymous caller, and members of user
// beside it are a mistake.
func (r *configReader) state(value json.RawMessage, at string) (state map[string]any) {
	user := jsontext.Get(value, "user")
	switch kind := jsontext.KindOf(value); {
	case kind == jsontext.Null:
		return nil
	case kind != jsontext.Object:
		r.fault(at, "as is no state of a caller", "write as: {user: {id: ada}}, or as: null for an anonymous caller")
		return nil
	case user != nil && jsontext.KindOf(user) != jsontext.Object && !jsontext.IsNull(user):
		r.fault(at+"/user", "user is no object", "write user: {id: ada, roles: [staff]}")
		return nil
	case user == nil:
		for name := range jsontext.Members(value) {
			if slices.Contains([]string{"id", "roles", "scopes", "tenant", "claims"}, name) {
				r.fault(at+"/"+name, name+" is a member of user", fmt.Sprintf("write as: {user: {%s: …}}", name))
				return nil
			}
		}
	}
	_ = json.Unmarshal(value, &state) // it is an object
	return state
}

// visibleRows reads sees: {order: 3, customer: [ada], supplier: denied}.
func (r *configReader) visibleRows(value json.RawMessage, at string) (all []VisibleRows) {
	r.object(value, at, "sees", nil, func(door, at string, value json.RawMessage) {
		s := VisibleRows{Door: door, At: at, Denied: isWord(value, "denied")}
		var err error
		switch jsontext.KindOf(value) {
		case jsontext.Array:
			s.Keys = []json.RawMessage{}
			for i, key := range jsontext.Elements(value) {
				if kind := jsontext.KindOf(key); kind != jsontext.String && kind != jsontext.Number {
					r.fault(fmt.Sprint(at, "/", i), "this is no key of a row", "write the values of the primary key, such as [o-1, o-2]")
				}
				s.Keys = append(s.Keys, key)
			}
		case jsontext.Number:
			s.Count, err = strconv.ParseInt(string(value), 10, 64)
		}
		if !s.Denied && s.Keys == nil && jsontext.KindOf(value) != jsontext.Number || err != nil || s.Count < 0 {
			r.fault(at, "this is neither a number of rows nor a list of keys", "write such as 3, [o-1, o-2] or denied")
		}
		all = append(all, s)
	})
	return all
}

// hiddenFields reads hidden: {order: [internalNote]}.
func (r *configReader) hiddenFields(value json.RawMessage, at string) (all []hiddenFields) {
	r.object(value, at, "hidden", nil, func(door, at string, value json.RawMessage) {
		all = append(all, hiddenFields{Door: door, At: at, Fields: r.distinct(value, at, "[internalNote]")})
	})
	return all
}

// attempts reads a list of calls: an operation, or an operation with the parts of its call and the keys of more.
func (r *configReader) attempts(value json.RawMessage, at string, more []string) (all []Attempt) {
	if jsontext.KindOf(value) != jsontext.Array {
		r.fault(at, keyAt(at)+" has to be a list of calls", "begin each with a hyphen: - order.delete: {params: {id: o-1}}")
	}
	for i, item := range jsontext.Elements(value) {
		here := fmt.Sprint(at, "/", i)
		if jsontext.KindOf(item) == jsontext.String {
			all = append(all, r.attempt(jsontext.Unquote(item), here, nil, more))
			continue
		}
		calls := 0
		r.object(item, here, "a call", nil, func(method, at string, parts json.RawMessage) {
			calls++
			all = append(all, r.attempt(method, at, parts, more))
		})
		if calls > 1 {
			r.fault(here, "this entry has several calls", "begin each with a hyphen of its own, and write its parts below it: - order.delete: {params: {id: o-1}}")
		}
	}
	return all
}

// attempt reads one call. parts is null or absent for a call without values.
func (r *configReader) attempt(method, at string, parts json.RawMessage, more []string) Attempt {
	a := Attempt{At: at}
	var is bool
	if a.Entity, a.Operation, is = strings.Cut(method, "."); !is || a.Entity == "" || a.Operation == "" {
		r.fault(at, schema.Quoted(method)+" names no operation", "write an entity, a dot and an operation, such as order.list")
	}
	if parts == nil || jsontext.IsNull(parts) {
		return a
	}
	keep := func(to *json.RawMessage) func(json.RawMessage, string) {
		return func(value json.RawMessage, _ string) { *to = value }
	}
	r.members(parts, at, "a call", append([]string{"params", "query", "body"}, more...), readers{
		"params": keep(&a.Params), "query": keep(&a.Query), "body": keep(&a.Body), "code": into(&a.Code, r.string),
	})
	return a
}
