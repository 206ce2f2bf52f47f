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
	tag := object("ETag", object("description", "The version of the row.", "schema", object("type", "string")))
	var sample json.RawMessage
	if d.outputOf(op) != nil {
		sample = d.schemas.resultExample(op)
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
		success(http.StatusCreated, "The row as it was created.", with(tag, "Location", object("description", "The path of the row.", "schema", object("type", "string", "format", "uri-reference"))))
	case op.Builtin && op.Name == "findById":
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
	d.failures(&all, codes(r)...)
	return all.AppendJSON(nil)
}

// status is the HTTP status of a code, as a member of responses.
// failures adds the responses for codes, one for each status, and for any other failure.
func (d *openAPI) failures(responses *schema.Object, codes ...kiterror.Code) {
	for _, code := range codes {
		if status := strconv.Itoa(code.Status()); responses.Get(status) == nil {
			add(responses, status, d.problem(code))
		}
	}
	add(responses, "default", d.problem(""))
}

// changes is the fact that a list goes on with when it is read as a stream, or nil.
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
		add(&d.responses, name, object("description", about, "x-code", optional(string(code)), "content", object("application/problem+json", object("schema", d.schemas.problem()))))
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

// resultExample is an example of the result of an operation that has an output.
func (s *schemas) resultExample(op *catalog.Operation) json.RawMessage {
	switch {
	case op.Aggregates():
		return groupsExample
	case op.IsMany():
		return s.manyExample(op)
	}
	one := s.example(op.Output, row)
	switch op.Cardinality {
	case catalog.PageOf:
		return object("items", list(one), "total", 1, "hasMore", false, "endCursor", json.RawMessage("null"))
	case catalog.Many:
		return list(one)
	}
	return one
}

// manyExample is an example of the answer of a write of many rows, of one row:
//
//	createMany              {"items": […]}
//	updateMany, deleteMany  {"count": 1, "items": […]}, items where fields are sent
//	upsert                  {"created": true, "item": {…}}
//	import                  {"created": 1, …}
func (s *schemas) manyExample(op *catalog.Operation) json.RawMessage {
	switch op.Name {
	case "createMany":
		return object("items", list(s.example(op.Output, row)))
	case "upsert":
		return object("created", true, "item", s.example(op.Output, row))
	case "import":
		return object("created", 1, "updated", 0, "rows", 1, "complete", true, "faults", list())
	}
	return object("count", 1)
}

// groupsExample is an example of the answer of aggregate: one group, of all rows.
var groupsExample = json.RawMessage(`{"items":[{"key":{},"count":1}],"hasMore":false,"endCursor":null}`)

// manyAnswers are the successes of writes of many rows.
var manyAnswers = map[string]string{
	"updateMany": "The number of rows.", "deleteMany": "The number of rows.",
	"import": "The number of rows that were read and written, and the faults of those that were left out.",
}

// createMany is the operation that the POST of a list calls beside create, or nil.
func createMany(op *catalog.Operation) *catalog.Operation {
	many := op.Door.Operation("createMany")
	if !op.Builtin || op.Name != "create" || many == nil || !many.IsMany() {
		return nil
	}
	return many
}
