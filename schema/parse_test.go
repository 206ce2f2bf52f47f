package schema_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/frondhost/frond/schema"
)

// TestManySourcesAreReadAsOneByOne compiles 200 cards, which several goroutines parse: entities
// stand in the order of their sources, and faults are those of each source alone.
func TestManySourcesAreReadAsOneByOne(t *testing.T) {
	card := func(i int, text string) schema.Source {
		return schema.Source{Name: fmt.Sprintf("thing%d", i), File: fmt.Sprintf("thing%03d.yaml", i), Data: []byte(text)}
	}
	var good, bad []schema.Source
	var want schema.Faults
	for i := range 200 {
		good = append(good, card(199-i, fmt.Sprintf("{description: 'of %d', type: object, properties: {id: {type: string, x-kit: {role: {primary: true}}}}}", i)))
		text := []string{"type: [", "properties: {id: {maxLenght: 3}}", "properties: {id: {type: nothing}}", "{properties: {a: 1}}"}[i%4]
		bad = append(bad, card(i, text))
		_, err := schema.Compile(bad[i:], nil, nil)
		var faults schema.Faults
		if !errors.As(err, &faults) {
			t.Fatal(err)
		}
		want = append(want, faults...)
	}
	set, err := schema.Compile(good, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i, e := range set.Entities {
		if e.Name != good[i].Name || e.Card.Description != fmt.Sprintf("of %d", i) {
			t.Fatalf("%s stands at the place of %s", e.Name, good[i].Name)
		}
	}
	_, err = schema.Compile(bad, nil, nil)
	if diff := cmp.Diff(want, err); diff != "" {
		t.Error(diff)
	}
}
