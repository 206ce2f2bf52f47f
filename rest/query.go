package rest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// maxParameters is how many parameters one query string may have.
const maxParameters = 1000

// parameter is one name of a query string with what was sent for it.
type parameter struct {
	name   string
	values []string // never empty
}

// parseQuery takes a query string apart: names in the order they first stand,
// each with its values in order.
func parseQuery(raw string) ([]parameter, *facade.Error) {
	if raw == "" {
		return nil, nil
	}
	if strings.Count(raw, "&") >= maxParameters {
		return nil, facade.Errorf(facade.BadRequest, "the query string has more than %d parameters; send fewer", maxParameters)
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
			return nil, facade.Errorf(facade.BadRequest, "the query string is not percent-encoded UTF-8; encode every %% as %%25")
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

// arguments are the parts of an invocation that stand in a URL, being put together.
type arguments struct {
	op      *facade.Operation
	pathID  bool     // the id stands in the path
	fields  []string // of the rows that are answered; nil: all
	params  object
	query   object
	body    object
	details []schema.Detail
}

// object is a JSON object being written; no text at all while it has no member.
type object struct{ text []byte }

func (o *object) member(name string) {
	if o.text == nil {
		o.text = append(make([]byte, 0, 64), '{')
	} else {
		o.text = append(o.text, ',')
	}
	o.text = append(jsontext.AppendString(o.text, name), ':')
}

func (o *object) set(name string, value []byte) {
	o.member(name)
	o.text = append(o.text, value...)
}

func (o *object) close() json.RawMessage {
	if o.text == nil {
		return nil
	}
	return append(o.text, '}')
}

// place reads parameters to where the operation's cards have them: its params,
// then its query, then, where it is a query, its input.
func (a *arguments) place(all []parameter) {
	var conditions []parameter
	for _, p := range all {
		if strings.HasPrefix(p.name, "filter[") && a.filters() {
			conditions = append(conditions, p)
			continue
		}
		into, shape := a.home(p.name)
		if into == nil && p.name == fieldsParameter && a.answersRows() {
			a.fields = readFields(p.values)
			continue
		}
		if into == nil && a.op.Open {
			a.query.set(p.name, textOf(p.values))
			continue
		}
		if into == nil {
			if a.filters() { // the façade refuses it, in the words every surface has
				a.query.set(p.name, jsontext.Quote(p.values[0]))
			} else {
				a.refuse(p.name, schema.UnknownKey, "is not a parameter of "+a.op.Door.Name+"."+a.op.Name+"; there "+a.known())
			}
			continue
		}
		if value, ok := a.read(p, shape); ok {
			into.set(p.name, value)
		}
	}
	if len(conditions) == 0 {
		return
	}
	for _, p := range all {
		if p.name == "filter" {
			a.refuse("filter", "oneOf", "stands both as JSON and in brackets; send one of the two")
			return
		}
	}
	if filter := readFilter(a, conditions); filter != nil {
		a.query.set("filter", filter)
	}
}

// textOf is what a parameter is where no card says: text, and a list where it stands
// more than once.
func textOf(values []string) []byte {
	if len(values) == 1 {
		return jsontext.Quote(values[0])
	}
	list := []byte{'['}
	for i, v := range values {
		if i > 0 {
			list = append(list, ',')
		}
		list = jsontext.AppendString(list, v)
	}
	return append(list, ']')
}

// fieldsParameter narrows the rows that a query answers. It is list's own in its
// card; of any other query it is the call's Select, unless a card of the author's
// has a parameter of that name.
const fieldsParameter = "fields"

func (a *arguments) answersRows() bool { return a.op.Kind == facade.Query && a.op.Output != nil }

// readFields reads names parted by commas, or the parameter once for each.
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

// filters says whether the operation takes the filter grammar.
func (a *arguments) filters() bool { return a.op.Query != nil && a.op.Query.Property("filter") != nil }

// home is where a parameter belongs, and its shape; nil: nowhere.
func (a *arguments) home(name string) (*object, *schema.Shape) {
	for _, at := range [...]struct {
		card *schema.Entity
		into *object
	}{{a.op.Params, &a.params}, {a.queryCard(), &a.query}, {a.input(), &a.body}} {
		if at.card == nil || a.pathID && name == "id" && at.into == &a.params {
			continue
		}
		if p := at.card.Property(name); p != nil {
			return at.into, &p.Shape
		}
	}
	return nil, nil
}

// queryCard is the card of what the URL says beside the id. Which version a write is
// about stands in headers, and a write answers the whole row.
func (a *arguments) queryCard() *schema.Entity {
	if a.op.Builtin && a.op.Kind == facade.Command {
		return nil
	}
	return a.op.Query
}

// input is the card of the body where the query string stands in for it: a query
// is a GET (spec 1.2), and a GET has no body.
func (a *arguments) input() *schema.Entity {
	if a.op.Kind == facade.Query {
		return a.op.Input
	}
	return nil
}

// known names the parameters in a message.
func (a *arguments) known() string {
	var names []string
	for _, card := range [...]*schema.Entity{a.op.Params, a.queryCard(), a.input()} {
		if card == nil {
			continue
		}
		for _, p := range card.Fields {
			if !(a.pathID && p.Name == "id" && card == a.op.Params) {
				names = append(names, p.Name)
			}
		}
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

// read is a parameter's value as JSON: a list where its card says so, else one value.
func (a *arguments) read(p parameter, shape *schema.Shape) (json.RawMessage, bool) {
	if shape.Type == "array" {
		return readList(p.values, shape.Items), true
	}
	if len(p.values) > 1 && shape.Type == "" && bytes.Contains(shape.Extra.Get("type"), []byte(`"array"`)) {
		return readList(p.values, nil), true
	}
	if len(p.values) > 1 {
		a.refuse(p.name, "maxItems", "stands more than once; send it once")
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

// readList is a list as a query string says it: a JSON array, or values parted by
// commas, or the parameter once for each, or both of these.
func readList(values []string, item *schema.Shape) json.RawMessage {
	if len(values) == 1 && strings.HasPrefix(values[0], "[") && jsontext.Check([]byte(values[0])) == nil {
		return json.RawMessage(values[0])
	}
	list := []byte{'['}
	for _, v := range values {
		if v == "" {
			continue // ids= is no id, not the id ""
		}
		for one := range strings.SplitSeq(v, ",") {
			if len(list) > 1 {
				list = append(list, ',')
			}
			list = append(list, coerce(item, one)...)
		}
	}
	return append(list, ']')
}

// coerce is a text as the JSON its card asks for. What the card does not take
// stays a string: the judge says what is wrong with it, as on every surface.
func coerce(shape *schema.Shape, text string) json.RawMessage {
	if shape != nil {
		if v, ok := schema.Coerce(shape, text); ok {
			return v
		}
	}
	return jsontext.Quote(text)
}

// has says whether a parameter was sent for query.
func (a *arguments) has(name string) bool {
	return a.query.text != nil && jsontext.Get(append(a.query.text[:len(a.query.text):len(a.query.text)], '}'), name) != nil
}

// refuse notes what is wrong with a parameter. The message goes on after its name,
// as those of the judge do.
func (a *arguments) refuse(name, code, message string) {
	if len(a.details) < schema.MaxDetails {
		a.details = append(a.details, schema.Detail{
			Path: name, Pointer: "/query/" + jsontext.Token(name), Code: code, Message: message,
		})
	}
}

// refusal is what was noted as one error, or nil.
func (a *arguments) refusal() *facade.Error {
	switch n := len(a.details); n {
	case 0:
		return nil
	case 1:
		return facade.Invalid(a.details[0].Path+" "+a.details[0].Message, a.details...)
	default:
		return facade.Invalid(fmt.Sprintf("%d things are refused, each with a detail; the first: %s %s", n, a.details[0].Path, a.details[0].Message), a.details...)
	}
}
