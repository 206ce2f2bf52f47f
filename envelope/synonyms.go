package envelope

import (
	"encoding/json"
	"strconv"
	"strings"

	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/facade/project"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// synonyms are the words that other consumers use in the query of a list. The
// specification does not show that query (spec 4.2), so clients written to the
// specification alone, or to hosts of another make, have words of their own. They are
// accepted on the envelope only (docs/decisions/remotes.md):
//
//	where    {"status": "open", "ownerId": null}    equality, as filter {"status": {"eq": "open"}, "ownerId": {"isNull": true}}
//	orderBy  "createdAt", with order "asc" or "desc" as sort "-createdAt"
//	page     2, from 1, with limit                   as offset
//	limit    "20"                                    as 20
//
// Their count is a word of the list itself. A synonym together with its word is refused, and a
// refusal names the words of the request.
type synonyms struct {
	limits  project.ListLimits
	query   json.RawMessage
	sentAs  map[string]string // our word → the synonym that was sent
	details []schema.Detail
}

// canonical maps each synonym to its word of the list query.
var canonical = map[string]string{"where": "filter", "orderBy": "sort", "order": "sort", "page": "offset"}

// translate returns a list's query with the words of the list. The synonyms restore the
// client's words in a failure; they may be nil.
//
//	{"where":{"status":"open"},"orderBy":"createdAt","order":"desc","page":2,"limit":"20"}
//	{"filter":{"status":{"eq":"open"}},"sort":"-createdAt","offset":20,"limit":20}
func translate(query json.RawMessage, limits project.ListLimits) (json.RawMessage, *synonyms, *failure) {
	foreign := jsontext.KindOf(jsontext.Get(query, "limit")) == jsontext.String
	for word := range canonical {
		foreign = foreign || jsontext.Get(query, word) != nil
	}
	if !foreign {
		return query, nil, nil
	}
	d := &synonyms{limits: limits, query: query, sentAs: map[string]string{}}
	text := json.RawMessage{'{'}
	add := func(name string, value json.RawMessage) {
		text = append(jsontext.AppendName(jsontext.Comma(text), name), value...)
	}
	for name, value := range jsontext.Members(query) {
		word, synonym := canonical[name]
		switch {
		case name == "limit":
			add(name, number(value))
		case !synonym:
			add(name, value)
		case jsontext.IsNull(value): // as good as absent
		case name == "page" && (d.sent("after") || d.sent("before")):
			d.refuse(name, "exclusive", "cannot be combined with a cursor; send one of them")
		case d.sent(word):
			d.refuse(name, "exclusive", "cannot be combined with "+word+"; send one of them")
		default:
			d.sentAs[word] = name
			if value := d.read(name, value); value != nil {
				add(word, value)
			}
		}
	}
	if len(d.details) > 0 {
		message := d.details[0].Path + " " + d.details[0].Message
		return nil, nil, &failure{Code: callFailed, Err: kiterror.Invalid(message, d.details...)}
	}
	return append(text, '}'), d, nil
}

// sent says whether a word is in the query and not null.
func (d *synonyms) sent(word string) bool {
	v := jsontext.Get(d.query, word)
	return v != nil && !jsontext.IsNull(v)
}

// refuse adds a detail to the failure of translate.
func (d *synonyms) refuse(name, code, message string) {
	d.details = append(d.details, schema.Detail{Path: name, Pointer: "/query/" + jsontext.Token(name), Code: code, Message: message})
}

// read translates the value of a synonym; nil where another synonym carries it.
func (d *synonyms) read(name string, value json.RawMessage) json.RawMessage {
	switch name {
	case "where":
		return d.where(value)
	case "orderBy":
		return d.order(value)
	case "page":
		return d.page(value)
	}
	if !d.sent("orderBy") {
		d.refuse(name, "dependentRequired", "gives the direction of orderBy; send orderBy too")
	}
	return nil
}

// where translates an object of fields and values into a filter of equalities.
func (d *synonyms) where(value json.RawMessage) json.RawMessage {
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
		filter = append(jsontext.AppendString(jsontext.Comma(filter), name), operator...)
		filter = append(append(filter, v...), '}')
	}
	return append(filter, '}')
}

// order translates orderBy, and order as its direction, into a sort key.
func (d *synonyms) order(value json.RawMessage) json.RawMessage {
	field := jsontext.Unquote(value)
	if jsontext.KindOf(value) != jsontext.String || field == "" || strings.ContainsAny(field, ",+-") {
		d.refuse("orderBy", "type", "must be the name of one field, with order as its direction; send several as sort")
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

// page is the offset of a page, whose length is the limit that the list will apply.
func (d *synonyms) page(value json.RawMessage) json.RawMessage {
	n, ok := schema.Integer(number(value))
	if !ok || n < 1 || n > MaxOffset {
		d.refuse("page", "minimum", "must be a whole number from 1")
		return nil
	}
	limit := int64(d.limits.Default)
	if sent, ok := schema.Integer(number(jsontext.Get(d.query, "limit"))); ok && sent >= 0 {
		limit = min(sent, int64(d.limits.Max))
	}
	return strconv.AppendInt(nil, (n-1)*limit, 10)
}

// number is the number in a string, or the value unchanged.
func number(value json.RawMessage) json.RawMessage {
	if text := []byte(jsontext.Unquote(value)); jsontext.KindOf(value) == jsontext.String && jsontext.Check(text) == nil && jsontext.KindOf(text) == jsontext.Number {
		return text
	}
	return value
}

// restore puts the words of the request into a failure of the list: where.status instead of
// filter.status.eq. A nil receiver returns err. The message is changed for the first detail
// only, since it repeats that one.
func (d *synonyms) restore(err *kiterror.Error) *kiterror.Error {
	details, ok := err.Details.([]schema.Detail)
	if d == nil || !ok {
		return err
	}
	out := *err
	all := make([]schema.Detail, len(details))
	for i, detail := range details {
		all[i] = detail
		word, rest, _ := strings.Cut(detail.Path, ".")
		synonym := d.sentAs[word]
		if synonym == "" {
			continue
		}
		if synonym == "where" {
			rest = strings.TrimSuffix(strings.TrimSuffix(rest, ".eq"), ".isNull")
		} else {
			rest = ""
		}
		all[i].Path, all[i].Pointer = synonym, "/query/"+synonym
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
