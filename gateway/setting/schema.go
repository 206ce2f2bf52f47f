package setting

import (
	"encoding/json"

	"github.com/frondhost/frond/schema"
)

// Forms of values that several readers share, as JSON Schemas.
const (
	// DurationForm is a value that [Duration] reads.
	DurationForm = `{"type":["string","integer"],"pattern":"^(0|([0-9]+(\\.[0-9]+)?(ns|us|µs|ms|s|m|h))+)$"}`
	// OffOrDuration is a duration that may be off.
	OffOrDuration = `{"type":["string","integer"],"pattern":"^(off|0|([0-9]+(\\.[0-9]+)?(ns|us|µs|ms|s|m|h))+)$"}`
	// SizeForm is a value that [Size] reads.
	sizeForm = `{"type":["integer","string"],"minimum":1,"pattern":"^[0-9]+ *([KMG]iB)?$"}`
)

// Schema is the JSON Schema of a file with these settings, for editors. It accepts
// what [Table.ReadFile] accepts, as far as a schema can say so. It tries texts on the
// readers and so changes the values of the rows: the table has to be a fresh one.
func (t Table) Schema(title string) json.RawMessage {
	return schema.KeySchema(title, t.schemaKeys(""))
}

// schemaKeys are the settings below prefix as a tree of keys. A setting that has others below
// it has a form of its own.
func (t Table) schemaKeys(prefix string) (keys []schema.Key) {
	for _, name := range t.keysBelow(prefix) {
		key := schema.Key{Name: name}
		if s := t.find(prefix + name); s != nil {
			key.About, key.Default, key.Form = s.About+".", s.Default, s.jsonSchema()
		} else {
			key.About = "Settings of " + prefix + name + "."
			key.Keys = t.schemaKeys(prefix + name + ".")
		}
		keys = append(keys, key)
	}
	return keys
}

// jsonSchema is the schema of the setting in the file. Without a form of its own, the
// default and the texts that the reader accepts show of which kind it is.
func (s *Setting) jsonSchema() string {
	accepts := func(text string) bool { return s.set(text) == nil }
	switch {
	case s.form != "":
		return s.form
	case s.isMap():
		return `{"type":"object","additionalProperties":{"type":"string"}}`
	case s.isList():
		return `{"type":["array","string"],"items":{"type":["string","object"]}}`
	case s.Default == "true" || s.Default == "false":
		return `{"type":"boolean"}`
	case accepts("a word"):
		return `{"type":"string"}`
	case accepts("7s"):
		return DurationForm
	case accepts("7KiB"):
		return sizeForm
	case accepts("7"):
		return `{"type":"integer"}`
	}
	return `{"type":"string"}`
}
