package nested_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/nested"
	"github.com/frondhost/frond/schema"
)

// TestCut takes the rows of relations out of bodies.
func TestCut(t *testing.T) {
	door := &catalog.Door{Entity: &schema.Entity{Primary: &schema.Property{Field: &schema.Field{Name: "id"}}}}
	relations := []*catalog.Nested{{Name: "lines", Door: door}, {Name: "tags", Far: &schema.Property{}}}
	for _, c := range []struct {
		mode       schema.Mode
		body, rest string
		rows       string // operation, pointer, id and body of each
		details    string // pointer:code of each
	}{
		{schema.Create, `{"a":1}`, `{"a":1}`, ``, ``},
		{schema.Create, `{"a":1,"lines":[]}`, `{"a":1,"lines":[]}`, ``, ``},
		{schema.Create, `{"a":1,"lines":{"create":[{"sku":"A"}]}}`, `{"a":1}`, `create /body/lines/create/0  {"sku":"A"}`, ``},
		{schema.Patch, `{"lines":{"update":[{"id":"l1","n":2}],"delete":["l2"]}}`, `{}`, `update /body/lines/update/0 "l1" {"n":2}; delete /body/lines/delete/0 "l2" `, ``},
		{schema.Patch, `{"tags":{"connect":["t1"],"disconnect":["t2"]}}`, `{}`, `create /body/tags/connect/0 "t1" ; delete /body/tags/disconnect/0 "t2" `, ``},
		{schema.Patch, `{"lines":{"update":[{"n":2}]}}`, `{}`, ``, `/body/lines/update/0/id:required`},
		{schema.Patch, `{"lines":3}`, `{}`, ``, `/body/lines:type`},
		{schema.Patch, `{"lines":{"create":3}}`, `{}`, ``, `/body/lines/create:type`},
		{schema.Patch, `{"lines":{"paint":[]}}`, `{}`, ``, `/body/lines/paint:unknown_key`},
		{schema.Patch, `{"tags":{"create":[]}}`, `{}`, ``, `/body/tags/create:unknown_key`},
	} {
		rest, cut, faults := nested.Cut(json.RawMessage(c.body), "/body", relations, c.mode)
		var rows, details []string
		for _, of := range cut {
			for _, r := range of.List {
				rows = append(rows, fmt.Sprintf("%s %s %s %s", r.Write.Operation(), r.At, r.ID, r.Body))
			}
		}
		for _, d := range faults {
			details = append(details, d.Pointer+":"+d.Code)
		}
		if string(rest) != c.rest || strings.Join(rows, "; ") != c.rows || strings.Join(details, " ") != c.details {
			t.Errorf("%s:\n got %s | %s | %s\nwant %s | %s | %s", c.body, rest, strings.Join(rows, "; "), details, c.rest, c.rows, c.details)
		}
	}
}
