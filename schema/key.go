package schema

import (
	"bytes"
	"encoding/json"

	"github.com/frondhost/frond/schema/jsontext"
)

// Key is one key that a reader of an author's file accepts. The reader, the JSON Schema by
// which an editor completes the file and the page that explains it are all held to one table
// of Keys (docs/decisions/settings-and-commands.md).
//
//	{Name: "onDelete", Form: `{"enum":["restrict","cascade"]}`, Default: "restrict",
//	 Example: "onDelete: cascade", About: "What happens to this row when …"}
type Key struct {
	// Name is the key. "*" is any name, which the author chooses; "^x-" is any name that
	// begins so.
	Name string
	// About is a sentence.
	About string
	// Form is the value as a JSON Schema object; "" where Keys say it, "{}" for any value.
	Form string
	// Default is the value that an absent key has, in the syntax of the file, or "".
	Default string
	// Example is the key with a value, in one line of YAML.
	Example string
	// Keys are the members of a value that is an object; Form is then the other form that the
	// value may have.
	Keys []Key
}

// KeyNames returns the names of keys, in their order.
func KeyNames(keys []Key) []string {
	names := make([]string, len(keys))
	for i, k := range keys {
		names[i] = k.Name
	}
	return names
}

// Below returns the table under a path of keys, or nil: Below(axes, "role", "relation").
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

// KeyDef is a value that a Form refers to as #/$defs/NAME: an object of Keys, a value of Form,
// or where both are given either of them. A schema that may be true or false is Keys and
// {"type": "boolean"}.
type KeyDef struct {
	Name string
	Keys []Key
	Form string
}

// KeySchema returns the JSON Schema (2020-12), indented, of a file with these keys. Keys that
// no table names are refused (additionalProperties: false), unless one is called "*". It panics
// on a Form in another syntax than JSON, which is a mistake in a table.
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
		b = append(jsontext.AppendName(b, def.Name), '{')
		b = append(appendForms(b, def.Form, def.Keys), '}')
	}
	if len(defs) > 0 {
		b = append(b, '}')
	}
	b = append(b, '}')
	var out bytes.Buffer
	if err := json.Indent(&out, b, "", "  "); err != nil { // a Form that is not JSON; a test looks for one
		panic(err)
	}
	return out.Bytes()
}

// appendMembers writes the keywords of an object of keys, without its braces:
//
//	"type":"object","properties":{…},"patternProperties":{"^x-":{…}},"additionalProperties":false
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

// append writes the schema of a key's value. Editors show its description, so that default and
// example are part of it; the keyword default would make some of them insert it.
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

// appendForms writes the keywords of a value that has the form form, the members keys, or
// where both are given either of them (anyOf); without braces.
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
