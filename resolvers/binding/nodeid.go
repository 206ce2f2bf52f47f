package binding

import (
	"encoding/base64"
	"encoding/json"
	"strings"

	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// NodeIDOf returns the global id of a row: opaque to clients, and the same on every host
// that serves the entity. key is the JSON text of the row's primary key.
func NodeIDOf(e *schema.Entity, key json.RawMessage) string {
	return base64.RawURLEncoding.EncodeToString(append([]byte(e.Key+":"), key...))
}

// ParseNodeID reverses [NodeIDOf]: it returns the entity's schema.EntityKey and the JSON
// text of the primary key. ok is false for any text that NodeIDOf does not write.
func ParseNodeID(id string) (entity string, key json.RawMessage, ok bool) {
	text, err := base64.RawURLEncoding.DecodeString(id)
	if err != nil || base64.RawURLEncoding.EncodeToString(text) != id { // the decoder skips line breaks
		return "", nil, false
	}
	entity, rest, found := strings.Cut(string(text), ":")
	if !found || entity == "" || jsontext.Check([]byte(rest)) != nil {
		return "", nil, false
	}
	if k := jsontext.KindOf([]byte(rest)); k != jsontext.String && k != jsontext.Number {
		return "", nil, false
	}
	return entity, json.RawMessage(rest), true
}

// MaxNodes is how many ids Query.nodes takes at most: as many as findByIds.
const MaxNodes = 500

// TooManyNodes is the BAD_REQUEST for more ids than [MaxNodes].
func TooManyNodes() *kiterror.Error {
	return kiterror.Errorf(kiterror.BadRequest, "nodeIds has more than %d ids; ask for fewer at once", MaxNodes)
}
