package catalog

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"

	"github.com/frondhost/frond/facade/filter"
	"github.com/frondhost/frond/facade/project"
	"github.com/frondhost/frond/facade/search"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// RowQuery is the query of the operations on rows by their ids, without the ids themselves.
// Writes of many rows by a filter require where, writes by a unique key by.
func RowQuery(op string) *schema.Card {
	card := &schema.Card{Required: []string{}}
	for _, name := range RowKeys[op] {
		text := "Names of the fields to return, such as id,title; etag is the version of the row."
		if op == "findById" || op == "findByIds" {
			text += pathsText
		}
		if f, many := manyQuery(op, name); many {
			card.Fields = append(card.Fields, f)
			if name == "where" || name == "by" {
				card.Required = append(card.Required, name)
			}
			continue
		}
		switch name {
		case "ids":
			continue
		case "ifMatch":
			text = "The expected version of the row, its etag, or a list of versions."
		case "where":
			text = "Condition on the row, in the form of the filter of list. The call fails with PRECONDITION_FAILED if the row does not meet it."
			card.Fields = append(card.Fields, schema.Field{Name: name, Shape: schema.Shape{Type: "object", Description: text}})
			continue
		}
		card.Fields = append(card.Fields, schema.Field{Name: name, Shape: schema.Shape{
			Description: text, Extra: schema.Keywords{{Name: "type", Value: json.RawMessage(`["string","array"]`)}},
		}})
	}
	return card
}

// pathsText lists the other values that fields of a query may have.
const pathsText = " category.name and reviews(limit:3).rating lead through relations: to one row an object or null, to many {items, hasMore}, 50 rows at most."

// Keywords is one keyword of a schema with a number.
func Keywords(name string, n int) schema.Keywords {
	return schema.Keywords{{Name: name, Value: json.RawMessage(strconv.Itoa(n))}}
}

// ListCard is the grammar of list as a card: query of the operation.
//
//	filter  {"price": {"gte": 10}, "or": [{…}, {…}], "author": {"name": {"eq": "Ada"}}}; all members hold
//	sort    "-createdAt,title", or a list of such names; - is descending; the primary key follows by itself;
//	        author.name, reviews.count and reviews.rating.avg are values behind relations
//	limit   rows of a page; 0 is for the total alone; more than the most is cut to it
//	after   the endCursor of a page with this sort: the rows after it
//	before  a cursor as well: the rows before it. "" is the end
//	backward whether limit takes the last rows, in the same order; so it is where before is given
//	        without after. Both are a range: the rows between after and before
//	offset  rows to leave out at the beginning; without a cursor
//	search  words that rows have: green tea "gift box" -sugar choc*; where the rows are searched
//	fields  the fields to answer: "id,title", or a list
//	cursors whether to answer cursors (of every row) and hasPrevious, besides the spec's four members
//	total   whether to count all rows that meet the filter; true where left out, -1 is answered for false
//	count   how to: exact, estimated (exact if that costs little) or none; true and false as total
//
// An explicit null is as good as leaving a key out.
//
// searched are the searched fields, nil if rows are not searched.
func ListCard(limits project.ListLimits, conditions schema.Shape, searched []string) *schema.Card {
	conditions.Description = "A filter: all of its conditions have to hold."
	text := func(name, description string) schema.Field {
		return schema.Field{Name: name, Shape: schema.Shape{Type: "string", Description: description}}
	}
	names := func(name, description string) schema.Field {
		return schema.Field{Name: name, Shape: schema.Shape{
			Description: description,
			Extra:       schema.Keywords{{Name: "type", Value: json.RawMessage(`["string","array"]`)}},
		}}
	}
	count := func(name, description string, extra ...schema.Keyword) schema.Field {
		return schema.Field{Name: name, Shape: schema.Shape{
			Type: "integer", Description: description,
			Extra: append(Keywords("minimum", 0), extra...),
		}}
	}
	return withSearch(&schema.Card{
		Description: "Which rows, in which order, how many of them.",
		Required:    []string{},
		Fields: []schema.Field{
			{Name: "filter", Shape: conditions},
			names("sort", "Names of fields, such as -createdAt,title; - is descending. The primary key follows by itself. category.name leads through relations to one row, at most three; reviews.count and reviews.rating.avg are functions of many rows."),
			count("limit", fmt.Sprintf("The number of rows; a larger number is cut to %d, 0 returns none.", limits.Max),
				schema.Keyword{Name: "default", Value: json.RawMessage(strconv.Itoa(limits.Default))}),
			text("after", "A cursor: returns the rows after it. With before: the range between them."),
			text("before", "A cursor: returns the last rows before it. Empty: the last rows."),
			{Name: "backward", Shape: schema.Shape{
				Type: "boolean", Description: "Whether limit takes the last rows, in the same order. The default is true if before is sent without after.",
			}},
			count("offset", "The number of rows to skip at the beginning."),
			names("fields", "Names of the fields to return, such as id,title; etag is the version of each row."+pathsText),
			{Name: "total", Shape: schema.Shape{
				Type: "boolean", Description: "Whether to count all rows that meet the filter; if false, total is -1.",
				Extra: schema.Keywords{{Name: "default", Value: json.RawMessage("true")}},
			}},
			{Name: "count", Shape: schema.Shape{
				Description: "The way to count total: exact, estimated (exact if that is cheap) or none; true and false mean exact and none.",
				Enum:        []json.RawMessage{[]byte(`"exact"`), []byte(`"estimated"`), []byte(`"none"`), []byte("true"), []byte("false")},
				Extra: schema.Keywords{
					{Name: "type", Value: json.RawMessage(`["string","boolean"]`)}, {Name: "default", Value: json.RawMessage(`"exact"`)},
				},
			}},
			{Name: "cursors", Shape: schema.Shape{
				Type: "boolean", Description: "Whether to return cursors, one for every row, and hasPrevious: whether there are rows before the page.",
				Extra: schema.Keywords{{Name: "default", Value: json.RawMessage("false")}},
			}},
		},
	}, searched)
}

