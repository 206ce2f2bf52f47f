package jsontext_test

import (
	"math"
	"strings"
	"testing"

	"github.com/frondhost/frond/schema/jsontext"
)

// TestUnmarshalableMembersAreNamed: the error for a value that JSON does not have says where
// it is.
func TestUnmarshalableMembersAreNamed(t *testing.T) {
	type line struct {
		Price float64 `json:"price"`
	}
	type Base struct{ Done func() }
	loop := map[string]any{}
	loop["self"] = loop
	for _, c := range []struct {
		name  string
		value any
		want  string
	}{
		{"a number that is none", map[string]any{"total": math.NaN()}, "total: json: unsupported value: NaN"},
		{"a member of a list of structs", struct {
			Lines []line `json:"lines"`
		}{[]line{{1}, {math.Inf(1)}}}, "lines[1].price: json: unsupported value: +Inf"},
		{"an embedded struct", struct{ Base }{Base{func() {}}}, "Done: json: unsupported type: func()"},
		{"behind a pointer", &map[string]any{"ok": 1, "wait": make(chan int)}, "wait: json: unsupported type: chan int"},
		{"the value itself", make(chan int), "json: unsupported type: chan int"},
		{"a value that holds itself", loop, "self"},
	} {
		t.Run(c.name, func(t *testing.T) {
			text, err := jsontext.Marshal(c.value)
			if err == nil || !strings.HasPrefix(err.Error(), c.want) {
				t.Errorf("Marshal answers %s and the error %v; want an error that begins with %q", text, err, c.want)
			}
		})
	}
}
