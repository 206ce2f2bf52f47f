package facade_test

import (
	"encoding/json"
	"errors"
	"testing"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/access"
	"github.com/frondhost/frond/schema"
)

// A value that rows have to equal crosses the boundary as one that is written does.
func TestOperandsAreDecoded(t *testing.T) {
	f := facadeOf(t, map[string]string{
		"entities/member.yaml": `
type: object
properties:
  id: {type: string, x-kit: {role: {primary: true}}}
  email: {type: string, x-kit: {boundary: {in: {decode: lowercase}}}}
  cents: {type: integer, x-kit: {boundary: {in: {decode: hundredth}, out: {encode: hundred}}}}
  teamId: {type: [string, 'null'], x-kit: {role: {relation: {to: team, kind: one}}}}
`,
		"entities/team.yaml": `
type: object
properties:
  id: {type: string, x-kit: {role: {primary: true}}}
  code: {type: string, enum: [RED, BLUE], x-kit: {boundary: {in: {decode: lowercase}, out: {encode: uppercase}}}}
`,
		"frond.yaml": "collectors: {member: [{when: user == nil, rows: {email: {ne: kept@x}}}, {}]}",
	}, func(p *facade.Project) {
		shift := func(by int64) func(json.RawMessage) (json.RawMessage, error) {
			return func(v json.RawMessage) (json.RawMessage, error) {
				n, ok := schema.Integer(v)
				if !ok || n == 13 {
					return nil, errors.New("not a number of mine")
				}
				return json.Marshal(n + by)
			}
		}
		p.Registry.Conversions["hundredth"] = schema.Conversion{Decode: shift(100)}
		p.Registry.Conversions["hundred"] = schema.Conversion{Encode: shift(-100)}
	})
	ada := as(f, access.State{"user": map[string]any{"id": "ada"}})
	must(t, ada, "team.create", "", "", `{"id":"t1","code":"RED"}`)
	must(t, ada, "member.create", "", "", `{"id":"m1","email":"TOM@X","cents":5,"teamId":"t1"}`)
	must(t, ada, "member.create", "", "", `{"id":"m2","email":"ann@x","cents":7,"teamId":null}`)
	must(t, ada, "member.create", "", "", `{"id":"m3","email":"KEPT@X","cents":5,"teamId":null}`)
	for _, c := range []struct{ filter, want string }{
		{`{"email":{"eq":"TOM@X"}}`, "m1"},
		{`{"email":{"eq":"tom@x"}}`, "m1"},
		{`{"email":{"ne":"TOM@X"}}`, "m2"},
		{`{"email":{"in":["TOM@X","Ann@x"]}}`, "m1 m2"},
		{`{"email":{"notIn":["Ann@x"]}}`, "m1"},
		{`{"email":{"startsWith":"TOM"}}`, ""},
		{`{"email":{"icontains":"TOM"}}`, "m1"},
		{`{"email":{"gt":"T"}}`, "m1 m2"},
		{`{"email":{"eq":5}}`, "/query/filter/email/eq type: must be a string"},
		{`{"cents":{"eq":5}}`, "m1"},
		{`{"cents":{"in":[5,7]}}`, "m1 m2"},
		{`{"cents":{"gte":105}}`, "m1 m2"},
		{`{"cents":{"eq":13}}`, "/query/filter/cents/eq type: cannot be read by the conversion hundredth; send it in the form that takes"},
		{`{"cents":{"notIn":[5,13]}}`, "/query/filter/cents/notIn/1 type: cannot be read by the conversion hundredth; send it in the form that takes"},
		{`{"team":{"code":{"eq":"RED"}}}`, "m1"},
		{`{"team":{"code":{"eq":"red"}}}`, "/query/filter/team/code/eq type: must be one of RED, BLUE"},
	} {
		text, err := do(t, f, "member.list", "", `{"filter":`+c.filter+`}`, "")
		got := refusals(err)
		if err == nil {
			got = ids(t, text)
		}
		if got != c.want {
			t.Errorf("%s: %s, want %s", c.filter, got, c.want)
		}
	}
}
