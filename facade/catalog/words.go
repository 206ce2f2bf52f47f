package catalog

import (
	"encoding/json"

	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// Words are what a caller says beside a command: in its query, or beside the calls of an atomic call.
type Words struct {
	Rehearse bool
	Approve  string // the token of a rehearsal; "": none
}

// Any reports whether the caller has said one of the words.
func (w Words) Any() bool { return w.Rehearse || w.Approve != "" }

// Members are the words as members of an object.
func (w Words) Members() (all schema.Object) {
	if w.Rehearse {
		all = append(all, schema.Member{Name: Rehearse, Value: json.RawMessage("true")})
	}
	if w.Approve != "" {
		all = append(all, schema.Member{Name: Approve, Value: jsontext.Quote(w.Approve)})
	}
	return all
}

// The words.
const (
	Rehearse = "rehearse"
	Approve  = "approve"
)

// IsWord reports whether a member of a query is one of the words.
func IsWord(name string) bool { return name == Rehearse || name == Approve }

// ReadWords reads the words among the members of an object. at is the pointer of the object.
func ReadWords(object json.RawMessage, at string) (w Words, details []schema.Detail) {
	refuse := func(name, code, message string) {
		d := schema.Detail{Code: code, Message: message}.At(at + "/" + name)
		d.Path, d.Pointer = name, at+"/"+name
		details = append(details, d)
	}
	switch v := jsontext.Get(object, Rehearse); jsontext.KindOf(v) {
	case jsontext.True:
		w.Rehearse = true
	case jsontext.False, jsontext.Null:
	default:
		if v != nil {
			refuse(Rehearse, "type", "must be true, or be left out")
		}
	}
	switch v := jsontext.Get(object, Approve); {
	case v == nil, jsontext.IsNull(v):
	case jsontext.KindOf(v) != jsontext.String, jsontext.Unquote(v) == "":
		refuse(Approve, "type", "must be the token of a rehearsal: the member rehearsal of its answer")
	case w.Rehearse:
		refuse(Approve, "oneOf", "is sent beside rehearse; send one of the two")
	default:
		w.Approve = jsontext.Unquote(v)
	}
	return w, details
}

// CutWords returns an object without the words; nil without any member.
func CutWords(object json.RawMessage) json.RawMessage {
	var rest schema.Object
	for name, value := range jsontext.Members(object) {
		if !IsWord(name) {
			rest = append(rest, schema.Member{Name: name, Value: value})
		}
	}
	if rest == nil {
		return nil
	}
	return rest.AppendJSON(nil)
}

// HasWords reports whether the card of a command has one of the words as a parameter of its own. Such a command is never rehearsed.
func (op *Operation) HasWords() bool {
	return op.Query != nil && (op.Query.Property(Rehearse) != nil || op.Query.Property(Approve) != nil)
}
