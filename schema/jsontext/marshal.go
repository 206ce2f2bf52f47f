package jsontext

import (
	"bytes"
	"encoding/json"
)

// Marshal is json.Marshal with the HTML characters <, > and & as they are, as every surface
// writes them, and without the newline that an Encoder adds. The error is that of
// encoding/json.
func Marshal(v any) (json.RawMessage, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSpace(b.Bytes()), nil
}
