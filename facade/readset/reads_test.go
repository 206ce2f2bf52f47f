package readset

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/frondhost/frond/facade/filter"
	"github.com/frondhost/frond/schema"
)

// TestTouched: an entity's rows by their keys, or any of them, and those behind relations.
func TestTouched(t *testing.T) {
	author := &schema.Entity{Name: "Author", Key: "author", Primary: &schema.Property{Field: &schema.Field{Name: "id"}, Kind: schema.KindString}}
	book := &schema.Entity{Name: "book", Key: "book", Primary: &schema.Property{Field: &schema.Field{Name: "id"}, Kind: schema.KindInteger}}
	title := &schema.Property{Field: &schema.Field{Name: "title"}, Kind: schema.KindString}
	is := func(p *schema.Property, op filter.Op, values ...any) *filter.Filter {
		return &filter.Filter{Op: op, Field: p, Values: values}
	}
	byAuthor := &filter.Filter{Op: filter.Some, Link: &schema.Link{Target: author}, Sub: []*filter.Filter{is(author.Primary, filter.Eq, "a")}}
	both := func(sub ...*filter.Filter) *filter.Filter { return &filter.Filter{Op: filter.And, Sub: sub} }
	for name, c := range map[string]struct {
		where   *filter.Filter
		touched string // of book 1, book 2, author "a"
	}{
		"any row":                        {nil, "true true false"},
		"a row":                          {is(book.Primary, filter.Eq, int64(1)), "true false false"},
		"rows":                           {is(book.Primary, filter.In, int64(1), int64(3)), "true false false"},
		"a row among others":             {both(is(title, filter.Eq, "x"), is(book.Primary, filter.Eq, int64(2))), "false true false"},
		"a row or others":                {&filter.Filter{Op: filter.Or, Sub: []*filter.Filter{is(title, filter.Eq, "x"), is(book.Primary, filter.Eq, int64(2))}}, "true true false"},
		"all but one":                    {is(book.Primary, filter.Ne, int64(2)), "true true false"},
		"a row behind a relation is any": {both(byAuthor, is(book.Primary, filter.Eq, int64(1))), "true false true"},
		"not":                            {&filter.Filter{Op: filter.Not, Sub: []*filter.Filter{is(book.Primary, filter.Eq, int64(1))}}, "true true false"},
	} {
		var read Set
		read.meeting(book, c.where)
		got := fmt.Sprint(read.Touched("book", json.RawMessage("1")), read.Touched("book", json.RawMessage("2")), read.Touched("author", json.RawMessage(`"a"`)))
		if got != c.touched {
			t.Errorf("%s: %s", name, got)
		}
	}
}

// TestKeys: a key has one text, many keys are any row, and any row stays so.
func TestKeys(t *testing.T) {
	e := &schema.Entity{Name: "e", Key: "e", Primary: &schema.Property{Field: &schema.Field{Name: "id"}, Kind: schema.KindString}}
	var read Set
	read.addRows(e, json.RawMessage(`"caf\u00e9"`))
	if !read.Touched("e", json.RawMessage(`"café"`)) || read.Touched("e", json.RawMessage(`"cafe"`)) || read.Touched("other", json.RawMessage(`"café"`)) {
		t.Error("keys are compared by their values")
	}
	for i := range 1000 {
		read.addRows(e, json.RawMessage(fmt.Sprintf(`"k%d"`, i)))
	}
	if !read.Touched("e", json.RawMessage(`"none"`)) {
		t.Error("beyond a thousand keys any row counts")
	}
	read.addRows(e, json.RawMessage(`"x"`))
	read.noRows("shape")
	if entities, other := read.readEntities(); !read.Touched("e", json.RawMessage(`"none"`)) || len(entities) != 1 || entities[0] != e || other != "shape" {
		t.Errorf("%v %q", entities, other)
	}
}
