package describe

import (
	"encoding/json"

	"github.com/frondhost/frond/facade/catalog"
)

// manyExample is an example of the answer of a write of many rows, of one row:
//
//	createMany              {"items": […]}
//	updateMany, deleteMany  {"count": 1, "items": […]}, items where fields are sent
//	upsert                  {"created": true, "item": {…}}
func manyExample(op *catalog.Operation, one json.RawMessage) json.RawMessage {
	switch op.Name {
	case "createMany":
		return object("items", list(one))
	case "upsert":
		return object("created", true, "item", one)
	}
	return object("count", 1)
}

// manyOutput is the schema of the answer of a write of many rows.
func manyOutput(op *catalog.Operation, one json.RawMessage) json.RawMessage {
	typed := func(required []string, properties ...any) json.RawMessage {
		return object("type", "object", "properties", object(properties...), "required", required)
	}
	items := object("type", "array", "items", one)
	switch op.Name {
	case "createMany":
		return typed([]string{"items"}, "items", items)
	case "upsert":
		return typed([]string{"created", "item"}, "created", object("type", "boolean"), "item", one)
	}
	return typed([]string{"count"}, "count", object("type", "integer"), "items", items)
}

// manyAnswers are the successes of writes of many rows.
var manyAnswers = map[string]string{
	"updateMany": "The number of rows.", "deleteMany": "The number of rows.",
	"import": "The number of rows that were read and written, and the faults of those that were left out.",
}

// importOutput is the schema of the report of an import. A fault has the line of a file, or the place in
// a list of rows.
func importOutput() json.RawMessage {
	number, word := object("type", "integer"), object("type", "string")
	fault := object("type", "object", "properties", object(
		"line", number, "row", number, "column", object("type", []string{"string", "null"}), "code", word, "message", word,
	), "required", []string{"column", "code", "message"})
	return object("type", "object", "properties", object(
		"created", number, "updated", number, "rows", number,
		"complete", object("type", "boolean", "description", "Whether the rows were read to their end."),
		"faults", object("type", "array", "items", fault),
	), "required", []string{"created", "updated", "rows", "complete", "faults"})
}

// createMany is the operation that the POST of a list calls, beside create; nil: there is none.
func createMany(op *catalog.Operation) *catalog.Operation {
	many := op.Door.Operation("createMany")
	if !op.Builtin || op.Name != "create" || many == nil || !many.IsMany() {
		return nil
	}
	return many
}

// groupsOutput is the schema of the answer of aggregate.
func groupsOutput() json.RawMessage {
	group := object("type", "object", "description", "A group: count, and by the name of a field the functions that were selected.",
		"properties", object(
			"key", object("type", "object", "description", "The values of by that the rows of the group have; of a period its first day or moment."),
			"count", object("type", "integer"),
		), "required", []string{"key"}, "additionalProperties", object("type", "object"))
	return object("type", "object", "properties", object(
		"items", object("type", "array", "items", group),
		"hasMore", object("type", "boolean", "description", "Whether there are groups after the last one."),
		"endCursor", object("type", []string{"string", "null"}, "description", "The cursor of the last group: after of the next page."),
	), "required", []string{"items", "hasMore", "endCursor"})
}
