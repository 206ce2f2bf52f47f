package graphqlhttp

import (
	"fmt"
	"strings"

	"github.com/frondhost/frond/schema/jsontext"
)

// apolloFormat is the format that a manifest of Apollo's tools names.
const apolloFormat = "apollo-persisted-query-manifest"

// manifest reads the JSON that the build of a client writes, one of
//
//	{"ID": "document", …}                              graphql-codegen, relay-compiler
//	{"format": "apollo-persisted-query-manifest", "version": 1, "operations": [{"id", "body", …}, …]}
//
// A fault of one entry leaves the others; each names its place by a JSON pointer.
func (l *Folder) manifest(name string, text []byte) {
	fault := func(pointer, format string, args ...any) {
		l.fault(name, pointer, fmt.Sprintf(format, args...), `write {"ID": "document"}, as graphql-codegen and relay-compiler do, or a manifest as Apollo's tools do`)
	}
	if err := jsontext.Check(text); err != nil {
		fault("", "this is not JSON: %s", err)
		return
	}
	if jsontext.KindOf(text) != jsontext.Object {
		fault("", "a manifest is an object")
		return
	}
	if format := jsontext.Get(text, "format"); jsontext.KindOf(format) == jsontext.String && jsontext.Unquote(jsontext.Trim(format)) == apolloFormat {
		l.apollo(name, text, fault)
		return
	}
	for id, document := range jsontext.Members(text) {
		l.entry(name, "/"+jsontext.Token(id), id, document, fault)
	}
}

// apollo reads the operations of a manifest of Apollo's tools. Its other members (name, type)
// are in the document itself.
func (l *Folder) apollo(name string, text []byte, fault func(string, string, ...any)) {
	if v := string(jsontext.Trim(jsontext.Get(text, "version"))); v != "1" {
		fault("/version", "the version of the manifest has to be 1")
		return
	}
	operations := jsontext.Get(text, "operations")
	if jsontext.KindOf(operations) != jsontext.Array {
		fault("/operations", "the operations have to be a list")
		return
	}
	for i, op := range jsontext.Elements(operations) {
		pointer := fmt.Sprintf("/operations/%d", i)
		if jsontext.KindOf(op) != jsontext.Object {
			fault(pointer, "an operation has to be an object with an id and a body")
			continue
		}
		id := jsontext.Get(op, "id")
		if jsontext.KindOf(id) != jsontext.String {
			fault(pointer+"/id", "the id has to be a text")
			continue
		}
		l.entry(name, pointer+"/body", jsontext.Unquote(jsontext.Trim(id)), jsontext.Get(op, "body"), fault)
	}
}

// entry adds one document of a manifest. An id of the form sha256:HEX has to be the hash of the
// document. With another hash, a client would get another text than the one it was built with.
func (l *Folder) entry(name, pointer, id string, document []byte, fault func(string, string, ...any)) {
	if jsontext.KindOf(document) != jsontext.String {
		fault(pointer, "a document has to be a text")
		return
	}
	text := jsontext.Unquote(jsontext.Trim(document))
	switch {
	case id == "":
		fault(pointer, "an id cannot be empty")
	case strings.HasPrefix(id, sha256Prefix) && id != sha256ID(text):
		l.fault(name, pointer, "the id is not the hash of the document", "have the client's build write the manifest again")
	default:
		l.add(name, pointer, id, text)
	}
}
