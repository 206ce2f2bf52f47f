package mockdata_test

import (
	"context"
	"encoding/json"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/frondhost/frond/cmd/frond/mockdata"
	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/access"
	"github.com/frondhost/frond/facade/compile"
	"github.com/frondhost/frond/facade/seed"
	"github.com/frondhost/frond/store/sqlite"
	"github.com/frondhost/frond/store/storetest"
)

// mocked is a project filled and served over a store, as `frond mock` does it.
func mocked(t *testing.T, fsys fs.FS, opts *mockdata.Options) (*facade.Facade, []mockdata.Note) {
	t.Helper()
	project, err := facade.Read(fsys)
	if err != nil {
		t.Fatal(err)
	}
	return filled(t, project, opts)
}

func filled(t *testing.T, project *facade.Project, opts *mockdata.Options) (*facade.Facade, []mockdata.Note) {
	t.Helper()
	notes, err := mockdata.Fill(project, opts)
	if err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	store, err := sqlite.Open(ctx, sqlite.Options{Memory: true, Logger: slog.New(slog.NewTextHandler(io.Discard, nil))})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	compiled, err := compile.Project(project, &compile.Options{Incomplete: opts.Incomplete})
	if err != nil {
		t.Fatal(err)
	}
	f, err := facade.New(compiled, store, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := store.Prepare(ctx, f.Catalog().Set.Entities); err != nil {
		t.Fatal(err)
	}
	if _, err := seed.Write(ctx, f); err != nil { // every row is judged there
		t.Fatal(err)
	}
	return f, notes
}

func total(t *testing.T, f *facade.Facade, entity string) int {
	t.Helper()
	page, err := facade.Do[struct{ Total int }](context.Background(), f, entity+".list", facade.Invocation{Query: []byte(`{"limit":1}`), State: staff})
	if err != nil {
		t.Fatalf("%s.list: %v", entity, err)
	}
	return page.Total
}

var staff = access.State{"user": map[string]any{"id": "ada", "roles": []any{"staff"}}}

// TestEveryProjectOfTheRepository: no card may fail to be mocked.
func TestEveryProjectOfTheRepository(t *testing.T) {
	projects := map[string]fs.FS{
		"fixture": storetest.FS(), "people": storetest.People(),
		"shop": os.DirFS("../../../examples/shop"), "blog": os.DirFS("../../../examples/blog/site"), "weather": os.DirFS("../../../examples/weather/site"),
		"press": os.DirFS("../../../e2e/testdata/press"), "resolvers": os.DirFS("../../../resolvers/testdata/project"), "rest": os.DirFS("../../../rest/testdata/project"),
	}
	for name, fsys := range projects {
		t.Run(name, func(t *testing.T) {
			const rows = 60
			f, notes := mocked(t, fsys, &mockdata.Options{Rows: rows, Seed: 7})
			if len(notes) > 0 {
				t.Errorf("notes: %v", notes)
			}
			for _, frond := range f.Catalog().Fronds {
				for _, door := range frond.Doors {
					if door.Operation("list") == nil || !door.Operation("list").Builtin {
						continue
					}
					if n := total(t, f, door.Name); n < rows {
						t.Errorf("%s has %d rows, want at least %d", door.Name, n, rows)
					}
				}
				for _, door := range frond.Doors {
					for _, op := range door.Operations {
						if !op.Answered {
							t.Errorf("%s.%s is not answered", door.Name, op.Name)
						}
					}
				}
			}
		})
	}
}

// TestEveryKeyword holds generated values to the card's own judge, for every keyword
// that a card may have.
func TestEveryKeyword(t *testing.T) {
	for _, tc := range []struct{ name, shape string }{
		{"enum", `{"enum":["a","b",3]}`},
		{"const", `{"const":{"a":1}}`},
		{"minimum and maximum", `{"type":"integer","minimum":-3,"maximum":-2}`},
		{"exclusive bounds", `{"type":"number","exclusiveMinimum":0,"exclusiveMaximum":0.001}`},
		{"exclusive bounds of integers", `{"type":"integer","exclusiveMinimum":4,"exclusiveMaximum":6}`},
		{"multipleOf", `{"type":"number","multipleOf":0.05,"minimum":10,"maximum":11}`},
		{"multipleOf a fraction, of an integer", `{"type":"integer","multipleOf":2.5}`},
		{"far beyond a double", `{"type":"integer","format":"int64","minimum":9007199254740993,"maximum":9007199254740999}`},
		{"only a maximum", `{"type":"integer","maximum":-1000000}`},
		{"only a minimum", `{"type":"number","minimum":1e9}`},
		{"lengths", `{"type":"string","minLength":30,"maxLength":31}`},
		{"one character", `{"type":"string","minLength":1,"maxLength":1}`},
		{"long", `{"type":"string","minLength":900}`},
		{"empty", `{"type":"string","maxLength":0}`},
		{"pattern", `{"type":"string","pattern":"^[A-Z]{3}-[0-9]{4}$"}`},
		{"pattern and length", `{"type":"string","pattern":"^[a-z]+(-[a-z]+)*$","minLength":24,"maxLength":40}`},
		{"pattern of alternatives", `{"type":"string","pattern":"^(red|green)\\s\\d{2,3}$"}`},
		{"pattern without anchors", `{"type":"string","pattern":"@x"}`},
		{"date-time", `{"type":"string","format":"date-time"}`},
		{"date", `{"type":"string","format":"date"}`},
		{"time", `{"type":"string","format":"time"}`},
		{"duration", `{"type":"string","format":"duration"}`},
		{"uri", `{"type":"string","format":"uri"}`},
		{"uri-reference", `{"type":"string","format":"uri-reference"}`},
		{"email", `{"type":"string","format":"email"}`},
		{"hostname", `{"type":"string","format":"hostname"}`},
		{"ipv4", `{"type":"string","format":"ipv4"}`},
		{"ipv6", `{"type":"string","format":"ipv6"}`},
		{"uuid", `{"type":"string","format":"uuid"}`},
		{"regex", `{"type":"string","format":"regex"}`},
		{"json-pointer", `{"type":"string","format":"json-pointer"}`},
		{"decimal", `{"type":"string","format":"decimal"}`},
		{"decimal with a pattern", `{"type":"string","format":"decimal","pattern":"^\\d{1,3}\\.\\d{2}$"}`},
		{"items", `{"type":"array","items":{"type":"integer","minimum":5,"maximum":6},"minItems":2}`},
		{"uniqueItems", `{"type":"array","items":{"enum":["a","b","c"]},"minItems":3,"maxItems":3,"uniqueItems":true}`},
		{"prefixItems", `{"type":"array","prefixItems":[{"type":"boolean"},{"const":7}],"items":false,"minItems":2}`},
		{"contains", `{"type":"array","items":{"type":"integer"},"contains":{"minimum":900},"minContains":2}`},
		{"properties", `{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"object","properties":{"c":{"type":"integer"}},"required":["c"]}},"required":["a","b"]}`},
		{"a bare object", `{"type":"object"}`},
		{"additionalProperties", `{"type":"object","additionalProperties":{"type":"integer"},"minProperties":2}`},
		{"patternProperties", `{"type":"object","patternProperties":{"^x-[a-z]+$":{"type":"boolean"}},"additionalProperties":false,"minProperties":1}`},
		{"propertyNames", `{"type":"object","propertyNames":{"pattern":"^[a-z]{2}$"},"additionalProperties":{"type":"string"},"minProperties":1}`},
		{"maxProperties", `{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"string"},"c":{"type":"string"}},"maxProperties":1}`},
		{"dependentRequired", `{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"string"}},"dependentRequired":{"a":["b"]}}`},
		{"allOf", `{"allOf":[{"type":"integer","minimum":3},{"maximum":3}]}`},
		{"anyOf", `{"anyOf":[{"type":"integer"},{"type":"string","format":"email"}]}`},
		{"oneOf", `{"oneOf":[{"type":"object","properties":{"k":{"const":"a"},"n":{"type":"integer"}},"required":["k","n"]},{"type":"object","properties":{"k":{"const":"b"}},"required":["k"]}]}`},
		{"not", `{"type":"integer","minimum":1,"maximum":3,"not":{"const":2}}`},
		{"if then else", `{"type":"integer","minimum":0,"maximum":20,"if":{"minimum":10},"then":{"multipleOf":5},"else":{"multipleOf":3}}`},
		{"a reference", `{"$ref":"#/$defs/money"}`},
		{"examples", `{"type":"string","pattern":"^x{7}$","examples":["xxxxxxx"]}`},
		{"several types", `{"type":["string","integer","null"]}`},
		{"true", `true`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			card := `{"type":"object","$defs":{"money":{"type":"object","properties":{"amount":{"type":"string","format":"decimal"},"currency":{"enum":["EUR"]}},"required":["amount","currency"]}},
				"properties":{"id":{"type":"string","x-kit":{"role":{"primary":true}}},"v":` + tc.shape + `},"required":["id","v"]}`
			f, notes := mocked(t, fstest.MapFS{"entities/thing.json": {Data: []byte(card)}}, &mockdata.Options{Rows: 40, Seed: 3})
			if len(notes) > 0 {
				t.Errorf("notes: %v", notes)
			}
			if n := total(t, f, "thing"); n != 40 {
				t.Errorf("there are %d rows, want 40", n)
			}
		})
	}
}

