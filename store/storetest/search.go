package storetest

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/filter"
	"github.com/frondhost/frond/facade/rows"
	"github.com/frondhost/frond/facade/search"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// Searches by words: rows that are known, and random texts and queries against the reference store.

// searchCards has a searched entity for each language. A note belongs to a memo.
const searchCards = `note
type: object
properties:
  id: {type: string, x-kit: {role: {primary: true}}}
  title: {type: string}
  body: {type: [string, 'null']}
  memoId: {type: [string, 'null'], x-kit: {role: {relation: {to: memo, kind: one, onDelete: cascade}}}}
required: [id, title, body, memoId]
x-kit-version: 1
---
memo
type: object
properties:
  id: {type: string, x-kit: {role: {primary: true}}}
  title: {type: string}
  body: {type: [string, 'null']}
  notes: {x-kit: {role: {relation: {to: note, kind: many}}}}
required: [id, title, body]
x-kit-version: 1
`

// SearchCards returns the cards of the tests of searches, compiled.
func SearchCards(t testing.TB) *schema.Set {
	return searchCardsOf(t, searchCards)
}

func searchCardsOf(t testing.TB, cards string) *schema.Set {
	t.Helper()
	var sources []schema.Source
	for _, part := range strings.Split(cards, "---\n") {
		name, text, _ := strings.Cut(part, "\n")
		sources = append(sources, schema.Source{File: name + ".yaml", Name: name, Data: []byte(text)})
	}
	set, err := schema.Compile(sources, schema.Builtins(), nil)
	if err != nil {
		t.Fatalf("the suite's cards: %v", err)
	}
	for name, language := range map[string]string{"note": "english", "memo": "simple"} {
		e := set.Entity(name)
		e.SetSearch(language, []schema.SearchField{{Property: e.Property("title"), Weight: 'A'}, {Property: e.Property("body"), Weight: 'B'}})
	}
	return set
}

// searching is a world of searched entities.
func searching(t *testing.T, w *world) *world {
	set := SearchCards(t)
	return &world{T: t, set: set, store: w.harness.Open(t, set.Entities), harness: w.harness}
}

// searchFor is the find of a search in the named fields, "" for all.
func (w *world) searchFor(e *schema.Entity, text, fields string) *facade.Find {
	q, ok := search.Parse(text, e.Search.Language)
	if !ok {
		w.Fatalf("%q has too many words", text)
	}
	for _, f := range e.Search.Fields {
		if fields == "" || strings.Contains(fields, f.Name) {
			q.Fields = append(q.Fields, f.Name)
		}
	}
	find := &facade.Find{Entity: e, Select: rows.NewLayout([]string{"id"}), Where: &filter.Filter{Op: filter.Search, Search: q}, Limit: all, Sort: []facade.SortKey{{Field: e.Primary}}}
	if len(q.Any) == 0 {
		find.Where = filter.Nothing()
	}
	return find
}

// foundIDs are the ids of the rows that a find answers.
func (w *world) foundIDs(q *facade.Find) string {
	var ids []string
	found := w.find(q)
	for i := range found.Rows.Len() {
		ids = append(ids, jsontext.Unquote(found.Rows.Row(i).At(0)))
	}
	return strings.Join(ids, " ")
}

