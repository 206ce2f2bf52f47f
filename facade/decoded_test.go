package facade_test

import (
	"encoding/json"
	"testing"
	"testing/fstest"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/schema"
)

// TestDecodedValuesAreJudged: a card holds for what a conversion makes of a value too, in every
// call that writes.
func TestDecodedValuesAreJudged(t *testing.T) {
	f := facadeOf(t, map[string]string{"entities/tag.yaml": `
properties:
  id: {type: string, x-kit: {role: {primary: true}}}
  name: {type: string, minLength: 1, x-kit: {boundary: {in: {decode: trim}}}}
  kind: {type: string, enum: [RED], x-kit: {boundary: {in: {decode: lowercase}, out: {encode: uppercase}}, lifecycle: {create: optional}}}
  secret: {type: string, maxLength: 8, x-kit: {boundary: {in: {decode: hash}, out: closed}, lifecycle: {create: optional}}}
`}, func(p *facade.Project) {
		p.Registry.Conversions["hash"] = schema.Conversion{Decode: func(json.RawMessage) (json.RawMessage, error) {
			return json.RawMessage(`"a hash that is longer than a password"`), nil
		}}
	})
	for _, blank := range []string{`"   "`, `" "`} {
		if _, err := do(t, f, "tag.create", "", "", `{"id":"t1","name":`+blank+`}`); refusals(err) != "/body/name minLength: must have at least 1 character" {
			t.Errorf("create with %s: %v, %s", blank, err, refusals(err))
		}
	}
	if got := must(t, f, "tag.create", "", "", `{"id":"t1","name":" a ","kind":"RED","secret":"12345678"}`); got != `{"id":"t1","name":"a","kind":"RED"}` {
		t.Errorf("create: %s", got)
	}
	if _, err := do(t, f, "tag.update", `{"id":"t1"}`, "", `{"name":"  "}`); refusals(err) == "" {
		t.Errorf("update: %v", err)
	}
	if got := must(t, f, "tag.findById", `{"id":"t1"}`, "", ""); got != `{"id":"t1","name":"a","kind":"RED"}` {
		t.Errorf("the row: %s", got)
	}
}

// TestIfMatchInQuotes: the text of a REST ETag is taken with its quotes.
func TestIfMatchInQuotes(t *testing.T) {
	f := facadeOf(t, map[string]string{"entities/tag.yaml": `
properties:
  id: {type: string, x-kit: {role: {primary: true}}}
  name: {type: string}
`}, nil)
	must(t, f, "tag.create", "", "", `{"id":"t1","name":"a"}`)
	etag := must(t, f, "tag.findById", `{"id":"t1"}`, `{"fields":"etag"}`, "")
	version := etag[len(`{"etag":"`) : len(etag)-2]
	if _, err := do(t, f, "tag.update", `{"id":"t1"}`, `{"ifMatch":"\"other\""}`, `{"name":"b"}`); err == nil || err.Code != "PRECONDITION_FAILED" {
		t.Errorf("another version: %v", err)
	}
	if got := must(t, f, "tag.update", `{"id":"t1"}`, `{"ifMatch":"\"`+version+`\""}`, `{"name":"b"}`); got != `{"id":"t1","name":"b"}` {
		t.Errorf("the version in quotes: %s", got)
	}
}

// TestEmptyFronds: a folder of Fronds without one is a project of remotes alone.
func TestEmptyFronds(t *testing.T) {
	p, err := facade.Read(fstest.MapFS{"gateway.yaml": {Data: []byte("remotes: {sales: 'http://127.0.0.1:1'}")}, "fronds/.gitkeep": {}})
	if err != nil || len(p.Fronds) != 0 {
		t.Errorf("%v, %v", p, err)
	}
}
