package search_test

import (
	"fmt"
	"strings"
	"testing"
	"unicode"

	"github.com/frondhost/frond/facade/search"
)

func written(q *search.Query) string {
	var all []string
	for _, terms := range q.Any {
		var parts []string
		for _, t := range terms {
			part := strings.Join(t.Words, "+")
			if t.Prefix {
				part += "*"
			}
			if t.Without {
				part = "-" + part
			}
			parts = append(parts, part)
		}
		all = append(all, strings.Join(parts, " "))
	}
	return strings.Join(all, " | ")
}

func TestParse(t *testing.T) {
	for _, test := range []struct{ text, language, want string }{
		{"green tea", "simple", "green tea"},
		{`green "gift box" -sugar or choc*`, "simple", "green gift+box -sugar | choc*"},
		{"tea OR coffee or", "simple", "tea | coffee"},
		{"or or", "simple", ""},
		{`"or"`, "simple", "or"},
		{"-or tea", "simple", "-or tea"},
		{"wi-fi 3.14 O'Neil", "simple", "wi+fi 3+14 O+Neil"},
		{"wi-fi*", "simple", "wi+fi*"},
		{`"green te"*`, "simple", "green+te*"},
		{`"not closed -x*`, "simple", "not+closed+x"},
		{`say"hi"there`, "simple", "say hi there"},
		{`-"sugar free" cake`, "simple", "-sugar+free cake"},
		{"-sugar", "simple", ""},
		{"tea or -sugar", "simple", "tea"},
		{"", "simple", ""},
		{" \t\n", "simple", ""},
		{"* - -- \"\" -\"\" & | ! ( ) : ' \\ { } ^ NEAR", "simple", "NEAR"},
		{"a AND b NOT c", "simple", "a AND b NOT c"},
		{"the", "english", ""},
		{"The best of tea", "english", "best tea"},
		{`"the king of hearts" "of the"`, "english", "king+of+hearts"},
		{"th* the*", "english", "th* the*"},
		{"dog's", "english", "dog"},
		{"thé -the", "english", "thé"},
		{"\x00tea\x00cup", "simple", "tea+cup"},
	} {
		q, ok := search.Parse(test.text, test.language)
		if got := written(q); got != test.want || !ok {
			t.Errorf("%q in %s: %q, %v; want %q", test.text, test.language, got, ok, test.want)
		}
	}
	if _, ok := search.Parse(strings.Repeat("a ", search.MaxTerms), "simple"); !ok {
		t.Error("the most terms are refused")
	}
	if _, ok := search.Parse(strings.Repeat("a ", search.MaxTerms+1), "simple"); ok {
		t.Error("more than the most terms are taken")
	}
}

// FuzzParse holds that every text is a query whose words no language of a store can mistake for its
// own signs.
func FuzzParse(f *testing.F) {
	for _, text := range []string{`green "gift box" -sugar or choc*`, `"*"`, "-", `a"b"c`, "or -or or", "İ'x\\", "\xff\xfe"} {
		f.Add(text, true)
	}
	f.Fuzz(func(t *testing.T, text string, english bool) {
		language := "simple"
		if english {
			language = "english"
		}
		q, _ := search.Parse(text, language)
		for _, terms := range q.Any {
			found := false
			for _, term := range terms {
				found = found || !term.Without
				if len(term.Words) == 0 {
					t.Fatalf("%q: a term without words", text)
				}
				for _, word := range term.Words {
					if word == "" || strings.ContainsFunc(word, func(c rune) bool {
						return !unicode.IsLetter(c) && !unicode.IsNumber(c) && !unicode.IsMark(c)
					}) {
						t.Fatalf("%q: the word %q", text, word)
					}
				}
			}
			if !found {
				t.Fatalf("%q: an alternative of exclusions alone: %s", text, fmt.Sprint(terms))
			}
		}
	})
}
