package search_test

import (
	"fmt"
	"html"
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

func TestHeadline(t *testing.T) {
	long := strings.Repeat("one two three four five six seven eight nine ten ", 10)
	for _, test := range []struct{ what, text, language, row, want string }{
		{"a word", "tea", "simple", "Green Tea, a tin", "Green <mark>Tea</mark>, a tin"},
		{"its signs", "tea", "simple", `<b>tea</b> & "cups"`, "&lt;b&gt;<mark>tea</mark>&lt;/b&gt; &amp; &#34;cups&#34;"},
		{"another word", "tea", "simple", "teas", ""},
		{"a stem", "teas running", "english", "Tea, run and runs", "<mark>Tea</mark>, <mark>run</mark> and <mark>runs</mark>"},
		{"a stem that is no beginning", "happy", "english", "happily, happiness", "happily, <mark>happiness</mark>"},
		{"a phrase", `"green tea"`, "simple", "green cups, green tea", "green cups, <mark>green tea</mark>"},
		{"a phrase across signs", "wi-fi", "simple", "the WI/FI net", "the <mark>WI/FI</mark> net"},
		{"a beginning", "choc*", "simple", "Chocolate choc co", "<mark>Chocolate</mark> <mark>choc</mark> co"},
		{"a beginning of a stem", "happy*", "english", "happy happier", "<mark>happy</mark> <mark>happier</mark>"},
		{"alternatives, without what is excluded", "tea or coffee -milk", "simple", "coffee tea milk", "<mark>coffee</mark> <mark>tea</mark> milk"},
		{"phrases that overlap", `"a b" "b c"`, "simple", "x a b c x", "x <mark>a b c</mark> x"},
		{"the important text first", "tea", "simple", "tea one|tea two", "<mark>tea</mark> one"},
		{"the text with more of the words", "tea cup", "simple", "tea one|tea cup", "<mark>tea</mark> <mark>cup</mark>"},
		{"letters of two bytes", "thé", "simple", "Le THÉ vert", "Le <mark>THÉ</mark> vert"},
		{"the part with most words", "alpha beta", "simple", "alpha " + long + "mid alpha beta end", "… five six seven eight nine ten one two three four five six seven eight nine ten one two three four five six seven eight nine ten mid <mark>alpha</mark> <mark>beta</mark> end"},
		{"the first of equal parts", "one", "simple", "the first " + long, "the first <mark>one</mark> two three four five six seven eight nine ten <mark>one</mark> two three four five six seven eight nine ten <mark>one</mark> two three four five six seven eight …"},
		{"the end of a text", "end", "simple", long + "the end.", "… three four five six seven eight nine ten one two three four five six seven eight nine ten one two three four five six seven eight nine ten the <mark>end</mark>."},
		{"a word beyond those that are looked at", "end", "simple", strings.Repeat(long, 50) + " end", ""},
		{"nothing", "the", "english", "the tea", ""},
		{"not text", "tea", "simple", "\xff tea \xff", "\xff <mark>tea</mark> \xff"},
	} {
		q, _ := search.Parse(test.text, test.language)
		got := q.Headline(strings.Split(test.row, "|"))
		if got != test.want {
			t.Errorf("%s: %q, want %q", test.what, got, test.want)
		}
	}
}

// FuzzParse holds that every text is a query whose words no language of a store can mistake for its
// own signs, and that a headline has nothing but the text of the row.
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
		shown := strings.NewReplacer("<mark>", "", "</mark>", "").Replace(q.Headline([]string{text}))
		shown = html.UnescapeString(strings.TrimSuffix(strings.TrimPrefix(shown, "… "), " …"))
		if !strings.Contains(text, shown) {
			t.Fatalf("%q: the headline %q", text, shown)
		}
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
