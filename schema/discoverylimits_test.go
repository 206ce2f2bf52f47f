package schema_test

import (
	"encoding/json"
	"testing"

	"github.com/frondhost/frond/schema"
)

// TestDiscoveryLimits counts doors, operations and the fields of all cards, nested ones too.
func TestDiscoveryLimits(t *testing.T) {
	document := json.RawMessage(`{"fronds":[
		{"name":"a","doors":[{"name":"x","schema":{"properties":{"id":{},"at":{"type":"object","properties":{"lat":{},"lon":{}}},"all":{"type":"array","items":{"properties":{"one":{}}}}}},
			"ops":[{"name":"list","input":{"properties":{"limit":{}}}},{"name":"findById"}]}]},
		{"name":"b","doors":[{"name":"y"},{"name":"z"}]}]}`)
	for _, c := range []struct {
		limits schema.DiscoveryLimits
		want   string
	}{
		{schema.DiscoveryLimits{}, ""},
		{schema.DiscoveryLimits{Doors: 3, Fields: 9}, ""},
		{schema.DiscoveryLimits{Doors: 2, Fields: 9}, "it has 3 doors, and at most 2 are taken"},
		{schema.DiscoveryLimits{Doors: 3, Fields: 8}, "its cards have 9 fields, and at most 8 are taken"},
	} {
		got := ""
		if err := c.limits.Check(document); err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("%+v: %q, want %q", c.limits, got, c.want)
		}
	}
	if err := (schema.DiscoveryLimits{Doors: 1}).Check(json.RawMessage(`[1]`)); err != nil {
		t.Errorf("a text that is no document: %v", err)
	}
}