// searchedKeyword is the keyword under search of a list's query that has the searched fields.
const searchedKeyword = "x-fields"

// withSearch adds search to the query of list or aggregate where rows are searched: fields is not nil.
// A host names them in its discovery document, so that another one refuses a search by a field which it
// hides.
func withSearch(card *schema.Card, fields []string) *schema.Card {
	if fields == nil {
		return card
	}
	f := schema.Field{Name: SearchKey, Shape: schema.Shape{
		Type: "string", Description: "Words that the rows have: all of them, \"a phrase\", a beginning*, -without, or. Sort by -rank for the best first.",
		Extra: Keywords("maxLength", search.MaxText),
	}}
	if len(fields) > 0 {
		f.Shape.Extra = append(f.Shape.Extra, schema.Keyword{Name: searchedKeyword, Value: jsontext.AppendStrings(nil, fields)})
	}
	card.Fields = append(card.Fields, f)
	return card
}

// SearchedFields are the fields that the card of a list's query in a discovery document says are searched.
func SearchedFields(card *schema.Card) (names []string) {
	if f := card.Field(SearchKey); f != nil {
		for _, k := range f.Shape.Extra {
			if k.Name == searchedKeyword {
				for _, name := range jsontext.Elements(k.Value) {
					names = append(names, jsontext.Unquote(name))
				}
			}
		}
	}
	return names
}

// searchedHere are the searched fields of a door that may leave the host; nil: its rows are not
// searched.
func searchedHere(d *Door) (names []string) {
	if s := d.Entity.Search; s != nil {
		for _, f := range s.Fields {
			if f.Readable() && f.Axes.Out.Name == "" {
				names = append(names, f.Name)
			}
		}
	}
	return names
}

// ofMany is the filter of a relation to many rows; other is the filter of the rows.
func ofMany(other, integer schema.Shape) schema.Shape {
	all := []schema.Field{{Name: "some", Shape: other}, {Name: "none", Shape: other}, {Name: "every", Shape: other}, {Name: filter.Count.String(), Shape: integer}}
	for _, fn := range filter.OfField {
		all = append(all, schema.Field{Name: fn.String(), Shape: schema.Shape{Type: "object", Description: "Conditions by the names of fields."}})
	}
	return schema.Shape{Type: "object", Properties: all}
}

