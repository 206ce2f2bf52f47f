package facade

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/frondhost/frond/facade/access"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// Old names of fields (docs/decisions/migrations.md). The path brings them to the new names where it judges
// the body and the query, behind the collectors: a caller without the field learns nothing by
// its old name either.
//
//	a body       the member is renamed before it is judged   renameBody
//	a filter     at the member, in the filter's parser       Answers
//	sort         at the key                                  sortBy
//	fields       a column of the answer                      selection.go
//
// Handlers, hooks, stores and remotes are given the new names alone.

// Answers implements [filter.Host]: an old name means its field, and ends the call with GONE
// after its last day.
func (x *viewer) Answers(a *schema.FieldAlias) bool {
	x.used = append(x.used, a)
	if a.Past(x.now()) {
		x.gone(a)
	}
	return true
}

// renameBody gives the members of a body their new names. One whose new name is sent too is
// refused, unless the values are equal: a client that sends back the row it read has both.
func renameBody(x *viewer, card *schema.Entity) {
	body := x.call.Invocation.Body
	if card == nil || len(card.Aliases) == 0 || jsontext.KindOf(body) != jsontext.Object {
		return
	}
	scope := x.doorScope
	if x.inside || !x.door.Shapes(card) {
		scope = access.Open
	}
	var out schema.Object
	found := false
	for name, value := range jsontext.Members(body) {
		a := card.Alias(name)
		if a == nil || a.Name != name || scope.Hides(a.Field.Name) {
			out = append(out, schema.Member{Name: name, Value: value})
			continue
		}
		found = true
		to := a.Field.Name
		if a.Past(x.now()) {
			x.gone(a)
		}
		other := jsontext.Get(body, to)
		if other == nil {
			other = out.Get(to) // by another old name
		}
		switch {
		case other == nil:
			x.renamed = append(x.renamed, a)
			out = append(out, schema.Member{Name: to, Value: value})
		case !bytes.Equal(jsontext.Trim(other), jsontext.Trim(value)):
			x.refuse(schema.Detail{Path: name, Pointer: "/body/" + jsontext.Token(name), Code: "exclusive", Message: "is the old name of " + to + ", which is sent too; send " + to + " alone"})
		}
	}
	if found {
		own := *x.call // the caller keeps its own
		own.Invocation.Body = out.AppendJSON(nil)
		x.call = &own
	}
}

// inSentNames is a failure of a remote, which was sent the new names, in the names that the
// caller sent: a caller without the field there does not learn its new name.
func inSentNames(x *viewer, err *kiterror.Error) *kiterror.Error {
	own := *err
	details, _ := err.Details.([]schema.Detail)
	if details = slices.Clone(details); details != nil {
		own.Details = details
	}
	for _, a := range slices.Concat(x.used, x.renamed) {
		for _, pair := range [][2]string{{a.Field.Name, a.Name}, {linkOf(a).Name, a.Relation}, {linkOf(a).Key, a.Key}} {
			is, was := pair[0], pair[1]
			own.Message = replaceWord(own.Message, is, was)
			for i := range details {
				d := &details[i]
				d.Path, d.Pointer, d.Message = replaceWord(d.Path, is, was), replaceWord(d.Pointer, is, was), replaceWord(d.Message, is, was)
			}
		}
	}
	return &own
}

// linkOf is the link of a field that was renamed; without names where it has none.
func linkOf(a *schema.FieldAlias) schema.Link {
	if a.Field.Link == nil {
		return schema.Link{}
	}
	return *a.Field.Link
}

// replaceWord is a text with a name replaced where it is a whole word.
func replaceWord(text, name, by string) string {
	if name == "" {
		return text
	}
	inWord := func(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }
	var out strings.Builder
	for {
		before, after, found := strings.Cut(text, name)
		out.WriteString(before)
		if !found {
			return out.String()
		}
		last, _ := utf8.DecodeLastRuneInString(before)
		next, _ := utf8.DecodeRuneInString(after)
		if inWord(last) || inWord(next) {
			out.WriteString(name)
		} else {
			out.WriteString(by)
		}
		text = after
	}
}

// renameQuery writes the query of a call that used old names with the new ones, from the result of
// reading it, for handlers and remotes. Relations are followed here: their columns are in their
// place.
func renameQuery(x *execution) {
	if len(x.used) == 0 && x.relations == nil || x.groups != nil || x.call.Invocation.Query == nil || x.door.Entity == nil {
		return
	}
	own := *x.call
	own.Invocation.Query = schema.Rewrite(own.Invocation.Query, func(name string, value json.RawMessage) json.RawMessage {
		switch {
		case jsontext.IsNull(value):
		case name == "filter" && x.list.filter != nil:
			return x.list.filter.AppendJSON(nil)
		case name == "where" && x.condition != nil:
			return x.condition.AppendJSON(nil)
		case name == "sort":
			return x.list.order.text()
		case name == "fields":
			return jsontext.AppendStrings(nil, newNames(x.op.reader, x.fields[1]))
		}
		return value
	})
	x.call = &own
}

// newNames are names of fields with the new ones in place of the old.
func newNames(r *reader, names []string) []string {
	if r == nil || len(r.entity.Aliases) == 0 || names == nil {
		return names
	}
	out := make([]string, len(names))
	for i, name := range names {
		out[i] = name
		if a := r.entity.Alias(name); a != nil && a.Name == name {
			out[i] = a.Field.Name
		}
	}
	return out
}