// newProject is a project of one Frond with these cards, each a YAML text by its name.
func newProject(cards ...string) fstest.MapFS {
	files := fstest.MapFS{}
	for i := 0; i+1 < len(cards); i += 2 {
		files[cards[i]] = &fstest.MapFile{Data: []byte(cards[i+1])}
	}
	return files
}

func TestUniqueValues(t *testing.T) {
	f, notes := mocked(t, newProject("entities/thing.yaml", `
type: object
properties:
  id: {type: string, x-kit: {role: {primary: true}}}
  slug: {type: string, maxLength: 14, x-kit: {role: {unique: [[slug]]}, boundary: {in: {decode: lowercase}}}}
  email: {type: string, format: email, x-kit: {role: {unique: [[email]]}}}
  code: {type: string, pattern: '^[A-Z]{2}[0-9]$', x-kit: {role: {unique: [[code]]}}}
  number: {type: integer, minimum: 1, maximum: 200, x-kit: {role: {unique: [[number]]}}}
  size: {enum: [s, m, l], x-kit: {role: {unique: [[size, row]]}}}
  row: {type: integer, minimum: 1, maximum: 67, x-kit: {role: {unique: [[size, row]]}}}
  at: {type: string, format: date-time, x-kit: {role: {unique: [[at]]}}}
required: [id, slug, email, code, number, size, row, at]
`), &mockdata.Options{Rows: 200, Seed: 1})
	if n := total(t, f, "thing"); n != 200 || len(notes) > 0 {
		t.Errorf("there are %d rows, want 200; notes: %v", n, notes)
	}
}

