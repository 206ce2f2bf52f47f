package storetest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/filter"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/facade/rows"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// The domain of the suite, and the short forms its tests are written in. A test gets a world:
// an empty store for these entities.
//
//	author   mentor, pupils, posts     every kind of value
//	post     author, editor, tags, comments
//	comment  post; (postId, number) is unique
//	tag      an integer key
//	editor, deputy                     each names the other

// Cards returns the cards of the suite's domain, compiled: a new set at each call.
func Cards(t testing.TB) *schema.Set {
	t.Helper()
	var sources []schema.Source
	// Each part is a name, on the first line, and the text of a card.
	for _, part := range strings.Split(cards, "---\n") {
		name, text, _ := strings.Cut(part, "\n")
		sources = append(sources, schema.Source{File: name + ".yaml", Name: name, Data: []byte(text)})
	}
	set, err := schema.Compile(sources, schema.Builtins(), nil)
	if err != nil {
		t.Fatalf("the suite's cards: %v", err)
	}
	return set
}

// cards has every kind of value, nullable and not, every kind of relation and every constraint.
// Nothing in it is filled in: a store is given final rows. Each part begins with the entity's name
// and ends at a line of three hyphens.
//
// Relations cover each word of onDelete: set-null (mentorId), restrict (authorId), cascade
// (postId), none (editorId, deputyId), and both kinds of many: by the other side's field
// (posts, pupils, comments) and by ids in the row (tagIds). Posts are in between authors and their
// editors, also several for one pair.
const cards = `author
type: object
properties:
  id: {type: string, x-kit: {role: {primary: true}}}
  name: {type: string, minLength: 1, maxLength: 200, x-kit: {role: {index: true}}}
  email: {type: [string, 'null'], x-kit: {role: {unique: [[email]]}}}
  age: {type: [integer, 'null'], minimum: -100}
  score: {type: [number, 'null']}
  active: {type: [boolean, 'null']}
  born: {type: [string, 'null'], format: date}
  joined: {type: [string, 'null'], format: date-time}
  balance: {type: [string, 'null'], format: decimal}
  nicknames: {type: array, items: {type: string}}
  profile: {type: [object, 'null']}
  anything: {}
  mentorId: {type: [string, 'null'], x-kit: {role: {relation: {to: author, kind: one, onDelete: set-null}}}}
  posts: {x-kit: {role: {relation: {to: post, kind: many}}}}
  pupils: {x-kit: {role: {relation: {to: author, kind: many}}}}
  editors: {x-kit: {role: {relation: {to: editor, kind: many, through: post}}}}
required: [id, name, email, age, score, active, born, joined, balance, nicknames, profile, anything, mentorId]
x-kit-version: 1
---
post
type: object
properties:
  id: {type: string, x-kit: {role: {primary: true}}}
  title: {type: string}
  slug: {type: string, x-kit: {role: {unique: [[slug]]}}}
  status: {type: string, enum: [draft, live, "it's; gone"]}
  views: {type: integer}
  authorId: {type: string, x-kit: {role: {relation: {to: author, kind: one, onDelete: restrict}}}}
  editorId: {type: [string, 'null'], x-kit: {role: {relation: {to: editor, kind: one}}}}
  tagIds: {type: array, items: {type: integer}, x-kit: {role: {relation: {to: tag, kind: many}}}}
  comments: {x-kit: {role: {relation: {to: comment, kind: many}}}}
  published: {type: [string, 'null'], format: date-time, x-kit: {role: {index: true}}}
required: [id, title, slug, status, views, authorId, editorId, published]
x-kit-version: 1
---
comment
type: object
properties:
  id: {type: string, x-kit: {role: {primary: true}}}
  postId: {type: string, x-kit: {role: {unique: [[postId, number]], relation: {to: post, kind: one, onDelete: cascade}}}}
  number: {type: integer, x-kit: {role: {unique: [[postId, number]]}}}
  body: {type: string}
  stars: {type: [integer, 'null']}
required: [id, postId, number, body, stars]
x-kit-version: 1
---
tag
type: object
properties:
  id: {type: integer, x-kit: {role: {primary: true}}}
  label: {type: string}
required: [id, label]
x-kit-version: 1
---
editor
type: object
properties:
  id: {type: string, x-kit: {role: {primary: true}}}
  deputyId: {type: [string, 'null'], x-kit: {role: {relation: {to: deputy, kind: one}}}}
required: [id, deputyId]
x-kit-version: 1
---
deputy
type: object
properties:
  id: {type: string, x-kit: {role: {primary: true}}}
  editorId: {type: [string, 'null'], x-kit: {role: {relation: {to: editor, kind: one}}}}
required: [id, editorId]
x-kit-version: 1
`

