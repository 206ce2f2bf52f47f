package describe

import (
	"encoding/json"

	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/schema"
)

// OpenRPC describes JSON-RPC in OpenRPC 1.3: every operation of the catalog as a method whose
// params are the parts of an invocation by name (spec 2.6).
//
//	{"method": "post.findById", "params": {"params": {"id": "p1"}}}
func OpenRPC(served *catalog.Catalog, info Info) json.RawMessage {
	d := &openRPC{schemas: newSchemas(served)}
	d.flat = true
	var methods []json.RawMessage
	for op := range served.Operations() {
		methods = append(methods, d.method(op))
	}
	if joins(served) != nil {
		methods = append(methods, d.atomic())
	}
	body := []any{
		"methods", list(methods...),
		"components", object("schemas", orEmpty(d.all)),
	}
	// Servers are left out: their URLs have to be absolute, and the same document is read
	// through many addresses.
	return document("openrpc", "1.3.2", served, info, "JSON-RPC 2.0 at POST "+info.RPC+": one method for each operation, params by name.", body)
}

// openRPC is a document being written.
type openRPC struct{ *schemas }

// params are the parameters of a method and an example of them. complete reports whether the
// example has every required one.
func (d *openRPC) params(op *catalog.Operation) (params, sample []json.RawMessage, complete bool) {
	complete = true
	give := func(name string, required bool, s, v json.RawMessage) {
		if s == nil {
			return
		}
		params = append(params, object("name", name, "required", required, "schema", s))
		if v != nil {
			sample = append(sample, object("name", name, "value", v))
		}
		complete = complete && (v != nil || !required)
	}
	if op.Params != nil {
		give("params", len(requiredOf(op.Params)) > 0, d.of(op.Params, part), d.example(op.Params, part))
	}
	give("query", op.Query != nil && len(requiredOf(op.Query)) > 0, d.query(op), d.queryExample(op))
	if op.Input != nil {
		u := creation
		if op.Patch {
			u = patch
		}
		of, sample := d.of(op.Input, u), d.example(op.Input, u)
		if op.IsMany() && (op.Name == "createMany" || op.Name == "import") {
			of = object("type", "array", "items", of, "maxItems", catalog.MaxCreateMany)
			if sample != nil {
				sample = list(sample)
			}
		}
		give("body", true, of, sample)
	}
	if op.Open {
		open := object("type", "object")
		give("params", false, open, nil)
		give("query", false, open, nil)
	}
	if op.Open && op.Input == nil {
		give("body", false, json.RawMessage("true"), nil)
	}
	return params, sample, complete
}

// method is one operation.
func (d *openRPC) method(op *catalog.Operation) json.RawMessage {
	params, sample, complete := d.params(op)
	answer, value := d.output(op), json.RawMessage("true") // any JSON
	if answer != nil {
		value = d.resultExample(op)
	} else {
		answer = object("description", "Any JSON: the response has no declared shape.")
	}
	name := op.Door.Name + "." + op.Name
	pairs := []any{
		"name", name, "summary", summary(op), "description", optional(op.Description),
		"tags",
		[]json.RawMessage{object("name", op.Door.Name), object("name", string(op.Kind))},
		"paramStructure", "by-name", "params", list(params...),
		"result", object("name", "result", "schema", answer),
		"errors",
		[]json.RawMessage{object("code", failedCode, "message", "The call failed: data is the KitError.", "data", d.kitError())},
	}
	if op.Deprecated != "" {
		pairs = append(pairs, "deprecated", true)
	}
	if complete {
		pairs = append(pairs, "examples", []json.RawMessage{object("name", name, "params", list(sample...), "result", object("name", "result", "value", value))})
	}
	return object(pairs...)
}

// failedCode is JSON-RPC's integer for the failure of a call (spec 7).
const failedCode = -32000

// query is the query of an operation. Of a built-in list it is the grammar, with the door's own
// conditions.
func (d *openRPC) query(op *catalog.Operation) json.RawMessage {
	if op.Query != nil && !op.Builtin {
		return d.of(op.Query, part)
	}
	var fields schema.Object
	var required []string
	if op.Query != nil {
		required = requiredOf(op.Query)
		for _, p := range op.Query.Fields {
			s := d.shape(&p.Shape, nil)
			if p.Name == "filter" || p.Name == "where" {
				s = d.of(op.Door.Entity, filters)
			}
			add(&fields, p.Name, s)
		}
	}
	if op.Kind == catalog.Command && !op.Open {
		add(&fields, catalog.Rehearse, object("type", "boolean", "const", true, "description", aboutRehearse))
		add(&fields, catalog.Approve, object("type", "string", "description", aboutApprove))
	}
	if fields == nil {
		return nil
	}
	return object("type", "object", "properties", fields, "required", required, "additionalProperties", false)
}

// queryExample is the query in the example of a method, or nil.
func (s *schemas) queryExample(op *catalog.Operation) json.RawMessage {
	switch {
	case op.Query == nil:
		return nil
	case !op.Builtin:
		return s.example(op.Query, part)
	case op.Name == "list":
		return object("limit", 10)
	case op.Name == "findByIds" && op.Door.Entity != nil:
		if id := s.exampleOf(op.Door.Entity, op.Door.Entity.Primary); id != nil {
			return object("ids", list(id))
		}
	case op.IsMany():
		return s.manyQueryExample(op)
	}
	return nil
}

// requiredOf are the fields of a card that have to be sent.
func requiredOf(e *schema.Entity) (names []string) {
	for _, p := range e.Fields {
		if p.Required() {
			names = append(names, p.Name)
		}
	}
	return names
}
