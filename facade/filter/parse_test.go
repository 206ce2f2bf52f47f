package filter_test

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/frondhost/frond/facade/filter"
	"github.com/frondhost/frond/schema"
)

const book = `{"title": "book", "type": "object", "required": ["id"], "properties": {
	"id": {"type": "integer", "x-kit": {"role": {"primary": true}}},
	"title": {"type": "string"},
	"pages": {"type": ["integer", "null"]},
	"price": {"type": "string", "format": "decimal"},
	"secret": {"type": "string"},
	"authorId": {"type": ["string", "null"], "x-kit": {"role": {"relation": {"to": "author", "kind": "one"}}}}
}}`

const author = `{"title": "author", "type": "object", "required": ["id"], "properties": {
	"id": {"type": "string", "x-kit": {"role": {"primary": true}}},
	"name": {"type": "string"}
}}`

func books(t testing.TB) *schema.Entity {
	t.Helper()
	set, err := schema.Compile([]schema.Source{
		{File: "book.json", Name: "book", Frond: "app", Data: []byte(book)},
		{File: "author.json", Name: "author", Frond: "app", Data: []byte(author)},
	}, schema.Builtins(), nil)
	if err != nil {
		t.Fatal(err)
	}
	return set.Entity("book")
}

func TestParse(t *testing.T) {
	e := books(t)
	for _, c := range []struct{ text, want string }{
		{`{}`, `{}`},
		{`{"title":{"eq":"Dune"}}`, `{"title":{"eq":"Dune"}}`},
		{`{"title":{"eq":"Dune","contains":"u"},"pages":{"gt":3.0}}`, `{"title":{"eq":"Dune","contains":"u"},"pages":{"gt":3}}`},
		{`{"and":[{"title":{"contains":"D"}},{"title":{"contains":"u"}},{"pages":{"gt":3}}]}`, `{"and":[{"title":{"contains":"D"},"pages":{"gt":3}},{"title":{"contains":"u"}}]}`},
		{`{"not":{"pages":{"gt":1}},"and":[{"not":{"pages":{"gt":2}}}]}`, `{"and":[{"not":{"pages":{"gt":1}}},{"not":{"pages":{"gt":2}}}]}`},
		{`{"pages":{"in":[]}}`, `{"or":[]}`},
		{`{"not":{"pages":{"isNull":true}}}`, `{"not":{"pages":{"isNull":true}}}`},
		{`{"author":{"name":{"startsWith":"A"}}}`, `{"author":{"name":{"startsWith":"A"}}}`},
		{`{"authorId":{"ne":"ada"}}`, `{"authorId":{"ne":"ada"}}`},
	} {
		f, details := filter.Parse(e, json.RawMessage(c.text), "/query/filter")
		if len(details) > 0 {
			t.Errorf("%s is refused: %v", c.text, details)
		} else if got := string(f.AppendJSON(nil)); got != c.want {
			t.Errorf("%s\n got %s\nwant %s", c.text, got, c.want)
		}
	}
}

// TestJoined: a filter needs no name twice where known values decide it.
func TestJoined(t *testing.T) {
	e := books(t)
	for text, want := range map[string]string{
		`{"and":[{"title":{"in":["a","b"]}},{"title":{"eq":"a"}}]}`:                                                                           `{"title":{"eq":"a"}}`,
		`{"and":[{"title":{"eq":"a"}},{"title":{"eq":"b"}}]}`:                                                                                 `{"or":[]}`,
		`{"and":[{"title":{"eq":"a"}},{"title":{"startsWith":"a"}},{"pages":{"lt":1}}]}`:                                                      `{"title":{"eq":"a"},"pages":{"lt":1}}`,
		`{"and":[{"title":{"eq":"a"}},{"title":{"isNull":true}}]}`:                                                                            `{"or":[]}`,
		`{"and":[{"pages":{"gt":1}},{"pages":{"gt":2}}]}`:                                                                                     `{"and":[{"pages":{"gt":1}},{"pages":{"gt":2}}]}`,
		`{"and":[{"title":{"contains":"a"}},{"title":{"contains":"a"}},{"pages":{"lt":1}}]}`:                                                  `{"title":{"contains":"a"},"pages":{"lt":1}}`,
		`{"and":[{"author":{"name":{"eq":"a"}}},{"authorId":{"contains":"a"}},{"author":{"name":{"ne":"b"}}},{"authorId":{"contains":"b"}}]}`: `{"and":[{"author":{"name":{"eq":"a"}},"authorId":{"contains":"a"}},{"author":{"name":{"ne":"b"}},"authorId":{"contains":"b"}}]}`,
		`{"not":{"title":{"in":["a","b"]}}}`:                                                                                                  `{"title":{"notIn":["a","b"]}}`,
		`{"or":[{"and":[{"title":{"eq":"a"}},{"title":{"eq":"a"}}]},{}]}`:                                                                     `{"or":[{"title":{"eq":"a"}},{}]}`,
	} {
		f, details := filter.Parse(e, json.RawMessage(text), "")
		joined := f.Joined()
		if got := string(joined.AppendJSON(nil)); got != want || details != nil {
			t.Errorf("%s: got %s, %v; want %s", text, got, details, want)
		}
		if joined.NeedsAnd() != strings.Contains(want, "and") {
			t.Errorf("%s: needs and: %t", text, joined.NeedsAnd())
		}
	}
}