// world is one test's store and functions that shorten its tests. They end the test where the store
// fails in a preparation.
type world struct {
	*testing.T
	set     *schema.Set
	store   facade.Store
	harness Harness
}

// odd returns the sign that no text should be cut off at, and its spelling in JSON: U+0000, or
// U+0001 for a store that cannot keep that.
func (w *world) odd() (sign, spelled string) {
	if w.harness.NoNUL {
		return "\x01", `\u0001`
	}
	return "\x00", `\u0000`
}

// ctx returns a context that ends with the test.
func (w *world) ctx() context.Context { return w.Context() }

// entity returns an entity of the suite's cards, by name.
func (w *world) entity(name string) *schema.Entity {
	w.Helper()
	e := w.set.Entity(name)
	if e == nil {
		w.Fatalf("the suite has no entity %s", name)
	}
	return e
}

// field returns a field of an entity.
func (w *world) field(e *schema.Entity, name string) *schema.Property {
	w.Helper()
	p := e.Property(name)
	if p == nil {
		w.Fatalf("%s has no field %s", e.Name, name)
	}
	return p
}

// record returns a JSON object as a Record: the fields in declaration order, as the port asks.
// A name that the entity does not have ends the test.
func (w *world) record(e *schema.Entity, text string) facade.Record {
	w.Helper()
	if !json.Valid([]byte(text)) {
		w.Fatalf("the suite's own text is not JSON: %s", text)
	}
	var r facade.Record
	known := 0
	for _, p := range e.Fields {
		if v := jsontext.Get([]byte(text), p.Name); v != nil {
			r = append(r, schema.Member{Name: p.Name, Value: v})
			known++
		}
	}
	// Get finds the names of the card only; a misspelled one in a test would pass unseen.
	for name := range jsontext.Members([]byte(text)) {
		if e.Property(name) == nil {
			w.Fatalf("%s has no field %s", e.Name, name)
		}
	}
	return r
}

// records returns JSON objects as Records.
func (w *world) records(e *schema.Entity, texts []string) []facade.Record {
	records := make([]facade.Record, len(texts))
	for i, text := range texts {
		records[i] = w.record(e, text)
	}
	return records
}

// stored returns the layout of all stored fields, in declaration order.
func stored(e *schema.Entity) *rows.Layout {
	var names []string
	for _, p := range e.Fields {
		if p.Stored {
			names = append(names, p.Name)
		}
	}
	return rows.NewLayout(names)
}

// insert writes rows that have to go in. A short text is completed to a whole row: an author needs
// no more than an id. texts is changed.
func (w *world) insert(name string, texts ...string) {
	w.Helper()
	e := w.entity(name)
	for i := range texts {
		texts[i] = fill(name, texts[i])
	}
	if _, err := w.store.Insert(w.ctx(), e, w.records(e, texts), nil, rows.NewLayout(nil)); err != nil {
		w.Fatalf("insert %s: %v", name, err)
	}
}

