package envelope

import (
	"encoding/json"
	"strconv"
	"strings"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// The specification does not show the input of list (spec 4.2), and consumers that were
// written to it alone, or to hosts of another make, say what they want in words of their
// own. This file serves them, on the envelope alone:
//
//	where    {"status": "open", "ownerId": null}    equality, as filter {"status": {"eq": "open"}, "ownerId": {"isNull": true}}
//	orderBy  "createdAt", with order "asc" or "desc" as sort "-createdAt"
//	page     2, from 1, with limit                   as offset
//	limit    "20"                                    as 20
//
// Their count is a word of the list itself. A word beside the one it stands for is
// refused, and a refusal names the words that were sent.
//
// dialect reads a list's query; as says, of words of ours, which of theirs was sent.
type dialect struct {
	limits  facade.ListLimits
	query   json.RawMessage
	as      map[string]string
	details []schema.Detail
}

// dialectWords are the words of others, and ours that each of them is.
var dialectWords = map[string]string{"where": "filter", "orderBy": "sort", "order": "sort", "page": "offset"}

// understand gives a list's query in our words, and how a failure is told in theirs.
func understand(query json.RawMessage, limits facade.ListLimits) (json.RawMessage, *dialect, *failure) {
	d := &dialect{limits: limits, query: query, as: map[string]string{}}
	foreign := jsontext.KindOf(jsontext.Get(query, "limit")) == jsontext.String
	for word := range dialectWords {
		foreign = foreign || jsontext.Get(query, word) != nil
	}
	if !foreign {
		return query, nil, nil
	}
	var out schema.Object
	for name, value := range jsontext.Members(query) {
		ours, theirs := dialectWords[name]
		switch {
		case name == "limit":
			out = append(out, schema.Member{Name: name, Value: number(value)})
		case !theirs:
			out = append(out, schema.Member{Name: name, Value: value})
		case jsontext.IsNull(value): // as good as leaving it out
		case name == "page" && (d.sent("after") || d.sent("before")):
			d.refuse(name, "exclusive", "cannot stand beside a cursor; send one of them")
		case d.sent(ours):
			d.refuse(name, "exclusive", "cannot stand beside "+ours+"; send one of them")
		default:
			d.as[ours] = name
			if text := d.read(name, value); text != nil {
				out = append(out, schema.Member{Name: ours, Value: text})
			}
		}
	}
	if len(d.details) > 0 {
		message := d.details[0].Path + " " + d.details[0].Message
		return nil, nil, &failure{Failed, facade.Invalid(message, d.details...)}
	}
	text := json.RawMessage{'{'}
	for i, m := range out {
		if i > 0 {
			text = append(text, ',')
		}
		text = append(append(jsontext.AppendString(text, m.Name), ':'), m.Value...)
	}
	return append(text, '}'), d, nil
}

// sent says whether a word is in the query.
func (d *dialect) sent(word string) bool {
	v := jsontext.Get(d.query, word)
	return v != nil && !jsontext.IsNull(v)
}

func (d *dialect) refuse(name, code, message string) {
	d.details = append(d.details, schema.Detail{Path: name, Pointer: "/query/" + jsontext.Token(name), Code: code, Message: message})
}

// read is the value of a word as ours has it; nil where another word says it.
func (d *dialect) read(name string, value json.RawMessage) json.RawMessage {
	switch name {
	case "where":
		return d.where(value)
	case "orderBy":
		return d.order(value)
	case "page":
		return d.page(value)
	}
	if !d.sent("orderBy") {
		d.refuse(name, "dependentRequired", "says the direction of orderBy; send orderBy beside it")
	}
	return nil
}

func (d *dialect) where(value json.RawMessage) json.RawMessage {
	if jsontext.KindOf(value) != jsontext.Object {
		d.refuse("where", "type", `must be an object of fields and values, such as {"status": "open"}`)
		return nil
	}
	filter := json.RawMessage{'{'}
	for name, v := range jsontext.Members(value) {
		operator := `:{"eq":`
		switch jsontext.KindOf(v) {
		case jsontext.Object, jsontext.Array:
			d.refuse("where."+name, "type", "is a value to be equal to; send other conditions as filter")
			d.details[len(d.details)-1].Pointer = "/query/where/" + jsontext.Token(name)
			continue
		case jsontext.Null:
			operator, v = `:{"isNull":`, json.RawMessage("true")
		}
		if len(filter) > 1 {
			filter = append(filter, ',')
		}
		filter = append(jsontext.AppendString(filter, name), operator...)
		filter = append(append(filter, v...), '}')
	}
	return append(filter, '}')
}

func (d *dialect) order(value json.RawMessage) json.RawMessage {
	field := jsontext.Unquote(value)
	if jsontext.KindOf(value) != jsontext.String || field == "" || strings.ContainsAny(field, ",+-") {
		d.refuse("orderBy", "type", "must be the name of one field, with order beside it; send several as sort")
		return nil
	}
	switch order := jsontext.Get(d.query, "order"); {
	case order == nil || jsontext.IsNull(order):
	case jsontext.KindOf(order) == jsontext.String && strings.EqualFold(jsontext.Unquote(order), "asc"):
	case jsontext.KindOf(order) == jsontext.String && strings.EqualFold(jsontext.Unquote(order), "desc"):
		field = "-" + field
	default:
		d.refuse("order", "enum", "must be asc or desc")
	}
	return jsontext.Quote(field)
}

// page is where a page begins; its length is limit, as the list will take it.
func (d *dialect) page(value json.RawMessage) json.RawMessage {
	n, ok := schema.Integer(number(value))
	if !ok || n < 1 || n > maxSkipped {
		d.refuse("page", "minimum", "must be a whole number from 1")
		return nil
	}
	limit := int64(d.limits.Default)
	if sent, ok := schema.Integer(number(jsontext.Get(d.query, "limit"))); ok && sent >= 0 {
		limit = min(sent, int64(d.limits.Max))
	}
	return strconv.AppendInt(nil, (n-1)*limit, 10)
}

// number is a number that was sent as text, or the value as it is.
func number(value json.RawMessage) json.RawMessage {
	if text := []byte(jsontext.Unquote(value)); jsontext.KindOf(value) == jsontext.String && jsontext.Check(text) == nil && jsontext.KindOf(text) == jsontext.Number {
		return text
	}
	return value
}

// told is a failure of the list with the words that were sent: where.status instead of
// filter.status.eq.
func (d *dialect) told(err *facade.Error) *facade.Error {
	details, ok := err.Details.([]schema.Detail)
	if d == nil || !ok {
		return err
	}
	out := *err
	all := make([]schema.Detail, len(details))
	for i, detail := range details {
		all[i] = detail
		ours, rest, _ := strings.Cut(detail.Path, ".")
		theirs := d.as[ours]
		if theirs == "" {
			continue
		}
		if theirs == "where" {
			rest = strings.TrimSuffix(strings.TrimSuffix(rest, ".eq"), ".isNull")
		} else {
			rest = ""
		}
		all[i].Path, all[i].Pointer = theirs, "/query/"+theirs
		if rest != "" {
			all[i].Path += "." + rest
			all[i].Pointer += "/" + jsontext.Token(rest)
		}
		if i == 0 {
			out.Message = strings.Replace(out.Message, detail.Path+" ", all[i].Path+" ", 1)
		}
	}
	out.Details = all
	return &out
}

// lists says whether a method is a built-in list, whose query has words.
func lists(op *facade.Operation) bool { return op != nil && op.Builtin && op.Name == "list" }