func TestParseNamesEveryFault(t *testing.T) {
	_, details := filter.Parse(books(t), json.RawMessage(`{"titel":{"eq":"x"},"pages":{"contains":"1"},"price":{"gte":12.5},"author":{"eq":"ada"}}`), "/query/filter")
	var got []string
	for _, d := range details {
		got = append(got, d.Pointer+" "+d.Code)
	}
	want := []string{"/query/filter/titel unknown_key", "/query/filter/pages/contains operator", "/query/filter/price/gte type", "/query/filter/author operator"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q\nwant %q", got, want)
	}
	if !strings.Contains(details[0].Message, "did you mean title?") {
		t.Errorf("got %s", details[0].Message)
	}
}

// reader sees no field called secret, and only books with pages.
type reader struct{ rows *filter.Filter }

func (reader) Readable(p *schema.Property) bool { return p.Name != "secret" }
func (r reader) Visible() *filter.Filter        { return r.rows }

func (r reader) Behind(context.Context, *schema.Link) (filter.Scope, bool) { return r, true }

func (reader) Converts(*schema.Property) bool { return false }

func (reader) Decode(_ *schema.Property, text json.RawMessage) (json.RawMessage, bool) {
	return text, true
}
func (reader) Suggests() bool { return false }

func (reader) Answers(*schema.FieldAlias) bool { return false }

func TestParseForACaller(t *testing.T) {
	e := books(t)
	named, _ := filter.Parse(e.Property("authorId").Link.Target, json.RawMessage(`{"name":{"ne":"x"}}`), "")
	p := filter.Parser{Host: reader{named}, At: "/query/filter"}
	p.Parse(t.Context(), e, reader{}, json.RawMessage(`{"secret":{"eq":"x"}}`))
	hidden := p.Details
	p = filter.Parser{Host: reader{named}, At: "/query/filter"}
	p.Parse(t.Context(), e, reader{}, json.RawMessage(`{"absent":{"eq":"x"}}`))
	if len(hidden) != 1 || len(p.Details) != 1 || hidden[0].Message != p.Details[0].Message || strings.Contains(hidden[0].Message, "title") {
		t.Errorf("a hidden field is told from one that never was:\n%v\n%v", hidden, p.Details)
	}
	p = filter.Parser{Host: reader{named}}
	f := p.Parse(t.Context(), e, reader{}, json.RawMessage(`{"author":{"name":{"eq":"Ada"}}}`))
	if got, want := string(f.AppendJSON(nil)), `{"author":{"name":{"ne":"x","eq":"Ada"}}}`; got != want {
		t.Errorf("the rows behind the relation are not narrowed: %s", got)
	}
}

func TestMeets(t *testing.T) {
	e := books(t)
	for _, c := range []struct {
		text, value string
		want        bool
	}{
		{`{"pages":{"gte":10}}`, `10`, true},
		{`{"pages":{"gte":10}}`, `null`, false},
		{`{"pages":{"ne":10}}`, `null`, true},
		{`{"price":{"eq":"12.50"}}`, `"12.5"`, true},
		{`{"title":{"icontains":"DUN"}}`, `"Dune"`, true},
		{`{"title":{"notIn":["a","b"]}}`, `"b"`, false},
	} {
		f, details := filter.Parse(e, json.RawMessage(c.text), "")
		if len(details) > 0 {
			t.Fatalf("%s: %v", c.text, details)
		}
		if got := f.Meets(json.RawMessage(c.value)); got != c.want {
			t.Errorf("%s of %s: got %t", c.text, c.value, got)
		}
	}
}

// written is a book of which the title alone is known.
type written struct{ title string }

