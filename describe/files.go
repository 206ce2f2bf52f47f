package describe

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"

	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/schema"
)

// binary is the content of bodies that are files of some types.
func binary(types []string) json.RawMessage {
	var all schema.Object
	for _, t := range types {
		if all.Get(t) == nil {
			add(&all, t, object("schema", object("type", "string", "format", "binary")))
		}
	}
	return all.AppendJSON(nil)
}

// file is one verb of the path of a row's file.
func (d *openAPI) file(r Route) json.RawMessage {
	op, f := r.Operation, r.File
	name := op.Door.Name + "." + f.Field.Name
	what := strings.Join(schema.Words(f.Field.Name), " ") + " of " + strings.Join(schema.Words(op.Door.Name), " ")
	parameters := []json.RawMessage{d.pathID(op)}
	var responses schema.Object
	answer := func(status, about string, more ...any) {
		add(&responses, status, object(append([]any{"description", about}, more...)...))
	}
	pairs := []any{"operationId", name + "." + strings.ToLower(r.Verb), "tags", []string{op.Door.Name}}
	switch r.Verb {
	case http.MethodGet:
		pairs = append(pairs, "summary", "Get the file "+what)
		if len(f.Sizes) > 0 {
			var names []string
			for _, s := range f.Sizes {
				names = append(names, s.Name)
			}
			parameters = append(parameters, object("name", "size", "in", "query", "description", "A smaller image.", "schema", object("type", "string", "enum", names)))
		}
		parameters = append(parameters, object("name", "address", "in", "query", "description", "Answer an address of the file that takes no credentials, as JSON.", "schema", object("type", "boolean", "const", true)))
		types := slices.Clone(f.Types)
		if len(f.Sizes) > 0 {
			types = append(types, "image/png")
		}
		tag := object("ETag", object("description", "The hash of the file.", "schema", object("type", "string")))
		answer("200", "The file, or with address=true an address of it.", "headers", tag, "content", with(binary(types), "application/json", object("schema", fixed("ReadAddress"))))
		answer("206", "The range of the file that the header Range names.", "content", binary(types))
		answer("304", "The caller's copy of the file is current.")
	case http.MethodPut:
		pairs = append(pairs, "summary", "Replace the file "+what, "requestBody", object("required", true, "content", binary(f.Types)))
		answer("200", "The file.", "content", object("application/json", object("schema", fixed("File"))))
	default:
		pairs = append(pairs, "summary", "Remove the file "+what)
		answer("204", "The row has no file.")
	}
	failures := []kiterror.Code{kiterror.ValidationFailed, kiterror.Unauthorized, kiterror.Forbidden, kiterror.NotFound, kiterror.PreconditionFailed}
	if r.Verb == http.MethodPut {
		failures = append(failures, kiterror.PayloadTooLarge)
	}
	d.failures(&responses, failures...)
	return object(append(pairs, "parameters", parameters, "responses", responses)...)
}

// files adds the path of files without a row, and reports whether there is one.
func (d *openAPI) files(paths *schema.Object) bool {
	parameter := func(name, about string, schema ...any) json.RawMessage {
		return object("name", name, "in", "query", "description", about, "schema", object(schema...))
	}
	var types, names []string
	for door := range d.schemas.catalog.Doors() {
		for _, f := range door.Files {
			types, names = append(types, f.Types...), append(names, door.Name+"."+f.Field.Name)
		}
	}
	if types == nil {
		return false
	}
	var responses schema.Object
	answers := object("oneOf", []json.RawMessage{fixed("File"), fixed("Address")})
	add(&responses, "201", object("description", "The file, or with size and sha256 an address for its bytes. A row may take the id of a file within an hour.", "content", object("application/json", object("schema", answers))))
	d.failures(&responses, kiterror.ValidationFailed, kiterror.Unauthorized, kiterror.Forbidden, kiterror.NotFound, kiterror.PayloadTooLarge, kiterror.NotImplemented)
	add(paths, d.info.REST+"/files", object("post", object(
		"operationId", "files.send", "tags", []string{"files"}, "summary", "Send a file, for a row that takes its id",
		"parameters", []json.RawMessage{
			parameter("field", "The field that it is for.", "type", "string", "enum", names),
			parameter("size", "Without a body: the number of bytes, for a pre-signed address of S3.", "type", "integer", "format", "int64", "minimum", 1),
			parameter("sha256", "With size: the hash of the bytes, in hexadecimal digits.", "type", "string", "pattern", "^[0-9A-Fa-f]{64}$"),
			parameter("sent", "Without a body: the id of a file whose bytes are at that address now.", "type", "string"),
		},
		"requestBody", object("content", binary(types)), "responses", responses)))
	return true
}

// withForm adds multipart/form-data to the content of create or update where the door has files.
func (d *openAPI) withForm(op *catalog.Operation, content json.RawMessage, body json.RawMessage) json.RawMessage {
	if len(op.Door.Files) == 0 || !op.Builtin {
		return content
	}
	parts := object("body", body)
	for _, f := range op.Door.Files {
		parts = with(parts, f.Field.Name, object("type", "string", "format", "binary"))
	}
	return with(content, "multipart/form-data", object("schema", object("type", "object", "properties", parts)))
}
