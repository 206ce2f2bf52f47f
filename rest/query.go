package rest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// A query string becomes the parts of an invocation in three steps: [parseQuery] splits it,
// [arguments.place] finds the card that declares each parameter, [coerce] converts its text.
// For product.list
//
//	?limit=20&sort=-price&filter[status]=draft
//
// becomes the query
//
//	{"limit":20,"sort":"-price","filter":{"status":{"eq":"draft"}}}
//
// with members in the order of the URL, the filter last. Refusals are collected, so that one
// answer names all of them.

// maxParameters is the limit of parameters in one query string; more are BAD_REQUEST. It
// bounds the map and the list that parseQuery builds before any parameter is judged.
const maxParameters = 1000

// parameter is one name of a query string with its values.
type parameter struct {
	name   string
	values []string // at least one, in the order of the URL
}

// parseQuery splits a query string: names in the order of their first use, each with its values
// in order. net/url's ParseQuery loses that order and accepts invalid UTF-8.
func parseQuery(raw string) ([]parameter, *kiterror.Error) {
	if raw == "" {
		return nil, nil
	}
	if strings.Count(raw, "&") >= maxParameters {
		return nil, kiterror.Errorf(kiterror.BadRequest, "the query string has more than %d parameters; send fewer", maxParameters)
	}
	var all []parameter
	at := map[string]int{}
	for pair := range strings.SplitSeq(raw, "&") {
		if pair == "" {
			continue
		}
		name, value, _ := strings.Cut(pair, "=")
		name, err := unescape(name)
		if err == nil {
			value, err = unescape(value)
		}
		if err != nil {
			return nil, kiterror.Errorf(kiterror.BadRequest, "the query string is not percent-encoded UTF-8; encode every %% as %%25")
		}
		i, again := at[name]
		if !again {
			i = len(all)
			at[name] = i
			all = append(all, parameter{name: name})
		}
		all[i].values = append(all[i].values, value)
	}
	return all, nil
}

// unescape decodes one name or value, which has to be UTF-8.
func unescape(s string) (string, error) {
	if strings.IndexByte(s, '%') < 0 && strings.IndexByte(s, '+') < 0 {
		if !utf8.ValidString(s) {
			return "", url.EscapeError(s)
		}
		return s, nil
	}
	s, err := url.QueryUnescape(s)
	if err == nil && !utf8.ValidString(s) {
		err = url.EscapeError(s)
	}
	return s, err
}

// arguments collects the parts of an invocation from a URL, and its faults. It belongs to one
// request.
type arguments struct {
	op      *catalog.Operation
	pathID  bool     // the id is in the path, so that no parameter may be called id
	fields  []string // the fields to answer; nil: all
	params  object
	query   object
	body    object
	details []schema.Detail
}

// object is a JSON object being written. The zero value is absent, not {}.
type object struct{ text []byte }

// member begins a member; its value has to follow.
func (o *object) member(name string) {
	if o.text == nil {
		o.text = append(make([]byte, 0, 64), '{')
	} else {
		o.text = append(o.text, ',')
	}
	o.text = jsontext.AppendName(o.text, name)
}

// set adds a member whose value is JSON text.
func (o *object) set(name string, value []byte) {
	o.member(name)
	o.text = append(o.text, value...)
}

// close returns the text of the object, or nil without members.
func (o *object) close() json.RawMessage {
	if o.text == nil {
		return nil
	}
	return append(o.text, '}')
}

// passed has the shapes of the parameters that [catalog.Operation.Passes] names.
var passed = map[string]*schema.Shape{"offset": &whole, "after": {Type: "string"}}

// words has the shapes of the words beside a command.
var words = map[string]*schema.Shape{catalog.Rehearse: {Type: "boolean"}, catalog.Approve: {Type: "string"}}

