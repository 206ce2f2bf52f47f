package jsontext

import (
	"bytes"
	"encoding/json"
)

// Marshal is [json.Marshal] without the escapes for HTML (\u003c for <), as every surface
// writes JSON. Its errors are those of encoding/json.
func Marshal(v any) (json.RawMessage, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSpace(b.Bytes()), nil
}
