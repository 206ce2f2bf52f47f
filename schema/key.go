package schema

import (
	"bytes"
	"encoding/json"

	"github.com/frondhost/frond/schema/jsontext"
)

// Key is one key of an author's file: of a card, of frond.yaml or of gateway.yaml. One
// table of Keys serves the reader that refuses other keys, the JSON Schema by which editors
// complete the file, and the page of the documentation, so that the three agree.
type Key struct {
	Name    string // "*" is any name, which is the author's to choose; "^x-" is any that begins so
	About   string // a sentence
	Form    string // the value as a JSON Schema; "" where Keys say it
	Default string // what holds where the key is absent, as it would be written; "" is nothing
	Example string // the key with a value, in one line of YAML
	Keys    []Key  // the members of a value that is an object; beside Form, the other form it may have
}

// KeyNames returns the names of keys in the order of the table.
func KeyNames(keys []Key) []string {
	names := make([]string, len(keys))
	for i, k := range keys {
		names[i] = k.Name
	}
	return names
}

// Below returns the table under a path of keys. It is nil where the path leads to no key, or to
// one without keys of its own.
func Below(keys []Key, path ...string) []Key {
	for _, name := range path {
		var next []Key
		for _, k := range keys {
			if k.Name == name {
				next = k.Keys
			}
		}
		keys = next
	}
	return keys
}

// KeyDef is a value that a Form refers to as #/$defs/NAME: an object of Keys, of Form,
// or either.
type KeyDef struct {
	Name string
	Keys []Key
	Form string
}

// KeySchema returns the JSON Schema (2020-12) of a file with these keys. The same tables
// give the same bytes.
func KeySchema(title string, keys []Key, defs ...KeyDef) json.RawMessage {
	b := []byte(`{"$schema":"https://json-schema.org/draft/2020-12/schema","title":`)
	b = jsontext.AppendString(b, title)
	b = append(b, ',')
	b = appendMembers(b, keys)
	for i, def := range defs {
		if i == 0 {
			b = append(b, `,"$defs":{`...)
		} else {
			b = append(b, ',')
		}
		b = append(jsontext.AppendString(b, def.Name), ":{"...)
		b = append(appendForms(b, def.Form, def.Keys), '}')
	}
	if len(defs) > 0 {
		b = append(b, '}')
	}
	b = append(b, '}')
	var out bytes.Buffer
	if err := json.Indent(&out, b, "", "  "); err != nil { // a Form that is no JSON, which a test looks for
		panic(err)
	}
	return out.Bytes()
}

// appendMembers appends the keywords of an object with these keys, without its braces.
func appendMembers(b []byte, keys []Key) []byte {
	b = append(b, `"type":"object"`...)
	var rest, pattern *Key
	n := 0
	for i := range keys {
		switch {
		case keys[i].Name == "*":
			rest = &keys[i]
			continue
		case keys[i].Name[0] == '^':
			pattern = &keys[i]
			continue
		}
		if n == 0 {
			b = append(b, `,"properties":{`...)
		} else {
			b = append(b, ',')
		}
		n++
		b = jsontext.AppendName(b, keys[i].Name)
		b = keys[i].append(b)
	}
	if n > 0 {
		b = append(b, '}')
	}
	if pattern != nil {
		b = append(b, `,"patternProperties":{`...)
		b = jsontext.AppendName(b, pattern.Name)
		b = append(pattern.append(b), '}')
	}
	b = append(b, `,"additionalProperties":`...)
	if rest == nil {
		return append(b, "false"...)
	}
	return rest.append(b)
}

// append writes the schema of a key's value.
func (k *Key) append(b []byte) []byte {
	about := k.About
	if k.Default != "" {
		about += " Default: " + k.Default + "."
	}
	if k.Example != "" {
		about += " Example: " + k.Example
	}
	b = append(b, `{"description":`...)
	b = jsontext.AppendString(b, about)
	if k.Keys != nil || k.Form != "" && k.Form != "{}" {
		b = append(b, ',')
		b = appendForms(b, k.Form, k.Keys)
	}
	return append(b, '}')
}

// appendForms writes the keywords of a value that has one of two forms, without braces.
func appendForms(b []byte, form string, keys []Key) []byte {
	switch {
	case keys == nil:
		return append(b, form[1:len(form)-1]...)
	case form == "":
		return appendMembers(b, keys)
	}
	b = append(b, `"anyOf":[`...)
	b = append(b, form...)
	b = append(b, ",{"...)
	return append(appendMembers(b, keys), "}]"...)
}
