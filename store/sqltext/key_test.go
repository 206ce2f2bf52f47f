package sqltext_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/store/sqltext"
)

// keyColumn is the column of a key of the given kinds.
func keyColumn(kinds ...schema.Kind) *sqltext.Column {
	c := &sqltext.Column{Prop: &schema.Property{Field: &schema.Field{}, Kind: schema.KindString}}
	for _, k := range kinds {
		c.Parts = append(c.Parts, &sqltext.Column{Prop: &schema.Property{Field: &schema.Field{}, Kind: k}})
	}
	return c
}

func TestKeys(t *testing.T) {
	c := keyColumn(schema.KindInteger, schema.KindString)
	for text, want := range map[string][]sqltext.Value{
		"10248,ALFKI":  {sqltext.IntValue(10248), sqltext.TextValue("ALFKI")},
		"-1,":          {sqltext.IntValue(-1), sqltext.TextValue("")},
		"7,a~1b~0c~01": {sqltext.IntValue(7), sqltext.TextValue("a,b~c~1")},
		"7":            nil, // too few
		"7,a,b":        nil,
		"07,a":         nil, // a second text of 7
		"x,a":          nil,
		"":             nil,
	} {
		got, ok := c.SplitKey(text)
		if ok != (want != nil) || !slices.Equal(got, want) {
			t.Errorf("%q: %v", text, got)
		}
		if ok && sqltext.JoinKey(got) != text {
			t.Errorf("%q becomes %q", text, sqltext.JoinKey(got))
		}
	}
	moment := keyColumn(schema.KindDateTime, schema.KindInteger)
	if got, ok := moment.SplitKey("2026-01-31T12:00:00+02:00,1"); !ok || got[0].S != "2026-01-31T10:00:00.000000Z" {
		t.Errorf("%v", got)
	}
	if _, ok := moment.SplitKey("yesterday,1"); ok {
		t.Error("yesterday is no moment")
	}
}

// TestKeysAreDistinct: two keys never have one text, whatever their parts are.
func TestKeysAreDistinct(t *testing.T) {
	c := keyColumn(schema.KindString, schema.KindString, schema.KindString)
	letters := []rune(",~01aé")
	seen := map[string][]sqltext.Value{}
	r := rand.New(rand.NewPCG(1, 2))
	for range 20_000 {
		parts := make([]sqltext.Value, 3)
		for i := range parts {
			word := make([]rune, r.IntN(4))
			for j := range word {
				word[j] = letters[r.IntN(len(letters))]
			}
			parts[i] = sqltext.TextValue(string(word))
		}
		text := sqltext.JoinKey(parts)
		if other := seen[text]; other != nil && !slices.Equal(other, parts) {
			t.Fatalf("%q is the text of %v and of %v", text, other, parts)
		}
		seen[text] = parts
		if got, ok := c.SplitKey(text); !ok || !slices.Equal(got, parts) {
			t.Fatalf("%v becomes %v", parts, got)
		}
	}
}
