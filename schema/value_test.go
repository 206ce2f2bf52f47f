package schema_test

import (
	"encoding/json"
	"testing"

	"github.com/frondhost/frond/schema"
)

// TestKeysOfIntegers: every spelling of an integer has one key, which is the text of its value.
func TestKeysOfIntegers(t *testing.T) {
	p := &schema.Property{Field: &schema.Field{}}
	p.Kind = schema.KindInteger
	for sent, want := range map[string]string{
		"0": "0", "7": "7", "-7": "-7", " 10 ": "10", "10.0": "10", "1e2": "100", "-0": "0",
		"999999999999999999": "999999999999999999", "9223372036854775807": "9223372036854775807", "-9223372036854775808": "-9223372036854775808",
		"9223372036854775808": "", `"7"`: "", "1.5": "", "null": "", "": "", "-": "",
	} {
		key, why := p.KeyText(json.RawMessage(sent))
		if string(key) != want || (why == "") != (want != "") {
			t.Errorf("%q: %q, %q; want %q", sent, key, why, want)
		}
	}
}