// place reads each parameter into the part whose card declares it: params, then query,
// then, where the operation is a query, the body.
func (a *arguments) place(all []parameter) {
	var conditions, groups []parameter
	word := "filter"
	member := word // of the query
	switch {
	case a.op.IsMany():
		member = whereParameter
	case a.holdsRow():
		word, member = whereParameter, whereParameter
	}
	for _, p := range all {
		if strings.HasPrefix(p.name, word+"[") && (a.filters() || a.holdsRow()) {
			conditions = append(conditions, p)
			continue
		}
		if strings.HasPrefix(p.name, havingParameter+"[") && a.op.Aggregates() {
			groups = append(groups, p)
			continue
		}
		into, shape := a.home(p.name)
		if into == nil && catalog.IsWord(p.name) && a.op.Kind == catalog.Command {
			a.query.set(p.name, coerce(words[p.name], p.values[0]))
			continue
		}
		if into == nil && p.name == fieldsParameter && a.answersRows() {
			a.fields = readFields(p.values)
			continue
		}
		// An operation without cards takes anything (docs/decisions/remotes.md), as text.
		if into == nil && a.op.Open {
			a.query.set(p.name, textOf(p.values))
			continue
		}
		if into == nil && a.op.Passes(p.name) {
			a.query.set(p.name, coerce(passed[p.name], p.values[0]))
			continue
		}
		if into == nil {
			if a.filters() { // the façade refuses it, with the same message as on every surface
				a.query.set(p.name, jsontext.Quote(p.values[0]))
			} else {
				a.refuse(p.name, schema.UnknownKey, "is not a parameter of "+a.op.Door.Name+"."+a.op.Name+"; there "+a.known())
			}
			continue
		}
		name := p.name
		if name == word {
			name = member
		}
		if value, ok := a.read(p, shape); ok {
			into.set(name, value)
		}
	}
	a.bracketed(all, word, member, conditions, ofRows)
	a.bracketed(all, havingParameter, havingParameter, groups, ofGroups)
}

// bracketed sets a member of the query to the conditions in brackets after word.
func (a *arguments) bracketed(all []parameter, word, member string, conditions []parameter, write writer) {
	if len(conditions) == 0 {
		return
	}
	for _, p := range all {
		if p.name == word {
			a.refuse(word, "oneOf", "is sent both as JSON and in brackets; send one of the two")
			return
		}
	}
	if filter := readFilter(a, word, conditions, a.op.Door.Entity, write); filter != nil {
		a.query.set(member, filter)
	}
}

// textOf is the JSON of a parameter that no card declares: a string, or a list of strings if it
// was sent more than once.
func textOf(values []string) []byte {
	if len(values) == 1 {
		return jsontext.Quote(values[0])
	}
	return jsontext.AppendStrings(nil, values)
}

// fieldsParameter selects the fields that a query answers. The card of list declares it;
// for any other query it sets Call.Select, unless a card of the author's declares a
// parameter with that name.
const fieldsParameter = "fields"

// answersRows reports whether the fields of the answer can be selected.
func (a *arguments) answersRows() bool { return a.op.Kind == catalog.Query && a.op.Output != nil }

// readFields splits values at commas into names. The result is never nil.
func readFields(values []string) []string {
	names := []string{}
	for _, v := range values {
		for name := range strings.SplitSeq(v, ",") {
			if name = strings.TrimSpace(name); name != "" {
				names = append(names, name)
			}
		}
	}
	return names
}

// filters reports whether the operation takes the filter grammar.
func (a *arguments) filters() bool { return a.op.Query != nil && a.op.Query.Property("filter") != nil }

// whereParameter is the condition of an update or a delete, in the grammar of a list's filter:
// where[status]=draft, or where={json}.
const whereParameter = "where"

// havingParameter is the condition on groups: having[total][sum][gt]=100, or having={json}.
const havingParameter = "having"

// holdsRow reports whether the operation holds its row to a condition.
func (a *arguments) holdsRow() bool {
	return a.op.Builtin && a.op.Kind == catalog.Command && a.op.Query != nil && a.op.Query.Property(whereParameter) != nil
}

// home returns the part that a parameter belongs to and its shape, or nil. The first card that declares
// the name takes it: params, then query, then input (docs/decisions/http-guards.md).
func (a *arguments) home(name string) (*object, *schema.Shape) {
	for _, at := range [...]struct {
		card *schema.Entity
		into *object
	}{{a.op.Params, &a.params}, {a.queryCard(), &a.query}, {a.input(), &a.body}} {
		if at.card == nil || a.pathID && name == "id" && at.into == &a.params {
			continue
		}
		if p := at.card.Property(name); p != nil && !(a.op.IsMany() && name == whereParameter) {
			return at.into, &p.Shape
		}
	}
	if name == "filter" && a.op.IsMany() && a.holdsRow() {
		return &a.query, &a.op.Query.Property(whereParameter).Shape
	}
	if name == whereParameter && a.holdsRow() && !a.op.IsMany() {
		return &a.query, &a.op.Query.Property(whereParameter).Shape
	}
	return nil, nil
}

// queryCard returns the card of the query, or nil. Built-in writes take one query key here
// (holdsRow): the version of their row is in headers, and they answer the whole row.
func (a *arguments) queryCard() *schema.Entity {
	if a.op.Builtin && a.op.Kind == catalog.Command && !a.op.IsMany() {
		return nil
	}
	return a.op.Query
}

