package shadow

import (
	"encoding/json"
	"regexp"
	"strings"

	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// maxLine is how many bytes a line has: a longer one is cut, and marked.
const maxLine = 4 << 10

// plain are texts that a shell takes as one word.
var plain = regexp.MustCompile(`^[A-Za-z0-9_./:=@%+,-]+$`)

// line is a call as a command line that makes it again:
//
//	frond call product.list --state '{"user":{"id":"ada"}}' 'filter:={"price":{"gt":10}}' limit:=20
//
// A call for many keys is the findByIds of them, or the list of the rows with them.
func line(one *call) string {
	c, in := &one.call, &one.call.Invocation
	operation, params, query := one.op.Name, in.ParamsJSON(), in.Query
	if each := c.Each; each != nil {
		keys := jsontext.AppendTexts(nil, each.Keys)
		if operation == "findById" {
			operation, params = "findByIds", schema.Object{{Name: "ids", Value: keys}}.AppendJSON(nil)
		} else {
			query = narrowed(query, each.Field, keys)
		}
	}
	if len(c.Select) > 0 && jsontext.Get(query, "fields") == nil && one.op.Builtin && operation != catalog.Aggregate {
		query = jsontext.With(query, "fields", jsontext.AppendStrings(nil, c.Select))
	}
	words := []string{"frond", "call", one.op.Door.Name + "." + operation}
	if len(in.State) > 0 {
		if state, err := json.Marshal(in.State); err == nil {
			words = append(words, "--state", quoted(string(state)))
		}
	}
	for _, part := range []json.RawMessage{params, query, in.Body} {
		for name, value := range jsontext.Members(part) {
			word := name + ":=" + string(value)
			if text := jsontext.Unquote(value); jsontext.KindOf(value) == jsontext.String && !strings.HasPrefix(text, "@") {
				word = name + "=" + text
			}
			words = append(words, quoted(word))
		}
	}
	text := strings.Join(words, " ")
	return cut(text, maxLine)
}

// narrowed is the query of a list of the rows whose field has one of keys.
func narrowed(query json.RawMessage, field string, keys json.RawMessage) json.RawMessage {
	own := schema.Object{{Name: field, Value: schema.Object{{Name: "in", Value: keys}}.AppendJSON(nil)}}.AppendJSON(nil)
	if sent := jsontext.Get(query, "filter"); sent != nil && !jsontext.IsNull(sent) {
		own = schema.Object{{Name: "and", Value: jsontext.AppendTexts(nil, []json.RawMessage{own, sent})}}.AppendJSON(nil)
	}
	return jsontext.With(query, "filter", own)
}

// quoted is a word for a shell.
func quoted(word string) string {
	if plain.MatchString(word) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