// fill adds the required fields that the test does not care for. Values that have to be unique
// contain the id:
//
//	tag, {"id":1}   ->   {"id":1,"label":"tag 1"}
func fill(name, text string) string {
	id := strings.Trim(jsontext.Unquote(jsontext.Get([]byte(text), "id")), "\x00")
	// The key of a tag is a number, whose text is used.
	if id == "" {
		id = string(jsontext.Get([]byte(text), "id"))
	}
	// q is a JSON string that ends in the id.
	q := func(s string) string { return string(jsontext.Quote(s + id)) }
	// Posts point at author a, comments at post p: a test inserts these first. The number of a
	// comment only differs with the length of its id.
	defaults := map[string]string{
		"author":  `{"name":` + q("author ") + `,"nicknames":[]}`,
		"post":    `{"title":` + q("post ") + `,"slug":` + q("") + `,"status":"draft","views":0,"authorId":"a","tagIds":[]}`,
		"comment": fmt.Sprintf(`{"postId":"p","number":%d,"body":%s}`, len(id), q("comment ")),
		"tag":     `{"label":` + q("tag ") + `}`,
	}[name]
	var missing []string
	for field, value := range jsontext.Members([]byte(defaults)) {
		if jsontext.Get([]byte(text), field) == nil {
			missing = append(missing, string(jsontext.Quote(field))+":"+string(value))
		}
	}
	if len(missing) == 0 {
		return text
	}
	return strings.TrimSuffix(strings.TrimSpace(text), "}") + "," + strings.Join(missing, ",") + "}"
}

// find returns the result of a Find that has to succeed.
func (w *world) find(q *facade.Find) *facade.Found {
	w.Helper()
	found, err := w.store.Find(w.ctx(), q)
	if err != nil {
		w.Fatalf("find %s: %v", q.Entity.Name, err)
	}
	return found
}

// ids returns the ids of the rows of a find without a limit, in order: "a c b". sort is as in
// sort.
func (w *world) ids(name string, where *filter.Filter, sort ...string) string {
	w.Helper()
	e := w.entity(name)
	found := w.find(&facade.Find{Entity: e, Select: rows.NewLayout([]string{"id"}), Where: where, Sort: w.sort(e, sort...), Limit: all})
	return w.list(found.Rows, 0, found.Rows.Len())
}

// all is a limit no test's rows reach.
const all = 1 << 30

// list returns the ids of some rows, parted by spaces, texts without their quotes.
func (w *world) list(found *rows.Rows, from, to int) string {
	var ids []string
	for i := from; i < to; i++ {
		ids = append(ids, strings.Trim(string(found.Row(i).Get("id")), `"`))
	}
	return strings.Join(ids, " ")
}

// sort reads keys such as "-views", descending with a hyphen; the primary key is put behind
// them unless it is the last already.
func (w *world) sort(e *schema.Entity, keys ...string) []facade.SortKey {
	w.Helper()
	var out []facade.SortKey
	for _, k := range keys {
		name, desc := strings.CutPrefix(k, "-")
		out = append(out, facade.SortKey{Field: w.field(e, name), Desc: desc})
	}
	// facade.Find asks for the primary key at the end.
	if n := len(out); n == 0 || out[n-1].Field != e.Primary {
		out = append(out, facade.SortKey{Field: e.Primary})
	}
	return out
}

// rows returns every stored row as a JSON array, by primary key.
func (w *world) rows(name string) string {
	w.Helper()
	e := w.entity(name)
	return string(w.find(&facade.Find{Entity: e, Select: stored(e), Sort: w.sort(e), Limit: all}).Rows.AppendJSON(nil))
}

// equal reports where two values differ, and goes on.
func (w *world) equal(what string, want, got any) {
	w.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		w.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

// refused checks an error's code and its details: "unique:slug" is the code unique at the path
// slug. The message must not show the engine: constraint names and SQL are no business of a caller.
func (w *world) refused(err error, code kiterror.Code, details ...string) {
	w.Helper()
	var e *kiterror.Error
	if !errors.As(err, &e) || e.Code != code {
		w.Errorf("the error is %v, want %s", err, code)
		return
	}
	var got []string
	list, _ := e.Details.([]schema.Detail)
	for _, d := range list {
		got = append(got, d.Code+":"+d.Path)
	}
	w.equal("details of "+e.Error(), details, got)
	// Words that only messages of engines have.
	for _, word := range []string{"SQL", "sql", "constraint failed", "pq:", "ERROR"} {
		if strings.Contains(e.Message, word) {
			w.Errorf("the message shows the engine: %s", e.Message)
		}
	}
}

// raw returns a list of texts as JSON values.
func raw(texts ...string) []json.RawMessage {
	out := make([]json.RawMessage, len(texts))
	for i, t := range texts {
		out[i] = json.RawMessage(t)
	}
	return out
}