// testSearch searches rows that are known.
func testSearch(t *testing.T, w *world) {
	w = searching(t, w)
	for _, e := range []string{"memo", "note"} {
		w.insert(e,
			`{"id":"a","title":"Green TEA, loose","body":"A tin of 250 g: the cup's best friend."}`,
			`{"id":"b","title":"Tea cups","body":null}`,
			`{"id":"c","title":"Running shoes","body":"Not for tea-time; see www.example.com/tea_cup."}`,
			`{"id":"d","title":"loose","body":"leaf café and crème"}`,
			`{"id":"e","title":"","body":""}`)
	}
	for _, c := range []struct{ text, fields, memo, note string }{
		{"tea", "", "a b c", "a b c"},
		{"TEA", "title", "a b", "a b"},
		{"tea", "body", "c", "c"},
		{"teas", "", "", "a b c"},
		{"run", "", "", "c"},
		{"cup", "", "a c", "a b c"},
		{"green tea", "", "a", "a"},
		{`"green tea"`, "", "a", "a"},
		{`"tea green"`, "", "", ""},
		{`"tea loose"`, "", "a", "a"},
		{`"loose leaf"`, "", "", ""},     // in two fields
		{"loose leaf", "", "d", "d"},     // a word in each
		{"loose leaf", "title", "", ""},  //
		{"tea -green", "", "b c", "b c"}, //
		{`tea -"green tea" -cups`, "", "c", ""},
		{"-tea", "", "", ""},
		{"green or shoes", "", "a c", "a c"},
		{"green OR shoes -tea", "", "a", "a"},
		{"gr*", "", "a", "a"},
		{`"tea cu"*`, "", "b c", "b c"},
		{"tea-time", "", "c", "c"},
		{"example.com", "", "c", "c"},
		{"tea_cup", "", "c", "b c"},
		{"250", "", "a", "a"},
		{"café", "", "d", "d"},
		{"cafe", "", "", ""},
		{"cup's", "", "a", "a b c"}, // s is a stop word
		{"the", "", "a", ""},
		{"the tea", "", "a", "a b c"},
		{"", "", "", ""},
		{"!!! ()", "", "", ""},
		{`' " \ ; -- % _ {title} : NEAR(a b) ^`, "", "", ""},
	} {
		for e, want := range map[string]string{"memo": c.memo, "note": c.note} {
			q := w.searchFor(w.entity(e), c.text, c.fields)
			w.equal(e+": "+c.text+" in "+c.fields, want, w.foundIDs(q))
			q.Count = true
			w.equal("total of "+c.text, int64(len(strings.Fields(want))), w.find(q).Total)
		}
	}
	memo := w.entity("memo")
	for _, step := range []struct {
		what string
		do   func() error
		want string
	}{
		{"a changed title", func() error {
			_, err := w.store.Update(w.ctx(), memo, json.RawMessage(`"e"`), nil, w.record(memo, `{"title":"tea"}`), nil, rows.NewLayout(nil))
			return err
		}, "a b c e"},
		{"a body that is null", func() error {
			_, err := w.store.Update(w.ctx(), memo, json.RawMessage(`"c"`), nil, w.record(memo, `{"body":null}`), nil, rows.NewLayout(nil))
			return err
		}, "a b e"},
		{"a row that is gone", func() error {
			_, err := w.store.Delete(w.ctx(), memo, json.RawMessage(`"a"`), nil, nil)
			return err
		}, "b e"},
	} {
		if err := step.do(); err != nil {
			t.Fatal(err)
		}
		w.equal(step.what, step.want, w.foundIDs(w.searchFor(memo, "tea", "")))
	}
}

// testRank sorts rows by how well they meet a search: a word in the title before one in the body, two words
// before one.
func testRank(t *testing.T, w *world) {
	w = searching(t, w)
	memo, note := w.entity("memo"), w.entity("note")
	w.insert("memo", `{"id":"m","title":"x","body":"tea"}`, `{"id":"n","title":"tea","body":null}`)
	w.insert("note",
		`{"id":"a","title":"x","body":"tea","memoId":"m"}`, `{"id":"b","title":"tea","body":"x","memoId":"n"}`,
		`{"id":"c","title":"tea","body":"tea tea","memoId":"m"}`, `{"id":"d","title":"x","body":"teas","memoId":"n"}`)
	ranked := func(e *schema.Entity, text, fields string, desc bool) *facade.Find {
		q := w.searchFor(e, text, fields)
		q.Rank, q.Sort = q.Where.Search, []facade.SortKey{{Field: e.Search.Rank, Desc: desc}, {Field: e.Primary}}
		return q
	}
	w.equal("the best first", "c b a d", w.foundIDs(ranked(note, "tea", "", true)))
	w.equal("the best last", "a d b c", w.foundIDs(ranked(note, "tea", "", false)))
	w.equal("by a field of them", "b c", w.foundIDs(ranked(note, "tea", "title", true)))
	w.equal("in simple words", "n m", w.foundIDs(ranked(memo, "tea", "", true)))
	q := ranked(note, "tea", "", true)
	q.Each, q.Count = &facade.EachKey{Field: note.Property("memoId"), Values: []json.RawMessage{[]byte(`"n"`), []byte(`"x"`), []byte(`"m"`)}}, true
	w.equal("of each memo", "b d c a", w.foundIDs(q))
	w.equal("totals of each memo", []int64{2, 0, 2}, func() (totals []int64) {
		for _, g := range w.find(q).Groups {
			totals = append(totals, g.Total)
		}
		return totals
	}())
}

