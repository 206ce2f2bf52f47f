package graphqlhttp_test

import (
	"encoding/json"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/frondhost/frond/gateway/graphqlhttp"
	"github.com/frondhost/frond/resolvers"
)

// TestSamples: the samples of queries run as they are, also those about groups, of a list and of a door
// that has aggregate alone.
func TestSamples(t *testing.T) {
	s, engine := engineOf(t, fstest.MapFS{
		"entities/thing.yaml": {Data: []byte(thing)},
		"entities/visit.yaml": {Data: []byte(thing)},
		"frond.yaml":          {Data: []byte("doors: {visit: {operations: {only: [aggregate]}}}\n")},
	})
	var all []struct{ Operation, Field, Root, Document string }
	if err := json.Unmarshal(graphqlhttp.Samples(s, nil), &all); err != nil {
		t.Fatal(err)
	}
	var queries []string
	for _, one := range all {
		if one.Root != "query" || strings.Contains(one.Document, "$") {
			continue
		}
		queries = append(queries, one.Operation)
		if r := engine.Execute(t.Context(), &resolvers.Request{Query: one.Document}); strings.Contains(string(r.Body), "errors") || strings.HasSuffix(one.Operation, ".aggregate") != strings.Contains(one.Document, "groups(by: {name: VALUE}") {
			t.Errorf("%s\n%s", one.Document, r.Body)
		}
	}
	if got := strings.Join(queries, " "); got != "thing.list thing.aggregate visit.aggregate" {
		t.Errorf("the samples are of %s", got)
	}
}
