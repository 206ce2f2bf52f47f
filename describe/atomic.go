package describe

import (
	"cmp"
	"encoding/json"

	"github.com/frondhost/frond/facade/atomic"
	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/schema"
)

// aboutAtomic describes calls as one transaction (docs/atomic.md).
const aboutAtomic = `Makes the calls one after the other, as one transaction: all of them or none. {"$result": "0.id"} is replaced by a member of an earlier result, anywhere in the params of a call.`

// atomicCalls is the schema of the calls.
func atomicCalls() json.RawMessage { return with(fixed("Calls"), "maxItems", text(atomic.MaxCalls)) }

// joins returns a command of the catalog that can be part of a transaction of several calls, or nil.
// A create goes before others.
func joins(served *catalog.Catalog) (found *catalog.Operation) {
	for op := range served.Operations() {
		if op.Kind != catalog.Command || op.Door.Frond.Remote != "" {
			continue
		}
		if op.Builtin && op.Name == "create" {
			return op
		}
		found = cmp.Or(found, op)
	}
	return found
}

// atomic adds the path of calls as one transaction.
func (d *openAPI) atomic(paths *schema.Object) {
	op := joins(d.schemas.catalog)
	if op == nil {
		return
	}
	call := object("method", op.Door.Name+"."+op.Name)
	if op.Input != nil && op.Name == "create" {
		call = with(call, "params", object("body", d.schemas.example(op.Input, creation)))
	}
	var responses schema.Object
	add(&responses, "200", object("description", "The results.", "content", object("application/json", object("schema", fixed("Results")))))
	d.failures(&responses, kiterror.ValidationFailed, kiterror.Unauthorized, kiterror.Forbidden, kiterror.NotFound, kiterror.Conflict, kiterror.UnprocessableEntity)
	body := object("type", "object", "properties", object(
		"calls", atomicCalls(), catalog.Rehearse, object("type", "boolean", "const", true, "description", aboutRehearse), catalog.Approve, object("type", "string", "description", aboutApprove),
	), "required", []string{"calls"}, "additionalProperties", false)
	add(paths, d.info.REST+"/atomic", object("post", object(
		"operationId", "atomic", "tags", []string{"transactions"}, "summary", "Make several calls as one transaction", "description", aboutAtomic,
		"requestBody", object("required", true, "content", object("application/json", object("schema", body, "example", object("calls", list(call))))),
		"responses", responses)))
}

// atomic is the method of calls as one transaction.
func (d *openRPC) atomic() json.RawMessage {
	return object(
		"name", "rpc.atomic", "summary", "Make several calls as one transaction", "description", aboutAtomic,
		"tags", []json.RawMessage{object("name", "transactions")},
		"paramStructure", "by-name", "params", []json.RawMessage{
			object("name", "calls", "required", true, "schema", atomicCalls()),
			object("name", catalog.Rehearse, "schema", object("type", "boolean", "const", true), "description", aboutRehearse),
			object("name", catalog.Approve, "schema", object("type", "string"), "description", aboutApprove),
		},
		"result", object("name", "result", "schema", fixed("Results")),
		"errors",
		[]json.RawMessage{object("code", failedCode, "message", "A call failed: data is its KitError, with call, its index.", "data", d.schemas.kitError())})
}