// TestWhatRunsOut: where there are no more values, there are fewer rows, and no
// relation leads to one that is not there.
func TestWhatRunsOut(t *testing.T) {
	f, notes := mocked(t, newProject(
		"entities/shelf.yaml", `{type: object, properties: {id: {type: string, x-kit: {role: {primary: true}}}, side: {enum: [left, right], x-kit: {role: {unique: [[side]]}}}}, required: [id, side]}`,
		"entities/box.yaml", `{type: object, properties: {id: {type: string, x-kit: {role: {primary: true}}}, shelfId: {type: string, x-kit: {role: {relation: {to: shelf, kind: one}}}}}, required: [id, shelfId]}`,
		"entities/lid.yaml", `{type: object, properties: {id: {type: string, x-kit: {role: {primary: true}}}, shelfId: {type: string, x-kit: {role: {unique: [[shelfId]], relation: {to: shelf, kind: one}}}}}, required: [id, shelfId]}`,
		"entities/day.yaml", `{type: object, properties: {id: {type: string, enum: [mon, tue], x-kit: {role: {primary: true}}}}, required: [id]}`,
	), &mockdata.Options{Rows: 30, Seed: 1})
	for entity, want := range map[string]int{"shelf": 2, "box": 30, "lid": 2, "day": 2} {
		if n := total(t, f, entity); n != want {
			t.Errorf("there are %d rows of %s, want %d", n, entity, want)
		}
	}
	for _, want := range []string{"shelf: 2 rows are all", "lid: 2 rows are all", "day: 2 rows are all"} {
		if !strings.Contains(said(notes), want) {
			t.Errorf("the notes do not say %q:\n%s", want, said(notes))
		}
	}
}

func said(notes []mockdata.Note) string {
	var b strings.Builder
	for _, n := range notes {
		b.WriteString(n.String() + "\n")
	}
	return b.String()
}

// TestCircles: entities that point at one another, and at themselves.
func TestCircles(t *testing.T) {
	f, notes := mocked(t, newProject(
		"entities/team.yaml", `{type: object, properties: {id: {type: string, x-kit: {role: {primary: true}}}, leadId: {type: [string, 'null'], x-kit: {role: {relation: {to: member, kind: one}}}}}, required: [id, leadId]}`,
		"entities/member.yaml", `{type: object, properties: {id: {type: string, x-kit: {role: {primary: true}}}, teamId: {type: string, x-kit: {role: {relation: {to: team, kind: one}}}}, mentorId: {type: string, x-kit: {role: {relation: {to: member, kind: one}}}}}, required: [id, teamId, mentorId]}`,
		"entities/hen.yaml", `{type: object, properties: {id: {type: string, x-kit: {role: {primary: true}}}, eggId: {type: string, x-kit: {role: {relation: {to: egg, kind: one}}}}}, required: [id, eggId]}`,
		"entities/egg.yaml", `{type: object, properties: {id: {type: string, x-kit: {role: {primary: true}}}, henId: {type: string, x-kit: {role: {relation: {to: hen, kind: one}}}}}, required: [id, henId]}`,
	), &mockdata.Options{Rows: 20, Seed: 1})
	for entity, want := range map[string]int{"team": 20, "member": 20, "hen": 0, "egg": 0} {
		if n := total(t, f, entity); n != want {
			t.Errorf("there are %d rows of %s, want %d", n, entity, want)
		}
	}
	led, err := facade.Do[struct{ Total int }](context.Background(), f, "team.list", facade.Invocation{Query: []byte(`{"filter":{"leadId":{"isNull":false}}}`)})
	if err != nil || led.Total < 10 {
		t.Errorf("%d of 20 teams are led (%v), want most of them", led.Total, err)
	}
	if !strings.Contains(said(notes), "neither can be the first") {
		t.Errorf("the notes do not say why there is no hen:\n%s", said(notes))
	}
}

