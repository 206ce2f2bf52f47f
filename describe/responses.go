package describe

import (
	"cmp"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/schema"
)

// answers are the responses of a route: its success, and a problem for each status of its
// failures. default describes the failures of the host itself.
func (d *openAPI) answers(r Route) json.RawMessage {
	op := r.Operation
	var all schema.Object
	onItem := op.Builtin && op.Name == "findById"
	tag := object("ETag", object("description", "The version of the row.", "schema", object("type", "string")))
	var sample json.RawMessage
	if op.Output != nil {
		sample = d.schemas.rowExample(op)
	}
	success := func(status int, about string, headers json.RawMessage) {
		answer := d.answer(op)
		if many := createMany(op); many != nil {
			answer = object("oneOf", list(answer, d.answer(many)))
		}
		content := object("application/json", object("schema", answer, "example", sample))
		add(&all, strconv.Itoa(status), object("description", about, "headers", headers, "content", content))
	}
	switch {
	case op.Name == "upsert" && op.IsMany():
		success(http.StatusOK, "The row after the change.", tag)
		success(http.StatusCreated, "The row as it was created.", tag)
	case op.IsMany():
		success(http.StatusOK, manyAnswers[op.Name], nil)
	case r.Verb == "DELETE":
		add(&all, "204", object("description", "The row is deleted."))
	case op.Builtin && op.Name == "create":
		success(http.StatusCreated, "The row as it was created.", object(
			"ETag", object("description", "The version of the row.", "schema", object("type", "string")),
			"Location", object("description", "The path of the row.", "schema", object("type", "string", "format", "uri-reference"))))
	case onItem:
		success(http.StatusOK, "The row.", tag)
		add(&all, "304", object("description", "The caller's copy of the row is current."))
	case op.Builtin && op.Name == "update":
		success(http.StatusOK, "The row after the change.", tag)
	case op.Builtin && op.Name == "list":
		headers := object("Link", object("description", "The next page (RFC 8288).", "schema", object("type", "string")))
		if d.changes(op) != nil {
			headers = with(headers, facade.PositionHeader, object("description", "The position of the event log before the page was read. A stream with this position as after receives every later change of these rows.", "schema", object("type", "string")))
		}
		about := "A page of rows."
		if f := d.changes(op); f != nil { // generators take a second media type for a second type of the page
			about += " The changes of the rows are the stream " + streamPath(d.info, f) + "; with Accept: text/event-stream they follow the page here."
		}
		about += " With Accept: text/csv or application/x-ndjson the answer is a file of all rows, and limit is their number."
		success(http.StatusOK, about, headers)
	case op.Aggregates():
		success(http.StatusOK, "A page of groups.", object("Link", object("description", "The next page (RFC 8288).", "schema", object("type", "string"))))
	default:
		success(http.StatusOK, "Response", nil)
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
func status(code kiterror.Code) string { return strconv.Itoa(code.Status()) }

// changes is the fact that a list goes on with where it is read as a stream; nil: none.
func (d *openAPI) changes(op *catalog.Operation) *catalog.Fact {
	for _, f := range factsOf(d.schemas.catalog) {
		if f.Changes && op.Builtin && op.Name == "list" && f.Door.Entity == op.Door.Entity {
			return f
		}
	}
	return nil
}

// answer is the schema of a success; of an operation without a declared output any JSON.
func (d *openAPI) answer(op *catalog.Operation) json.RawMessage {
	if s := d.outputOf(op); s != nil {
		return s
	}
	return object("description", "Any JSON: the response has no declared shape.")
}

// outputOf is the body of a REST response: a query without a result answers 404, never null.
func (d *openAPI) outputOf(op *catalog.Operation) json.RawMessage {
	if op.Kind == catalog.Query && op.Cardinality == catalog.Maybe && op.Output != nil {
		return d.schemas.of(op.Output, row)
	}
	return d.schemas.output(op)
}

// codes are the failures that a caller of a route has to expect, in the order of their
// statuses.
func codes(r Route) []kiterror.Code {
	op := r.Operation
	all := []kiterror.Code{kiterror.ValidationFailed, kiterror.Unauthorized, kiterror.Forbidden}
	if op.Cardinality == catalog.Maybe || op.Params != nil && op.Params.Property("id") != nil {
		all = append(all, kiterror.NotFound)
	}
	if op.Kind == catalog.Command {
		all = append(all, kiterror.Conflict)
		if op.Builtin && op.Name != "create" && !op.IsMany() {
			all = append(all, kiterror.PreconditionFailed)
		}
		if r.Verb != http.MethodDelete {
			all = append(all, kiterror.PayloadTooLarge)
		}
		if !op.Builtin || op.IsMany() {
			all = append(all, kiterror.UnprocessableEntity)
		}
	}
	if op.Aggregates() {
		all = append(all, kiterror.UnprocessableEntity)
	}
	return append(all, kiterror.TooManyRequests)
}

// problem refers to the response of a code, which is a problem document (RFC 9457); "" is any
// other failure.
func (d *openAPI) problem(code kiterror.Code) json.RawMessage {
	name, about := "Problem", "Any other failure."
	if code != "" {
		name = strings.ReplaceAll(http.StatusText(code.Status()), " ", "")
		about = cmp.Or(causes[code], http.StatusText(code.Status()))
	}
	if d.responses.Get(name) == nil {
		add(&d.responses, name, object("description", about, "x-code", optional(string(code)), "content", object("application/problem+json", object("schema", d.problemSchema()))))
	}
	return object("$ref", "#/components/responses/"+name)
}

// causes are the failures that callers meet, each in a sentence.
var causes = map[kiterror.Code]string{
	kiterror.ValidationFailed:    "The request has faults: details names the place, the rule and the remedy of each.",
	kiterror.Unauthorized:        "The operation needs a signed-in caller, or the credentials are not valid.",
	kiterror.Forbidden:           "This caller may not do this.",
	kiterror.NotFound:            "There is no such row that this caller may see.",
	kiterror.Conflict:            "The change contradicts rows that exist: a value that has to be unique, or a row that others refer to.",
	kiterror.Gone:                "The position is older than the log of events: read the rows again, then follow.",
	kiterror.PreconditionFailed:  "The row has changed: it does not have the version, or does not meet the condition.",
	kiterror.PayloadTooLarge:     "The body is larger than the host accepts.",
	kiterror.UnprocessableEntity: "The operation understands the request and cannot do it.",
	kiterror.TooManyRequests:     "The caller has sent too many requests: Retry-After says how long to wait.",
}

// problemSchema is a problem document with the whole error in data (spec 4.2.6).
func (d *openAPI) problemSchema() json.RawMessage {
	return d.schemas.named("Problem", func() json.RawMessage {
		return object("type", "object", "description", "A problem document (RFC 9457).", "properties", object(
			"type", object("type", "string"), "title", object("type", "string"), "status", object("type", "integer"),
			"detail", object("type", "string"), "instance", object("type", "string"), "data", d.schemas.kitError(),
		), "required", []string{"type", "title", "status", "detail", "instance", "data"})
	})
}

// kitError is the error of every surface (spec 7).
func (s *schemas) kitError() json.RawMessage {
	return s.named("KitError", func() json.RawMessage {
		text := object("type", "string")
		return object("type", "object", "description", "A failure, in the form of every surface.", "properties", object(
			"code", object("type", "string", "description", "The kind of the failure: clients branch on it."),
			"message", object("type", "string", "description", "A sentence for people."),
			"entity", text, "operation", text, "call", object("type", "integer", "description", "Of calls as one transaction the index of the one that failed."),
			"details", object("description", "Details of the code: for VALIDATION_FAILED a list with path, pointer, code, message and params of each refusal, for PRECONDITION_FAILED of update and delete the row as it is, if the caller may read it."),
		), "required", []string{"code", "message"})
	})
}

// rowExample is an example for an operation that returns rows; nil for any other operation.
func (s *schemas) rowExample(op *catalog.Operation) json.RawMessage {
	one := s.example(op.Output, row)
	if op.IsMany() {
		return manyExample(op, one)
	}
	switch op.Cardinality {
	case catalog.PageOf:
		return object("items", list(one), "total", 1, "hasMore", false, "endCursor", json.RawMessage("null"))
	case catalog.Many:
		return list(one)
	case catalog.NoOutput:
		return nil
	}
	return one
}