// input returns the card of the body if parameters take the place of a body: a query is a GET
// (spec 1.2), and a GET has no body.
func (a *arguments) input() *schema.Entity {
	if a.op.Kind == catalog.Query {
		return a.op.Input
	}
	return nil
}

// known lists the parameters of the operation for a message.
func (a *arguments) known() string {
	var names []string
	for _, card := range [...]*schema.Entity{a.op.Params, a.queryCard(), a.input()} {
		if card == nil {
			continue
		}
		for _, p := range card.Fields {
			switch {
			case a.pathID && p.Name == "id" && card == a.op.Params:
			case a.op.IsMany() && p.Name == whereParameter:
				names = append(names, "filter")
			default:
				names = append(names, p.Name)
			}
		}
	}
	if a.holdsRow() && !a.op.IsMany() {
		names = append(names, whereParameter)
	}
	if a.answersRows() && !slices.Contains(names, fieldsParameter) {
		names = append(names, fieldsParameter)
	}
	switch len(names) {
	case 0:
		return "are none"
	case 1:
		return "is " + names[0]
	}
	return "are " + some(names)
}

// read converts a parameter to JSON: a list where its card says so, else one value. It
// reports false where the value was refused.
func (a *arguments) read(p parameter, shape *schema.Shape) (json.RawMessage, bool) {
	if shape.Type == "array" {
		return readList(p.values, shape.Items), true
	}
	// The Type of a card's type: [string, array] is "", because the card has two; several
	// values are then a list.
	if len(p.values) > 1 && shape.Type == "" && bytes.Contains(shape.Extra.Get("type"), []byte(`"array"`)) {
		return readList(p.values, nil), true
	}
	if len(p.values) > 1 {
		a.refuse(p.name, "maxItems", "is sent more than once; send it once")
		return nil, false
	}
	if text := p.values[0]; shape.Type == "object" {
		if err := jsontext.Check([]byte(text)); err != nil {
			a.refuse(p.name, "type", "is not a JSON object: "+err.Error())
			return nil, false
		}
		return json.RawMessage(text), true
	}
	return coerce(shape, p.values[0]), true
}

// readList converts values to a JSON array: one value may be a JSON array itself; else each
// value is split at commas.
//
//	ids=a,b   ids=a&ids=b   ids=["a","b"]   ->  ["a","b"]
//	ids=                                    ->  []
//
// A text with a comma can only be sent in the third form.
func readList(values []string, item *schema.Shape) json.RawMessage {
	if len(values) == 1 && strings.HasPrefix(values[0], "[") && jsontext.Check([]byte(values[0])) == nil {
		return json.RawMessage(values[0])
	}
	list := []byte{'['}
	for _, v := range values {
		if v == "" {
			continue // ids= is an empty list, not a list of the id ""
		}
		for one := range strings.SplitSeq(v, ",") {
			list = append(jsontext.Comma(list), coerce(item, one)...)
		}
	}
	return append(list, ']')
}

// coerce converts a text to the JSON type of its shape. A text that does not fit stays a
// string, and the judge refuses it with the same detail as on every surface.
//
//	integer  "10"   ->  10
//	integer  "ten"  ->  "ten"
//	string   "10"   ->  "10"
func coerce(shape *schema.Shape, text string) json.RawMessage {
	if shape != nil {
		if v, ok := schema.AppendCoerced(nil, shape, []byte(text)); ok {
			return v
		}
	}
	return jsontext.Quote(text)
}

// has reports whether the query has a member.
func (a *arguments) has(name string) bool {
	// The object is still open. Its capacity is cut to its length, so that the brace is
	// appended to a copy and the next member follows the last one.
	return a.query.text != nil && jsontext.Get(append(a.query.text[:len(a.query.text):len(a.query.text)], '}'), name) != nil
}

// refuse adds a detail about a parameter; beyond [schema.MaxDetails] it is dropped. The message
// continues a sentence that begins with the name, as the judge's messages do.
func (a *arguments) refuse(name, code, message string) {
	if len(a.details) < schema.MaxDetails {
		a.details = append(a.details, schema.Detail{
			Path: name, Pointer: "/query/" + jsontext.Token(name), Code: code, Message: message,
		})
	}
}

// refusal returns VALIDATION_FAILED with all details, or nil without details.
func (a *arguments) refusal() *kiterror.Error {
	switch n := len(a.details); n {
	case 0:
		return nil
	case 1:
		return kiterror.Invalid(a.details[0].Path+" "+a.details[0].Message, a.details...)
	default:
		return kiterror.Invalid(fmt.Sprintf("%d things are refused, each with a detail; the first: %s %s", n, a.details[0].Path, a.details[0].Message), a.details...)
	}
}