// testRandomSearch compares random searches of random texts with the reference store. The order by rank is the
// store's own: read page by page, in both directions, it has the same rows.
func testRandomSearch(t *testing.T, w *world) {
	alikeInSearches(t, searching(t, w), NewStore(), w.finds(300))
}

// CompareSearches is [Compare] for searches by words.
func CompareSearches(t *testing.T, one, other Harness, finds int) {
	set := SearchCards(t)
	alikeInSearches(t, &world{T: t, set: set, store: other.Open(t, set.Entities), harness: other}, one.Open(t, set.Entities), finds)
}

// searchWords are the words of random texts. Both stores have the same stems of them.
var searchWords = []string{"tea", "Teas", "green", "box", "boxes", "run", "running", "CUP", "cups", "café", "café", "b2", "7", "the", "of", "zebra"}

func alikeInSearches(t *testing.T, w *world, reference facade.Store, finds int) {
	seed := rand.Uint64()
	g := &guesser{world: w, Rand: rand.New(rand.NewPCG(seed, 1)), reference: reference}
	for _, name := range []string{"memo", "note"} {
		for i := range 60 {
			record := w.record(w.entity(name), fmt.Sprintf(`{"id":"%d","title":%s,"body":%s}`, i, jsontext.Quote(g.words(4)), g.pick([]string{"null", string(jsontext.Quote(g.words(12)))})))
			for _, s := range []facade.Store{reference, w.store} {
				if _, err := s.Insert(w.ctx(), w.entity(name), []facade.Record{record}, nil, rows.NewLayout(nil)); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	answered := 0
	for i := range finds {
		e := w.entity(g.pick([]string{"memo", "note"}))
		text := g.query()
		q := w.searchFor(e, text, g.pick([]string{"", "title", "body"}))
		q.Count = true
		want, err := reference.Find(w.ctx(), q)
		if err != nil {
			t.Fatal(err)
		}
		got, err := w.store.Find(w.ctx(), q)
		if err != nil {
			t.Fatalf("seed %d, find %d: %v\n%s", seed, i, err, text)
		}
		if diff := cmp.Diff(promised(q, want), promised(q, got)); diff != "" {
			t.Fatalf("seed %d, find %d (-reference +store):\n%s\n%s of %s in %v", seed, i, diff, text, e.Name, q.Where.Search)
		}
		if want.Rows.Len() == 0 {
			continue
		}
		answered++
		q.Rank, q.Count = q.Where.Search, false
		q.Sort = []facade.SortKey{{Field: e.Search.Rank, Desc: g.IntN(2) == 0}, {Field: e.Primary, Desc: g.IntN(2) == 0}}
		whole := strings.Fields(w.foundIDs(q))
		sorted := slices.Clone(whole)
		slices.Sort(sorted)
		w.equal(fmt.Sprintf("seed %d: the rows of %s by rank", seed, text), int(want.Total), len(slices.Compact(sorted)))
		for _, backward := range []bool{false, true} {
			w.equal(fmt.Sprintf("seed %d: the pages of %s by rank, backward %v", seed, text, backward), whole, g.paged(q, backward))
		}
	}
	if answered < finds/4 {
		t.Errorf("only %d of %d searches had rows to answer", answered, finds)
	}
}

// paged reads a find in pages of up to three rows.
func (g *guesser) paged(q *facade.Find, backward bool) (ids []string) {
	page := *q
	page.Limit, page.Backward = 1+g.IntN(3), backward
	for {
		found := g.world.find(&page)
		n := found.Rows.Len()
		var of []string
		for i := range n {
			of = append(of, jsontext.Unquote(found.Rows.Row(i).At(0)))
		}
		edge := n - 1
		if ids = append(ids, of...); backward {
			ids, edge = append(of, ids[:len(ids)-n]...), 0
		}
		page.From = nil
		for _, v := range jsontext.Elements(found.Keys[edge]) {
			page.From = append(page.From, v)
		}
		if !found.More {
			return ids
		}
	}
}

// words makes up a text of up to n words.
func (g *guesser) words(n int) string {
	var b strings.Builder
	for range g.IntN(n + 1) {
		b.WriteString(g.pick(searchWords) + g.pick([]string{" ", ", ", "-", ". ", "/", "_", "@", " <b>", "\n", "’", " — "}))
	}
	return b.String()
}

// query makes up a query. A beginning that stop words have, and one within a phrase, are found in one
// store alone (docs/search.md).
func (g *guesser) query() string {
	var parts []string
	for range 1 + g.IntN(4) {
		part := g.pick(searchWords)
		switch g.IntN(8) {
		case 0:
			part = `"` + g.pick(searchWords[:13]) + " " + g.pick(searchWords[:13]) + `"`
		case 1:
			part = g.pick([]string{"te*", "gr*", "b*", "cu*", "caf*", "z*", "bo*", "ru*"})
		case 2:
			part = g.pick(searchWords[:13]) + g.pick([]string{"-", ".", "'"}) + g.pick(searchWords[:13])
		}
		parts = append(parts, g.pick([]string{"", "", "", "-", "or "})+part)
	}
	return strings.Join(parts, " ")
}

// searched reports whether a row is found, and by how much: for each word or phrase of an alternative
// how often each field has it, less for each further time, times its weight of weights.
func searched(q *search.Query, weights map[string]float64, r *row) (found bool, rank float64) {
	for _, terms := range q.Any {
		all := true
		for _, t := range terms {
			has := false
			for _, f := range q.Fields {
				n := 0
				tokens := tokensOf(jsontext.Unquote(r.of[f]), q.Language)
				for i := range tokens {
					if begins(tokens[i:], t, q.Language) {
						n++
					}
				}
				has = has || n > 0
				if !t.Without {
					rank += weights[f] * float64(n) / float64(n+1)
				}
			}
			all = all && has != t.Without
		}
		found = found || all
	}
	return found, rank
}

// begins reports whether words begin with those of a term.
func begins(tokens []string, t search.Term, language string) bool {
	if len(tokens) < len(t.Words) {
		return false
	}
	for i, word := range t.Words {
		word = stem(strings.ToLower(word), language)
		if tokens[i] != word && !(t.Prefix && i == len(t.Words)-1 && strings.HasPrefix(tokens[i], word)) {
			return false
		}
	}
	return true
}

// tokensOf are the words of a text.
func tokensOf(text, language string) []string {
	words := strings.FieldsFunc(strings.ToLower(text), func(c rune) bool { return !unicode.IsLetter(c) && !unicode.IsNumber(c) })
	for i := range words {
		words[i] = stem(words[i], language)
	}
	return words
}

// stem is the stem of a word, as far as the words of the suite go.
func stem(word, language string) string {
	if language == "english" {
		switch word {
		case "running":
			return "run"
		case "boxes":
			return "box"
		case "teas", "cups", "shoes":
			return word[:len(word)-1]
		}
	}
	return word
}

// withRank are rows with their rank beside their fields.
func withRank(q *search.Query, e *schema.Entity, met []*row) []*row {
	weights := map[string]float64{}
	for _, f := range e.Search.Fields {
		weights[f.Name] = map[byte]float64{'A': 1, 'B': 0.4, 'C': 0.2, 'D': 0.1}[f.Weight]
	}
	out := make([]*row, len(met))
	for i, r := range met {
		of := map[string]json.RawMessage{}
		for name, v := range r.of {
			of[name] = v
		}
		_, rank := searched(q, weights, r)
		of[schema.RankKey] = strconv.AppendFloat(nil, rank, 'g', -1, 64)
		out[i] = &row{of}
	}
	return out
}