// sortsBehind is the keyword of sort in the card of a list that sorts by values behind relations.
const sortsBehind = "x-relations"

// SortsBehind reports whether the card of a list says that it sorts by values behind relations.
func SortsBehind(card *schema.Card) bool {
	if card == nil {
		return false
	}
	f := card.Field("sort")
	return f != nil && f.Shape.Extra.Get(sortsBehind) != nil
}

// takesRules is the keyword of filter in the card of a list that takes conditions of access rules.
const takesRules = "x-rules"

// TakesRules reports whether the card of a list says so.
func TakesRules(card *schema.Card) bool {
	if card == nil {
		return false
	}
	f := card.Field("filter")
	return f != nil && f.Shape.Extra.Get(takesRules) != nil
}

// SortForm returns [Operation.SortForm] of the card of a list.
func SortForm(card *schema.Card) string {
	if card == nil {
		return ""
	}
	if f := card.Field("sort"); f != nil && (f.Shape.Type == "string" || f.Shape.Type == "array") {
		return f.Shape.Type
	}
	return ""
}

// discoveredList is the card of list as discovery has it: which fields may be
// filtered by and with which operators, so that a consumer knows the filters of the
// host (docs/calls.md). The operators of a kind are listed once, under $defs.
func (c *Catalog) discoveredList(d *Door, card *schema.Card) *schema.Card {
	conditions := schema.Shape{Type: "object", Properties: []schema.Field{}}
	var kinds []string
	add := func(name string, shape schema.Shape) {
		conditions.Properties = append(conditions.Properties, schema.Field{Name: name, Shape: shape})
	}
	ref := func(kind string) schema.Shape {
		if !slices.Contains(kinds, kind) {
			kinds = append(kinds, kind)
		}
		return schema.Shape{Type: "object", Extra: schema.Keywords{{Name: "$ref", Value: jsontext.Quote("#/$defs/" + kind)}}}
	}
	for _, p := range d.Entity.Fields {
		if !p.Readable() {
			continue
		}
		if p.Link == nil {
			add(p.Name, ref(filter.CardOf(p)))
			continue
		}
		if p.Stored {
			add(p.Link.Key, ref(filter.CardOf(p)))
		}
		if !c.Joins(p.Link) {
			continue // an entity without a façade here is reached by no way (spec 2.5.2)
		}
		other := schema.Shape{Type: "object", Description: "A filter of " + p.Link.Target.Key + "."}
		if p.Link.Many {
			other = ofMany(other, ref("integer"))
		}
		add(p.Link.Name, other)
	}
	filters := schema.Shape{Type: "array", Items: &schema.Shape{Type: "object"}}
	add("and", filters)
	add("or", filters)
	add("not", schema.Shape{Type: "object"})

	out := *ListCard(d.Limits, conditions, searchedHere(d))
	for i, f := range out.Fields {
		switch f.Name {
		case "filter":
			out.Fields[i].Shape.Extra = append(slices.Clip(f.Shape.Extra), schema.Keyword{Name: takesRules, Value: json.RawMessage("true")})
		case "sort":
			out.Fields[i].Shape.Extra = append(slices.Clip(f.Shape.Extra), schema.Keyword{Name: sortsBehind, Value: json.RawMessage("true")})
		}
	}
	if op := d.Operation("list"); op != nil && op.TakenKeys != nil {
		out.Fields = slices.DeleteFunc(out.Fields, func(f schema.Field) bool { return !slices.Contains(op.Keys(), f.Name) })
	}
	out.Title, out.Version, out.Vendor = schema.EntityKey(d.Name)+"list", card.Version, card.Vendor
	defs := []byte{'{'}
	for _, kind := range kinds {
		defs = jsontext.AppendName(jsontext.Comma(defs), kind)
		shape := filter.Card(kind)
		defs = shape.AppendJSON(defs)
	}
	out.Extra = schema.Keywords{{Name: "$defs", Value: append(defs, '}')}}
	return &out
}
