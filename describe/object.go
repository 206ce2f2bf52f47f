package describe

import (
	_ "embed" // the fixed schemas
	"encoding/json"
	"fmt"
	"sync"

	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// object writes a JSON object of names and values in turn. A value is a string, a bool, an int,
// a list of strings, JSON text or a list of such texts; a value that is nil, and a list without
// elements, is not written.
//
//	object("type", "string", "maxLength", 20, "description", nil)
func object(pairs ...any) json.RawMessage {
	var o schema.Object
	for i := 0; i+1 < len(pairs); i += 2 {
		if v := text(pairs[i+1]); v != nil {
			o = append(o, schema.Member{Name: pairs[i].(string), Value: v}) //nolint:forcetypeassert // names are literals of this package
		}
	}
	return o.AppendJSON(nil)
}

// text is the JSON of one value of object; nil for one to leave out.
func text(v any) json.RawMessage {
	switch v := v.(type) {
	case nil:
		return nil
	case json.RawMessage:
		return v
	case []byte:
		return v
	case schema.Object:
		if len(v) == 0 {
			return nil
		}
		return v.AppendJSON(nil)
	case string:
		return jsontext.Quote(v)
	case bool:
		return fmt.Append(nil, v)
	case int:
		return fmt.Append(nil, v)
	case []string:
		if len(v) == 0 {
			return nil
		}
		return jsontext.AppendStrings(nil, v)
	case []json.RawMessage:
		if len(v) == 0 {
			return nil
		}
		return list(v...)
	}
	panic(fmt.Sprintf("describe: %T is not a value of a document", v))
}

// list writes a JSON array.
func list(elements ...json.RawMessage) json.RawMessage {
	return jsontext.AppendTexts(nil, elements)
}

// optional is nil where the text is empty, so that object leaves the member out.
func optional(s string) any {
	if s == "" {
		return nil
	}
	return s
}

// add appends a member to an object built in steps.
func add(o *schema.Object, name string, value json.RawMessage) {
	*o = append(*o, schema.Member{Name: name, Value: value})
}

// with is an object with one more member.
func with(o json.RawMessage, name string, value json.RawMessage) json.RawMessage {
	return append(schema.ObjectOf(o), schema.Member{Name: name, Value: value}).AppendJSON(nil)
}

// fixedFile has the schemas that are the same for every catalog, by their names.
//
//go:embed fixed.yaml
var fixedFile []byte

var fixedSchemas = sync.OnceValue(func() json.RawMessage {
	text, err := schema.ToJSON("fixed.yaml", fixedFile)
	if err != nil {
		panic(err)
	}
	return text
})

// fixed is a schema of [fixedFile].
func fixed(name string) json.RawMessage { return jsontext.Get(fixedSchemas(), name) }
