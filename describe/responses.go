package describe

import (
	"encoding/json"
	"net/http"
	"strconv"
	"strings"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/schema"
)

// answers are the responses of a route: what it answers where it succeeds, and a problem for
// each status that it may fail with. default stands for the failures of the host itself.
func (d *openAPI) answers(r Route) json.RawMessage {
	op := r.Operation
	var all schema.Object
	onItem := op.Builtin && op.Name == "findById"
	tag := object("ETag", object("description", "The version of the row.", "schema", object("type", "string")))
	var sample json.RawMessage
	if op.Output != nil {
		sample = d.rowExample(op)
	}
	success := func(status int, about string, headers json.RawMessage) {
		content := object("application/json", object("schema", d.answer(op), "example", sample))
		add(&all, strconv.Itoa(status), object("description", about, "headers", headers, "content", content))
	}
	switch {
	case r.Verb == "DELETE":
		add(&all, "204", object("description", "The row is deleted."))
	case op.Builtin && op.Name == "create":
		success(http.StatusCreated, "The row as it was created.", object(
			"ETag", object("description", "The version of the row.", "schema", object("type", "string")),
			"Location", object("description", "The path of the row.", "schema", object("type", "string", "format", "uri-reference"))))
	case onItem:
		success(http.StatusOK, "The row.", tag)
		add(&all, "304", object("description", "The row is as the caller has it."))
	case op.Builtin && op.Name == "update":
		success(http.StatusOK, "The row after the change.", tag)
	case op.Builtin && op.Name == "list":
		headers := object("Link", object("description", "The next page (RFC 8288).", "schema", object("type", "string")))
		if d.changes(op) != nil {
			headers = with(headers, facade.PositionHeader, object("description", "Where the log of events was before the page was read: a stream with it as after misses no change of these rows.", "schema", object("type", "string")))
		}
		about := "A page of rows."
		if f := d.changes(op); f != nil { // generators take a second media type for a second type of the page
			about += " The changes of the rows are the stream " + streamPath(d.info, f) + "; with Accept: text/event-stream they follow the page here."
		}
		success(http.StatusOK, about, headers)
	default:
		success(http.StatusOK, "The answer.", nil)
	}
	for _, code := range codes(r) {
		status := status(code)
		if all.Get(status) == nil {
			add(&all, status, d.problem(code))
		}
	}
	add(&all, "default", d.problem(""))
	return all.AppendJSON(nil)
}

// status is the HTTP status of a code, as a member of responses.
func status(code facade.Code) string { return strconv.Itoa(code.Status()) }

// changes is the fact that a list goes on with where it is read as a stream; nil: none.
func (d *openAPI) changes(op *facade.Operation) *facade.Fact {
	for _, f := range factsOf(d.catalog) {
		if f.Changes && op.Builtin && op.Name == "list" && f.Door.Entity == op.Door.Entity {
			return f
		}
	}
	return nil
}

// answer is the schema of a success; of an operation without a declared output any JSON.
func (d *openAPI) answer(op *facade.Operation) json.RawMessage {
	if s := d.outputOf(op); s != nil {
		return s
	}
	return object("description", "Any JSON: the answer has no declared shape.")
}

// outputOf is what REST answers: a query that may find nothing answers 404, never null.
func (d *openAPI) outputOf(op *facade.Operation) json.RawMessage {
	if op.Kind == facade.Query && op.Cardinality == facade.Maybe && op.Output != nil {
		return d.of(op.Output, row)
	}
	return d.output(op)
}

// codes are the failures that a caller of a route has to expect, in the order of their
// statuses.
func codes(r Route) []facade.Code {
	op := r.Operation
	all := []facade.Code{facade.ValidationFailed, facade.Unauthorized, facade.Forbidden}
	if op.Cardinality == facade.Maybe || op.Params != nil && op.Params.Property("id") != nil {
		all = append(all, facade.NotFound)
	}
	if op.Kind == facade.Command {
		all = append(all, facade.Conflict)
		if op.Builtin && op.Name != "create" {
			all = append(all, facade.PreconditionFailed)
		}
		if r.Verb != http.MethodDelete {
			all = append(all, facade.PayloadTooLarge)
		}
		if !op.Builtin {
			all = append(all, facade.UnprocessableEntity)
		}
	}
	return append(all, facade.TooManyRequests)
}

// problem refers to the response of a code, which is a problem document (RFC 9457); "" is any
// other failure.
func (d *openAPI) problem(code facade.Code) json.RawMessage {
	name, about := "Problem", "Any other failure."
	if code != "" {
		about = http.StatusText(code.Status())
		name = strings.ReplaceAll(about, " ", "")
	}
	if d.responses.Get(name) == nil {
		add(&d.responses, name, object("description", about, "content", object("application/problem+json", object("schema", d.problemSchema()))))
	}
	return object("$ref", "#/components/responses/"+name)
}

// problemSchema is a problem document with the whole error in data (spec 4.2.6).
func (d *openAPI) problemSchema() json.RawMessage {
	return d.named("Problem", func() json.RawMessage {
		return object("type", "object", "description", "A problem document (RFC 9457).", "properties", object(
			"type", object("type", "string"), "title", object("type", "string"), "status", object("type", "integer"),
			"detail", object("type", "string"), "instance", object("type", "string"), "data", d.kitError(),
		), "required", []string{"type", "title", "status", "detail", "instance", "data"})
	})
}

// kitError is the error of every surface (spec 7).
func (s *schemas) kitError() json.RawMessage {
	return s.named("KitError", func() json.RawMessage {
		text := object("type", "string")
		return object("type", "object", "description", "What every surface says of a failure.", "properties", object(
			"code", object("type", "string", "description", "What went wrong: clients branch on it."),
			"message", object("type", "string", "description", "For people."),
			"entity", text, "operation", text,
			"details", object("description", "What the code says more: of VALIDATION_FAILED a list with path, pointer, code, message and params of each refusal."),
		), "required", []string{"code", "message"})
	})
}

// rowExample is what an operation that answers rows answers; nil where it answers something
// else.
func (s *schemas) rowExample(op *facade.Operation) json.RawMessage {
	one := s.example(op.Output, row)
	switch op.Cardinality {
	case facade.PageOf:
		return object("items", list(one), "total", 1, "hasMore", false, "endCursor", json.RawMessage("null"))
	case facade.Many:
		return list(one)
	case facade.NoOutput:
		return nil
	}
	return one
}
