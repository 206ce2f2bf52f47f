package filter

import (
	"encoding/json"
	"strings"

	"github.com/frondhost/frond/facade/rows"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// Operand is the value that a text stands for as an operand of op on a field, as
// [Filter] holds it. A value that the enum of the field does not have is refused; why is
// then what to send instead, else "".
func Operand(p *schema.Property, op Op, text json.RawMessage) (value any, why string) {
	value, why = rows.Value(p.Kind, text)
	if why != "" {
		return nil, "must be " + why
	}
	if s, ok := value.(string); ok && p.Shape.Enum != nil && (op == Eq || op == Ne || op == In || op == NotIn) {
		var known []string
		for _, e := range p.Shape.Enum {
			if jsontext.KindOf(e) == jsontext.String {
				if known = append(known, jsontext.Unquote(e)); known[len(known)-1] == s {
					return value, ""
				}
			}
		}
		return nil, "must be one of " + strings.Join(known, ", ")
	}
	return value, ""
}