func (w written) Value(p *schema.Property) (json.RawMessage, bool) {
	return json.RawMessage(w.title), p.Name == "title"
}
func (written) Related(f *filter.Filter) (*filter.Filter, error) { return f, nil }

func TestReduce(t *testing.T) {
	e := books(t)
	for text, want := range map[string]string{
		`{"title":{"eq":"Dune"},"pages":{"gt":3}}`:            `{"pages":{"gt":3}}`,
		`{"title":{"eq":"Emma"},"pages":{"gt":3}}`:            `{"or":[]}`,
		`{"or":[{"title":{"eq":"Dune"}},{"pages":{"gt":3}}]}`: `{}`,
		`{"not":{"title":{"eq":"Dune"}}}`:                     `{"or":[]}`,
		`{"author":{"name":{"eq":"Ada"}}}`:                    `{"author":{"name":{"eq":"Ada"}}}`,
	} {
		f, _ := filter.Parse(e, json.RawMessage(text), "")
		rest, err := f.Reduce(written{`"Dune"`})
		if got := string(rest.AppendJSON(nil)); err != nil || got != want {
			t.Errorf("%s: got %s, %v; want %s", text, got, err, want)
		}
	}
}

// TestLargeFilterIsNotRead: the parser stops at the first condition beyond the limit, and says so
// once.
func TestLargeFilterIsNotRead(t *testing.T) {
	many := strings.TrimSuffix(strings.Repeat(`{"title":{"eq":"x"}},`, 200), ",")
	unknown := strings.Repeat(`{"no":1},`, 20)
	p := filter.Parser{}
	p.Parse(t.Context(), books(t), filter.All, json.RawMessage(`{"or":[`+many+`,`+unknown+many+`],"no":1}`))
	if len(p.Details) != 1 || p.Details[0].Code != "size" || p.Conditions != 300 {
		t.Errorf("%d conditions are read: %v", p.Conditions, p.Details)
	}
}

// TestWriteNarrows: the condition of a write is refused where a part of it would not narrow the
// rows, with the path of that part.
func TestWriteNarrows(t *testing.T) {
	e := books(t)
	for _, c := range []struct{ text, at string }{
		{`{}`, "/query/where"},
		{`{"title":{}}`, "/query/where/title"},
		{`{"author":{}}`, "/query/where/author"},
		{`{"author":{"name":{}}}`, "/query/where/author/name"},
		{`{"author":{"name":{"notIn":[]}}}`, "/query/where/author/name/notIn"},
		{`{"pages":{"gte":0},"title":{}}`, "/query/where/title"},
		{`{"pages":{"gte":0},"title":{},"author":{}}`, "/query/where/title /query/where/author"},
		{`{"pages":{"gte":0},"title":{"contains":""}}`, "/query/where/title/contains"},
		{`{"pages":{"gte":0},"not":{}}`, "/query/where/not"},
		{`{"pages":{"gte":0},"and":[]}`, "/query/where/and"},
		{`{"pages":{"gte":0},"or":[{"title":{"eq":"x"}},{}]}`, "/query/where/or/1"},
		{`{"pages":{"in":[]}}`, ""}, // no row at all
		{`{"title":{"eq":""}}`, ""},
		{`{"not":{"author":{"name":{"eq":"Ada"}}}}`, ""},
	} {
		p := filter.Parser{At: "/query/where", Write: true}
		p.Parse(t.Context(), e, filter.All, json.RawMessage(c.text))
		var at []string
		for _, d := range p.Details {
			at = append(at, d.Pointer)
		}
		if got := strings.Join(at, " "); got != c.at {
			t.Errorf("%s: refused at %q, want %q", c.text, got, c.at)
		}
	}
}

// TestDepthOfRules: a gateway adds rules at every relation of a filter that it has judged.
func TestDepthOfRules(t *testing.T) {
	for _, c := range []struct {
		levels, details int
	}{{12, 0}, {13, 1}} {
		deep := json.RawMessage(strings.Repeat(`{"not":`, c.levels-1) + `{"title":{"eq":"x"}}` + strings.Repeat("}", c.levels-1))
		if _, details := filter.Parse(books(t), deep, ""); len(details) != c.details {
			t.Errorf("%d levels of a caller: %v", c.levels, details)
		}
		p := filter.Parser{Rules: true}
		if p.Parse(t.Context(), books(t), filter.All, deep); len(p.Details) != 0 {
			t.Errorf("%d levels of a gateway: %v", c.levels, p.Details)
		}
	}
}