// TestNothingFits: what cannot be made up is said, and the rest is there.
func TestNothingFits(t *testing.T) {
	f, notes := mocked(t, newProject(
		"entities/thing.yaml", `{type: object, properties: {id: {type: string, x-kit: {role: {primary: true}}}, a: {type: [string, 'null'], allOf: [{pattern: '^a$'}, {pattern: '^b$'}]}}, required: [id, a]}`,
		"entities/other.yaml", `{type: object, properties: {id: {type: string, x-kit: {role: {primary: true}}}, a: {type: string, allOf: [{pattern: '^a$'}, {pattern: '^b$'}]}}, required: [id, a]}`,
	), &mockdata.Options{Rows: 5, Seed: 1})
	if a, b := total(t, f, "thing"), total(t, f, "other"); a != 5 || b != 0 {
		t.Errorf("there are %d and %d rows, want 5 with null and none", a, b)
	}
	if !strings.Contains(said(notes), "thing.a: ") || !strings.Contains(said(notes), "write examples") {
		t.Errorf("the notes do not say what to write:\n%s", said(notes))
	}
}

func rowsOf(t *testing.T, p *facade.Project) map[string]string {
	t.Helper()
	all := map[string]string{}
	for _, src := range p.Fronds {
		for _, text := range src.Seeds {
			all[text.File] = string(text.Data)
		}
	}
	return all
}

// TestOfASeed: the same seed has the same rows, another has others, with the same ids.
func TestOfASeed(t *testing.T) {
	made := func(seed uint64) map[string]string {
		p, err := facade.Read(storetest.FS())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := mockdata.Fill(p, &mockdata.Options{Rows: 20, Seed: seed}); err != nil {
			t.Fatal(err)
		}
		return rowsOf(t, p)
	}
	ids := func(text string) (ids []any) {
		var rows []map[string]any
		if err := json.Unmarshal([]byte(text), &rows); err != nil {
			t.Fatal(err)
		}
		for _, r := range rows {
			ids = append(ids, r["id"])
		}
		return ids
	}
	one, again, other := made(1), made(1), made(2)
	for file, text := range one {
		if again[file] != text {
			t.Errorf("%s is not the same twice", file)
		}
		a, _ := json.Marshal(ids(text))
		b, _ := json.Marshal(ids(other[file]))
		if string(a) != string(b) {
			t.Errorf("%s has other ids with another seed:\n%s\n%s", file, a, b)
		}
	}
	if one["fronds/blog/seeds/post.json"] == other["fronds/blog/seeds/post.json"] {
		t.Error("another seed has the same posts")
	}
}

// TestTwoMocksAgree: a Frond that knows another by name alone points at its rows.
func TestTwoMocksAgree(t *testing.T) {
	authors, notes := mocked(t, newProject(
		"entities/author.yaml", `{type: object, properties: {id: {type: string, x-kit: {role: {primary: true}, lifecycle: {create: {generate: cuid2}}}}}}`,
	), &mockdata.Options{Rows: 9, Seed: 1})
	posts, more := mocked(t, newProject(
		"entities/post.yaml", `{type: object, properties: {id: {type: string, x-kit: {role: {primary: true}}}, authorId: {type: string, x-kit: {role: {relation: {to: author, kind: one}}}}}, required: [id, authorId]}`,
	), &mockdata.Options{Rows: 9, Seed: 5, Incomplete: true})
	if len(notes)+len(more) > 0 {
		t.Error(notes, more)
	}
	type row struct{ ID, AuthorID string }
	there, err := facade.Do[facade.List[row]](context.Background(), authors, "author.list", facade.Invocation{})
	if err != nil {
		t.Fatal(err)
	}
	pointed, err := facade.Do[facade.List[row]](context.Background(), posts, "post.list", facade.Invocation{})
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]bool{}
	for _, r := range there.Items {
		known[r.ID] = true
	}
	if len(known) != 9 || len(pointed.Items) != 9 {
		t.Fatalf("there are %d authors and %d posts, want 9 of each", len(known), len(pointed.Items))
	}
	for _, r := range pointed.Items {
		if !known[r.AuthorID] {
			t.Errorf("%s points at %q, which is none of the authors %v", r.ID, r.AuthorID, there.Items)
		}
	}
}
